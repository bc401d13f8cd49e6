//! What is worked out about the person, in a whole engine with a scripted model: insights, dreams, the narrative.

mod dreams;
mod narrative;
mod prompt;
mod user_model;

use crate::stage::Stage;
use protocol::Timestamp;
use protocol::model::{ModelCall, PromptMessage};
use serde_json::Value;
use std::sync::Arc;
use storage::Batch;
use storage::records::{FactRecord, FactSource, FactState, FactStatus, SessionRecord};
use tests::story::{Reply, start_millis};
use tokio::time::{Duration, sleep};

/// A memory of the person's own words.
pub(crate) fn fact(id: u64, content: &str) -> FactRecord {
    let at = Timestamp(start_millis() - 86_400_000 + i64::try_from(id).expect("small") * 1_000);
    FactRecord {
        id,
        content: content.into(),
        topics: vec!["Miscellaneous".into()],
        source: "conversation".into(),
        short_term: false,
        expires_at: None,
        status: FactStatus::Active,
        scope: "personal".into(),
        confidence: 0.9,
        state: FactState::Current,
        superseded_by: None,
        superseded_at: None,
        merged_into: None,
        merged_at: None,
        previous_content: None,
        review: None,
        sources: vec![FactSource { source: "conversation".into(), reference: None, at, merged_from: None }],
        recall_count: 0,
        last_recalled_at: None,
        created_at: at,
        updated_at: at,
    }
}

/// One that only a mail said.
pub(crate) fn from_mail(id: u64, content: &str) -> FactRecord {
    let mut fact = fact(id, content);
    fact.source = "app:gmail".into();
    fact.sources[0].source = "app:gmail".into();
    fact
}

impl Stage {
    /// Puts memories into the store.
    pub(crate) async fn remember(&self, facts: &[FactRecord]) {
        let mut batch = Batch::new();
        for fact in facts {
            batch.put(fact);
        }
        self.setup.store.commit(batch).await.expect("stored");
    }

    pub(crate) fn facts(&self) -> Vec<FactRecord> {
        let snapshot = self.setup.store.snapshot().expect("a snapshot");
        snapshot.all::<FactRecord>().expect("rows").map(|row| row.expect("a row")).collect()
    }

    /// Memories in use, by their words.
    pub(crate) fn in_use(&self) -> Vec<String> {
        let facts = self.facts().into_iter();
        let used = facts.filter(|fact| fact.status == FactStatus::Active && fact.state == FactState::Current);
        used.map(|fact| fact.content).collect()
    }

    /// Turns the user model on, for a person with a name.
    pub(crate) fn knows_maya(&self) {
        self.setup.config.send_modify(|config| {
            let config = Arc::make_mut(config);
            config.assistant.user_name = "Maya".into();
            config.user_model.enabled = true;
        });
    }

    /// Marks a chat as one that read what others wrote.
    pub(crate) async fn mark(&self, chat: &protocol::ids::SessionId, from: &str) {
        let snapshot = self.setup.store.snapshot().expect("a snapshot");
        let row = snapshot.get::<SessionRecord>(chat).expect("read").expect("a chat");
        let mut batch = Batch::new();
        batch.put(&SessionRecord { untrusted: Some(from.into()), ..row });
        self.setup.store.commit(batch).await.expect("stored");
    }

    /// From here on the model answers what `answers` makes of its question.
    pub(crate) fn model(&self, answers: impl Fn(&str) -> String + Send + 'static) {
        self.setup.models.improvise(move |call| Reply::text(answers(&asked(call))));
    }

    /// The questions to a model that contain these words.
    pub(crate) fn questions(&self, words: &str) -> Vec<String> {
        self.setup.models.requests().iter().map(asked).filter(|asked| asked.contains(words)).collect()
    }
}

/// The last thing a model is told.
pub(crate) fn asked(call: &ModelCall) -> String {
    match call.messages.last() {
        Some(PromptMessage::User { text, .. }) => text.clone(),
        _ => String::new(),
    }
}

/// Waits, in virtual time, until something holds.
pub(crate) async fn until(what: &str, holds: impl Fn() -> bool) {
    for _ in 0..6_000 {
        if holds() {
            return;
        }
        sleep(Duration::from_millis(100)).await;
    }
    panic!("it never came to this: {what}");
}

/// Events of a kind in the log, oldest first.
pub(crate) fn events(stage: &Stage, kind: &str) -> Vec<Value> {
    let snapshot = stage.setup.store.snapshot().expect("a snapshot");
    let events = snapshot.all::<storage::records::EventRecord>().expect("events").map(|event| event.expect("an event"));
    events.filter(|event| event.kind == kind).map(|event| serde_json::from_str(&event.data).expect("JSON")).collect()
}
