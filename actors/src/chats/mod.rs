//! The directory of chats: finds the actor of a chat, starts it when it is not in memory, lets idle ones go.
//!
//! Open chats are actors; all others are rows. It never waits for a reply and never touches a chat's rows itself.

mod delete;
mod open;
pub mod requests;
mod sweep;

pub(crate) use delete::Delete;
pub(crate) use open::{Lost, Open};
pub(crate) use sweep::CloseIncognito;

use crate::chat::{Chat, ChatParts};
use crate::ports::ChatFiles;
use protocol::Error;
use protocol::ids::SessionId;
use runtime::{Address, Ctx, Role, SupervisorHandle, Tree};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use tokio::sync::watch;

/// How long a chat may have nothing to do before it leaves memory. Ours.
pub const IDLE_MS: i64 = 10 * 60 * 1_000;
/// The same while more than [`OPEN_KEPT`] chats are in memory. Long enough that whoever has just asked for a chat also
/// gets to speak to it. Ours.
pub const IDLE_WHEN_MANY_MS: i64 = 5_000;
/// Idle chats that may stay in memory, so that coming back to one costs nothing (about 10 KB each). Ours.
pub const OPEN_KEPT: usize = 256;
/// Chats in memory at once. Ours: one more is told to wait; idle ones go first.
pub const OPEN_MAX: usize = 20_000;

/// The directory.
pub struct Chats {
    needs: ChatsNeeds,
    open: BTreeMap<SessionId, InMemory>,
    /// With so many in memory idle ones are let go without waiting for the next look.
    crowded_at: usize,
    /// Incognito chats of this run: each is looked at until it is deleted.
    incognito: BTreeSet<SessionId>,
    /// Incognito chats of the last run that are still to be deleted.
    last_run: BTreeSet<SessionId>,
}

struct InMemory {
    address: Address<Chat>,
    /// The key its supervisor knows it by.
    key: u64,
}

/// What the directory needs.
#[derive(Clone)]
pub struct ChatsNeeds {
    pub parts: Arc<ChatParts>,
    pub files: Arc<dyn ChatFiles>,
    pub tree: Tree,
    /// The supervisor of open chats.
    pub nursery: watch::Receiver<Option<SupervisorHandle>>,
    /// Set once incognito chats of the last run are gone: those of this run outlive a restart of the directory.
    pub recovered: Arc<AtomicBool>,
}

impl Role for Chats {
    const NAME: &'static str = "chats";
    const RANK: u8 = 65;
    const MAILBOX_MAX: usize = 4_096;
    type Needs = ChatsNeeds;

    async fn start(needs: ChatsNeeds, ctx: &Ctx<Self>) -> Result<Self, Error> {
        // A directory that starts again no longer knows which chats are open, and two actors of one chat would write
        // over each other: all of them end and come back from the store.
        let nursery = needs.nursery.borrow().clone();
        if let Some(nursery) = nursery {
            nursery.dismiss_all().await;
        }
        sweep::begin(ctx);
        Ok(Self {
            needs,
            open: BTreeMap::new(),
            crowded_at: 2 * OPEN_KEPT,
            incognito: BTreeSet::new(),
            last_run: BTreeSet::new(),
        })
    }
}
