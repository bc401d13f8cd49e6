//! Summaries are found by those who may read them, and lose what was forgotten.

use super::{ForgetSummaries, SummaryAsk, SummarySearch};
use crate::embeddings::Embeddings;
use crate::memory::{Derived, Forgotten, ForgottenFact};
use protocol::Timestamp;
use storage::records::{SessionRecord, SummaryRecord, TitleSource};
use storage::{Batch, MemoryIndex, Store};

fn summary(id: u64, chat: &str, content: &str) -> SummaryRecord {
    SummaryRecord {
        id,
        session_id: chat.into(),
        content: content.into(),
        start_at: Timestamp(1),
        end_at: Timestamp(2),
        from: 0,
        upto: 4,
        untrusted: String::new(),
        scope: "personal".into(),
        created_at: Timestamp(3),
    }
}

fn chat(id: &str, untrusted: Option<&str>) -> SessionRecord {
    SessionRecord {
        id: id.into(),
        title: id.into(),
        title_source: TitleSource::FirstWords,
        channel: "desktop".into(),
        created_at: Timestamp(1),
        updated_at: Timestamp(1),
        untrusted: untrusted.map(str::to_owned),
        visited_hosts: None,
        incognito: false,
        model: None,
        memory_scope: None,
        node_id: None,
        next_ordinal: 4,
        summary: None,
        allowances: Vec::new(),
    }
}

async fn store(chats: &[SessionRecord], summaries: &[SummaryRecord]) -> Store {
    let store = Store::in_memory();
    let mut batch = Batch::new();
    for chat in chats {
        batch.put(chat);
    }
    for summary in summaries {
        batch.put(summary);
    }
    store.commit(batch).await.expect("stored");
    store
}

async fn found(store: &Store, scope: Option<&str>) -> Vec<u64> {
    let search =
        SummarySearch { store: store.clone(), index: MemoryIndex::in_memory(), embeddings: Embeddings::default() };
    let ask = SummaryAsk { text: "trip to Lisbon".into(), scope: scope.map(str::to_owned), limit: 5 };
    let mut ids: Vec<u64> = search.find(ask).await.expect("found").into_iter().map(|found| found.summary.id).collect();
    ids.sort_unstable();
    ids
}

#[tokio::test]
async fn rule_89_marked_summaries_and_other_scopes_are_left_out_before_ranking() {
    let text = "We planned the trip to Lisbon.";
    let summaries = [
        summary(1, "clean", text),
        SummaryRecord { untrusted: "Gmail".into(), ..summary(2, "clean", text) },
        summary(3, "marked later", text),
        SummaryRecord { scope: "work".into(), ..summary(4, "clean", text) },
        summary(5, "deleted since", text),
    ];
    let store = store(&[chat("clean", Some("")), chat("marked later", Some("a web page"))], &summaries).await;
    assert_eq!(found(&store, Some("personal")).await, [1, 5]);
    assert_eq!(found(&store, Some("work")).await, [4]);
    assert_eq!(found(&store, Some("माया")).await, Vec::<u64>::new());
    assert_eq!(found(&store, None).await, [1, 4, 5]);
}

#[tokio::test]
async fn rule_232_a_forgotten_memory_leaves_the_summaries_of_its_chats() {
    let summaries = [
        summary(1, "a", "We planned a trip. Maya is allergic to peanuts."),
        summary(2, "a", "माया पुणे में रहती है।"),
        summary(3, "b", "Maya is allergic to peanuts."),
    ];
    let store = store(&[], &summaries).await;
    let fact = |id, words: &str| ForgottenFact { id, wordings: vec![words.into()], said_in: vec![("a".into(), None)] };
    let forgotten = Forgotten {
        facts: vec![fact(1, "Maya is allergic to peanuts"), fact(2, "माया पुणे में रहती है")],
        withdrawn: false,
    };
    for _ in 0..2 {
        let mut batch = Batch::new();
        ForgetSummaries.forget(&store.snapshot().expect("a snapshot"), &forgotten, &mut batch).expect("done");
        if !batch.is_empty() {
            store.commit(batch).await.expect("stored");
        }
    }
    let left: Vec<(u64, String)> = store
        .snapshot()
        .and_then(|snapshot| snapshot.all::<SummaryRecord>()?.map(|row| row.map(|row| (row.id, row.content))).collect())
        .expect("summaries");
    assert_eq!(
        left,
        [(1, "We planned a trip.".to_owned()), (3, "Maya is allergic to peanuts.".to_owned())],
        "an empty one goes, and one of another chat stays"
    );
}
