//! The event log, the index outbox, notifications, usage, and single values.

use super::Searched;
use protocol::Timestamp;
use protocol::ids::{MessageId, NotificationId, SessionId};
use protocol::notifications::NotificationKind;
use serde::{Deserialize, Serialize};

/// One line of the event log. Key: its number, given by the store in commit order, without gaps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EventRecord {
    pub seq: u64,
    pub at: Timestamp,
    /// Dotted type, e.g. `session.updated`.
    pub kind: String,
    /// JSON of the payload.
    pub data: String,
}

/// A line for the event log that has no number yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewEvent {
    pub at: Timestamp,
    /// Dotted type, e.g. `session.updated`.
    pub kind: String,
    /// JSON of the payload.
    pub data: String,
}

/// One row of the index outbox. Key: its number, given by the store in commit order and never used twice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutboxRow {
    pub number: u64,
    pub job: IndexJob,
}

/// Index work still to be done. Work of messages waits as [`OutboxRow`]s, that of what is searched in an outbox of its own
/// ([`crate::records::SearchedChange`]): each index comes on at its own pace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum IndexJob {
    /// A message was stored (again).
    Message { session_id: SessionId, ordinal: u64, message_id: MessageId },
    /// All of a chat is gone.
    SessionGone { session_id: SessionId },
    /// A memory or another searched text was written, changed or deleted. Never part of an [`OutboxRow`].
    Searched(Searched),
}

/// One row of the notification centre. Key: its id (time-ordered).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NotificationRecord {
    pub id: NotificationId,
    pub kind: NotificationKind,
    pub title: String,
    pub message: String,
    /// JSON.
    pub payload: String,
    pub task_id: Option<String>,
    pub read: bool,
    pub created_at: Timestamp,
}

/// What one model call used. Key: moment, then id.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct UsageRecord {
    pub id: String,
    pub at: Timestamp,
    pub model: String,
    /// `chat`, `task`… or `background`.
    pub source: String,
    pub role: Option<String>,
    pub billing: protocol::usage::Billing,
    pub prompt_tokens: u64,
    pub completion_tokens: u64,
    /// `None` when the price is not known.
    pub cost_usd: Option<f64>,
}

/// A single value. Key: its name, e.g. `stop.state`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MetaRecord {
    pub name: String,
    /// JSON.
    pub value: String,
}
