//! The engine as surfaces see it: one handle, whose methods translate to requests and snapshot reads.
//!
//! It holds no state and no rule of its own.

use crate::approvals::grants::{GrantList, Grants, Revoke};
use crate::approvals::proposals::{self, Decide, Proposals};
use crate::approvals::{Answer, Approvals, List, OpenQuestion};
use crate::callers::Callers;
use crate::chat::{Create, message, session};
use crate::chats::requests::{
    Accepted, Cancel, GroupMessages, NewChat, NewMessage, Patch, Patched, Send, Trust, Trusted,
};
use crate::chats::{Chats, Delete, Lost, Open};
use crate::effects::EffectRoles;
use crate::embeddings::{Embedder, Embeddings};
use crate::folders::{FolderNotes, Folders};
use crate::gate::Gate;
use crate::knowing::Knowing;
use crate::learning::LearningParts;
use crate::live::Hub;
use crate::memory::{Insights, MemoryHandle};
use crate::model_queue::{Busy, ModelQueue};
use crate::small::SmallRoles;
use crate::stop::ProcessTrees;
use crate::subagents::Subagents;
use crate::{chat::Chat, chat::own_model, chat::own_scope};
use protocol::approvals::{Decision, Via};
use protocol::chat::SocketFrame;
use protocol::config::Config;
use protocol::engine::{ActorRow, ActorState, ModelBusy};
use protocol::ids::{ApprovalId, GrantId, MessageId, ProposalId, SessionId};
use protocol::limits::{MESSAGES_LIMIT_MAX, SEARCH_HITS_MAX, SESSIONS_LIMIT_MAX};
use protocol::rule_proposals::{ProposalDecision, ProposalStatus, RuleProposal};
use protocol::sessions::{Message, SearchHit, Session, SessionPatch};
use protocol::{Error, ErrorKind, Request};
use runtime::{Address, Handles, Outside, Role, Tree, World};
use std::sync::Arc;
use storage::Store;
use storage::records::{MessageRecord, RuleProposalRecord, SessionRecord};
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
    pub(crate) grants: Address<Grants>,
    pub(crate) grant_list: GrantList,
    pub(crate) proposals: Address<Proposals>,
    /// What every call of every surface goes through.
    pub gate: Gate,
    pub(crate) queue: Address<ModelQueue>,
    pub(crate) subagents: Address<Subagents>,
    pub(crate) folders: Address<Folders>,
    /// Folders of the person's notes, to be read and searched.
    pub notes: FolderNotes,
    /// Stop everything, undo windows, copies of files, bringing back.
    pub effects: EffectRoles,
    pub(crate) index: Arc<MessageIndex>,
    pub(crate) memories: MemoryHandle,
    pub(crate) knowing: Knowing,
    /// What is learned from chats.
    pub(crate) learning: LearningParts,
    /// What is understood about the person.
    pub(crate) insights: Arc<dyn Insights>,
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

    /// The person has checked what the chat read up to `upto` (`None`: all of it) and trusts it again.
    ///
    /// # Errors
    /// `not_found` for an unknown chat, `unprocessable` for a message of another chat.
    pub async fn trust_chat(&self, session: &SessionId, via: &str, upto: Option<MessageId>) -> Result<Trusted, Error> {
        self.ask_chat(session, || Trust { via: via.to_owned(), upto: upto.clone() }).await
    }

    /// Stores what others wrote in a group chat, oldest first, as who and what.
    pub async fn add_group_messages(&self, session: &SessionId, messages: Vec<(String, String)>) -> Result<(), Error> {
        self.ask_chat(session, || GroupMessages(messages.clone())).await
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

    /// Answers whether anything was waiting; then every window hears it. `via`: where the person answered.
    pub async fn answer_approval(&self, id: ApprovalId, decision: Decision, via: Via) -> Result<bool, Error> {
        let resolved = self.approvals.ask(&caller(), Answer { approval_id: id.clone(), decision, via }).await?;
        if resolved {
            self.live.socket(&SocketFrame::ApprovalAck { approval_id: id, resolved });
        }
        Ok(resolved)
    }

    /// Questions that wait for an answer, of all chats.
    pub async fn open_questions(&self) -> Result<Vec<OpenQuestion>, Error> {
        self.approvals.ask(&caller(), List).await
    }

    /// What is allowed for a task or for some time, newest first.
    pub fn grants(&self) -> protocol::approvals::Grants {
        let now = self.world.now();
        let list = self.grant_list.borrow().clone();
        let live = list.iter().filter(|grant| grant.expires_at.is_none_or(|end| now < end));
        protocol::approvals::Grants { grants: live.rev().cloned().collect() }
    }

    /// Takes one of them back.
    ///
    /// # Errors
    /// `NotFound` for one that is not there.
    pub async fn revoke_grant(&self, id: GrantId) -> Result<(), Error> {
        self.grants.ask(&caller(), Revoke(id)).await
    }

    /// The rules proposed in a chat, oldest first; `None` for all of them.
    ///
    /// # Errors
    /// A store that cannot be read.
    pub async fn rule_proposals(
        &self,
        session: &SessionId,
        status: Option<ProposalStatus>,
    ) -> Result<Vec<RuleProposal>, Error> {
        let mut found = Vec::new();
        for record in self.store.snapshot()?.prefix::<RuleProposalRecord>(session)? {
            let record = record?;
            if status.is_none_or(|status| record.status == status) {
                found.push(proposals::shown(record, &self.small.outside.tools));
            }
        }
        Ok(found)
    }

    /// Makes a proposed rule one, or not. `via`: where the person answered.
    ///
    /// # Errors
    /// `NotFound` for one that is not there, `Conflict` for one that was answered.
    pub async fn decide_proposal(
        &self,
        id: ProposalId,
        decision: ProposalDecision,
        via: Via,
    ) -> Result<RuleProposal, Error> {
        self.proposals.ask(&caller(), Decide { id, decision, via }).await
    }

    /// What the local model is doing.
    pub async fn model_busy(&self) -> Result<ModelBusy, Error> {
        self.queue.ask(&caller(), Busy).await
    }

    /// Where the queue of the local model is reached: tests break it on purpose.
    pub fn queue_address(&self) -> &Address<ModelQueue> {
        &self.queue
    }

    /// Where the directory of chats is reached: tests break it on purpose.
    pub fn chats_address(&self) -> &Address<Chats> {
        &self.chats
    }

    /// Where helpers are reached: tests break it on purpose.
    pub fn subagents_address(&self) -> &Address<Subagents> {
        &self.subagents
    }

    /// What makes vectors, and how searching by meaning fares.
    pub fn embeddings(&self) -> &Embeddings {
        &self.memories.embeddings
    }

    /// As [`Engine::actors`], and a chat whose reply waits for the person says so, and what makes vectors how far it is.
    pub async fn actors_and_questions(&self) -> Vec<ActorRow> {
        let mut rows = self.actors();
        let embedding = self.embeddings().state();
        for row in rows.iter_mut().filter(|row| row.role == Embedder::NAME) {
            row.doing = embedding.progress.map(|progress| progress.to_string());
            if let (ActorState::Running, Some(error)) = (row.state, &embedding.error) {
                (row.state, row.last_error) = (ActorState::Degraded, Some(error.clone()));
            }
        }
        let questions = self.open_questions().await.unwrap_or_else(|error| {
            tracing::debug!(%error, "nobody says which questions are open");
            Vec::new()
        });
        for open in questions {
            let chat = format!("/{}", open.session_id);
            let name = &open.card.name;
            for row in rows.iter_mut().filter(|row| row.role == Chat::NAME && row.path.ends_with(&chat)) {
                row.waits_for = Some(format!("an answer whether {name} may run"));
            }
        }
        rows
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
