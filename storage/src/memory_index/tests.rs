//! The index's promises, each as a test.

use super::schema::Place;
use super::*;
use crate::records::{FactRecord, FactStatus, Searched, SearchedChange};
use crate::samples::fact;
use crate::{Batch, vectors};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

const SPACE: &str = "builtin";

fn name(id: u64) -> Searched {
    Searched::new(SearchedKind::Fact, id)
}

/// Saves a memory as the memory role does, with a vector made at once.
fn save(store: &Store, record: &FactRecord, vector: &[f32]) {
    let mut batch = Batch::new();
    batch.put(record);
    vectors::changed(&mut batch, name(record.id));
    if let Some(row) = vectors::record(SPACE, name(record.id), &record.content, vector) {
        vectors::put(&mut batch, &row);
    }
    store.commit_now(batch).expect("written");
}

fn forget(store: &Store, id: u64) {
    let mut batch = Batch::new();
    batch.delete::<FactRecord>(&id);
    vectors::forget(&mut batch, name(id));
    store.commit_now(batch).expect("written");
}

fn told(store: &Store, texts: &[&str]) {
    for (id, text) in (1..).zip(texts) {
        save(store, &fact(id, text), &[1.0, 0.0]);
    }
}

fn by_words(index: &MemoryIndex, store: &Store, query: &str) -> Vec<u64> {
    let found = index.words(store, SearchedKind::Fact, query, 10, &|_| true).expect("searches");
    found.into_iter().map(|found| found.0).collect()
}

fn by_meaning(index: &MemoryIndex, store: &Store, query: &[f32]) -> Vec<u64> {
    let found = index.nearest(store, (SPACE, SearchedKind::Fact), query, 10, &|_| true).expect("searches");
    found.into_iter().map(|found| found.0).collect()
}

/// Files of an index folder, all of them.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found
}

#[test]
fn what_was_just_saved_is_found_by_its_words_at_once_and_later_too() {
    let (store, index) = (Store::in_memory(), MemoryIndex::in_memory());
    let texts = [
        "Maya's sister lives in Lisbon and paints birds",
        "माया की बहन पुणे में रहती है",
        "姐姐住在上海浦东",
        "東京都に住んでいる",
        "أختي تسكن في دبي",
        "Die Schwester wohnt in der Küche",
    ];
    told(&store, &texts);
    for round in ["in the outbox", "in the index"] {
        for (query, want) in [
            ("lisbon", &[1][..]),
            ("painting", &[1]),
            ("birds bird", &[1]),
            ("पुणे", &[2]),
            ("बहन माया", &[2]),
            ("上海", &[3]),
            ("東京", &[4]),
            ("دبي", &[5]),
            ("KUCHE", &[6]),
            ("bicycle", &[]),
            ("", &[]),
        ] {
            assert_eq!(by_words(&index, &store, query), want, "{query} {round}");
        }
        index.catch_up(&store).expect("catches up");
        assert_eq!(store.snapshot().expect("reads").count::<SearchedChange>(), Ok(0));
    }
}

#[test]
fn what_was_just_saved_is_found_by_its_meaning_at_once() {
    let (store, index) = (Store::in_memory(), MemoryIndex::in_memory());
    assert_eq!(by_meaning(&index, &store, &[1.0, 0.0]), Vec::<u64>::new(), "nothing yet");
    save(&store, &fact(1, "a"), &[1.0, 0.0]);
    save(&store, &fact(2, "b"), &[0.0, 1.0]);
    assert_eq!(by_meaning(&index, &store, &[1.0, 0.1]), [1, 2]);
    save(&store, &fact(1, "c"), &[0.0, -1.0]);
    save(&store, &fact(3, "d"), &[1.0, 0.0]);
    let found = index.nearest(&store, (SPACE, SearchedKind::Fact), &[2.0, 0.0], 2, &|_| true).expect("searches");
    assert_eq!(found.iter().map(|found| found.0).collect::<Vec<_>>(), [3, 1]);
    assert!((found[0].1 - 1.0).abs() < 1e-3 && found[1].1.abs() < 1e-3, "cosines: {found:?}");
    let nobody = index.nearest(&store, ("other", SearchedKind::Fact), &[2.0, 0.0], 2, &|_| true).expect("searches");
    assert_eq!(nobody, Vec::new(), "another space");
    for strange in [&[][..], &[0.0, 0.0], &[f32::NAN, 1.0], &[1.0, 0.0, 0.0]] {
        assert_eq!(by_meaning(&index, &store, strange), Vec::<u64>::new(), "{strange:?}");
    }
}

