//! Folders on a real disk.

use super::*;
use crate::adapters::processes::Launcher;
use actors::stop::ProcessTrees;
use std::fs;
use std::sync::Arc;
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

fn disk() -> DiskFolders {
    let reader = Reader::new(Launcher::new("/nowhere/sentient".into(), ProcessTrees::default()));
    DiskFolders::new(None, Path::new("/nowhere"), reader)
}

struct Ground {
    _temp: TempDir,
    root: PathBuf,
    outside: PathBuf,
}

/// A folder to look through, beside another one.
fn ground() -> Ground {
    let temp = tempfile::tempdir().expect("a folder");
    let top = temp.path().canonicalize().expect("there");
    let (root, outside) = (top.join("notes"), top.join("outside"));
    fs::create_dir_all(&root).expect("made");
    fs::create_dir_all(&outside).expect("made");
    fs::write(outside.join("secret.md"), "secret").expect("written");
    Ground { _temp: temp, root, outside }
}

impl Ground {
    fn write(&self, path: &str, text: &str) {
        let place = self.root.join(path);
        fs::create_dir_all(place.parent().expect("inside")).expect("made");
        fs::write(place, text).expect("written");
    }

    fn root(&self) -> String {
        self.root.display().to_string()
    }

    async fn list(&self, files_max: usize, ignore: &[&str]) -> Result<Listing, NotListed> {
        let ask = ListAsk {
            root: self.root(),
            ignore: ignore.iter().map(|text| (*text).to_owned()).collect(),
            files_max,
            bytes_max: 20 * 1024 * 1024,
            cancel: CancellationToken::new(),
        };
        disk().list(ask).await
    }

    async fn text(&self, path: &str) -> Result<FileText, NoText> {
        disk().text(self.root(), path.to_owned(), FileKind::Markdown, 1024).await
    }
}

fn names(listing: &Listing) -> Vec<&str> {
    listing.files.iter().map(|file| file.path.as_str()).collect()
}

#[cfg(unix)]
#[tokio::test]
async fn a_folder_is_listed_without_what_is_hidden_left_out_or_a_link() {
    use std::os::unix::fs::symlink;
    let ground = ground();
    for path in [
        "a.md",
        "🏔 trip/नोट.md",
        "deep/er/b.TXT",
        "c.pdf",
        "picture.png",
        ".hidden.md",
        ".git/x.md",
        "node_modules/y.md",
        "old.tmp",
    ] {
        ground.write(path, "text");
    }
    symlink(&ground.outside, ground.root.join("out")).unwrap();
    symlink(ground.outside.join("secret.md"), ground.root.join("secret.md")).unwrap();
    symlink(&ground.root, ground.root.join("deep/cycle")).unwrap();
    symlink("nowhere", ground.root.join("dangling.md")).unwrap();
    let log = File::create(ground.root.join("huge.txt")).unwrap();
    log.set_len(2 * 1024 * 1024 * 1024).unwrap();
    let listing = ground.list(100, &["node_modules/", "*.tmp"]).await.unwrap();
    assert_eq!(names(&listing), ["a.md", "c.pdf", "deep/er/b.TXT", "🏔 trip/नोट.md"]);
    assert_eq!((listing.skipped, listing.has_closed, listing.has_more, listing.is_empty), (1, false, false, false));
    assert!(listing.device.is_some() && !listing.is_vault);
    let mut folders = listing.folders.clone();
    folders.sort();
    assert_eq!(folders, ["", "deep", "deep/er", "🏔 trip"], "no link and nothing hidden is looked into");
}

#[tokio::test]
async fn ten_thousand_notes_are_listed_and_a_limit_is_told() {
    let ground = ground();
    for folder in 0..100 {
        let place = ground.root.join(format!("📁{folder}"));
        fs::create_dir(&place).unwrap();
        for note in 0..100 {
            fs::write(place.join(format!("note {note} 🌲.md")), "x").unwrap();
        }
    }
    let listing = ground.list(20_000, &[]).await.unwrap();
    assert_eq!((listing.files.len(), listing.skipped, listing.has_more), (10_000, 0, false));
    let part = ground.list(9_000, &[]).await.unwrap();
    assert_eq!((part.files.len(), part.skipped, part.has_more), (9_000, 1_000, true));
}

