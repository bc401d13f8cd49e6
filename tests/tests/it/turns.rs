//! Plays every story of `tests/turns/`.

use std::path::Path;
use tests::story::play;

/// One test per story would need a macro; one test that names the story it is in does as well.
#[test]
fn every_story_goes_as_told() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("turns");
    let mut stories: Vec<_> =
        std::fs::read_dir(&folder).expect("the stories").map(|entry| entry.expect("a file").path()).collect();
    stories.sort();
    assert!(stories.len() >= 20, "stories are missing: {}", stories.len());
    let mut failed = Vec::new();
    for path in stories {
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let story = std::fs::read_to_string(&path).expect("a story");
        if std::panic::catch_unwind(|| play(&name, &story)).is_err() {
            failed.push(name);
        }
    }
    assert!(failed.is_empty(), "stories that went another way: {failed:?}");
}
