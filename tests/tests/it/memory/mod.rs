//! What is remembered, over a whole engine: how it is saved, reviewed, moved, and forgotten with everything made of it.

mod forgetting;
mod review;
mod saving;
mod scopes;
mod tidying;

use actors::live::{Delivery, Subscription};
use actors::memory::{NewFact, SaveOrigin};
use protocol::Error;
use protocol::memory::{Memory, ReviewNote, Saved, SourceRef};
use protocol::memory_requests::{MemoryQuery, NewMemory, StateFilter};
use protocol::model::{ModelError, ModelErrorKind};
use serde_json::Value;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use storage::records::FactRecord;
use tests::story::{Reply, TestEngine, TestSetup};
use tokio::time::{Duration, timeout};

/// An engine for Maya.
struct Scene {
    setup: TestSetup,
    engine: TestEngine,
}

impl Scene {
    async fn new() -> Self {
        let mut setup = TestSetup::default();
        setup.with_memory = true;
        setup.config.send_modify(|config| Arc::make_mut(config).assistant.user_name = "Maya".into());
        let engine = TestEngine::start(&setup).await;
        Self { setup, engine }
    }

    /// The model's next answer.
    fn model(&self, answer: &str) {
        self.setup.models.push(Reply::text(answer));
    }

    /// Every model refuses from now on.
    fn no_model(&self) {
        self.setup.models.improvise(|_| Reply {
            error: Some(ModelError::new(ModelErrorKind::Unreachable, "It is not reachable.")),
            ..Reply::default()
        });
    }

    fn calls(&self) -> usize {
        self.setup.models.requests().len()
    }

    async fn type_in(&self, content: &str) -> Saved {
        let new = NewMemory { content: content.into(), ..NewMemory::default() };
        self.engine.engine.remember(new).await.expect("saved")
    }

    /// Said in a message of a chat.
    async fn hear(&self, content: &str, message: &str) -> Saved {
        self.save(said(content, message)).await.expect("saved")
    }

    async fn save(&self, new: NewFact) -> Result<Saved, Error> {
        self.engine.engine.memory_handle().save(new).await
    }

    /// The words of everything in use, oldest first.
    async fn remembered(&self) -> Vec<String> {
        let mut all = self.listed(MemoryQuery::default()).await;
        all.reverse();
        all.into_iter().map(|memory| memory.content).collect()
    }

    async fn listed(&self, query: MemoryQuery) -> Vec<Memory> {
        self.engine.engine.memories(query).await.expect("listed")
    }

    async fn all(&self) -> Vec<Memory> {
        self.listed(MemoryQuery { state: StateFilter::All, ..MemoryQuery::default() }).await
    }

    fn row(&self, id: u64) -> Option<FactRecord> {
        self.setup.store.snapshot().expect("a snapshot").get::<FactRecord>(&id).expect("readable")
    }

    /// What was told about memories, oldest first.
    fn told(&self) -> Vec<Value> {
        let events = self.setup.store.events_since(0, 1_000).expect("a log");
        let of_memory = events.into_iter().filter(|event| event.kind.starts_with("memory."));
        of_memory.map(|event| serde_json::from_str(&event.data).expect("JSON")).collect()
    }

    fn last_told(&self) -> Value {
        self.told().pop().expect("something was told")
    }

    fn days_pass(&self, days: i64) {
        self.setup.jump.fetch_add(days * 24 * 3_600_000, Ordering::Relaxed);
    }

    async fn upkeep(&self) {
        let patience = runtime::Outside::within(Duration::from_secs(60));
        let memory = &self.engine.engine.memory_handle().memory;
        memory.ask(&patience, actors::memory::Upkeep {}).await.expect("the upkeep ends");
    }

    async fn titles(&self) -> Vec<String> {
        let listed = self.engine.engine.notifications(None, false).await.expect("notifications");
        listed.notifications.into_iter().map(|note| note.title).collect()
    }
}

/// Waits for the end of a reply.
async fn done(lines: &mut Subscription) {
    loop {
        let delivery = timeout(Duration::from_secs(3_600), lines.next()).await.expect("something happens");
        let Delivery::Frames(frames) = delivery else { panic!("lagged") };
        let is_end = |json: &str| serde_json::from_str::<Value>(json).is_ok_and(|frame| frame["type"] == "done");
        if frames.iter().any(|line| is_end(&line.json)) {
            return;
        }
    }
}

/// A fact of a chat with the message that says it.
fn said(content: &str, message: &str) -> NewFact {
    let reference = SourceRef::Message { session_id: "s1".into(), message_id: Some(message.into()), quote: None };
    NewFact { reference: Some(reference), ..NewFact::new(content, "conversation", SaveOrigin::Chat) }
}

/// A fact of what Gmail showed a chat.
fn from_gmail(content: &str) -> NewFact {
    let hold = ReviewNote { from: "Gmail".into(), snippet: Some("Your trip".into()), ..ReviewNote::default() };
    NewFact { hold: Some(hold), ..NewFact::new(content, "app:gmail", SaveOrigin::Chat) }
}
