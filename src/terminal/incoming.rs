//! What the engine tells a client, as far as a terminal shows it. Unknown events are no error: newer engines say more.

use serde::Deserialize;
use serde_json::Value;

/// A frame of `/ws` or a line of `POST /api/chat`.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Frame {
    #[serde(flatten)]
    pub(super) event: Event,
    pub(super) session_id: Option<String>,
    /// Its number, by which a lost connection is taken up again.
    pub(super) seq: Option<u64>,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Event {
    Hello {
        seq: Option<u64>,
        #[serde(default)]
        resync: bool,
    },
    Session {
        client_id: Option<String>,
    },
    ThinkingDelta {
        text: String,
    },
    TextDelta {
        text: String,
    },
    ToolCall {
        name: String,
        #[serde(default)]
        arguments: Value,
    },
    ToolProgress {
        text: Option<String>,
    },
    ToolResult {
        #[serde(default)]
        result: Value,
        #[serde(default)]
        is_error: bool,
    },
    ApprovalRequest(Question),
    #[serde(rename = "approval.ack")]
    ApprovalAck {
        approval_id: String,
    },
    UndoWindow(UndoWindow),
    #[serde(rename = "undo.ack")]
    UndoAck {
        undo_id: String,
    },
    SteerAck {
        client_id: Option<String>,
    },
    Error {
        message: String,
        #[serde(default)]
        recoverable: bool,
        client_id: Option<String>,
    },
    Notice {
        message: String,
    },
    Usage {
        context_warning: Option<String>,
    },
    Done {
        #[serde(default)]
        content: String,
        #[serde(default)]
        cancelled: bool,
        error: Option<String>,
        client_id: Option<String>,
    },
    #[serde(other)]
    Other,
}

/// What the person is asked (`approval_request`).
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(super) struct Question {
    pub(super) approval_id: String,
    pub(super) name: String,
    #[serde(default)]
    pub(super) arguments: Value,
    #[serde(default)]
    pub(super) reason: String,
    pub(super) risk_label: Option<String>,
    pub(super) target: Option<String>,
    pub(super) untrusted: Option<String>,
    pub(super) warning: Option<String>,
    pub(super) choices: Vec<String>,
    pub(super) grant_minutes: Option<u32>,
    pub(super) preview: Option<Preview>,
}

/// What a call would do, made by the engine's code (contract section 10, `ActionPreview`).
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(super) struct Preview {
    #[serde(default)]
    pub(super) title: String,
    #[serde(default)]
    pub(super) fields: Vec<Field>,
    pub(super) body: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(super) struct Field {
    pub(super) label: String,
    pub(super) value: String,
}

/// A send that waits and can be taken back.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(super) struct UndoWindow {
    pub(super) undo_id: String,
    #[serde(default)]
    pub(super) seconds: f64,
    pub(super) preview: Option<Preview>,
}

impl Frame {
    /// Reads one; what cannot be read is told by `None`.
    pub(super) fn read(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_read_and_new_ones_are_no_error() {
        let frame = Frame::read(r#"{"type":"text_delta","text":"Hi","session_id":"s","turn_id":"t","seq":4}"#);
        let frame = frame.expect("a frame");
        assert_eq!((frame.event, frame.seq), (Event::TextDelta { text: "Hi".into() }, Some(4)));
        let news = Frame::read(r#"{"type":"session.updated","data":{},"ts":"x","seq":5}"#).expect("a frame");
        assert_eq!(news.event, Event::Other);
        assert!(Frame::read("{").is_none());
    }
}
