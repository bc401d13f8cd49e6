//! The turn that a helper or a reader is started from. What it starts gets what it has, and never more.

use crate::chat::ChatParts;
use protocol::ids::CallId;
use rules::memory_access::MemoryAccess;
use runtime::World;
use std::sync::Arc;
use storage::records::SessionRecord;

/// What a running call knows of its turn.
#[derive(Clone)]
pub(crate) struct Parent {
    pub(crate) parts: Arc<ChatParts>,
    pub(crate) world: World,
    /// The chat as it is now: its mark, its hosts, its model.
    pub(crate) record: SessionRecord,
    pub(crate) call_id: CallId,
    /// What the person said in this turn.
    pub(crate) words: Arc<[String]>,
    /// Nobody asked for this work.
    pub(crate) unprompted: bool,
    /// The turn's one memory decision.
    pub(crate) memory: MemoryAccess,
}
