//! Domain events: what changed, told to every window and kept in the event log (contract section 1, dotted types).

use crate::ids::{NotificationId, SessionId};
use crate::notifications::Notification;
use crate::rule_proposals::RuleProposal;
use crate::time::Timestamp;
use crate::usage::BudgetState;
use serde::Serialize;

/// A change worth telling. The log and the windows carry it as `{"type", "data", "ts"}`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type", content = "data")]
pub enum DomainEvent {
    #[serde(rename = "session.updated")]
    SessionUpdated(SessionChange),
    #[serde(rename = "session.deleted")]
    SessionDeleted {
        session_id: SessionId,
        #[serde(skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
    #[serde(rename = "config.updated")]
    ConfigUpdated { sections: Vec<String> },
    #[serde(rename = "notification.new")]
    NotificationNew(Notification),
    #[serde(rename = "notification.updated")]
    NotificationUpdated(Notification),
    #[serde(rename = "notification.read")]
    NotificationRead { id: Option<NotificationId> },
    #[serde(rename = "notification.deleted")]
    NotificationDeleted { id: Option<NotificationId> },
    /// A task or timed grant was added, revoked or ran out; how many there are now.
    #[serde(rename = "approval_grants.updated")]
    ApprovalGrantsUpdated { count: usize },
    #[serde(rename = "rule_proposal.updated")]
    RuleProposalUpdated(Box<RuleProposal>),
    #[serde(rename = "presence.changed")]
    PresenceChanged { in_app: bool },
    #[serde(rename = "budget.updated")]
    BudgetUpdated(BudgetState),
    /// Without `events`.
    #[serde(rename = "subagent.updated")]
    SubagentUpdated(crate::subagents::Subagent),
    #[serde(rename = "stop.updated")]
    StopUpdated(crate::engine::StopState),
    #[serde(rename = "model.busy")]
    ModelBusy(crate::engine::ModelBusy),
    #[serde(rename = "memory.updated")]
    MemoryUpdated(Box<crate::memory::MemoryChange>),
    /// A source was forgotten: what went with it.
    #[serde(rename = "memory.forgotten")]
    MemoryForgotten(Box<crate::memory::Forgotten>),
    /// A folder of notes was added, changed, removed, or is being looked through.
    #[serde(rename = "folders.updated")]
    FoldersUpdated(crate::folders::FolderChange),
    #[serde(rename = "user_model.updated")]
    UserModelUpdated(crate::knowing::UserModelChange),
    /// When it starts and when it finishes.
    #[serde(rename = "dream.updated")]
    DreamUpdated(Box<crate::knowing::Dream>),
    /// A version of the narrative was made, approved, turned down or brought back.
    #[serde(rename = "narrative.updated")]
    NarrativeUpdated { scope: String, version: u64, state: crate::knowing::NarrativeState },
}

impl DomainEvent {
    /// Every type there is, for `sentient surface --json`.
    pub const TYPES: [&'static str; 20] = [
        "session.updated",
        "session.deleted",
        "config.updated",
        "notification.new",
        "notification.updated",
        "notification.read",
        "notification.deleted",
        "approval_grants.updated",
        "rule_proposal.updated",
        "presence.changed",
        "budget.updated",
        "subagent.updated",
        "stop.updated",
        "model.busy",
        "memory.updated",
        "memory.forgotten",
        "folders.updated",
        "user_model.updated",
        "dream.updated",
        "narrative.updated",
    ];
}

/// `session.updated`: only what changed is there.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct SessionChange {
    pub session_id: SessionId,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// `Some(None)` is written as `null`: back to the default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<Option<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_scope: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub untrusted: Option<String>,
}

/// An event with the moment it became true.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EventFrame {
    #[serde(flatten)]
    pub event: DomainEvent,
    pub ts: Timestamp,
}
