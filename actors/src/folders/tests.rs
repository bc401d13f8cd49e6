//! The role over a disk of the tests.

use super::change::Change;
use super::read::ReadAsk;
use super::remove::Remove;
use super::test_kit::{Case, ROOT, TestDisk, case, over};
use super::upkeep::{Tick, forget_all};
use super::*;
use crate::fixtures::outside;
use crate::live::Delivery;
use crate::ports::NoText;
use protocol::ErrorKind;
use protocol::folders::{FolderPatch, FolderStatus, NewFolder};
use std::sync::atomic::Ordering;
use storage::records::{EmbedJob, FolderFileRecord, FolderPieceRecord, Searched, SearchedKind, VectorRecord};
use storage::vectors;
use tokio::sync::Semaphore;

fn find(query: &str) -> FindAsk {
    FindAsk { query: query.into(), ..FindAsk::default() }
}

async fn paths(case: &Case, ask: FindAsk) -> Vec<String> {
    case.notes.find(ask).await.expect("searched").results.into_iter().map(|hit| hit.path).collect()
}

fn pieces(store: &Store) -> Vec<FolderPieceRecord> {
    store.snapshot().unwrap().all::<FolderPieceRecord>().unwrap().map(Result::unwrap).collect()
}

#[tokio::test]
async fn an_added_folder_is_looked_through_and_searched() {
    let case = case(false).await;
    case.disk
        .write("Travel/Cabin.md", "---\ntags: norway\naliases: [Hut]\n---\n# Keys\nThe key hangs behind the shutter.");
    case.disk.write("Work.md", "# Plan\nThe budget is 400 crowns. See [[Travel/Cabin|the hut]].");
    case.disk.write("left.tmp", "nothing");
    let id = case.added("").await;
    let folder = case.shown(&id).await;
    assert_eq!((folder.status, folder.files, folder.chunks, folder.unreadable), (FolderStatus::Ready, 2, 2, 0));
    assert_eq!((folder.name.as_str(), folder.scope.as_str(), folder.error), ("Notes", "always", None));
    assert_eq!(folder.last_scan_at, Some(Timestamp(1_000_000)));
    let answer = case.notes.find(find("where is the key of the hut")).await.unwrap();
    let first = &answer.results[0];
    assert_eq!(
        (first.title.as_str(), first.path.as_str(), first.heading.as_deref()),
        ("Cabin", "Travel/Cabin.md", Some("Keys"))
    );
    assert_eq!(first.file, format!("{ROOT}/Travel/Cabin.md"));
    assert_eq!(first.tags.as_deref(), Some(&["norway".to_owned()][..]));
    assert_eq!((&first.link, &first.kept_for, answer.outside_content), (&None, &None, None));
    assert!(answer.results.iter().any(|hit| hit.text.contains("See the hut.")), "a link reads as its label");
    let jobs: Vec<_> = case.store.snapshot().unwrap().all::<EmbedJob>().unwrap().map(Result::unwrap).collect();
    assert_eq!(jobs.len(), 2, "each piece waits for its vectors");
    let none = case.notes.find(find("zebra")).await.unwrap();
    assert!(none.results.is_empty() && none.note.is_some());
}

#[tokio::test]
async fn only_what_changed_is_read_again() {
    let case = case(false).await;
    for (path, text) in [("a.md", "apples"), ("b.md", "bananas"), ("c.md", "cherries")] {
        case.disk.write(path, text);
    }
    let id = case.added("").await;
    case.disk.reads();
    let before = pieces(&case.store);
    case.disk.write("b.md", "blueberries");
    case.disk.remove("c.md");
    case.disk.write("a.md", "apples"); // saved again with the same words
    let folder = case.rescanned(&id).await;
    assert_eq!(case.disk.reads(), ["a.md", "b.md"]);
    assert_eq!((folder.files, folder.chunks), (2, 2));
    let after = pieces(&case.store);
    assert_eq!(after[0], before[0], "a file with the same text keeps its pieces");
    assert_eq!(after[1].text, "blueberries");
    assert!(before.iter().all(|old| old.id != after[1].id), "a number is never used twice");
    assert_eq!(paths(&case, find("bananas cherries")).await, Vec::<String>::new());
    case.rescanned(&id).await;
    assert!(case.disk.reads().is_empty());
}

