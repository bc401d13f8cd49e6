//! What is recalled, and what never is.

use super::find::{Finder, may_be_shown};
use super::*;
use crate::embeddings::QueryVector;
use proptest::prelude::*;
use protocol::Timestamp;
use protocol::memory::{SCOPE_ALWAYS, SCOPE_PERSONAL, SCOPE_WORK};
use std::f32::consts::{LN_2, LN_10};
use storage::records::{FactSource, FactStatus, Searched, SearchedKind};
use storage::{Batch, vectors};

const SPACE: &str = "builtin";
const NOW: Timestamp = Timestamp(1_000);

fn fact(id: u64, content: &str) -> FactRecord {
    FactRecord {
        id,
        content: content.into(),
        topics: vec!["Miscellaneous".into()],
        source: "conversation".into(),
        short_term: false,
        expires_at: None,
        status: FactStatus::Active,
        scope: SCOPE_PERSONAL.into(),
        confidence: 0.9,
        state: FactState::Current,
        superseded_by: None,
        superseded_at: None,
        merged_into: None,
        merged_at: None,
        previous_content: None,
        review: None,
        sources: Vec::new(),
        recall_count: 0,
        last_recalled_at: None,
        created_at: Timestamp(1),
        updated_at: Timestamp(1),
    }
}

fn save(store: &Store, record: &FactRecord, vector: &[f32]) {
    let searched = Searched::new(SearchedKind::Fact, record.id);
    let mut batch = Batch::new();
    batch.put(record);
    vectors::changed(&mut batch, searched);
    vectors::put(&mut batch, &vectors::record(SPACE, searched, &record.content, vector).expect("has a direction"));
    store.commit_now(batch).expect("written");
}

fn finder(store: &Store) -> Finder {
    let weighing = Weighing { keyword_weight: 0.15, min_similarity: 0.35 };
    Finder { store: store.clone(), index: MemoryIndex::in_memory(), now: NOW, weighing }
}

fn vector(numbers: &[f32]) -> QueryVector {
    QueryVector { space: SPACE.into(), vector: vectors::unit(numbers).expect("has a direction").into() }
}

fn ask(text: &str) -> RecallAsk {
    RecallAsk { text: text.into(), limit: 10, ..RecallAsk::default() }
}

fn ids(found: &[RecalledFact]) -> Vec<u64> {
    found.iter().map(|found| found.fact.id).collect()
}

#[test]
fn rule_81_the_score_is_similarity_and_weighed_share() {
    let store = Store::in_memory();
    save(&store, &fact(1, "Has a cat called Miso"), &[1.0, 0.0]);
    save(&store, &fact(2, "Keeps a dog"), &[0.8, 0.6]);
    save(&store, &fact(3, "Has a cat called Miso and never forgets it"), &[0.0, 1.0]);
    save(&store, &fact(4, "Plays chess"), &[0.0, 1.0]);
    let found = finder(&store).find(&ask("What is the cat Miso like?"), Some(&vector(&[1.0, 0.0]))).expect("finds");
    assert_eq!(ids(&found), [1, 2, 3], "the fourth is neither near nor has the words");
    // Two of four memories have `cat` and `miso` (ln 2 each); nobody has `like`, the question's third word (ln 10).
    let said = 2.0 * LN_2 / (2.0 * LN_2 + LN_10);
    for (found, (similarity, share)) in found.iter().zip([(1.0, said), (0.8, 0.0), (0.0, said)]) {
        assert!((found.similarity - similarity).abs() < 2e-3, "{found:?}");
        assert!((found.score - (found.similarity + 0.15 * found.share)).abs() < 1e-5, "{found:?}");
        assert!((found.share - share).abs() < 1e-5, "{found:?}");
    }
}

#[test]
fn without_vectors_it_goes_by_words_and_without_words_by_vectors() {
    let store = Store::in_memory();
    save(&store, &fact(1, "माया पुणे में रहती है"), &[1.0, 0.0]);
    save(&store, &fact(2, "姐姐住在上海浦东"), &[0.0, 1.0]);
    save(&store, &fact(3, "أختي تسكن في دبي"), &[0.6, 0.8]);
    let by_words = |text: &str| ids(&finder(&store).find(&ask(text), None).expect("finds"));
    assert_eq!(by_words("माया कहाँ रहती है?"), [1]);
    assert_eq!(by_words("上海"), [2]);
    assert_eq!(by_words("اين تسكن اختي"), [3]);
    assert_eq!(by_words("the of and"), Vec::<u64>::new(), "stop words alone find nothing");
    let by_meaning = finder(&store).find(&ask("the of and"), Some(&vector(&[1.0, 0.0]))).expect("finds");
    assert_eq!(ids(&by_meaning), [1, 3], "and the second is not near enough");
    let other = QueryVector { space: "ollama/other".into(), vector: [1.0, 0.0].into() };
    assert_eq!(ids(&finder(&store).find(&ask("上海"), Some(&other)).expect("finds")), [2], "a space that is empty yet");
}

#[test]
fn rule_83_only_what_is_kept_for_the_scope_and_for_always() {
    let store = Store::in_memory();
    for (id, scope) in [(1, SCOPE_PERSONAL), (2, SCOPE_WORK), (3, SCOPE_ALWAYS), (4, "Kestrel launch")] {
        save(&store, &FactRecord { scope: scope.into(), ..fact(id, "Maya has a heart condition") }, &[1.0, 0.0]);
    }
    for (scopes, want) in [
        (Some(vec![SCOPE_WORK, SCOPE_ALWAYS]), &[2, 3][..]),
        (Some(vec![SCOPE_PERSONAL, SCOPE_ALWAYS]), &[1, 3]),
        (Some(vec!["Kestrel launch", SCOPE_ALWAYS]), &[3, 4]),
        (Some(vec![]), &[]),
        (None, &[1, 2, 3, 4]),
    ] {
        let scopes = scopes.map(|scopes| scopes.into_iter().map(str::to_owned).collect::<Vec<_>>());
        let asked = RecallAsk { scopes: scopes.clone(), ..ask("heart condition") };
        let mut found = ids(&finder(&store).find(&asked, Some(&vector(&[1.0, 0.0]))).expect("finds"));
        found.sort_unstable();
        assert_eq!(found, want, "{scopes:?}");
    }
}

