//! One chat: its messages, the reply in progress, and what waits behind it.
//!
//! The one writer of its rows. A reply is a job below it (`turn`), which asks it to store each step before the next is
//! taken; so steering, stopping and renaming never race with a reply, and a restart finds every step.

mod append;
mod begin;
mod cancel;
mod create;
mod end;
mod forget;
mod group;
mod parts;
mod patch;
mod remark;
mod send;
mod shapes;
mod stopped;
mod trust;
pub(crate) mod turn;
mod unfinished;
mod upkeep;

pub(crate) use append::{Append, Appended, NewRow, QueueDrain, place, read_from};
pub(crate) use create::Create;
pub(crate) use end::{Close, Ended};
pub(crate) use forget::{Forget, Idle, Leave};
pub use parts::ChatParts;
pub(crate) use patch::{own_model, own_scope};
pub(crate) use remark::Remark;
pub use shapes::{message, session};

use crate::chats::requests::NewChat;
use protocol::ids::{SessionId, TurnId};
use protocol::{Error, ErrorKind, Timestamp};
use runtime::{Ctx, Role, Scope};
use std::collections::VecDeque;
use std::sync::Arc;
use storage::records::{QueuedInput, SessionRecord, TitleSource, TurnRecord};
use storage::{Batch, StoreError};
use tokio::sync::mpsc;

/// Signals that may wait for a running reply. One per steer message, and those are limited.
const SIGNALS_MAX: usize = protocol::limits::QUEUED_MESSAGES_MAX + 4;

/// An open chat.
pub struct Chat {
    parts: Arc<ChatParts>,
    record: SessionRecord,
    /// False for a new chat whose first message has not come.
    stored: bool,
    running: Option<Running>,
    queue: VecDeque<QueuedInput>,
    next_queued: u64,
    /// How often everything had been stopped when the chat last looked, and up to which number what waits was dropped
    /// by that.
    stops_seen: u64,
    dropped_upto: u64,
    last_used: Timestamp,
    /// Set when it takes nothing in any more.
    left: Option<Left>,
}

/// Where a chat has gone while its actor ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Left {
    /// It is rows only, and starts again when it is wanted.
    Memory,
    /// It is deleted.
    Store,
}

/// What a chat that starts does about a reply that has not ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unfinished {
    GoesOn,
    /// Nothing: the chat starts only to be deleted.
    Stays,
}

/// The reply in progress.
struct Running {
    turn_id: TurnId,
    /// Which try at the turn it is. A job of an earlier try may still report, and is not listened to.
    run: u32,
    signals: mpsc::Sender<turn::Signal>,
    scope: Scope,
}

/// What a chat is started with.
#[derive(Clone)]
pub struct ChatNeeds {
    pub session_id: SessionId,
    /// How to make it when it is not in the store.
    pub new: Option<NewChat>,
    pub(crate) unfinished: Unfinished,
    pub parts: Arc<ChatParts>,
}

impl Role for Chat {
    const NAME: &'static str = "chat";
    const RANK: u8 = 60;
    const MAILBOX_MAX: usize = 64;
    type Needs = ChatNeeds;

    async fn start(needs: ChatNeeds, ctx: &Ctx<Self>) -> Result<Self, Error> {
        let ChatNeeds { session_id, new, unfinished, parts } = needs;
        let snapshot = parts.store.snapshot()?;
        let found = snapshot.get::<SessionRecord>(&session_id)?;
        let stored = found.is_some();
        // A chat that is not stored has no turn, so a crowd of new chats does not read each other's.
        let turns = stored.then(|| snapshot.all::<TurnRecord>()).transpose()?.into_iter().flatten();
        let open = turns.filter_map(Result::ok).find(|turn| turn.session_id == session_id);
        end::tell_stored_end(&parts, &session_id, open.as_ref(), &snapshot)?;
        let record = match (found, new) {
            (Some(record), _) => record,
            (None, Some(new)) => fresh(session_id.clone(), new, ctx.now()),
            (None, None) => return Err(Error::not_found("This chat does not exist any more.")),
        };
        let queue: VecDeque<QueuedInput> = snapshot.prefix::<QueuedInput>(&session_id)?.collect::<Result<_, _>>()?;
        let next_queued = queue.back().map_or(1, |input| input.number + 1);
        let (last_used, left) = (ctx.now(), None);
        let stops_seen = parts.stop.stops();
        let dropped = queue.iter().filter(|input| parts.stop.has_dropped(input));
        let dropped_upto = dropped.map(|input| input.number).max().unwrap_or(0);
        let mut chat = Self {
            parts,
            record,
            stored,
            running: None,
            queue,
            next_queued,
            stops_seen,
            dropped_upto,
            last_used,
            left,
        };
        match open {
            _ if unfinished == Unfinished::Stays => (),
            Some(turn) => chat.resume(turn, ctx).await?,
            None => chat.begin_queued(ctx).await?,
        }
        Ok(chat)
    }
}

fn fresh(id: SessionId, new: NewChat, now: Timestamp) -> SessionRecord {
    let (title, title_source) = match new.title {
        Some(title) => (title, TitleSource::Person),
        None => (rules::titles::first_words(""), TitleSource::FirstWords),
    };
    SessionRecord {
        id,
        title,
        title_source,
        channel: if new.channel.is_empty() { "desktop".into() } else { new.channel },
        created_at: now,
        updated_at: now,
        untrusted: None,
        visited_hosts: None,
        incognito: new.incognito,
        model: new.model,
        memory_scope: new.memory_scope,
        node_id: None,
        next_ordinal: 0,
        summary: None,
        allowances: Vec::new(),
    }
}

impl Chat {
    /// Commits and answers what went wrong in the person's words. After a commit that may or may not have been written
    /// the chat starts again from the store.
    async fn commit(&self, batch: Batch) -> Result<(), Error> {
        self.parts.store.commit(batch).await.map(drop).map_err(|error: StoreError| {
            tracing::error!(%error, chat = %self.record.id, "a chat could not be stored");
            Error::from(error)
        })
    }

    fn is_running(&self, turn_id: &TurnId, run: u32) -> bool {
        self.running.as_ref().is_some_and(|running| running.turn_id == *turn_id && running.run == run)
    }

    /// Refuses what comes after the chat has left.
    fn is_here(&self) -> Result<(), Error> {
        match self.left {
            None => Ok(()),
            Some(Left::Memory) => Err(Error::new(ErrorKind::Unavailable, format!("{} is gone.", Self::NAME))),
            Some(Left::Store) => Err(Error::not_found("This chat does not exist any more.")),
        }
    }

    fn running_turn(&self) -> Option<&TurnId> {
        self.running.as_ref().map(|running| &running.turn_id)
    }
}

/// The answer to another program whose chat has a reply in progress.
pub(crate) fn is_answering() -> Error {
    Error::new(ErrorKind::Conflict, "This chat is still answering another request.")
        .hint("Wait until it is done, or use another chat.")
}

/// The answer when a chat cannot take more.
fn too_many_waiting() -> Error {
    Error::new(ErrorKind::Busy, "Too many messages are waiting behind this reply.")
        .hint("Wait for the reply, or stop it first.")
}
