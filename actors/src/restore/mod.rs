//! Brings back what a chat's call moved to the trash, with the app's own restore tool (contract section 10 "Restore from
//! Activity", section 21 `POST /api/timeline/restore`).
//!
//! It goes through the gate like any call: a rule that says never, a Read only connection and "Hand it to me" count here
//! too. The person who presses Restore has said yes.

mod begin;
mod engine;

pub use engine::Restored;

use protocol::ids::CallId;
use protocol::{Error, Request};
use runtime::{Ctx, Role};
use std::collections::BTreeSet;
use storage::Store;
use storage::records::EffectRecord;

/// The role: what has been brought back, and what is being.
pub struct Restores {
    store: Store,
    busy: BTreeSet<CallId>,
}

/// Begins to bring back what this call moved. Answers its row of the journal; `Conflict` says why it cannot be.
pub(crate) struct BeginRestore {
    pub(crate) call_id: CallId,
}

impl Request for BeginRestore {
    type Reply = EffectRecord;
    const NAME: &'static str = "restores.begin";
}

/// It is back, or not.
pub(crate) struct EndRestore {
    pub(crate) call_id: CallId,
    pub(crate) done: bool,
}

impl Request for EndRestore {
    type Reply = ();
    const NAME: &'static str = "restores.end";
}

impl Role for Restores {
    const NAME: &'static str = "restores";
    const RANK: u8 = 15;
    type Needs = Store;

    async fn start(store: Store, _: &Ctx<Self>) -> Result<Self, Error> {
        Ok(Self { store, busy: BTreeSet::new() })
    }
}
