//! Helpers a chat starts, as surfaces see them (contract section 10, "Subagents"), and the log of a run's steps.

use crate::ids::{CallId, SessionId, SubagentId};
use crate::time::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What a helper is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SubagentKind {
    /// Works with tools.
    Worker,
    /// Reads one document into fields, without tools.
    Reader,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SubagentStatus {
    Running,
    Completed,
    Error,
    Cancelled,
}

impl SubagentStatus {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Completed => "completed",
            Self::Error => "error",
            Self::Cancelled => "cancelled",
        }
    }
}

/// One helper (`GET /api/subagents/{id}`; the event `subagent.updated` leaves out `events`).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Subagent {
    pub subagent_id: SubagentId,
    pub session_id: SessionId,
    pub parent_call_id: CallId,
    pub goal: String,
    pub kind: SubagentKind,
    pub status: SubagentStatus,
    /// Its chat went on without waiting for it.
    pub background: bool,
    /// What it reported.
    pub summary: Option<String>,
    pub error: Option<String>,
    /// Calls it has made.
    pub tool_calls: u32,
    pub started_at: Timestamp,
    pub finished_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub events: Option<Vec<ProgressUpdate>>,
}

/// One step of a run nobody watches (contract section 4).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProgressUpdate {
    pub timestamp: Timestamp,
    pub message: ProgressMessage,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProgressMessage {
    #[serde(rename = "type")]
    pub kind: ProgressType,
    pub content: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parameters: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_error: Option<bool>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProgressType {
    Info,
    Thought,
    ToolCall,
    ToolResult,
    FinalAnswer,
    Error,
}

impl ProgressMessage {
    pub fn new(kind: ProgressType, content: impl Into<String>) -> Self {
        Self { kind, content: content.into(), tool_name: None, parameters: None, result: None, is_error: None }
    }
}