#[test]
fn what_may_never_be_shown() {
    let said_again = FactSource { source: "app:gmail".into(), reference: None, at: Timestamp(2), merged_from: None };
    let ours = fact(1, "a");
    let of_gmail = |ask: RecallAsk| RecallAsk { sources: Some("app:gmail".into()), ..ask };
    let also = |state| RecallAsk { states: vec![FactState::Current, state], ..ask("a") };
    for (name, fact, asked, want) in [
        ("an active one", ours.clone(), ask("a"), true),
        ("one that waits for review", FactRecord { status: FactStatus::Pending, ..ours.clone() }, ask("a"), false),
        ("one that was folded", FactRecord { status: FactStatus::Merged, ..ours.clone() }, ask("a"), false),
        ("one that ends now", FactRecord { expires_at: Some(NOW), ..ours.clone() }, ask("a"), false),
        ("one that ends later", FactRecord { expires_at: Some(Timestamp(1_001)), ..ours.clone() }, ask("a"), true),
        ("a disputed one", FactRecord { state: FactState::Disputed, ..ours.clone() }, ask("a"), false),
        (
            "a disputed one, asked for",
            FactRecord { state: FactState::Disputed, ..ours.clone() },
            also(FactState::Disputed),
            true,
        ),
        ("a superseded one", FactRecord { state: FactState::Superseded, ..ours.clone() }, ask("a"), false),
        (
            "a superseded one, asked for",
            FactRecord { state: FactState::Superseded, ..ours.clone() },
            also(FactState::Superseded),
            true,
        ),
        ("of another source", ours.clone(), of_gmail(ask("a")), false),
        (
            "said again by the source",
            FactRecord { sources: vec![said_again], ..ours.clone() },
            of_gmail(ask("a")),
            true,
        ),
        ("of the source", FactRecord { source: "app:gmail".into(), ..ours }, of_gmail(ask("a")), true),
    ] {
        assert_eq!(may_be_shown(&fact, &asked, NOW), want, "{name}");
    }
}

#[test]
fn a_scope_with_little_is_found_among_much_of_another() {
    let store = Store::in_memory();
    for id in 1..=200 {
        save(&store, &fact(id, "Maya drinks tea"), &[1.0, 0.01]);
    }
    save(&store, &FactRecord { scope: SCOPE_WORK.into(), ..fact(201, "The tea in the office is Maya's") }, &[0.8, 0.6]);
    let asked = RecallAsk { scopes: Some(vec![SCOPE_WORK.into()]), limit: 3, ..ask("tea Maya") };
    let found = finder(&store).find(&asked, Some(&vector(&[1.0, 0.0]))).expect("finds");
    assert_eq!(ids(&found), [201]);
}

#[test]
fn it_follows_the_settings_and_knows_its_limits() {
    let store = Store::in_memory();
    for id in 1..=5 {
        save(&store, &fact(id, "Maya drinks tea"), &[1.0, 0.0]);
    }
    for (weight, want) in [(0.15, 0.15), (0.5, 0.5), (0.0, 0.0)] {
        let mut config = Config::default();
        config.memory.keyword_weight = weight;
        let finder = Finder { weighing: weighing(&config), ..finder(&store) };
        let found = finder.find(&ask("tea"), None).expect("finds");
        assert!((found[0].score - want).abs() < 1e-6, "{weight}: {found:?}");
    }
    for (name, asked, want) in [
        ("as many as wanted", RecallAsk { limit: 2, ..ask("tea") }, 2),
        ("none wanted", RecallAsk { limit: 0, ..ask("tea") }, 0),
        ("no question", ask("  "), 0),
        ("a very long question", ask(&"tea ".repeat(QUESTION_CHARS_MAX)), 5),
        ("more than there may be", RecallAsk { limit: usize::MAX, ..ask("tea") }, 5),
    ] {
        assert_eq!(finder(&store).find(&asked, None).expect("finds").len(), want, "{name}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn answers_are_in_order_shown_once_and_never_more_than_wanted(
        facts in proptest::collection::vec((proptest::collection::vec(0..5_usize, 1..4), -1.0_f32..1.0, 0..3_usize), 1..15),
        limit in 1..6_usize,
    ) {
        let words = ["tea", "honey", "garden", "माया", "東京"];
        let store = Store::in_memory();
        for (id, (chosen, x, status)) in (1..).zip(&facts) {
            let text: Vec<&str> = chosen.iter().map(|&word| words[word]).collect();
            let status = [FactStatus::Active, FactStatus::Pending, FactStatus::Merged][*status];
            save(&store, &FactRecord { status, ..fact(id, &text.join(" ")) }, &[*x, 1.0]);
        }
        let asked = RecallAsk { limit, ..ask("tea in the garden of माया") };
        let found = finder(&store).find(&asked, Some(&vector(&[0.5, 1.0]))).expect("finds");
        prop_assert!(found.len() <= limit);
        prop_assert!(found.is_sorted_by(|a, b| a.score >= b.score));
        let mut seen = ids(&found);
        seen.sort_unstable();
        seen.dedup();
        prop_assert_eq!(seen.len(), found.len());
        prop_assert!(found.iter().all(|found| found.fact.status == FactStatus::Active));
    }
}
