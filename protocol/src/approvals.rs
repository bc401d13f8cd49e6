//! Questions to the person before a call runs, and the answers (contract section 2 "Scoped answers", section 10).

use crate::ids::{ApprovalId, CallId, GrantId};
use crate::preview::ActionPreview;
use crate::time::Timestamp;
use crate::tools::Risk;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What the person may answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// This call only.
    Allow,
    /// The tool in this chat, up to the approved risk.
    AllowSession,
    /// The tool in this task; offered by task questions only.
    AllowTask,
    /// The tool anywhere for `tools.approvals.grant_minutes`.
    AllowTimed,
    /// Saves a lasting rule.
    AllowAlways,
    Deny,
}

impl Decision {
    /// Whether the call may run.
    pub fn is_yes(self) -> bool {
        self != Self::Deny
    }
}

/// The question, as the card shows it (`approval_request`).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ApprovalAsk {
    pub approval_id: ApprovalId,
    pub call_id: CallId,
    pub name: String,
    pub arguments: Value,
    /// The effective risk of this call.
    pub risk: Risk,
    /// A short plain label when it says more than the risk itself, else empty.
    pub reason: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub risk_label: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// Why outside content makes this ask.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub untrusted: Option<String>,
    /// What a second look found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warning: Option<String>,
    /// The answers offered, in order. A wider yes than offered counts as `allow`.
    pub choices: Vec<Decision>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grant_minutes: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preview: Option<ActionPreview>,
}

/// How a call's question was answered, kept with the tool message (contract section 2, message rows).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ApprovalRecord {
    pub decision: Decision,
    pub asked_at: Timestamp,
    pub answered_at: Timestamp,
    pub target: Option<String>,
    pub risk_label: Option<String>,
    pub untrusted: Option<String>,
    pub rule: Option<String>,
    pub warning: Option<String>,
}

/// Body of `POST /api/approvals`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct ApprovalAnswer {
    pub approval_id: ApprovalId,
    pub decision: Decision,
}

/// Where an answer was given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Via {
    #[default]
    Desktop,
    Telegram,
    Discord,
    Whatsapp,
}

impl Via {
    /// As `rule_origins` and grants write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Desktop => "desktop",
            Self::Telegram => "telegram",
            Self::Discord => "discord",
            Self::Whatsapp => "whatsapp",
        }
    }
}

/// How far an answer reaches that is kept beside the chats (contract section 2, "Scoped answers").
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GrantScope {
    /// Later calls in the same task, until revoked or the task is deleted.
    Task,
    /// Later calls anywhere, until it runs out.
    Timed,
}

/// A yes that covers later calls of a tool up to a risk (`GET /api/approvals/grants`).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Grant {
    pub id: GrantId,
    pub tool: String,
    /// What the tool does, e.g. `Send email`.
    pub label: String,
    /// The app's name, e.g. `Gmail`.
    pub app: String,
    pub scope: GrantScope,
    pub task_id: Option<String>,
    pub task_name: Option<String>,
    /// Calls up to this risk.
    pub risk: Risk,
    pub via: Via,
    pub created_at: Timestamp,
    /// `None` for a task's.
    pub expires_at: Option<Timestamp>,
}

/// Answer of `GET /api/approvals/grants`: newest first, none that has run out.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Grants {
    pub grants: Vec<Grant>,
}
