//! What stands beside the chats and decides about later calls: answers that cover more than one call.

use protocol::Timestamp;
use protocol::approvals::{GrantScope, Via};
use protocol::ids::GrantId;
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