#[tokio::test]
async fn a_vault_is_known_with_what_it_leaves_out() {
    let ground = ground();
    ground.write(".obsidian/app.json", r#"{"userIgnoreFilters": ["Archive/", "/regex/"]}"#);
    for path in ["a.md", "Archive/old.md", "Archived/b.md"] {
        ground.write(path, "text");
    }
    let listing = ground.list(100, &[]).await.unwrap();
    assert!(listing.is_vault);
    assert_eq!(names(&listing), ["Archived/b.md", "a.md"]);
    let found = disk().found(ground.root()).await.unwrap();
    assert!(found.is_vault && found.path == ground.root());
}

#[tokio::test]
async fn a_folder_that_is_gone_or_became_a_link_is_missing() {
    let ground = ground();
    ground.write("a.md", "text");
    let moved = ground.outside.join("moved");
    fs::rename(&ground.root, &moved).unwrap();
    assert_eq!(ground.list(100, &[]).await, Err(NotListed::Missing));
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(&moved, &ground.root).unwrap();
        assert_eq!(ground.list(100, &[]).await, Err(NotListed::Missing));
        assert_eq!(ground.text("a.md").await, Err(NoText::Gone), "nor is anything read through it");
    }
    fs::remove_dir_all(&moved).unwrap();
    assert_eq!(disk().found(ground.root()).await, None);
}

#[cfg(unix)]
#[tokio::test]
async fn what_was_swapped_for_a_link_after_the_listing_is_not_read() {
    use std::os::unix::fs::symlink;
    let ground = ground();
    for path in ["a.md", "sub/secret.md"] {
        ground.write(path, "mine");
    }
    assert_eq!(ground.list(100, &[]).await.unwrap().files.len(), 2);
    assert_eq!(ground.text("sub/secret.md").await.unwrap().text, "mine");
    fs::remove_file(ground.root.join("a.md")).unwrap();
    symlink(ground.outside.join("secret.md"), ground.root.join("a.md")).unwrap();
    fs::remove_dir_all(ground.root.join("sub")).unwrap();
    symlink(&ground.outside, ground.root.join("sub")).unwrap();
    for path in
        ["a.md", "sub/secret.md", "../outside/secret.md", "sub/../../outside/secret.md", "/etc/hostname", "", "."]
    {
        assert_eq!(ground.text(path).await, Err(NoText::NotOpened), "{path}");
    }
    assert_eq!(ground.text("gone.md").await, Err(NoText::Gone));
}

#[cfg(unix)]
#[test]
fn the_way_without_the_newest_call_follows_no_link_either() {
    use std::os::unix::fs::symlink;
    let ground = ground();
    ground.write("deep/er/a.md", "mine");
    symlink(&ground.outside, ground.root.join("out")).unwrap();
    symlink(ground.outside.join("secret.md"), ground.root.join("deep/secret.md")).unwrap();
    let opens = |path: &str| opening::by_parts(&ground.root, path).is_ok();
    assert!(opens("deep/er/a.md"));
    for path in ["out/secret.md", "deep/secret.md", "deep/gone.md"] {
        assert!(!opens(path), "{path}");
    }
}

#[cfg(unix)]
#[tokio::test]
async fn what_is_no_file_or_too_big_is_not_read() {
    let ground = ground();
    fs::create_dir(ground.root.join("folder.md")).unwrap();
    ground.write("big.md", &"x".repeat(1025));
    ground.write("program.md", "\0\u{1}\u{2}");
    // A pipe nobody writes to: opening it must not wait.
    let pipe = ground.root.join("pipe.md");
    rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, rustix::fs::Mode::RWXU).unwrap();
    for (path, want) in [
        ("folder.md", NoText::NotOpened),
        ("pipe.md", NoText::NotOpened),
        ("big.md", NoText::TooBig),
        ("program.md", NoText::Unreadable),
    ] {
        assert_eq!(ground.text(path).await, Err(want), "{path}");
    }
    assert!(ground.list(100, &[]).await.unwrap().files.iter().all(|file| file.path != "pipe.md"));
}

#[tokio::test]
async fn a_look_can_be_stopped() {
    let ground = ground();
    let cancel = CancellationToken::new();
    cancel.cancel();
    let ask = ListAsk { root: ground.root(), ignore: Arc::new([]), files_max: 10, bytes_max: 10, cancel };
    assert_eq!(disk().list(ask).await, Err(NotListed::Cancelled));
}

#[tokio::test]
async fn a_change_is_heard_also_in_a_folder_that_was_followed_later() {
    let ground = ground();
    ground.write("sub/a.md", "text");
    let (heard, mut hears) = tokio::sync::mpsc::channel(64);
    let hear: ChangeHeard = Arc::new(move || {
        // More of them than fit say nothing new.
        heard.try_send(()).unwrap_or_default();
    });
    // A computer without watches says so; then there is nothing to hear.
    let Ok(watch) = disk().watch(ground.root.clone(), hear) else { return };
    watch.follow(&[String::new(), "sub".to_owned(), "gone".to_owned()]).expect("followed");
    ground.write("sub/a.md", "changed");
    hears.recv().await.expect("heard");
}
