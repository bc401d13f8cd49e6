//! The index's promises, each as a test.

use super::{Hit, INDEX_COMMIT_JOBS_MAX, INDEX_WORTHWHILE_JOBS, MessageIndex};
use crate::records::{IndexJob, MessageRecord, OutboxRow, SessionRecord};
use crate::samples::{message, session};
use crate::{Batch, FaultPoint, Faults, Store};
use proptest::prelude::*;
use protocol::ids::SessionId;
use protocol::sessions::MessageRole;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

fn say(batch: &mut Batch, record: &MessageRecord) {
    batch.put(record).index(IndexJob::Message {
        session_id: record.session_id.clone(),
        ordinal: record.ordinal,
        message_id: record.id.clone(),
    });
}

fn chat(store: &Store, id: &str, texts: &[&str]) {
    let mut batch = Batch::new();
    batch.put(&session(id, 1));
    for (ordinal, text) in (0..).zip(texts) {
        say(&mut batch, &message(id, ordinal, text));
    }
    store.commit_now(batch).expect("written");
}

fn ids(hits: &[Hit]) -> Vec<&str> {
    hits.iter().map(|hit| hit.message_id.as_str()).collect()
}

#[track_caller]
fn check(index: &MessageIndex, store: &Store, query: &str, want: &[&str]) {
    let hits = index.search(store, query, 10).expect("searches");
    let mut found = ids(&hits);
    found.sort_unstable();
    assert_eq!(found, want, "{query}");
}

#[test]
fn what_was_just_saved_is_found_at_once_and_later_too() {
    let (store, index) = (Store::in_memory(), MessageIndex::in_memory());
    chat(&store, "a", &["The red car is in the garage.", "Die Haustür der Küche", "नमस्ते दुनिया", "東京都に住む"]);
    for round in ["in the outbox", "in the index"] {
        for (query, want) in [
            ("car", &["a-0"][..]),
            ("RED car", &["a-0"]),
            ("kuche", &["a-1"]),
            ("haus", &["a-1"]),
            ("दुनिया", &["a-2"]),
            ("東京", &["a-3"]),
            ("car दुनिया", &["a-0", "a-2"]),
            ("bicycle", &[]),
            ("", &[]),
        ] {
            let mut found = index.search(&store, query, 10).expect("searches");
            found.sort_by(|a, b| a.message_id.cmp(&b.message_id));
            assert_eq!(ids(&found), want, "{query} {round}");
        }
        index.catch_up(&store).expect("catches up");
        assert_eq!(store.snapshot().expect("reads").count::<OutboxRow>(), Ok(0));
    }
    let hit = &index.search(&store, "garage", 10).expect("searches")[0];
    assert_eq!((hit.role, hit.snippet.as_str()), (MessageRole::User, "The red car is in the garage."));
}

#[test]
fn all_words_come_before_any_word() {
    let (store, index) = (Store::in_memory(), MessageIndex::in_memory());
    chat(&store, "a", &["apple apple apple", "pear", "a pear and an apple", "apple pear cake"]);
    index.catch_up(&store).expect("catches up");
    chat(&store, "b", &["new apple", "new pear with apple"]);
    let hits = index.search(&store, "apple pear", 10).expect("searches");
    let found = ids(&hits);
    assert_eq!(found.len(), 6, "{found:?}");
    let both = &found[..3];
    assert!(both.contains(&"a-2") && both.contains(&"a-3") && both[0] == "b-1", "{found:?}");
    assert_eq!(ids(&index.search(&store, "apple pear", 2).expect("searches")).len(), 2);
}

#[test]
fn deleted_changed_and_incognito_messages_are_never_shown() {
    for indexed in [false, true] {
        let (store, index) = (Store::in_memory(), MessageIndex::in_memory());
        chat(&store, "gone", &["secret one"]);
        chat(&store, "kept", &["secret two", "secret three", "secret four"]);
        let mut batch = Batch::new();
        batch.put(&SessionRecord { incognito: true, ..session("hidden", 1) });
        say(&mut batch, &message("hidden", 0, "secret five"));
        let roles = [(10, MessageRole::Tool), (11, MessageRole::Event), (12, MessageRole::Other)];
        for (ordinal, role) in roles {
            say(&mut batch, &MessageRecord { role, ..message("kept", ordinal, "secret six") });
        }
        store.commit_now(batch).expect("written");
        if indexed {
            index.catch_up(&store).expect("catches up");
        }
        // Without telling the index: it must not matter.
        let mut batch = Batch::new();
        batch.delete::<SessionRecord>(&"gone".into()).delete_prefix::<MessageRecord>(&SessionId::from("gone"));
        batch.delete::<MessageRecord>(&("kept".into(), 0));
        batch.put(&message("kept", 1, "now about gardens"));
        store.commit_now(batch).expect("written");
        check(&index, &store, "secret", &["kept-12", "kept-2"]);
    }
}

