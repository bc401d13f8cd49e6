//! Chats and their messages.

use protocol::Timestamp;
use protocol::approvals::ApprovalRecord;
use protocol::ids::{CallId, MessageId, SessionId, TurnId};
use protocol::sessions::{MessageRole, StoredCall};
use protocol::tools::Risk;
use serde::{Deserialize, Serialize};

/// One chat. Key: its id.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SessionRecord {
    pub id: SessionId,
    pub title: String,
    pub title_source: TitleSource,
    pub channel: String,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    /// Whose content it read; empty when clean, `None` before its first turn.
    pub untrusted: Option<String>,
    pub visited_hosts: Option<Vec<String>>,
    pub incognito: bool,
    pub model: Option<String>,
    pub memory_scope: Option<String>,
    pub node_id: Option<String>,
    /// The ordinal the next message gets; only ever grows.
    pub next_ordinal: u64,
    /// What the messages before `upto` said, in short.
    pub summary: Option<Summary>,
    /// "Allow for this chat": tools and how far each may go.
    pub allowances: Vec<ToolAllowance>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum TitleSource {
    /// The first words of the first message.
    FirstWords,
    /// Named by a model after the first exchange.
    Model,
    /// Renamed by the person; never changed by code again.
    Person,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    pub text: String,
    /// Messages with a smaller ordinal are in it.
    pub upto: u64,
    /// Whose content it repeats; empty when clean.
    pub untrusted: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolAllowance {
    pub tool: String,
    pub risk: Risk,
}

/// One message. Key: chat id, then ordinal, so that a chat reads in order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MessageRecord {
    pub session_id: SessionId,
    pub ordinal: u64,
    pub id: MessageId,
    /// The turn that wrote it; `None` for what no turn wrote.
    pub turn_id: Option<TurnId>,
    pub role: MessageRole,
    pub content: String,
    pub thinking: Option<String>,
    pub tool_calls: Vec<StoredCall>,
    pub tool_call_id: Option<CallId>,
    pub name: Option<String>,
    pub attachments: Vec<String>,
    pub interjection: bool,
    pub is_error: bool,
    /// JSON of `[MemorySource]`.
    pub memory_sources: String,
    /// JSON of `[AnswerSource]`.
    pub sources: String,
    pub approval: Option<ApprovalRecord>,
    /// Whose words a tool result carries; empty when it is the engine's own.
    pub outside_source: String,
    pub created_at: Timestamp,
}

/// Web hosts a chat loaded only after it had read outside content and without the person's say: what it read may have led
/// it there. Key: the chat's id.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LedHostsRecord {
    pub session_id: SessionId,
    pub hosts: Vec<String>,
}

/// A file name that some message has attached, so that the name never comes to mean another file. Key: the name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AttachmentRecord {
    pub name: String,
    /// The chats whose messages have it.
    pub sessions: Vec<SessionId>,
}
