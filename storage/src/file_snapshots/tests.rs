//! Copies on a real folder: what is kept, what is not, and that putting back is whole at every step.

use super::*;
use proptest::prelude::*;
use tempfile::TempDir;

const LIMITS: SnapshotLimits = SnapshotLimits { file_bytes_max: 100, total_bytes_max: 1_000, files_max: 20 };

struct Stage {
    home: TempDir,
    work: TempDir,
    snapshots: FileSnapshots,
}

impl Stage {
    fn new(files: &[(&str, &[u8])]) -> Self {
        let (home, work) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
        let snapshots = FileSnapshots::new(home.path(), vec![work.path().join("own")]);
        let stage = Self { home, work, snapshots };
        files.iter().for_each(|(name, bytes)| stage.write(name, bytes));
        stage
    }

    fn path(&self, name: &str) -> PathBuf {
        self.work.path().join(name)
    }

    fn write(&self, name: &str, bytes: &[u8]) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(path, bytes).expect("written");
    }

    fn read(&self, name: &str) -> Option<String> {
        fs::read_to_string(self.path(name)).ok()
    }

    fn take(&self, limits: SnapshotLimits) -> Taken {
        self.snapshots.take("s1", &[self.work.path().to_owned()], limits).expect("taken")
    }

    /// `changed a.txt copy` per file, names without the folder.
    fn lines(&self, settled: &Settled) -> Vec<String> {
        let short = |path: &str| {
            Path::new(path).strip_prefix(self.work.path()).map(|path| path.display().to_string()).expect("below")
        };
        let files = settled.files.iter().map(|file| {
            let what = if file.deleted { "deleted" } else { "changed" };
            let kept = file.note.as_deref().unwrap_or("copy");
            format!("{what} {} {kept}", short(&file.path))
        });
        files.chain(settled.created.iter().map(|path| format!("created {}", short(path)))).collect()
    }

    fn settle(&self, taken: &Taken) -> Vec<String> {
        let settled = self.snapshots.settle(taken).expect("settled");
        settled.map(|settled| self.lines(&settled)).unwrap_or_default()
    }
}

#[test]
fn what_changed_is_known_and_can_be_put_back() {
    let stage = Stage::new(&[("a.txt", b"one"), ("sub/b.md", b"two"), ("same.txt", b"same"), ("p.png", b"x")]);
    let taken = stage.take(LIMITS);
    stage.write("a.txt", b"ONE!");
    fs::remove_file(stage.path("sub/b.md")).expect("removed");
    stage.write("p.png", b"xy");
    stage.write("new.txt", b"new");
    stage.write("same.txt", b"same"); // written again with the same words
    let settled = stage.snapshots.settle(&taken).expect("settled").expect("something changed");
    let want = [
        "changed a.txt copy",
        "changed p.png Not a text file, so no copy was kept.",
        "deleted sub/b.md copy",
        "created new.txt",
    ];
    assert_eq!(stage.lines(&settled), want);
    fs::remove_dir_all(stage.path("sub")).expect("removed");
    let done = stage.snapshots.put_back("s1", &settled.files);
    assert_eq!((done.restored, done.failed), (2, Vec::new()));
    assert_eq!((stage.read("a.txt").as_deref(), stage.read("sub/b.md").as_deref()), (Some("one"), Some("two")));
    assert_eq!(stage.read("new.txt").as_deref(), Some("new"), "what it made is left alone");
}

#[test]
fn nothing_changed_leaves_nothing_behind() {
    let stage = Stage::new(&[("a.txt", b"one")]);
    let taken = stage.take(LIMITS);
    assert_eq!(stage.snapshots.list().expect("a list"), ["s1"]);
    assert_eq!(stage.snapshots.unsettled("s1"), Some(taken.clone()));
    assert!(stage.settle(&taken).is_empty());
    assert_eq!(stage.snapshots.list().expect("a list"), Vec::<String>::new());
    assert!(stage.home.path().join("snapshots").exists());
}

