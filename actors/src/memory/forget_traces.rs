//! What a source that is forgotten left in chats that stay: results of its tools, its name on replies, summaries of what was
//! read. And the note that it was forgotten, in the commit that tells of it.

use super::Memory;
use super::facts::json;
use crate::events::log_line;
use protocol::events::DomainEvent;
use protocol::ids::SessionId;
use protocol::memory::{ForgetCounts, Forgotten};
use protocol::sessions::AnswerSource;
use protocol::{Error, Request};
use runtime::{Ctx, Handles};
use std::collections::BTreeSet;
use storage::records::{ForgetRecord, IndexJob, MessageRecord, Searched, SearchedKind, SummaryRecord};
use storage::{Batch, vectors};

/// Rows changed in one commit. Ours.
const ROWS_PER_COMMIT: usize = 200;
/// How a forgotten result begins.
const MARK: &str = r#"{"forgotten":"#;

/// Takes these traces of a source away, notes it and tells it. Doing it twice does no harm but is noted twice.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ForgetTraces {
    pub(super) source: String,
    /// The source in plain words.
    pub(super) label: String,
    /// Tool results, as chat and place in it.
    pub(super) results: Vec<(SessionId, u64)>,
    pub(super) summaries: Vec<u64>,
    /// What went in all.
    pub(super) counts: ForgetCounts,
}

impl Request for ForgetTraces {
    type Reply = ();
    const NAME: &'static str = "memory.forget_traces";
}

/// Whether a tool's result was forgotten before.
pub(super) fn is_forgotten(content: &str) -> bool {
    content.starts_with(MARK)
}

impl Handles<ForgetTraces> for Memory {
    async fn handle(&mut self, traces: ForgetTraces, ctx: &Ctx<Self>) -> Result<(), Error> {
        self.forget_results(&traces).await?;
        self.forget_summaries(&traces.summaries).await?;
        let ForgetTraces { source, label, counts, .. } = traces;
        let (id, at) = (ctx.world.id(), ctx.now());
        let mut shown = serde_json::to_value(&counts).unwrap_or_default();
        if let Some(fields) = shown.as_object_mut() {
            fields.remove("source");
        }
        let record =
            ForgetRecord { id: id.clone(), source: source.clone(), label: label.clone(), counts: json(&counts), at };
        let told = Forgotten { id, source, label, counts: shown, at };
        let mut batch = Batch::new();
        batch.put(&record).event(log_line(&DomainEvent::MemoryForgotten(Box::new(told)), at));
        self.commit(batch).await
    }
}

impl Memory {
    /// Puts a sentence in the place of what an app's tools returned, and takes the app off the replies' sources.
    async fn forget_results(&self, traces: &ForgetTraces) -> Result<(), Error> {
        let Some(app) = traces.source.strip_prefix("app:") else { return Ok(()) };
        let label = &traces.label;
        let sentence = format!("This result was forgotten when you disconnected {label}.");
        let content = serde_json::json!({ "forgotten": sentence }).to_string();
        for chunk in traces.results.chunks(ROWS_PER_COMMIT) {
            let mut batch = Batch::new();
            {
                let snapshot = self.needs.store.snapshot()?;
                for key in chunk {
                    let Some(row) = snapshot.get::<MessageRecord>(key)? else { continue };
                    let (session_id, ordinal, message_id) = (row.session_id.clone(), row.ordinal, row.id.clone());
                    batch.put(&MessageRecord { content: content.clone(), ..row });
                    batch.index(IndexJob::Message { session_id, ordinal, message_id });
                }
            }
            self.commit(batch).await?;
        }
        let chats: BTreeSet<&SessionId> = traces.results.iter().map(|(chat, _)| chat).collect();
        for chat in chats {
            let mut batch = Batch::new();
            for row in self.needs.store.snapshot()?.prefix::<MessageRecord>(chat)? {
                let row = row?;
                let sources: Vec<AnswerSource> = serde_json::from_str(&row.sources).unwrap_or_default();
                let stays = |used: &&AnswerSource| used.app != *label && used.app != app;
                let kept: Vec<&AnswerSource> = sources.iter().filter(stays).collect();
                if kept.len() < sources.len() {
                    batch.put(&MessageRecord { sources: json(&kept), ..row });
                }
            }
            if !batch.is_empty() {
                self.commit(batch).await?;
            }
        }
        Ok(())
    }

    async fn forget_summaries(&self, summaries: &[u64]) -> Result<(), Error> {
        for chunk in summaries.chunks(ROWS_PER_COMMIT) {
            let mut batch = Batch::new();
            for id in chunk {
                batch.delete::<SummaryRecord>(id);
                vectors::forget(&mut batch, Searched::new(SearchedKind::Summary, *id));
            }
            self.commit(batch).await?;
        }
        Ok(())
    }
}