#[test]
fn what_is_deleted_held_or_folded_is_never_found_between_commit_and_index() {
    let held = |id| FactRecord { status: FactStatus::Pending, ..fact(id, "a secret word") };
    let folded = |id| FactRecord { status: FactStatus::Merged, ..fact(id, "a secret word") };
    type Change = Box<dyn Fn(&Store)>;
    let changes: [(&str, Change); 4] = [
        ("deleted", Box::new(|store| forget(store, 1))),
        ("held", Box::new(move |store| save(store, &held(1), &[1.0, 0.0]))),
        ("folded", Box::new(move |store| save(store, &folded(1), &[1.0, 0.0]))),
        (
            // A writer that forgot to tell the index.
            "deleted without a word",
            Box::new(|store| {
                let mut batch = Batch::new();
                batch.delete::<FactRecord>(&1);
                store.commit_now(batch).expect("written");
            }),
        ),
    ];
    for (how, change) in changes {
        for indexed in [false, true] {
            let (store, index) = (Store::in_memory(), MemoryIndex::in_memory());
            save(&store, &fact(1, "a secret word"), &[1.0, 0.0]);
            save(&store, &fact(2, "another secret"), &[0.9, 0.1]);
            if indexed {
                index.catch_up(&store).expect("catches up");
            }
            assert_eq!(by_words(&index, &store, "secret").len(), 2);
            assert_eq!(by_meaning(&index, &store, &[1.0, 0.0]).len(), 2);
            change(&store);
            for round in ["before", "after"] {
                assert_eq!(by_words(&index, &store, "secret"), [2], "{how}, {round} the index heard of it");
                assert_eq!(by_meaning(&index, &store, &[1.0, 0.0]), [2], "{how}, {round} the index heard of it");
                index.catch_up(&store).expect("catches up");
            }
        }
    }
}

#[test]
fn an_old_wording_is_not_found_any_more() {
    let (store, index) = (Store::in_memory(), MemoryIndex::in_memory());
    save(&store, &fact(1, "lives in Pune"), &[1.0, 0.0]);
    index.catch_up(&store).expect("catches up");
    save(&store, &fact(1, "lives in Delhi"), &[1.0, 0.0]);
    for _ in 0..2 {
        assert_eq!(by_words(&index, &store, "Pune"), Vec::<u64>::new());
        assert_eq!(by_words(&index, &store, "Delhi"), [1]);
        index.catch_up(&store).expect("catches up");
    }
}

#[test]
fn what_keep_refuses_takes_nobodys_place() {
    let (store, index) = (Store::in_memory(), MemoryIndex::in_memory());
    for id in 1..=300_u64 {
        // The higher the number, the nearer.
        #[expect(clippy::cast_precision_loss, reason = "small")]
        save(&store, &fact(id, "tea and cake"), &[1.0, 1.0 - id as f32 / 300.0]);
    }
    index.catch_up(&store).expect("catches up");
    let keep = |id: u64| id <= 3;
    let near = index.nearest(&store, (SPACE, SearchedKind::Fact), &[1.0, 0.0], 5, &keep).expect("searches");
    assert_eq!(near.iter().map(|found| found.0).collect::<Vec<_>>(), [3, 2, 1], "though 297 others are nearer");
    let mut words = index.words(&store, SearchedKind::Fact, "tea", 5, &keep).expect("searches");
    words.sort_by_key(|found| found.0);
    assert_eq!(words.iter().map(|found| found.0).collect::<Vec<_>>(), [1, 2, 3]);
}

