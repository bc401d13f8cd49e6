//! The live channel: what a window sends and what it hears while a reply is being made (contract section 1).

use crate::approvals::{ApprovalAsk, Decision};
use crate::ids::{ApprovalId, CallId, ClientId, MessageId, SessionId, TurnId, UndoId};
use crate::sessions::{AnswerSource, MemorySource};
use crate::tools::ProgressKind;
use crate::undo::{UndoAction, UndoWindow};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What a window may send over `WS /ws`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "type")]
pub enum ClientFrame {
    #[serde(rename = "chat.send")]
    Send {
        session_id: Option<SessionId>,
        #[serde(default)]
        text: String,
        #[serde(default)]
        attachments: Vec<String>,
        model: Option<String>,
        client_id: Option<ClientId>,
        #[serde(default)]
        incognito: bool,
    },
    #[serde(rename = "chat.steer")]
    Steer { session_id: SessionId, text: String, client_id: Option<ClientId> },
    #[serde(rename = "chat.cancel")]
    Cancel { session_id: SessionId },
    #[serde(rename = "approval.respond")]
    Approve { approval_id: ApprovalId, decision: Decision },
    #[serde(rename = "undo.respond")]
    Undo { undo_id: UndoId, action: UndoAction },
    #[serde(rename = "presence")]
    Presence { active: bool },
    #[serde(rename = "ping")]
    Ping,
}

impl ClientFrame {
    /// Every type a window may send, for `sentient surface --json`.
    pub const TYPES: [&'static str; 7] =
        ["chat.send", "chat.steer", "chat.cancel", "approval.respond", "undo.respond", "presence", "ping"];
}

/// One chat event of a turn, as it goes to every window and, line by line, to `POST /api/chat`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ChatFrame {
    #[serde(flatten)]
    pub event: ChatEvent,
    pub session_id: SessionId,
    /// Absent on `steer_ack` and on a `session` sent before its turn has begun.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn_id: Option<TurnId>,
}

/// The events of contract section 1, "chat/agent events".
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ChatEvent {
    /// The message is stored: from here on it cannot be lost.
    Session {
        #[serde(skip_serializing_if = "Option::is_none")]
        client_id: Option<ClientId>,
    },
    ThinkingDelta {
        text: String,
    },
    TextDelta {
        text: String,
    },
    ToolCall {
        call_id: CallId,
        name: String,
        arguments: Value,
    },
    ToolProgress {
        call_id: CallId,
        name: String,
        kind: ProgressKind,
        #[serde(skip_serializing_if = "Option::is_none")]
        text: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        image: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        data: Option<Value>,
    },
    ToolResult {
        call_id: CallId,
        name: String,
        result: Value,
        is_error: bool,
        duration_ms: u64,
    },
    ApprovalRequest(Box<ApprovalAsk>),
    /// A send waits so that it can still be taken back.
    UndoWindow(Box<UndoWindow>),
    UserInterjection {
        text: String,
    },
    SteerAck {
        queued: bool,
        #[serde(skip_serializing_if = "Option::is_none")]
        client_id: Option<ClientId>,
    },
    Usage(UsageMeter),
    Error {
        message: String,
        recoverable: bool,
        #[serde(skip_serializing_if = "Option::is_none")]
        code: Option<ErrorCode>,
        #[serde(skip_serializing_if = "is_false")]
        dropped: bool,
        #[serde(skip_serializing_if = "Option::is_none")]
        client_id: Option<ClientId>,
    },
    Notice {
        message: String,
        code: NoticeCode,
        #[serde(skip_serializing_if = "Option::is_none")]
        model: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        used: Option<String>,
    },
    Done(Box<Done>),
}

fn is_false(value: &bool) -> bool {
    !value
}

/// The context meter after one model call (contract section 1, "Context meter").
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct UsageMeter {
    pub model: String,
    pub prompt_tokens: u64,
    pub completion_tokens: u64,
    /// The four of the meter are all `null` when the context length is unknown.
    pub context_used: Option<u64>,
    pub context_length: Option<u64>,
    pub context_percent: Option<u32>,
    pub context_warning: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorCode {
    LocalOnly,
    BudgetReached,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NoticeCode {
    ModelFallback,
}

/// The end of a turn. Every turn has exactly one.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Done {
    pub content: String,
    pub message_id: Option<MessageId>,
    #[serde(skip_serializing_if = "is_false")]
    pub cancelled: bool,
    pub memory_sources: Vec<MemorySource>,
    pub sources: Vec<AnswerSource>,
    /// What code found the calls really did (section 4, "Checking the outcome"); filled by a later part.
    pub checks: Vec<Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub dropped: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_id: Option<ClientId>,
}

/// Frames that belong to one socket only, not to a turn.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type")]
pub enum SocketFrame {
    /// The first frame of a socket.
    #[serde(rename = "hello")]
    Hello {
        version: String,
        assistant: String,
        /// The number of the newest frame there is; a window that reconnects says `?since=` with the last one it saw.
        seq: u64,
        /// True when frames after `?since=` are no longer there: the window fetches its state again.
        #[serde(skip_serializing_if = "is_false")]
        resync: bool,
    },
    #[serde(rename = "pong")]
    Pong,
    #[serde(rename = "approval.ack")]
    ApprovalAck { approval_id: ApprovalId, resolved: bool },
    #[serde(rename = "undo.ack")]
    UndoAck { undo_id: UndoId, action: UndoAction, done: bool },
    #[serde(rename = "error")]
    Error { message: String, recoverable: bool },
}

/// Server frame types without a dot or belonging to one socket, for `sentient surface --json`.
pub const SERVER_TYPES: [&str; 18] = [
    "hello",
    "session",
    "thinking_delta",
    "text_delta",
    "tool_call",
    "tool_progress",
    "tool_result",
    "approval_request",
    "undo_window",
    "undo.ack",
    "user_interjection",
    "steer_ack",
    "usage",
    "error",
    "notice",
    "done",
    "approval.ack",
    "pong",
];
