//! What stands beside the chats and decides about later calls: answers that cover more than one call, and rules that were
//! proposed.

use protocol::Timestamp;
use protocol::approvals::{GrantScope, Via};
use protocol::config::ApprovalRule;
use protocol::ids::{GrantId, MessageId, ProposalId, SessionId};
use protocol::rule_proposals::ProposalStatus;
use protocol::tools::Risk;
use serde::{Deserialize, Serialize};

/// A task or timed grant (contract section 2, "Scoped answers"). Key: its id (time-ordered).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GrantRecord {
    pub id: GrantId,
    pub tool: String,
    pub label: String,
    pub app: String,
    pub scope: GrantScope,
    pub task_id: Option<String>,
    pub task_name: Option<String>,
    pub risk: Risk,
    pub via: Via,
    pub created_at: Timestamp,
    pub expires_at: Option<Timestamp>,
}

/// A lasting rule proposed from a chat message (contract section 2, "Rules from chat"). Key: its chat, then its id.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RuleProposalRecord {
    pub id: ProposalId,
    pub session_id: SessionId,
    pub message_id: MessageId,
    pub said: String,
    pub rule: ApprovalRule,
    pub keys: Vec<String>,
    pub status: ProposalStatus,
    pub created_at: Timestamp,
    pub decided_at: Option<Timestamp>,
}
