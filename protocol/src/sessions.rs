//! Chats and their messages, as clients see them (contract section 2 "Sessions").

use crate::approvals::ApprovalRecord;
use crate::ids::{CallId, MessageId, SessionId};
use crate::time::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One row of `GET /api/sessions`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Session {
    pub id: SessionId,
    pub title: String,
    /// Where it is held: `desktop`, `voice`, `telegram`, `api`, `mcp`…
    pub channel: String,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    /// Whose content the chat read; empty when clean, `null` before its first turn.
    pub untrusted: Option<String>,
    pub visited_hosts: Option<Vec<String>>,
    pub incognito: bool,
    /// The chat's own model; `null` follows the default.
    pub model: Option<String>,
    /// The memories it uses now.
    pub memory_scope: String,
    pub node_id: Option<String>,
}

/// Who wrote a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MessageRole {
    User,
    Assistant,
    Tool,
    /// Someone else in a group chat; always outside content.
    Other,
    /// Something the person did to the chat; never sent to a model.
    Event,
}

/// One row of `GET /api/sessions/{id}/messages`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Message {
    pub id: MessageId,
    pub role: MessageRole,
    pub content: String,
    pub thinking: Option<String>,
    pub tool_calls: Option<Vec<StoredCall>>,
    pub tool_call_id: Option<CallId>,
    pub name: Option<String>,
    pub attachments: Vec<String>,
    /// A steer message that joined a running reply.
    pub interjection: bool,
    pub memory_sources: Vec<MemorySource>,
    pub sources: Vec<AnswerSource>,
    pub approval: Option<ApprovalRecord>,
    pub checks: Vec<Value>,
    pub created_at: Timestamp,
}

/// A call inside an assistant message, in the shape OpenAI made common.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredCall {
    pub id: CallId,
    #[serde(rename = "type")]
    pub kind: String,
    pub function: StoredFunction,
}

impl StoredCall {
    pub fn new(id: CallId, name: String, arguments: String) -> Self {
        Self { id, kind: "function".into(), function: StoredFunction { name, arguments } }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredFunction {
    pub name: String,
    /// JSON text of an object.
    pub arguments: String,
}

/// A memory a reply had in mind (contract section 2, "Memory sources").
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MemorySource {
    pub kind: String,
    pub id: Value,
    pub text: String,
    pub source: String,
    pub via: String,
}

/// A page, email, file or app a reply used (contract section 2, "Answer sources").
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnswerSource {
    pub kind: AnswerSourceKind,
    pub title: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snippet: Option<String>,
    pub app: String,
    pub tool: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub via: Option<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnswerSourceKind {
    #[default]
    Web,
    Email,
    File,
    App,
}

/// One hit of `GET /api/sessions/search`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SearchHit {
    pub session_id: SessionId,
    pub message_id: MessageId,
    pub role: MessageRole,
    pub snippet: String,
    pub created_at: Timestamp,
}

/// Body of `PATCH /api/sessions/{id}`. A field that is absent stays; `null` or an empty text goes back to the default.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub struct SessionPatch {
    #[serde(default)]
    pub title: Option<String>,
    #[serde(default, deserialize_with = "present")]
    pub model: Option<Option<String>>,
    #[serde(default, deserialize_with = "present")]
    pub memory_scope: Option<Option<String>>,
}

/// Body of `POST /api/sessions/{id}/trust`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct TrustBody {
    /// The newest message the window has shown.
    #[serde(default)]
    pub upto: Option<MessageId>,
}

/// Tells an absent field (`None`) from one that is `null` (`Some(None)`).
fn present<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Option<String>>, D::Error> {
    Option::<String>::deserialize(deserializer).map(Some)
}
