//! Lasting rules proposed from what the person said in a chat (contract section 2, "Rules from chat").

use crate::config::ApprovalRule;
use crate::ids::{MessageId, ProposalId, SessionId};
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};

/// A "Make this a rule?" card.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RuleProposal {
    pub id: ProposalId,
    pub session_id: SessionId,
    /// The message it came from.
    pub message_id: MessageId,
    /// The person's matching words, at most 300 characters.
    pub said: String,
    /// Never `allow`.
    pub rule: ApprovalRule,
    /// Names of tools or ids of apps.
    pub keys: Vec<String>,
    /// The keys as a person reads them, in the same order.
    pub targets: Vec<RuleTarget>,
    pub status: ProposalStatus,
    pub created_at: Timestamp,
    pub decided_at: Option<Timestamp>,
}

/// What one key stands for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RuleTarget {
    pub key: String,
    /// The app's name.
    pub app: String,
    /// What the tool does; `null` for a whole app.
    pub tool: Option<String>,
    /// `Gmail > Trash`, or `Gmail` for the whole app.
    pub label: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProposalStatus {
    Pending,
    Accepted,
    Declined,
}

/// Body of `POST /api/rule-proposals/{id}`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub struct ProposalAnswer {
    pub decision: ProposalDecision,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProposalDecision {
    Accept,
    Decline,
}
