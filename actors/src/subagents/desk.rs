//! Where a helper's turn lives: its transcript is kept in memory, what must not be lost is handed to the role, and its
//! chat hears how it is coming along.

use super::Subagents;
use super::step::Step;
use crate::chat::{Append, Appended, NewRow, place, read_from};
use protocol::Error;
use protocol::chat::ChatEvent;
use protocol::ids::SubagentId;
use protocol::sessions::MessageRole;
use protocol::subagents::{ProgressMessage, ProgressType};
use protocol::tools::{Progress, ProgressKind};
use rules::gate::plain_name;
use runtime::{Address, Outside, World};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex, PoisonError};
use storage::records::{MessageRecord, SessionRecord, UsageRecord};
use tokio::time::Duration;

/// How long the role may take to store a step.
const STORE_WAIT: Duration = Duration::from_secs(30);
/// Characters of a text or a result in a helper's log. Ours.
const LOG_CHARS_MAX: usize = 1_000;

/// One helper's desk.
pub(crate) struct Desk {
    id: SubagentId,
    role: Address<Subagents>,
    world: World,
    /// What it has read so far, on top of what its chat had.
    record: Mutex<SessionRecord>,
    /// Tells the call that waits for it; silent in the background.
    progress: Arc<dyn Fn(Progress) + Send + Sync>,
}

impl Desk {
    pub(super) fn new(
        id: SubagentId,
        role: Address<Subagents>,
        world: World,
        record: SessionRecord,
        progress: Arc<dyn Fn(Progress) + Send + Sync>,
    ) -> Self {
        Self { id, role, world, record: Mutex::new(record), progress }
    }

    /// Places the rows of a step in the transcript, and stores what of it must not be lost.
    pub(crate) async fn append(&self, step: Append) -> Result<Appended, Error> {
        let mut record = self.record.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let turn = step.turn_id.clone();
        let rows: Vec<MessageRecord> =
            step.rows.into_iter().map(|row| place(&mut record, row, Some(&turn), &self.world)).collect();
        read_from(&mut record, step.untrusted, step.visited);
        let stored = Step {
            id: self.id.clone(),
            log: rows.iter().flat_map(log_of).collect(),
            effects: step.effects,
            usage: step.usage,
            files: rows.iter().filter_map(saved_file).collect(),
        };
        if !(stored.log.is_empty() && stored.effects.is_empty() && stored.usage.is_empty()) {
            self.role.ask(&Outside::within(STORE_WAIT), stored).await?;
        }
        *self.record.lock().unwrap_or_else(PoisonError::into_inner) = record.clone();
        Ok(Appended { steers: Vec::new(), steers_upto: 0, rows, record })
    }

    /// What was used by calls that no step has stored.
    pub(super) async fn leave(&self, usage: Vec<UsageRecord>) {
        if usage.is_empty() {
            return;
        }
        let step = Step { id: self.id.clone(), usage, ..Step::default() };
        if let Err(error) = self.role.ask(&Outside::within(STORE_WAIT), step).await {
            tracing::warn!(%error, subagent = %self.id, "what a helper used was not stored");
        }
    }

    /// What the call that waits is told: the names of tools, never words of the helper or of what it reads.
    pub(crate) fn tell(&self, event: &ChatEvent) {
        if let ChatEvent::ToolCall { name, .. } = event {
            let message = format!("Using {}", plain_name(name, "").to_lowercase());
            let data = Some(json!({ "subagent_id": self.id, "message": message }));
            (self.progress)(Progress { kind: ProgressKind::Subagent, text: None, image: None, data });
        }
    }
}

/// The first message of a helper's transcript: no words of the person.
pub(super) fn job_row(text: String) -> NewRow {
    NewRow { text, name: Some("job".into()), ..NewRow::of(MessageRole::User) }
}

fn short(text: &str) -> String {
    let (cut, more) = rules::subagents::cut(text, LOG_CHARS_MAX);
    if more { format!("{cut}…") } else { cut }
}

/// What a row is in the helper's log. Its answer is logged with its end.
fn log_of(row: &MessageRecord) -> Vec<ProgressMessage> {
    match row.role {
        MessageRole::Assistant if row.tool_calls.is_empty() => Vec::new(),
        MessageRole::Assistant => {
            let thought = (!row.content.trim().is_empty())
                .then(|| ProgressMessage::new(ProgressType::Thought, short(&row.content)));
            let call = |call: &protocol::sessions::StoredCall| ProgressMessage {
                tool_name: Some(call.function.name.clone()),
                parameters: serde_json::from_str(&call.function.arguments).ok(),
                ..ProgressMessage::new(ProgressType::ToolCall, format!("Using {}", plain_name(&call.function.name, "")))
            };
            thought.into_iter().chain(row.tool_calls.iter().map(call)).collect()
        }
        MessageRole::Tool => vec![ProgressMessage {
            tool_name: row.name.clone(),
            result: Some(short(&row.content)),
            is_error: Some(row.is_error),
            ..ProgressMessage::new(ProgressType::ToolResult, "")
        }],
        MessageRole::User | MessageRole::Other | MessageRole::Event => Vec::new(),
    }
}

/// The file a call saved: tools that save say so under this key.
fn saved_file(row: &MessageRecord) -> Option<String> {
    if row.role != MessageRole::Tool || row.is_error || !row.outside_source.is_empty() {
        return None;
    }
    let result: Value = serde_json::from_str(&row.content).ok()?;
    result["saved"].as_str().map(str::to_owned)
}