#[test]
fn either_all_get_a_copy_or_none() {
    let big = [b'x'; 101];
    for (name, files, limits, want) in [
        ("too big", vec![("a.txt", &big[..])], LIMITS, vec!["changed a.txt Too big to keep a copy."]),
        (
            "too many",
            vec![("a.txt", &b"1"[..]), ("b.txt", b"2")],
            SnapshotLimits { files_max: 1, ..LIMITS },
            vec!["changed a.txt Too many files to keep a copy", "changed b.txt Too many files to keep a copy"],
        ),
        (
            "too much",
            vec![("a.txt", &b"1234"[..]), ("b.txt", b"5678")],
            SnapshotLimits { total_bytes_max: 7, ..LIMITS },
            vec!["changed a.txt Too many files to keep a copy", "changed b.txt Too many files to keep a copy"],
        ),
        (
            "what gets no copy does not count",
            vec![("a.txt", &b"1"[..]), ("b.zip", b"2")],
            SnapshotLimits { files_max: 1, ..LIMITS },
            vec!["changed a.txt copy", "changed b.zip Not a text file, so no copy was kept."],
        ),
        (
            "no text after all",
            vec![("a.txt", &b"a\0b"[..])],
            LIMITS,
            vec!["changed a.txt Not a text file, so no copy was kept."],
        ),
    ] {
        let stage = Stage::new(&files);
        let taken = stage.take(limits);
        for (file, _) in &files {
            stage.write(file, b"something else");
        }
        assert_eq!(stage.settle(&taken), want, "{name}");
    }
}

#[test]
fn some_folders_are_never_looked_at() {
    let stage = Stage::new(&[(".git/HEAD", b"a"), ("node_modules/m.js", b"a"), ("own/x.txt", b"a"), ("a.txt", b"a")]);
    let taken = stage.take(LIMITS);
    for file in [".git/HEAD", "node_modules/m.js", "own/x.txt"] {
        stage.write(file, b"changed");
    }
    assert!(stage.settle(&taken).is_empty());
}

#[cfg(unix)]
#[test]
fn a_link_is_neither_copied_nor_written_through() {
    let stage = Stage::new(&[("a.txt", b"one")]);
    let outside = tempfile::tempdir().expect("a folder");
    let victim = outside.path().join("victim.txt");
    fs::write(&victim, b"mine").expect("written");
    std::os::unix::fs::symlink(&victim, stage.path("link.txt")).expect("linked");
    let taken = stage.take(LIMITS);
    fs::remove_file(stage.path("a.txt")).expect("removed");
    std::os::unix::fs::symlink(&victim, stage.path("a.txt")).expect("linked");
    let settled = stage.snapshots.settle(&taken).expect("settled").expect("a link took its place");
    let done = stage.snapshots.put_back("s1", &settled.files);
    assert_eq!((done.restored, done.failed.len()), (0, 1), "{done:?}");
    assert_eq!(fs::read(&victim).expect("read"), b"mine");
}

#[test]
fn names_lead_nowhere_else() {
    let stage = Stage::new(&[]);
    for id in ["", "..", "a/b", "../x", "a\\b"] {
        assert!(stage.snapshots.remove(id).is_err(), "{id}");
        assert!(stage.snapshots.unsettled(id).is_none(), "{id}");
    }
}

#[test]
fn what_a_kill_left_beside_a_file_is_swept() {
    let stage = Stage::new(&[("a.txt", b"one")]);
    let taken = stage.take(LIMITS);
    stage.write("a.txt", b"two");
    let settled = stage.snapshots.settle(&taken).expect("settled").expect("changed");
    stage.write(".sentient-put-back-s1-a.txt", b"ha");
    stage.snapshots.sweep_parts("s1", &settled.files);
    assert_eq!(stage.read(".sentient-put-back-s1-a.txt"), None);
    assert_eq!(stage.read("a.txt").as_deref(), Some("two"));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, ..ProptestConfig::default() })]

    /// Whatever a call does to a few files, putting back makes each the one it was.
    #[test]
    fn putting_back_gives_the_old_files(deeds in proptest::collection::vec(0_u8..4, 1..6)) {
        let names: Vec<String> = (0..deeds.len()).map(|number| format!("f{number}.txt")).collect();
        let files: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), name.as_bytes())).collect();
        let stage = Stage::new(&files);
        let taken = stage.take(LIMITS);
        for (name, deed) in names.iter().zip(&deeds) {
            match deed {
                0 => stage.write(name, b"something else"),
                1 => fs::remove_file(stage.path(name)).expect("removed"),
                2 => stage.write(name, b""),
                _ => (),
            }
        }
        if let Some(settled) = stage.snapshots.settle(&taken).expect("settled") {
            let done = stage.snapshots.put_back("s1", &settled.files);
            prop_assert!(done.failed.is_empty());
        }
        for name in &names {
            let read = stage.read(name);
            prop_assert_eq!(read.as_deref(), Some(name.as_str()));
        }
    }
}
