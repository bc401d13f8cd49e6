//! Other programs as callers (contract sections 2 and 5): which chat a name of `/v1` means, and the secrets they show.
//!
//! The role is the one writer of the names, so two first requests of one name share one chat. It never writes a chat's rows
//! and never sees a secret; those stay in the keychain and with whoever asks for them.

mod engine;
mod named;

pub use engine::{AppChat, AppReply};
pub use named::NamedChat;

use crate::chats::Chats;
use protocol::Error;
use runtime::{Address, Ctx, Role};
use storage::Store;

/// Names kept at once. Ours: programs name chats for themselves or a project, not for each request.
pub const NAMES_MAX: usize = 1_000;

/// The names of chats that other programs hold.
pub struct Callers {
    needs: CallersNeeds,
}

/// What the role needs.
#[derive(Clone)]
pub struct CallersNeeds {
    pub store: Store,
    pub chats: Address<Chats>,
}

impl Role for Callers {
    const NAME: &'static str = "callers";
    const RANK: u8 = 70;
    const MAILBOX_MAX: usize = 256;
    type Needs = CallersNeeds;

    async fn start(needs: CallersNeeds, _: &Ctx<Self>) -> Result<Self, Error> {
        Ok(Self { needs })
    }
}
