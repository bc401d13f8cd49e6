//! The engine as surfaces see it: one handle, whose methods translate to requests and snapshot reads.
//!
//! It holds no state and no rule of its own.

use crate::chats::requests::{Accepted, NewChat, NewMessage, Patched};
use crate::live::Hub;
use crate::small::SmallRoles;
use protocol::approvals::Decision;
use protocol::ids::{ApprovalId, SessionId};
use protocol::sessions::{Message, SearchHit, Session, SessionPatch};
use protocol::{Error, ErrorKind};
use runtime::{Tree, World};

/// A running engine. Cheap to clone.
#[derive(Clone)]
pub struct Engine {
    pub world: World,
    pub live: Hub,
    pub tree: Tree,
    /// Notifications, files, usage, models, secrets.
    pub small: SmallRoles,
}

fn later<T>() -> Result<T, Error> {
    Err(Error::new(ErrorKind::Unavailable, "not wired yet"))
}

impl Engine {
    /// Finds a chat, or makes the name of a new one. Nothing is stored before its first message or `create_chat`.
    pub async fn open_chat(&self, _session: Option<SessionId>, _new: NewChat) -> Result<OpenChat, Error> {
        later()
    }

    pub async fn create_chat(&self, _new: NewChat) -> Result<SessionId, Error> {
        later()
    }

    /// Stops the reply in progress. Answers whether there was one.
    pub async fn cancel(&self, _session: &SessionId) -> Result<bool, Error> {
        later()
    }

    pub async fn patch_chat(&self, _session: &SessionId, _patch: SessionPatch) -> Result<Patched, Error> {
        later()
    }

    pub async fn delete_chat(&self, _session: &SessionId) -> Result<(), Error> {
        later()
    }

    /// Newest first.
    pub async fn sessions(&self, _limit: usize) -> Result<Vec<Session>, Error> {
        later()
    }

    /// The newest `limit` messages, oldest first.
    pub async fn messages(&self, _session: &SessionId, _limit: usize) -> Result<Vec<Message>, Error> {
        later()
    }

    pub async fn search(&self, _query: &str) -> Result<Vec<SearchHit>, Error> {
        later()
    }

    /// Answers whether anything was waiting.
    pub async fn answer_approval(&self, _id: ApprovalId, _decision: Decision) -> Result<bool, Error> {
        later()
    }
}

/// A chat that can be written to.
pub struct OpenChat {
    pub session_id: SessionId,
}

impl OpenChat {
    /// Stores the message and starts, steers or queues. When it answers, the message cannot be lost.
    pub async fn send(&self, _message: NewMessage) -> Result<Accepted, Error> {
        later()
    }
}
