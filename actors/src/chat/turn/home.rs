//! Where a turn lives: who stores its steps, who hears of it, and what it may use up.
//!
//! Chats and helpers run the same loop. What differs between them is here and nowhere else; neither lets the other's rules
//! through.

use crate::chat::{Append, Appended, Chat, ChatParts};
use crate::subagents::Desk;
use protocol::Error;
use protocol::chat::ChatFrame;
use protocol::engine::ModelJob;
use rules::memory_access::MemoryAccess;
use rules::subagents::{Brief, SpendLimits};
use runtime::{Address, Outside};
use std::sync::Arc;
use tokio::time::Instant;

/// Who a turn belongs to.
#[derive(Clone)]
pub(crate) enum Home {
    /// A chat stores every step, and its windows hear of it.
    Chat(Address<Chat>),
    /// A helper keeps its transcript to itself.
    Desk(Arc<Desk>),
}

/// What a helper's turn has beside a chat's.
#[derive(Clone)]
pub(crate) struct Errand {
    pub(crate) brief: Brief,
    /// Only these tools or apps.
    pub(crate) tools: Option<Vec<String>>,
    pub(crate) limits: SpendLimits,
    pub(crate) deadline: Instant,
    /// The memory decision of the turn that started it.
    pub(crate) memory: MemoryAccess,
    pub(crate) unprompted: bool,
    /// What the person said in that turn.
    pub(crate) words: Vec<String>,
    /// Its place in the line for a local model.
    pub(crate) job: ModelJob,
}

impl Home {
    /// Stores a step, or says why not.
    pub(super) async fn append(&self, patience: &Outside, step: Append) -> Result<Appended, Error> {
        match self {
            Self::Chat(chat) => chat.ask(patience, step).await,
            Self::Desk(desk) => desk.append(step).await,
        }
    }

    /// Tells what happens in the turn.
    pub(super) fn tell(&self, parts: &ChatParts, frame: ChatFrame) {
        match self {
            // A chat that was deleted has told the end, and its reply may hear of that a moment later than windows.
            Self::Chat(_) if parts.live.open_turn(&frame.session_id) != frame.turn_id => (),
            Self::Chat(_) => parts.live.chat(frame),
            Self::Desk(desk) => desk.tell(&frame.event),
        }
    }

    /// `source` of its model calls (contract section 2, "Usage").
    pub(super) fn usage_source(&self) -> &'static str {
        match self {
            Self::Chat(_) => "chat",
            Self::Desk(_) => "subagent",
        }
    }
}