#[test]
fn the_tail_and_the_index_weigh_words_alike() {
    let (store, index) = (Store::in_memory(), MemoryIndex::in_memory());
    told(&store, &["tea", "tea tea with milk and honey", "coffee", "the tea house by the long green river", "milk"]);
    let ask = |query: &str| index.words(&store, SearchedKind::Fact, query, 10, &|_| true).expect("searches");
    let before = ask("tea milk");
    index.catch_up(&store).expect("catches up");
    let after = ask("tea milk");
    assert_eq!(before.len(), after.len());
    for (one, two) in before.iter().zip(&after) {
        assert!(one.0 == two.0 && (one.1 - two.1).abs() < 0.01, "{before:?} {after:?}");
    }
    let rare = index.rarities(&store, SearchedKind::Fact, &["tea".into(), "coffe".into(), "nothing".into()]);
    let rare = rare.expect("reads");
    assert!(rare[0] < rare[1] && rare[1] < rare[2], "{rare:?}");
}

#[test]
fn vectors_leave_memory_when_nobody_asks_and_come_back() {
    let (store, index) = (Store::in_memory(), MemoryIndex::in_memory());
    told(&store, &["a", "b"]);
    assert_eq!(index.vectors_in_memory(), 0, "not before a question");
    assert_eq!(by_meaning(&index, &store, &[1.0, 0.0]), [1, 2]);
    assert_eq!(index.vectors_in_memory(), 2);
    for _ in 0..SHELF_IDLE_LOOKS {
        index.look(&store).expect("looks");
    }
    assert_eq!(index.vectors_in_memory(), 2, "not too early");
    index.look(&store).expect("looks");
    assert_eq!(index.vectors_in_memory(), 0);
    assert_eq!(by_meaning(&index, &store, &[1.0, 0.0]), [1, 2]);
}

#[test]
fn an_outbox_that_is_emptied_takes_the_vectors_in_memory_along() {
    let (store, index) = (Store::in_memory(), MemoryIndex::in_memory());
    told(&store, &["a"]);
    assert_eq!(by_meaning(&index, &store, &[1.0, 0.0]), [1]);
    save(&store, &fact(2, "b"), &[1.0, 0.0]);
    forget(&store, 1);
    index.catch_up(&store).expect("catches up");
    assert_eq!(store.snapshot().expect("reads").count::<SearchedChange>(), Ok(0));
    assert_eq!(by_meaning(&index, &store, &[1.0, 0.0]), [2]);
}

/// A store and the folder of its index: two memories with honey, the second of them not in the index yet.
fn half_indexed() -> (tempfile::TempDir, Store) {
    let (folder, store) = (tempfile::tempdir().expect("a folder"), Store::in_memory());
    told(&store, &["tea with honey", "coffee with milk"]);
    MemoryIndex::open(folder.path()).catch_up(&store).expect("catches up");
    save(&store, &fact(3, "honey cake"), &[1.0, 0.0]);
    (folder, store)
}

#[test]
fn a_file_cut_in_half_is_made_anew_and_it_says_so() {
    let mut missed = 0;
    for n in 0.. {
        let (folder, store) = half_indexed();
        let mut all = files(folder.path());
        // The names are chance, the endings are not.
        all.sort_by_key(|path| (path.extension().map(ToOwned::to_owned), path.clone()));
        let Some(path) = all.get(n) else { break };
        let whole = std::fs::read(path).expect("reads");
        std::fs::write(path, &whole[..whole.len() / 2]).expect("writes");

        let index = MemoryIndex::open(folder.path());
        let at_first = by_words(&index, &store, "honey");
        assert!(at_first.contains(&3), "what is new is found whatever the files say: {path:?}");
        let mut done = index.catch_up(&store).expect("catches up");
        if by_words(&index, &store, "honey").len() < 2 {
            // Seen only now.
            done = index.catch_up(&store).expect("catches up");
        }
        let mut found = by_words(&index, &store, "honey");
        found.sort_unstable();
        assert_eq!(found, [1, 3], "{path:?}");
        if at_first.len() < 2 {
            missed += 1;
            assert_eq!(done.made_anew, 1, "{path:?}");
        }
    }
    assert!(missed >= 3, "most files matter: {missed}");
}

