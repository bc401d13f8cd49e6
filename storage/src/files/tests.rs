//! The folder's promises, each as a test.

use super::{Content, FileError, Files, NewFile};
use protocol::Timestamp;
use protocol::files::FileSource;
use std::io::Read;
use std::path::Path;
use tempfile::TempDir;

fn home() -> (TempDir, Files) {
    let home = tempfile::tempdir().expect("a folder");
    let files = Files::open(home.path()).expect("opens");
    (home, files)
}

fn new(source: FileSource, name: &str) -> NewFile<'_> {
    NewFile { source, name, random: "3f9a2c", bytes_max: 100 }
}

fn names(files: &Files) -> Vec<String> {
    files.list().expect("lists").into_iter().map(|row| row.name).collect()
}

#[test]
fn an_upload_never_takes_a_name_that_was_used() {
    let (_home, files) = home();
    let save = |name: &str, attached: &[&str]| {
        let stored = files.save(new(FileSource::Upload, name), &b"x"[..], |it| attached.contains(&it));
        stored.expect("saved").name
    };
    assert_eq!(save("report.pdf", &[]), "uploads/report.pdf");
    assert_eq!(save("report.pdf", &[]), "uploads/report (1).pdf");
    assert_eq!(save("report.pdf", &["uploads/report (2).pdf"]), "uploads/report (3).pdf");
    files.delete("uploads/report.pdf").expect("deleted");
    assert_eq!(save("report.pdf", &["uploads/report.pdf"]), "uploads/report (2).pdf", "its message still shows it");
    assert_eq!(save("../../.ssh/id", &[]), "uploads/id");
    let error = files.save(new(FileSource::Upload, "full"), &b"x"[..], |_| true);
    assert_eq!(error, Err(FileError::NoFreeName));
    assert!(names(&files).iter().all(|name| !name.contains("full")), "nothing is left of it");
}

#[test]
fn captures_get_a_random_part() {
    let (_home, files) = home();
    for (source, name, want) in [
        (FileSource::Screen, "Inbox - Mail.png", "screens/Inbox - Mail 3f9a2c.png"),
        (FileSource::Screen, "Inbox - Mail.png", "screens/Inbox - Mail 3f9a2c (1).png"),
        (FileSource::Selection, "Notepad.txt", "selections/Notepad 3f9a2c.txt"),
    ] {
        let stored = files.save(new(source, name), &b"x"[..], |_| false).expect("saved");
        assert_eq!(stored.name, want);
    }
    let row = files.list_in("screens").expect("lists").remove(0);
    assert_eq!((row.mime.as_str(), row.size), ("image/png", 1));
}

#[test]
fn a_file_over_the_limit_leaves_nothing() {
    let (home, files) = home();
    let error = files.save(new(FileSource::Upload, "big"), &[0_u8; 101][..], |_| false);
    assert_eq!(error, Err(FileError::TooLarge { bytes_max: 100 }));
    assert_eq!(std::fs::read_dir(home.path().join("files/uploads")).expect("lists").count(), 0);
    assert!(files.save(new(FileSource::Upload, "fits"), &[0_u8; 100][..], |_| false).is_ok());
    assert_eq!(files.read("uploads/fits", 99), Err(FileError::TooLarge { bytes_max: 99 }));
}

#[test]
fn reading_writing_and_deleting_by_name() {
    let (home, files) = home();
    let written = files.write("notes/2026/über.md", "größer".as_bytes()).expect("written");
    assert_eq!((written.name.as_str(), written.bytes), ("notes/2026/über.md", 8));
    assert!(written.path.is_absolute());
    files.write("notes/2026/über.md", b"smaller").expect("over it");
    assert_eq!(files.read("notes/2026/über.md", 100).expect("read"), b"smaller");
    assert_eq!(files.read("notes/2026/u\u{308}ber.md", 100).expect("the same name"), b"smaller");
    assert_eq!(files.read_text("notes/2026/über.md", 5, 10).expect("text").content, "er");
    let Content { mut file, size, mime, .. } = files.open_content("notes/2026/über.md").expect("opens");
    let mut text = String::new();
    file.read_to_string(&mut text).expect("reads");
    assert_eq!((text.as_str(), size, mime.as_str()), ("smaller", 7, "text/markdown"));

    files.write("uploads/bare.txt", b"x").expect("written");
    assert_eq!(files.open_content("bare.txt").expect("uploads are looked through").size, 1);
    assert_eq!(files.delete("notes/2026/über.md"), Ok(true));
    assert_eq!(files.delete("notes/2026/über.md"), Ok(false));
    assert_eq!(files.delete("nowhere/at/all"), Ok(false));
    assert_eq!(files.delete("notes"), Err(FileError::BadName), "folders are not deleted by name");
    assert_eq!(files.read("notes", 10), Err(FileError::NotFound));
    assert_eq!(files.list_in("nowhere"), Err(FileError::NotFound));
    assert_eq!(names(&files), ["uploads/bare.txt"]);
    std::fs::write(home.path().join("outside.txt"), "secret").expect("written");
    for name in ["../outside.txt", "/etc/passwd", "uploads/../../outside.txt", "uploads\\..\\..\\outside.txt", ""] {
        assert_eq!(files.read(name, 100), Err(FileError::BadName), "{name}");
        assert_eq!(files.write(name, b""), Err(FileError::BadName), "{name}");
        assert_eq!(files.delete(name), Err(FileError::BadName), "{name}");
    }
}

