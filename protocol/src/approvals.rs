//! Questions to the person before a call runs, and the answers (contract section 2 "Scoped answers", section 10).

use crate::ids::{ApprovalId, CallId};
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