#[test]
fn an_index_ahead_of_its_store_is_made_anew() {
    let folder = tempfile::tempdir().expect("a folder");
    let full = Store::in_memory();
    told(&full, &["tea", "coffee", "cake"]);
    MemoryIndex::open(folder.path()).catch_up(&full).expect("catches up");
    // An older copy of the data was put back.
    let old = Store::in_memory();
    told(&old, &["milk"]);
    let index = MemoryIndex::open(folder.path());
    let done = index.catch_up(&old).expect("catches up");
    assert_eq!(done.made_anew, 1);
    assert_eq!(by_words(&index, &old, "milk"), [1]);
    assert_eq!(by_words(&index, &old, "coffee"), Vec::<u64>::new());
}

#[test]
fn an_empty_home_pays_for_no_index() {
    let folder = tempfile::tempdir().expect("a folder");
    let (store, index) = (Store::in_memory(), MemoryIndex::open(folder.path()));
    assert!(index.has_work(&store).expect("reads"), "it has not looked yet");
    assert_eq!(index.keep_up(&store).expect("keeps up"), CaughtUp::default());
    assert!(!index.has_work(&store).expect("reads"));
    assert!(!folder.path().join("index").exists());
}

#[test]
fn words_that_were_forgotten_are_in_no_file_after_a_minute() {
    let folder = tempfile::tempdir().expect("a folder");
    let (store, index) = (Store::in_memory(), MemoryIndex::open(folder.path()));
    told(&store, &["the zyxwvutsrqponm is in the garden", "the tea is in the garden"]);
    index.catch_up(&store).expect("catches up");
    // Counts of a word leave with the segment that had it, not before.
    let rarity = |word: &str| index.rarities(&store, SearchedKind::Fact, &[word.to_owned()]).expect("reads")[0];
    let segments =
        || files(folder.path()).iter().filter(|path| path.extension().is_some_and(|it| it == "term")).count();
    assert!(rarity("zyxwvutsrqponm") < rarity("unheardof"), "it is in the files");
    assert_eq!(segments(), 1);
    forget(&store, 1);
    assert!(!index.has_work(&store).expect("reads"), "one change is not worth a commit at once");
    for _ in 0..FORGOTTEN_WORDS_LOOKS {
        index.look(&store).expect("looks");
    }
    assert!(index.has_work(&store).expect("reads"));
    index.keep_up(&store).expect("keeps up");
    assert_eq!(rarity("zyxwvutsrqponm").to_bits(), rarity("unheardof").to_bits(), "nothing of it is left");
    assert_eq!(segments(), 1, "and the old files are gone");
    assert_eq!(by_words(&index, &store, "garden"), [2]);
}

#[test]
fn many_vectors_are_cut_into_lists_and_still_found() {
    let (store, index) = (Store::in_memory(), MemoryIndex::at(200, |_| Place::Memory));
    let mut state = 7_u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f32::from(u16::try_from(state >> 16).expect("sixteen bits")) / 32_768.0 - 1.0
    };
    let vectors: Vec<Vec<f32>> = (0..400).map(|_| (0..8).map(|_| next()).collect()).collect();
    for (id, vector) in (1..).zip(&vectors) {
        save(&store, &fact(id, "a"), vector);
    }
    let exact: Vec<Vec<u64>> = vectors.iter().step_by(40).map(|query| by_meaning(&index, &store, query)).collect();
    assert!(index.has_work(&store).expect("reads"));
    let done = index.catch_up(&store).expect("catches up");
    assert_eq!(done.cut, 1);
    assert!(!index.has_work(&store).expect("reads"), "once is enough");
    for (query, want) in vectors.iter().step_by(40).zip(&exact) {
        assert_eq!(by_meaning(&index, &store, query), *want);
    }
    save(&store, &fact(1, "a"), &vectors[50]);
    forget(&store, 51);
    let found = by_meaning(&index, &store, &vectors[50]);
    assert!(found.contains(&1) && !found.contains(&51), "lists follow too: {found:?}");
}