#[test]
fn the_index_forgets_what_it_is_told_to_forget() {
    let (store, index) = (Store::in_memory(), MessageIndex::in_memory());
    chat(&store, "a", &["alpha", "beta"]);
    chat(&store, "b", &["alpha"]);
    index.catch_up(&store).expect("catches up");
    let mut batch = Batch::new();
    batch.delete::<SessionRecord>(&"b".into()).delete_prefix::<MessageRecord>(&SessionId::from("b"));
    batch.index(IndexJob::SessionGone { session_id: "b".into() });
    let changed = message("a", 1, "gamma");
    say(&mut batch, &changed);
    store.commit_now(batch).expect("written");
    assert_eq!(index.catch_up(&store).expect("catches up"), 2);
    let opened = index.inner.opened_or_made().expect("open");
    assert_eq!(opened.reader.searcher().num_docs(), 2);
    check(&index, &store, "alpha", &["a-0"]);
    check(&index, &store, "beta", &[]);
    check(&index, &store, "gamma", &["a-1"]);
}

/// Fails every commit while it is on.
#[derive(Default)]
struct Switch(AtomicBool);

impl Faults for Switch {
    fn at(&self, point: FaultPoint) -> Result<(), String> {
        match point {
            FaultPoint::BeforeCommit if self.0.load(Ordering::SeqCst) => Err("off".into()),
            _ => Ok(()),
        }
    }
}

#[test]
fn a_crash_between_index_and_outbox_repeats_work_and_doubles_nothing() {
    let faults = Arc::new(Switch::default());
    let store = Store::in_memory_with(Some(faults.clone()));
    let index = MessageIndex::in_memory();
    chat(&store, "a", &["alpha", "beta"]);
    faults.0.store(true, Ordering::SeqCst);
    index.catch_up(&store).expect_err("the outbox cannot be emptied");
    check(&index, &store, "alpha", &["a-0"]);
    faults.0.store(false, Ordering::SeqCst);
    assert_eq!(index.catch_up(&store).expect("catches up"), 2);
    let opened = index.inner.opened_or_made().expect("open");
    assert_eq!(opened.reader.searcher().num_docs(), 2);
}

#[test]
fn more_than_one_commits_worth_is_done() {
    let (store, index) = (Store::in_memory(), MessageIndex::in_memory());
    let texts = vec!["needle"; INDEX_COMMIT_JOBS_MAX + 20];
    chat(&store, "a", &texts);
    assert_eq!(index.catch_up(&store).expect("catches up"), texts.len());
    assert_eq!(index.catch_up(&store).expect("nothing left"), 0);
    assert_eq!(index.search(&store, "needle", usize::MAX).expect("searches").len(), protocol::limits::SEARCH_HITS_MAX);
}

fn index_folder(home: &Path) -> std::path::PathBuf {
    home.join("index").join("messages")
}

#[test]
fn an_index_on_disk_is_found_again() {
    let home = tempfile::tempdir().expect("a folder");
    let store = Store::in_memory();
    let index = MessageIndex::open(home.path());
    assert_eq!(index.catch_up(&store).expect("nothing to do"), 0);
    assert!(!index_folder(home.path()).exists(), "an empty home pays nothing");
    chat(&store, "a", &["alpha"]);
    index.catch_up(&store).expect("catches up");
    drop(index);
    check(&MessageIndex::open(home.path()), &store, "alpha", &["a-0"]);
}

#[test]
fn a_damaged_index_is_made_anew() {
    type Harm = fn(&Path);
    let each = |folder: &Path, harm: &dyn Fn(&Path)| {
        for file in std::fs::read_dir(folder).expect("lists") {
            harm(&file.expect("a file").path());
        }
    };
    let harms: [(&str, Harm); 4] = [
        ("no meta", |folder| std::fs::remove_file(folder.join("meta.json")).expect("removed")),
        ("meta cut in half", |folder| {
            let text = std::fs::read(folder.join("meta.json")).expect("read");
            std::fs::write(folder.join("meta.json"), &text[..text.len() / 2]).expect("written");
        }),
        ("no position", |folder| {
            let text = std::fs::read_to_string(folder.join("meta.json")).expect("read");
            std::fs::write(folder.join("meta.json"), text.replace("position", "other")).expect("written");
        }),
        ("gone", |folder| std::fs::remove_dir_all(folder).expect("removed")),
    ];
    for (name, harm) in harms {
        let home = tempfile::tempdir().expect("a folder");
        let store = Store::in_memory();
        chat(&store, "a", &["alpha"]);
        MessageIndex::open(home.path()).catch_up(&store).expect("catches up");
        harm(&index_folder(home.path()));
        let index = MessageIndex::open(home.path());
        index.search(&store, "alpha", 10).expect(name);
        index.catch_up(&store).expect(name);
        check(&index, &store, "alpha", &["a-0"]);
    }
    for length in [0, 10] {
        let home = tempfile::tempdir().expect("a folder");
        let store = Store::in_memory();
        chat(&store, "a", &["alpha"]);
        MessageIndex::open(home.path()).catch_up(&store).expect("catches up");
        each(&index_folder(home.path()), &|file| {
            if file.extension().is_some_and(|it| it != "json" && it != "lock") {
                let bytes = std::fs::read(file).expect("read");
                std::fs::write(file, &bytes[..length.min(bytes.len())]).expect("written");
            }
        });
        let index = MessageIndex::open(home.path());
        index.search(&store, "alpha", 10).expect("a search goes on without it");
        chat(&store, "b", &["alpha again"]);
        check(&index, &store, "again", &["b-0"]);
        index.catch_up(&store).expect("made anew");
        check(&index, &store, "alpha", &["a-0", "b-0"]);
    }
}