#[cfg(unix)]
#[test]
fn links_that_lead_out_are_refused() {
    use std::os::unix::fs::symlink;
    let (home, files) = home();
    let outside = home.path().join("outside");
    std::fs::create_dir(&outside).expect("made");
    std::fs::write(outside.join("secret.txt"), "secret").expect("written");
    let folder = home.path().join("files");
    symlink(&outside, folder.join("door")).expect("linked");
    symlink(outside.join("secret.txt"), folder.join("uploads/secret.txt")).expect("linked");
    symlink(folder.join("uploads/real.txt"), folder.join("charts/inside.txt")).expect("linked");
    files.write("uploads/real.txt", b"fine").expect("written");

    for name in ["door/secret.txt", "uploads/secret.txt"] {
        assert_eq!(files.read(name, 100), Err(FileError::BadName), "{name}");
    }
    assert_eq!(files.write("door/new.txt", b"x"), Err(FileError::BadName));
    assert_eq!(files.write("door/deeper/new.txt", b"x"), Err(FileError::BadName));
    assert_eq!(files.delete("door/secret.txt"), Err(FileError::BadName));
    assert_eq!(files.list_in("door"), Err(FileError::BadName));
    assert_eq!(files.read("charts/inside.txt", 100).expect("inside"), b"fine");
    assert_eq!(names(&files), ["uploads/real.txt"], "links are not listed");

    // A write goes over the link, not through it; so does a delete.
    files.write("uploads/secret.txt", b"mine").expect("written");
    assert_eq!(files.delete("door"), Ok(true));
    let left: Vec<_> = std::fs::read_dir(&outside).expect("lists").collect();
    assert_eq!(left.len(), 1);
    assert_eq!(std::fs::read_to_string(outside.join("secret.txt")).expect("read"), "secret");
}

#[test]
fn what_a_crash_left_half_written_is_removed() {
    let (home, files) = home();
    files.write("outputs/kept.txt", b"x").expect("written");
    drop(files);
    for left in ["files/uploads/.part-1-0", "files/outputs/.part-9-7"] {
        std::fs::write(home.path().join(left), "half").expect("written");
    }
    let files = Files::open(home.path()).expect("opens");
    assert_eq!(names(&files), ["outputs/kept.txt"]);
    assert!(!home.path().join("files/uploads/.part-1-0").exists());
}

#[test]
fn long_results_are_saved_and_incognito_ones_go_with_their_chat() {
    let (home, files) = home();
    let saved = files.save_output(&"call-1".into(), None, "größer").expect("saved");
    assert_eq!((saved.name.as_str(), saved.characters), ("outputs/tool-call-1.txt", 6));
    assert_eq!(files.create_incognito(&"s2".into()).expect("made"), "outputs/incognito-s2");
    let hidden = files.save_output(&"call-2".into(), Some(&"s1".into()), "secret").expect("saved");
    assert_eq!(hidden.name, "outputs/incognito-s1/tool-call-2.txt");
    assert_eq!(files.delete_incognito(&"s1".into()), Ok(true));
    assert_eq!(files.delete_incognito(&"s1".into()), Ok(false));
    assert!(!home.path().join("files/outputs/incognito-s1").exists());
    assert_eq!(files.sweep_incognito(|session| session.as_str() == "s2"), Ok(0));
    assert_eq!(files.sweep_incognito(|_| false), Ok(1));
    assert_eq!(names(&files), ["outputs/tool-call-1.txt"]);
    for id in ["../x", "a/b", "", "a.b"] {
        assert_eq!(files.save_output(&id.into(), None, ""), Err(FileError::BadName), "{id}");
        assert_eq!(files.delete_incognito(&id.into()), Err(FileError::BadName), "{id}");
    }
}

#[test]
fn forgotten_captures_are_swept() {
    let (home, files) = home();
    for (source, name) in
        [(FileSource::Screen, "a.png"), (FileSource::Selection, "b.txt"), (FileSource::Upload, "c.txt")]
    {
        files.save(new(source, name), &b"x"[..], |_| false).expect("saved");
    }
    let written = modified(&home.path().join("files/screens/a 3f9a2c.png"));
    let hour = 60 * 60 * 1_000;
    let sweep = |now: i64, kept: &str| files.sweep_captures(Timestamp(now), |name| name == kept).expect("swept");
    assert_eq!(sweep(written + hour - 5_000, ""), Vec::<String>::new());
    assert_eq!(sweep(written + hour + 5_000, "screens/a 3f9a2c.png"), ["selections/b 3f9a2c.txt"]);
    assert_eq!(sweep(written + hour + 5_000, ""), ["screens/a 3f9a2c.png"]);
    assert_eq!(names(&files), ["uploads/c.txt"]);
}

fn modified(path: &Path) -> i64 {
    super::disk::modified_at(&path.metadata().expect("there")).as_millis()
}