#[tokio::test]
async fn rule_136_a_look_that_could_not_see_all_forgets_nothing() {
    let case = case(false).await;
    case.disk.write("a.md", "apples");
    case.disk.write("b.md", "bananas");
    let id = case.added("").await;
    case.disk.remove("b.md");
    case.disk.lock().has_closed = true;
    let folder = case.rescanned(&id).await;
    assert_eq!(folder.files, 2);
    assert!(folder.error.unwrap().starts_with("Only part of this folder is searched"));
    assert_eq!(paths(&case, find("bananas")).await, ["b.md"]);
    case.disk.lock().has_closed = false;
    let folder = case.rescanned(&id).await;
    assert_eq!((folder.files, folder.error), (1, None));
}

#[tokio::test]
async fn rule_136_a_drive_that_is_away_keeps_its_index() {
    let case = case(false).await;
    case.disk.write("a.md", "apples");
    let id = case.added("").await;
    let files = std::mem::take(&mut case.disk.lock().files);
    case.disk.lock().device = 2; // the place it is mounted at is there, and empty
    let folder = case.rescanned(&id).await;
    assert_eq!((folder.status, folder.files), (FolderStatus::Missing, 1));
    assert!(folder.error.unwrap().contains("cannot be found"));
    assert_eq!(paths(&case, find("apples")).await, ["a.md"]);
    case.disk.lock().folders.clear(); // and now not even that
    assert_eq!(case.rescanned(&id).await.status, FolderStatus::Missing);
    {
        let mut disk = case.disk.lock();
        (disk.folders, disk.files, disk.device) = (vec![ROOT.into()], files, 1);
    }
    let folder = case.found_again(&id).await;
    assert_eq!((folder.status, folder.error, folder.files), (FolderStatus::Ready, None, 1));
    case.disk.remove("a.md");
    assert_eq!(case.rescanned(&id).await.files, 0, "on the same drive an empty folder is an empty folder");
}

#[tokio::test]
async fn what_cannot_be_read_is_counted_and_tried_again_when_it_makes_sense() {
    let case = case(false).await;
    for path in ["damaged.pdf", "closed.md", "moving.md", "grown.md", "fine.md"] {
        case.disk.write(path, "words");
    }
    {
        let mut disk = case.disk.lock();
        disk.faults.insert("damaged.pdf".into(), NoText::Unreadable);
        disk.faults.insert("closed.md".into(), NoText::NotOpened);
        disk.faults.insert("grown.md".into(), NoText::TooBig);
        disk.changing.push("moving.md".into());
    }
    let id = case.added("").await;
    let folder = case.shown(&id).await;
    assert_eq!((folder.files, folder.unreadable, folder.skipped), (1, 2, 1));
    assert!(folder.error.unwrap().contains("changed while it was read"));
    case.disk.reads();
    {
        let mut disk = case.disk.lock();
        disk.changing.clear();
        disk.faults.remove("closed.md");
    }
    let folder = case.rescanned(&id).await;
    assert_eq!((folder.files, folder.unreadable, folder.error), (3, 1, None));
    let mut read = case.disk.reads();
    read.sort();
    assert_eq!(read, ["closed.md", "grown.md", "moving.md"], "a damaged file is read again when it changes");
}

#[tokio::test]
async fn a_stop_ends_a_scan_and_resume_takes_it_up() {
    let case = case(true).await;
    case.disk.write("a.md", "apples");
    case.disk.listings.forget_permits(Semaphore::MAX_PERMITS);
    let id = case.add(NewFolder { path: ROOT.into(), ..NewFolder::default() }).await.unwrap();
    let scanning = |known: &Known| known.scanning.is_some();
    case.notes.known.subscribe().wait_for(scanning).await.unwrap();
    assert_eq!(case.status(&id).await, FolderStatus::Scanning);
    let pulled = case.stop.pull("test", case.world.now());
    assert_eq!(pulled.cancelled, 1);
    case.notes.known.subscribe().wait_for(|known| known.scanning.is_none()).await.unwrap();
    assert_eq!(case.status(&id).await, FolderStatus::Waiting);
    case.role.ask(&outside(), Tick { all: false }).await.unwrap();
    assert_eq!(case.status(&id).await, FolderStatus::Waiting, "nothing begins while everything is stopped");
    case.disk.listings.add_permits(10);
    assert!(case.stop.release(protocol::engine::StopState::default(), 1));
    case.settled().await;
    assert_eq!((case.status(&id).await, case.shown(&id).await.files), (FolderStatus::Ready, 1));
}