#[test]
fn an_older_store_put_back_makes_the_index_anew() {
    let home = tempfile::tempdir().expect("a folder");
    let index = MessageIndex::open(home.path());
    let newer = Store::in_memory();
    chat(&newer, "a", &["alpha", "beta", "gamma"]);
    index.catch_up(&newer).expect("catches up");
    let older = Store::in_memory();
    chat(&older, "a", &["alpha"]);
    MessageIndex::open(home.path()).catch_up(&MessageStore(&older).caught_up()).expect("made anew");
    let index = MessageIndex::open(home.path());
    check(&index, &older, "alpha", &["a-0"]);
    assert_eq!(index.inner.opened_or_made().expect("open").reader.searcher().num_docs(), 1);
}

/// A store whose outbox has been emptied by some other index.
struct MessageStore<'a>(&'a Store);

impl MessageStore<'_> {
    fn caught_up(&self) -> Store {
        MessageIndex::in_memory().catch_up(self.0).expect("catches up");
        self.0.clone()
    }
}

#[test]
fn the_writer_is_not_kept() {
    let home = tempfile::tempdir().expect("a folder");
    let store = Store::in_memory();
    let index = MessageIndex::open(home.path());
    chat(&store, "a", &["alpha"]);
    index.catch_up(&store).expect("catches up");
    // A second handle could not open its writer if the first had kept its own.
    chat(&store, "b", &["beta"]);
    assert_eq!(MessageIndex::open(home.path()).catch_up(&store).expect("free"), 1);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn any_question_is_answered_and_a_copied_text_finds_itself(texts in prop::collection::vec("\\PC{0,40}", 1..5), wild in any::<String>()) {
        let (store, index) = (Store::in_memory(), MessageIndex::in_memory());
        let refs: Vec<&str> = texts.iter().map(String::as_str).collect();
        chat(&store, "a", &refs);
        let tail: Vec<Vec<Hit>> = texts.iter().map(|text| index.search(&store, text, 10).expect("searches")).collect();
        index.catch_up(&store).expect("catches up");
        index.search(&store, &wild, 10).expect("searches");
        for (text, tail) in texts.iter().zip(tail) {
            let mut hits = index.search(&store, text, 10).expect("searches");
            let mut tail = tail;
            hits.sort_by(|a, b| a.message_id.cmp(&b.message_id));
            tail.sort_by(|a, b| a.message_id.cmp(&b.message_id));
            prop_assert_eq!(&hits, &tail, "index and outbox find the same");
            let has_words = !super::question::Question::new(text).words.is_empty() && !text.trim().is_empty();
            prop_assert_eq!(hits.is_empty(), !has_words, "{}", text);
        }
    }
}

#[test]
fn a_running_engine_lets_index_work_wait_until_it_is_worth_it() {
    let (store, index) = (Store::in_memory(), MessageIndex::in_memory());
    assert_eq!(index.has_work(&store).ok(), Some(true), "a new index has to be looked at once");
    assert_eq!(index.keep_up(&store).ok(), Some(0));
    let texts: Vec<&str> = std::iter::once("in the garage").chain(["again"; INDEX_WORTHWHILE_JOBS - 2]).collect();
    chat(&store, "a", &texts);
    assert_eq!((index.has_work(&store).ok(), index.keep_up(&store).ok()), (Some(false), Some(0)));
    check(&index, &store, "garage", &["a-0"]);
    chat(&store, "b", &["the last straw"]);
    assert_eq!((index.has_work(&store).ok(), index.keep_up(&store).ok()), (Some(true), Some(INDEX_WORTHWHILE_JOBS)));
    assert_eq!(index.has_work(&store).ok(), Some(false));
    check(&index, &store, "garage", &["a-0"]);
    check(&index, &store, "straw", &["b-0"]);
}
