//! The engine as surfaces see it: one handle, whose methods translate to requests and snapshot reads.
//!
//! It holds no state and no rule of its own.

use crate::approvals::{Answer, Approvals, List, OpenQuestion};
use crate::callers::Callers;
use crate::chat::{Create, message, session};
use crate::chats::requests::{Accepted, Cancel, NewChat, NewMessage, Patch, Patched, Send};
use crate::chats::{Chats, Delete, Lost, Open};
use crate::gate::Gate;
use crate::live::Hub;
use crate::model_queue::{Busy, ModelQueue};
use crate::small::SmallRoles;
use crate::stop::{ProcessTrees, Stop, Switch};
use crate::{chat::Chat, chat::own_model, chat::own_scope};
use protocol::approvals::Decision;
use protocol::chat::SocketFrame;
use protocol::config::Config;
use protocol::engine::{ActorRow, ModelBusy};
use protocol::ids::{ApprovalId, SessionId};
use protocol::limits::{MESSAGES_LIMIT_MAX, SEARCH_HITS_MAX, SESSIONS_LIMIT_MAX};
use protocol::sessions::{Message, SearchHit, Session, SessionPatch};
use protocol::{Error, ErrorKind, Request};
use runtime::{Address, Handles, Outside, Tree, World};
use std::sync::Arc;
use storage::Store;
use storage::records::{MessageRecord, SessionRecord};
use storage::search::MessageIndex;
use tokio::sync::watch;
use tokio::time::Duration;

/// How long a surface waits for an actor.
const PATIENCE: Duration = Duration::from_secs(30);

/// A running engine. Cheap to clone.
#[derive(Clone)]
pub struct Engine {
    pub world: World,
    pub live: Hub,
    pub tree: Tree,
    pub store: Store,
    pub config: watch::Receiver<Arc<Config>>,
    pub(crate) chats: Address<Chats>,
    pub(crate) callers: Address<Callers>,
    pub(crate) approvals: Address<Approvals>,
    /// What every call of every surface goes through.
    pub gate: Gate,
    pub(crate) queue: Address<ModelQueue>,
    pub(crate) stop: Address<Stop>,
    /// Whether everything is stopped, and all work that a stop ends.
    pub stop_switch: Switch,
    pub(crate) index: Arc<MessageIndex>,
    /// Settings, notifications, files, usage, models, secrets.
    pub small: SmallRoles,
    /// Programs that run for tools.
    pub processes: ProcessTrees,
}

fn caller() -> Outside {
    Outside::within(PATIENCE)
}

impl Engine {
    /// Finds a chat, or makes the name of a new one. Nothing is stored before its first message or `create_chat`.
    pub async fn open_chat(&self, session: Option<SessionId>, new: NewChat) -> Result<OpenChat, Error> {
        let new = NewChat { model: own_model(new.model)?, memory_scope: own_scope(new.memory_scope)?, ..new };
        let opened = self.chats.ask(&caller(), Open { session, new }).await?;
        Ok(OpenChat { session_id: opened.session_id, address: opened.address, engine: self.clone() })
    }

    pub async fn create_chat(&self, new: NewChat) -> Result<SessionId, Error> {
        let chat = self.open_chat(None, new).await?;
        chat.address.ask(&caller(), Create).await?;
        Ok(chat.session_id)
    }

    /// Stops the reply in progress. Answers whether there was one.
    pub async fn cancel(&self, session: &SessionId) -> Result<bool, Error> {
        self.ask_chat(session, || Cancel).await
    }

    pub async fn patch_chat(&self, session: &SessionId, patch: SessionPatch) -> Result<Patched, Error> {
        self.ask_chat(session, || Patch(patch.clone())).await
    }

    pub async fn delete_chat(&self, session: &SessionId) -> Result<(), Error> {
        let delete = Delete { session: session.clone(), reason: None };
        self.chats.ask(&caller(), delete).await
    }