#[tokio::test]
async fn what_a_crash_cut_off_goes_on_after_the_start() {
    let (disk, store) = (TestDisk::new(), Store::in_memory());
    disk.write("a.md", "apples");
    disk.listings.forget_permits(Semaphore::MAX_PERMITS);
    let first = over(disk.clone(), store.clone(), false).await;
    let id = first.add(NewFolder { path: ROOT.into(), ..NewFolder::default() }).await.unwrap();
    first.world.work.cancel();
    disk.listings.add_permits(10);
    let second = over(disk, store, true).await;
    second.settled().await;
    assert_eq!((second.status(&id).await, second.shown(&id).await.files), (FolderStatus::Ready, 1));
}

#[tokio::test]
async fn a_removed_folder_leaves_nothing_behind() {
    let case = case(false).await;
    for number in 0..30 {
        case.disk.write(&format!("{number}.md"), &"# A heading\nsome words\n".repeat(100));
    }
    let id = case.added("").await;
    assert_eq!(case.shown(&id).await.chunks, 3_000);
    case.role.ask(&outside(), Remove { id: id.clone() }).await.unwrap();
    assert!(case.notes.find(find("words")).await.unwrap().results.is_empty(), "at once it is searched no more");
    assert_eq!(case.notes.shown(&id).await.unwrap_err().kind, ErrorKind::NotFound);
    forget_all(&case.role, &id).await;
    let snapshot = case.store.snapshot().unwrap();
    assert_eq!(snapshot.count::<FolderRecord>().unwrap(), 0);
    assert_eq!(snapshot.count::<FolderFileRecord>().unwrap(), 0);
    assert_eq!(snapshot.count::<FolderPieceRecord>().unwrap(), 0);
    assert_eq!(snapshot.count::<EmbedJob>().unwrap(), 0);
    let again = case.added("").await;
    assert_ne!(again, id);
    let numbers: Vec<u64> =
        pieces(&case.store).iter().map(|piece| storage::records::folder_of_piece(piece.id)).collect();
    assert!(numbers.iter().all(|number| *number == 2), "a folder's number is never used twice");
}

#[tokio::test]
async fn a_removal_that_a_crash_cut_off_is_finished_at_the_start() {
    let (disk, store) = (TestDisk::new(), Store::in_memory());
    disk.write("a.md", "apples");
    let first = over(disk.clone(), store.clone(), false).await;
    let id = first.added("").await;
    first.role.ask(&outside(), Remove { id }).await.unwrap();
    first.world.work.cancel();
    let second = over(disk, store.clone(), false).await;
    while store.snapshot().unwrap().count::<FolderRecord>().unwrap() > 0 {
        tokio::task::yield_now().await;
    }
    assert!(pieces(&store).is_empty());
    assert!(!second.notes.any());
}

#[tokio::test]
async fn folders_that_are_not_added() {
    let case = case(false).await;
    case.disk.lock().folders.extend(["/".into(), "/home/maya".into(), format!("{ROOT}/Inner"), "/data/V".into()]);
    case.added("").await;
    for (path, want) in [
        ("Notes", "full path"),
        ("/nowhere", "no folder at this path"),
        ("/", "whole drive"),
        ("/home/maya", "home folder"),
        (ROOT, "added already"),
        ("/home/maya/Notes/Inner", "inside a folder"),
    ] {
        let error = case.add(NewFolder { path: path.into(), ..NewFolder::default() }).await.unwrap_err();
        assert_eq!(error.kind, ErrorKind::Invalid, "{path}");
        assert!(error.message.contains(want), "{path}: {error}");
    }
    let long = NewFolder { path: "/data/V".into(), scope: Some("x".repeat(99)), ..NewFolder::default() };
    assert_eq!(case.add(long).await.unwrap_err().kind, ErrorKind::Invalid);
    assert!(case.add(NewFolder { path: "/data/V".into(), ..NewFolder::default() }).await.is_ok());
}

#[tokio::test]
async fn new_patterns_look_again_and_a_new_scope_does_not() {
    let case = case(false).await;
    case.disk.write("a.md", "apples");
    case.disk.write("Private/b.md", "bananas");
    let id = case.added("").await;
    case.disk.reads();
    let change = |patch| Change { id: id.clone(), patch };
    let ignore = FolderPatch { ignore: Some(vec!["private/".into()]), scope: None };
    case.role.ask(&outside(), change(ignore)).await.unwrap();
    case.settled().await;
    assert_eq!((case.shown(&id).await.files, case.disk.reads().len()), (1, 0), "forgotten without reading anything");
    let scope = |scope: &str| FolderPatch { ignore: None, scope: Some(scope.into()) };
    case.role.ask(&outside(), change(scope("work"))).await.unwrap();
    assert_eq!((case.shown(&id).await.scope, case.status(&id).await), ("work".into(), FolderStatus::Ready));
    case.role.ask(&outside(), change(scope(" "))).await.unwrap();
    assert_eq!(case.shown(&id).await.scope, "always");
    let unknown = Change { id: "gone".into(), patch: FolderPatch::default() };
    assert_eq!(case.role.ask(&outside(), unknown).await.unwrap_err().kind, ErrorKind::NotFound);
}

