//! Memories that go to the model with the message it answers, and the record of it in the reply's memory sources.
//!
//! They are looked up once, when the reply begins, within a bounded time: when that is over the reply goes on without
//! them. Recorded by code; the model is never asked which it used. Nothing that waits for review, that is out of the chat's scope or
//! that a turn may not read ever comes here.

use super::facts::Facts;
use super::{Runner, Setting};
use crate::memory::{Occasion, RecallAsk, RecalledFact};
use protocol::sessions::MemorySource;
use rules::memory::recalled::{add, block};
use rules::memory::scope;
use storage::records::{FactRecord, FactState, InsightRecord};
use tokio::time::{Duration, timeout};

/// How long a reply waits for its memories. Ours: vectors made in the engine take far less than a millisecond; a server
/// that makes them may be slow or gone.
const RECALL_TIME_MAX: Duration = Duration::from_millis(400);

/// What was recalled for a turn.
#[derive(Clone, Debug, Default)]
pub(super) struct Recalled {
    /// The text behind the message; empty when nothing was found.
    pub(super) text: String,
    facts: Vec<RecalledFact>,
    insights: Vec<InsightRecord>,
}

impl Recalled {
    /// The same with insights behind it.
    pub(super) fn with(mut self, block: &str, insights: Vec<InsightRecord>) -> Self {
        if !block.is_empty() {
            let gap = if self.text.is_empty() { "" } else { "\n\n" };
            self.text += &format!("{gap}{block}");
        }
        self.insights = insights;
        self
    }
}

/// The scope of a chat: its own, else its messaging app's.
pub(super) fn scope_of(setting: &Setting, config: &protocol::config::Config) -> String {
    let app = config.channels.get(setting.record.channel.split(':').next().unwrap_or_default());
    Occasion::of_chat(&setting.record, app.map(|app| app.memory_scope.as_str())).scope
}

/// Looks up what may matter for the message a reply answers.
pub(super) async fn look_up(setting: &Setting, facts: &Facts) -> Recalled {
    let limit = usize::try_from(facts.config.memory.facts_top_k).unwrap_or(0);
    let text = setting.rows.first().map(|row| row.content.trim()).unwrap_or_default();
    if !facts.memory.reads || setting.errand.is_some() || limit == 0 || text.is_empty() {
        return Recalled::default();
    }
    let ask = RecallAsk {
        text: text.to_owned(),
        scopes: Some(scope::readable(&scope_of(setting, &facts.config))),
        sources: None,
        states: vec![FactState::Current],
        limit,
    };
    let found = match timeout(RECALL_TIME_MAX, setting.parts.memories.recall.facts(ask)).await {
        Ok(Ok(found)) => found,
        Ok(Err(error)) => {
            tracing::warn!(%error, "a reply goes without memories");
            return Recalled::default();
        }
        Err(_) => {
            tracing::info!("memories took too long; a reply goes without them");
            return Recalled::default();
        }
    };
    setting.parts.memories.recalled(found.iter().map(|found| found.fact.id).collect()).await;
    let lines: Vec<(u64, &str)> = found.iter().map(|found| (found.fact.id, found.fact.content.as_str())).collect();
    Recalled { text: block(&lines), facts: found, insights: Vec::new() }
}

impl Runner {
    /// The memories that were in the prompt are sources of the reply.
    pub(super) fn note_recalled(&mut self) {
        for found in &self.recalled.facts {
            add(&mut self.memory_sources, source(&found.fact));
        }
        for insight in &self.recalled.insights {
            add(&mut self.memory_sources, super::known::source(insight));
        }
    }
}

fn source(fact: &FactRecord) -> MemorySource {
    MemorySource {
        kind: "fact".into(),
        id: fact.id.into(),
        text: fact.content.clone(),
        source: fact.source.clone(),
        via: "prompt".into(),
    }
}
