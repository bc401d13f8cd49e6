//! What is remembered (contract section 7): the one writer of facts, and how others reach them.
//!
//! The role never waits for a model: whoever saves judges first ([`MemoryHandle::save`], one at a time) and hands in what
//! was decided, and the role makes sure that it still fits. It decides nothing itself either; that is `rules::memory`.

mod approve;
mod cascade;
mod commit;
mod decided;
mod edit;
mod engine;
mod export;
mod facts;
mod forget;
mod forget_source;
mod forget_traces;
mod handle;
mod insights;
mod judge;
mod notice;
mod occasion;
mod recall;
mod recalled;
mod requests;
mod save;
mod searched;
mod start;
#[cfg(test)]
mod test_kit;
mod tidy;
mod upkeep;

pub use cascade::{Derived, Forgotten, ForgottenFact};
pub use facts::shown;
pub use handle::MemoryHandle;
pub use insights::{AboutYou, Going, Insights};
pub use notice::NoModel;
pub use occasion::{Occasion, source_of};
pub use recall::{Finder, Recall, RecallAsk, RecalledFact, weighing};
pub use requests::{
    Approve, ApproveFrom, Discard, Edit, FoldLanguage, Forget, ForgetSource, Forgot, ForgotSource, Judge, Merge, Move,
    NewFact, Promote, Recalled, ResetScope, SaveOrigin, Supersede, Unmerge, Upkeep,
};
pub(crate) use start::{MemoryRoles, memory_roles};
pub(crate) use tidy::KEPT_APART;

use crate::notifications::Notifications;
use protocol::config::Config;
use protocol::{Error, ErrorKind};
use runtime::{Address, Ctx, Role};
use std::sync::Arc;
use storage::records::{FactRecord, MetaRecord};
use storage::{Batch, Snapshot, Store};
use tokio::sync::watch;

/// The number of the newest memory there ever was: none is given twice.
const LAST_ID: &str = "memory.last_id";

/// The role.
pub struct Memory {
    needs: MemoryNeeds,
    last_id: u64,
}

/// What the role needs.
#[derive(Clone)]
pub struct MemoryNeeds {
    pub store: Store,
    pub config: watch::Receiver<Arc<Config>>,
    pub notifications: Address<Notifications>,
    /// What is made of memories and goes with them.
    pub derived: Arc<[Arc<dyn Derived>]>,
    /// False: nothing happens by the clock (`SENTIENT_DISABLE_BACKGROUND`).
    pub background: bool,
}

impl Role for Memory {
    const NAME: &'static str = "memory";
    const RANK: u8 = 24;
    type Needs = MemoryNeeds;

    async fn start(needs: MemoryNeeds, ctx: &Ctx<Self>) -> Result<Self, Error> {
        let snapshot = needs.store.snapshot()?;
        let kept = snapshot.get::<MetaRecord>(&LAST_ID.to_owned())?;
        let kept = kept.and_then(|row| row.value.parse().ok()).unwrap_or_default();
        let newest = snapshot.all::<FactRecord>()?.next_back().transpose()?.map_or(0, |fact| fact.id);
        if needs.background {
            upkeep::begin(ctx, needs.config.clone());
        }
        Ok(Self { needs, last_id: newest.max(kept) })
    }
}

impl Memory {
    fn config(&self) -> Arc<Config> {
        self.needs.config.borrow().clone()
    }

    fn row(&self, id: u64) -> Result<FactRecord, Error> {
        self.needs.store.snapshot()?.get::<FactRecord>(&id)?.ok_or_else(unknown)
    }

    /// Gives a new memory its number; it counts once the batch is written.
    fn next_id(&self, batch: &mut Batch) -> u64 {
        let id = self.last_id + 1;
        batch.put(&MetaRecord { name: LAST_ID.into(), value: id.to_string() });
        id
    }

    async fn commit(&self, batch: Batch) -> Result<(), Error> {
        self.needs.store.commit(batch).await?;
        Ok(())
    }
}

/// Memories that are looked through at once, without a thread of its own. Ours: some milliseconds.
const FEW: u64 = 2_000;

/// Looks through memories; many, on a thread for that.
async fn looking<T: Send + 'static>(
    store: &Store,
    look: impl FnOnce(&Snapshot) -> Result<T, Error> + Send + 'static,
) -> Result<T, Error> {
    let snapshot = store.snapshot()?;
    if snapshot.count::<FactRecord>()? <= FEW {
        return look(&snapshot);
    }
    let done = tokio::task::spawn_blocking(move || look(&snapshot)).await;
    done.map_err(|cause| Error::new(ErrorKind::Unavailable, format!("memories could not be read: {cause}")))?
}

/// The answer for a memory that is not there.
fn unknown() -> Error {
    Error::not_found("This memory is not there any more.")
}