#[tokio::test]
async fn a_folder_of_another_scope_is_read_only_when_asked_for() {
    let case = case(false).await;
    case.disk.write("a.md", "apples");
    case.added("work").await;
    let of =
        |scope: Option<&str>, everywhere| FindAsk { scope: scope.map(str::to_owned), everywhere, ..find("apples") };
    for (name, ask, want) in [
        ("its own scope", of(Some("work"), false), 1),
        ("another", of(Some("personal"), false), 0),
        ("tied to no chat", of(None, false), 1),
        ("another, everywhere", of(Some("personal"), true), 1),
    ] {
        assert_eq!(paths(&case, ask).await.len(), want, "{name}");
    }
    let elsewhere = case.notes.find(of(Some("personal"), true)).await.unwrap();
    assert_eq!(elsewhere.results[0].kept_for.as_deref(), Some("Work"));
    let kept = case.notes.find(of(Some("personal"), false)).await.unwrap();
    assert!(kept.note.unwrap().contains("kept for other chats (Work)"));
    let read = |everywhere| ReadAsk {
        path: "a".into(),
        limit: 100,
        scope: Some("personal".into()),
        everywhere,
        ..ReadAsk::default()
    };
    assert!(case.notes.read(read(false)).await.unwrap_err().message.contains("kept for Work"));
    assert_eq!(case.notes.read(read(true)).await.unwrap().content, "apples");
}

#[tokio::test]
async fn a_clipped_page_says_so_and_goes_with_no_message() {
    let case = case(false).await;
    case.disk.lock().is_vault = true;
    case.disk.write("Clip.md", "---\nsource: https://example.org/a\n---\nOrchard apples are ripe in autumn.");
    case.disk.write("Own.md", "My orchard apples are ripe in September.");
    let id = case.added("").await;
    assert_eq!(case.shown(&id).await.clippings, 1);
    let answer = case.notes.find(find("orchard apples ripe")).await.unwrap();
    assert_eq!(answer.outside_content.as_deref(), Some("a web page clipped into your notes"));
    let clip = answer.results.iter().find(|hit| hit.path == "Clip.md").unwrap();
    assert_eq!(clip.clipped_from.as_deref(), Some("https://example.org/a"));
    assert_eq!(clip.link.as_deref(), Some("obsidian://open?vault=Notes&file=Clip"));
    let whole = |path: &str| ReadAsk { path: path.into(), limit: 1_000, ..ReadAsk::default() };
    assert!(case.notes.read(whole("Notes/Clip")).await.unwrap().outside_content.is_some());
    assert!(case.notes.read(whole("Own.md")).await.unwrap().outside_content.is_none());
    let block = case.notes.prompted("when are my orchard apples ripe", "personal").await.block();
    assert!(block.contains("Own (Notes/Own.md)") && !block.contains("Clip"), "{block}");
    case.settings.send_modify(|config| Arc::make_mut(config).folders.clippings_are_outside = false);
    assert_eq!(case.notes.find(find("orchard apples ripe")).await.unwrap().outside_content, None);
}

#[tokio::test]
async fn a_note_is_read_in_parts_and_only_when_the_index_has_it() {
    let case = case(false).await;
    case.disk.write("Deep/a note.md", "0123456789");
    case.disk.write("left/b.md", "bananas");
    let id = case.added("").await;
    let read = |path: &str, offset, limit| ReadAsk { path: path.into(), offset, limit, ..ReadAsk::default() };
    for path in ["Deep/a note.md", "Deep/a note", "notes/Deep/a note", "/home/maya/Notes/Deep/a note.md"] {
        let part = case.notes.read(read(path, 4, 3)).await.unwrap();
        assert_eq!((part.content.as_str(), part.offset, part.total), ("456", 4, 10), "{path}");
        assert_eq!((part.more, part.next_offset), (true, Some(7)), "{path}");
    }
    let rest = case.notes.read(read("Deep/a note", 7, 50)).await.unwrap();
    assert_eq!((rest.content.as_str(), rest.more, rest.next_offset), ("789", false, None));
    let beyond = case.notes.read(read("Deep/a note", 99, 50)).await.unwrap();
    assert!(beyond.content.is_empty() && !beyond.more);
    case.disk.write("new.md", "not looked at yet");
    let patch = FolderPatch { ignore: Some(vec!["left/".into()]), scope: None };
    case.stop.pull("test", case.world.now()); // the look after the change waits
    case.role.ask(&outside(), Change { id, patch }).await.unwrap();
    for path in ["new.md", "left/b.md", "../secret.md", ".obsidian/app.json", "", "/etc/passwd"] {
        assert_eq!(case.notes.read(read(path, 0, 50)).await.unwrap_err().kind, ErrorKind::NotFound, "{path}");
    }
}

