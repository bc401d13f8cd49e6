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
/// Chats in memory at once. Ours: one more is told to wait; idle ones go first.
pub const OPEN_MAX: usize = 20_000;

/// The directory.
pub struct Chats {
    needs: ChatsNeeds,
    open: BTreeMap<SessionId, InMemory>,
    /// Incognito chats of this run: each is looked at until it is deleted.
    incognito: BTreeSet<SessionId>,
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
        Ok(Self { needs, open: BTreeMap::new(), incognito: BTreeSet::new() })
    }
}