    /// Newest first.
    pub async fn sessions(&self, limit: usize) -> Result<Vec<Session>, Error> {
        let snapshot = self.store.snapshot()?;
        let newest = snapshot.newest_sessions()?.take(limit.min(SESSIONS_LIMIT_MAX));
        Ok(newest.map(|record| record.map(session)).collect::<Result<_, _>>()?)
    }

    /// The newest `limit` messages, oldest first.
    pub async fn messages(&self, session: &SessionId, limit: usize) -> Result<Vec<Message>, Error> {
        let snapshot = self.store.snapshot()?;
        if snapshot.get::<SessionRecord>(session)?.is_none() {
            return Err(Error::not_found("This chat does not exist any more."));
        }
        let newest = snapshot.prefix::<MessageRecord>(session)?.rev().take(limit.min(MESSAGES_LIMIT_MAX));
        let mut messages: Vec<Message> = newest.map(|record| record.map(message)).collect::<Result<_, _>>()?;
        messages.reverse();
        Ok(messages)
    }

    /// Messages with these words, never those of incognito chats.
    pub async fn search(&self, query: &str) -> Result<Vec<SearchHit>, Error> {
        let (store, index, query) = (self.store.clone(), self.index.clone(), query.to_owned());
        let found = tokio::task::spawn_blocking(move || index.search(&store, &query, SEARCH_HITS_MAX)).await;
        let hits = found.map_err(|cause| Error::internal(format!("the search failed: {cause}")))??;
        Ok(hits.into_iter().map(search_hit).collect())
    }

    /// Answers whether anything was waiting; then every window hears it.
    pub async fn answer_approval(&self, id: ApprovalId, decision: Decision) -> Result<bool, Error> {
        let resolved = self.approvals.ask(&caller(), Answer { approval_id: id.clone(), decision }).await?;
        if resolved {
            self.live.socket(&SocketFrame::ApprovalAck { approval_id: id, resolved });
        }
        Ok(resolved)
    }

    /// Questions that wait for an answer, of all chats.
    pub async fn open_questions(&self) -> Result<Vec<OpenQuestion>, Error> {
        self.approvals.ask(&caller(), List).await
    }

    /// What the local model is doing.
    pub async fn model_busy(&self) -> Result<ModelBusy, Error> {
        self.queue.ask(&caller(), Busy).await
    }

    /// Every actor and how it fares.
    pub fn actors(&self) -> Vec<ActorRow> {
        self.tree.rows()
    }

    /// Asks a stored chat; one that left memory at this very moment is started again.
    async fn ask_chat<R: Request>(&self, session: &SessionId, request: impl Fn() -> R) -> Result<R::Reply, Error>
    where
        Chat: Handles<R>,
    {
        let chat = self.open_chat(Some(session.clone()), NewChat::default()).await?;
        match chat.address.ask(&caller(), request()).await {
            Err(error) if was_not_heard(&error) => {
                self.chats.ask(&caller(), Lost(session.clone())).await?;
                let chat = self.open_chat(Some(session.clone()), NewChat::default()).await?;
                chat.address.ask(&caller(), request()).await
            }
            answer => answer,
        }
    }
}

/// Whether a request certainly never reached a chat that has left memory. Any other error may mean that it was done.
fn was_not_heard(error: &Error) -> bool {
    error.kind == ErrorKind::Unavailable && error.message.ends_with("is gone.")
}

fn search_hit(hit: storage::search::Hit) -> SearchHit {
    let storage::search::Hit { session_id, message_id, role, snippet, created_at } = hit;
    SearchHit { session_id, message_id, role, snippet, created_at }
}

/// A chat that can be written to.
pub struct OpenChat {
    pub session_id: SessionId,
    address: Address<Chat>,
    engine: Engine,
}

impl OpenChat {
    /// Stores the message and starts, steers or queues. When it answers, the message cannot be lost.
    pub async fn send(&self, message: NewMessage) -> Result<Accepted, Error> {
        match self.address.ask(&caller(), Send(message.clone())).await {
            // It left memory between being found and being asked: nothing was stored.
            Err(error) if was_not_heard(&error) => {
                self.engine.ask_chat(&self.session_id, || Send(message.clone())).await
            }
            answer => answer,
        }
    }
}