#[tokio::test]
async fn what_is_alike_is_found_without_a_common_word() {
    let case = case(false).await;
    case.disk.write("a.md", "The key hangs behind the shutter.");
    case.disk.write("b.md", "Bread needs flour and water.");
    case.added("").await;
    let vector_of = |text: &str| if text.contains("shutter") { [1.0, 0.1] } else { [0.0, 1.0] };
    let mut batch = Batch::new();
    for piece in pieces(&case.store) {
        let searched = Searched::new(SearchedKind::NotePiece, piece.id);
        let vector = vectors::record("s", searched, &piece.text, &vector_of(&piece.text)).unwrap();
        vectors::put(&mut batch, &vector);
    }
    case.store.commit(batch).await.unwrap();
    let query = crate::embeddings::QueryVector { space: "s".into(), vector: Arc::from([1.0_f32, 0.0]) };
    let found = case.notes.found("how do I get in", Some(&query), &case.notes.folders(), 6).unwrap();
    let [found] = &found[..] else { panic!("only what is near the best") };
    assert_eq!(found.file.path, "a.md");
    assert!(found.similarity.is_some_and(|similarity| similarity > 0.9));
    assert_eq!(case.store.snapshot().unwrap().count::<VectorRecord>().unwrap(), 2);
}

#[tokio::test]
async fn notes_go_with_a_message_and_show_as_sources_when_they_helped() {
    let case = case(false).await;
    case.disk.write("Cabin.md", "The wifi password of the cabin is hunter22. The boiler needs 40 minutes.");
    case.disk.write("Bread.md", "Bread needs flour.");
    case.added("").await;
    let prompted = case.notes.prompted("what is the wifi password of the cabin?", "personal").await;
    let block = prompted.block();
    assert!(block.starts_with("From the user's notes:"), "{block}");
    assert!(block.contains("- Cabin (Notes/Cabin.md): The wifi password") && !block.contains("Bread"), "{block}");
    let drawn = prompted.drawn_on("It is hunter22.");
    assert_eq!(drawn.len(), 1);
    assert_eq!((drawn[0].via.as_deref(), drawn[0].folder.as_deref()), (Some("prompt"), Some("Notes")));
    assert_eq!(drawn[0].path.as_deref(), Some("/home/maya/Notes/Cabin.md"));
    assert!(prompted.drawn_on("I do not know.").is_empty());
    assert!(case.notes.prompted("hello there", "personal").await.block().is_empty());
    case.settings.send_modify(|config| Arc::make_mut(config).folders.prompt_notes = 0);
    assert!(case.notes.prompted("what is the wifi password of the cabin?", "personal").await.block().is_empty());
}

#[tokio::test]
async fn progress_is_told_at_most_once_a_second() {
    let case = case(false).await;
    for number in 0..350 {
        case.disk.write(&format!("{number}.md"), "words");
    }
    let mut window = case.live.subscribe(None);
    case.added("").await;
    let told = |delivery: Delivery| match delivery {
        Delivery::Frames(lines) => lines.iter().filter(|line| line.json.contains("\"progress\"")).count(),
        _ => 0,
    };
    // The clock stands still, so of four steps one is told.
    assert_eq!(told(window.next().await), 1);
    case.clock.0.fetch_add(2_000, Ordering::Relaxed);
}

#[tokio::test]
async fn a_look_is_due_after_a_while() {
    let case = case(true).await;
    case.disk.write("a.md", "apples");
    let id = case.added("").await;
    case.disk.write("b.md", "bananas");
    case.role.ask(&outside(), Tick { all: false }).await.unwrap();
    case.settled().await;
    assert_eq!(case.shown(&id).await.files, 1, "not yet");
    case.clock.0.fetch_add(60 * 60_000, Ordering::Relaxed);
    case.role.ask(&outside(), Tick { all: false }).await.unwrap();
    case.settled().await;
    assert_eq!(case.shown(&id).await.files, 2);
    assert!(case.shown(&id).await.error.unwrap().contains("no watches in tests"), "why changes are not seen at once");
}