#[test]
fn searches_between_writes_and_upkeep_see_what_is_there() {
    const TEXTS: u64 = 60;
    let (store, index) = (Store::in_memory(), MemoryIndex::in_memory());
    // Texts up to these numbers have certainly been saved, and forgotten.
    let (saved, gone) = (AtomicU64::new(0), AtomicU64::new(0));
    std::thread::scope(|threads| {
        threads.spawn(|| {
            for id in 1..=TEXTS {
                save(&store, &fact(id, "tea"), &[1.0, 0.0]);
                saved.store(id, Ordering::SeqCst);
                forget(&store, id - 1);
                gone.store(id - 1, Ordering::SeqCst);
            }
        });
        threads.spawn(|| {
            while gone.load(Ordering::SeqCst) < TEXTS - 1 {
                index.catch_up(&store).expect("catches up");
            }
        });
        while gone.load(Ordering::SeqCst) < TEXTS - 1 {
            let (there, deleted) = (saved.load(Ordering::SeqCst), gone.load(Ordering::SeqCst));
            for found in [by_words(&index, &store, "tea"), by_meaning(&index, &store, &[1.0, 0.0])] {
                assert!(found.iter().all(|id| *id > deleted), "{found:?} though {deleted} are gone");
                assert!(there == 0 || found.iter().any(|id| *id >= there), "{found:?} though {there} is there");
            }
        }
    });
    assert_eq!(by_words(&index, &store, "tea"), [TEXTS]);
}

/// One step: save a memory with some words, hold it, forget it, or let the index catch up.
#[derive(Clone, Debug)]
enum Step {
    Save(u64, Vec<usize>),
    Hold(u64),
    Forget(u64),
    CatchUp,
    KeepUp,
}

const WORDS: [&str; 6] = ["tea", "honey", "garden", "माया", "東京", "kuche"];

fn step() -> impl Strategy<Value = Step> {
    let id = 1..8_u64;
    prop_oneof![
        4 => (id.clone(), proptest::collection::vec(0..WORDS.len(), 1..4)).prop_map(|(id, words)| Step::Save(id, words)),
        1 => id.clone().prop_map(Step::Hold),
        2 => id.prop_map(Step::Forget),
        1 => Just(Step::CatchUp),
        1 => Just(Step::KeepUp),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn after_any_history_it_finds_what_is_there_and_nothing_else(steps in proptest::collection::vec(step(), 1..25)) {
        let (store, index) = (Store::in_memory(), MemoryIndex::in_memory());
        let mut there: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
        for step in steps {
            match step {
                Step::Save(id, words) => {
                    let text: Vec<&str> = words.iter().map(|&word| WORDS[word]).collect();
                    save(&store, &fact(id, &text.join(" ")), &[1.0, 0.0]);
                    there.insert(id, words);
                }
                Step::Hold(id) => {
                    save(&store, &FactRecord { status: FactStatus::Pending, ..fact(id, &WORDS.join(" ")) }, &[1.0, 0.0]);
                    there.remove(&id);
                }
                Step::Forget(id) => {
                    forget(&store, id);
                    there.remove(&id);
                }
                Step::CatchUp => drop(index.catch_up(&store).expect("catches up")),
                Step::KeepUp => drop(index.keep_up(&store).expect("keeps up")),
            }
            for (number, word) in WORDS.iter().enumerate() {
                let mut found = by_words(&index, &store, word);
                found.sort_unstable();
                let want: Vec<u64> = there.iter().filter(|(_, words)| words.contains(&number)).map(|(id, _)| *id).collect();
                prop_assert_eq!(found, want, "{}", word);
            }
            let mut near = by_meaning(&index, &store, &[1.0, 0.0]);
            near.sort_unstable();
            prop_assert_eq!(near, there.keys().copied().collect::<Vec<_>>());
        }
    }
}
