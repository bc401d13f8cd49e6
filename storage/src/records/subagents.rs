//! Helpers and what they did. They belong to a chat and go with it.

use protocol::Timestamp;
use protocol::ids::{CallId, SessionId, SubagentId};
use protocol::subagents::{SubagentKind, SubagentStatus};
use serde::{Deserialize, Serialize};

/// One helper. Key: its id, which sorts by when it was started.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SubagentRecord {
    pub id: SubagentId,
    pub session_id: SessionId,
    pub parent_call_id: CallId,
    pub goal: String,
    pub kind: SubagentKind,
    pub status: SubagentStatus,
    pub background: bool,
    pub summary: Option<String>,
    pub error: Option<String>,
    pub tool_calls: u32,
    pub started_at: Timestamp,
    pub finished_at: Option<Timestamp>,
    /// Files its own calls saved, under the files folder.
    pub files: Vec<String>,
    /// The number the next step gets.
    pub next_step: u32,
    /// A helper in the background has ended and its chat does not have the summary yet.
    pub untold: bool,
}

/// One step of a helper. Key: helper, then number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SubagentStepRecord {
    pub subagent_id: SubagentId,
    pub number: u64,
    /// JSON of `ProgressUpdate`.
    pub update: String,
}
