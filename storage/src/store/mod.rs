//! The store: one redb file that holds every row, read through snapshots and written one transaction after another.
//!
//! It never runs a caller's code inside a transaction, and never answers before the disk has said yes.

mod copy;
mod events;
mod lock;
mod open;
mod queue;
mod snapshot;
mod tables;
#[cfg(test)]
mod tests;
mod upgrade;
mod write;

pub use events::{EVENT_LOG_ROWS_MAX, EVENTS_READ_MAX, Lagged, SUBSCRIPTION_EVENTS_MAX, Subscription};
pub use open::{OpenOptions, OpenReport};
pub use queue::{COMMIT_QUEUE_MAX, GROUP_BATCHES_MAX};
pub use snapshot::{Rows, Snapshot};
pub(crate) use tables::{OUTBOX as OUTBOX_COUNTER, SEARCHED_OUTBOX as SEARCHED_COUNTER};
pub use upgrade::UpgradedTable;

use crate::records::EventRecord;
use crate::{OpenError, StoreError};
use redb::ReadableDatabase;
use std::fmt;
use std::path::Path;
use std::sync::{Arc, Mutex};
use tokio::sync::broadcast;
use tokio::time::Duration;

/// The file with every row, in the data folder.
pub(crate) const DATA_FILE: &str = "sentient.redb";
/// Copies made before an upgrade, in the data folder.
pub(crate) const SNAPSHOTS_FOLDER: &str = "snapshots";

/// A place where tests and simulations make the disk slow or failing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultPoint {
    /// The transaction is complete, the disk has not been asked. Failing here: certainly not written.
    BeforeCommit,
    /// The disk has it, nobody has heard of it. Failing here: the outcome is not known.
    AfterCommit,
}

/// What happens at a [`FaultPoint`]. Called on a blocking thread: it may wait.
pub trait Faults: Send + Sync {
    /// # Errors
    /// The failure to pretend, in words.
    fn at(&self, point: FaultPoint) -> Result<(), String>;

    /// How long a simulated disk takes, on tokio's clock. Asked by [`Store::simulated`] only, once per write.
    fn pause(&self) -> Option<Duration> {
        None
    }
}

/// What a written batch came to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Committed {
    /// Nothing was written: a row was no longer as it had been seen (see [`crate::Batch::only_if`]).
    pub skipped: bool,
    /// The batch's events with their numbers, in order and without gaps.
    pub events: Vec<EventRecord>,
    /// Number of the first of them.
    pub first: Option<u64>,
    /// Number of the last of them.
    pub last: Option<u64>,
}

/// A handle to the store; clones are the same store. The data folder is free again when the last one is gone.
#[derive(Clone)]
pub struct Store {
    inner: Arc<Inner>,
}

struct Inner {
    // Fields drop in this order: the file closes before another process may have the folder.
    db: redb::Database,
    _lock: Option<lock::FolderLock>,
    queue: Mutex<queue::Queue>,
    committed: broadcast::Sender<Arc<EventRecord>>,
    faults: Option<Arc<dyn Faults>>,
    /// See [`Store::simulated`].
    writes_inline: bool,
}

impl Store {
    /// Opens the data folder, making it when it is not there, and brings older rows up to date (after a copy).
    ///
    /// # Errors
    /// See [`OpenError`]; its text is meant for the person.
    pub fn open(folder: &Path, options: OpenOptions) -> Result<(Self, OpenReport), OpenError> {
        open::open(folder, options)
    }

    /// An empty store that is gone with its last handle.
    pub fn in_memory() -> Self {
        Self::in_memory_with(None)
    }

    /// [`Store::in_memory`] with faults, for simulations.
    pub fn in_memory_with(faults: Option<Arc<dyn Faults>>) -> Self {
        open::in_memory(faults)
    }

    /// [`Store::in_memory_with`] that writes in the task that commits instead of on another thread, so that a
    /// simulation takes the same steps in the same order every time.
    pub fn simulated(faults: Arc<dyn Faults>) -> Self {
        let mut store = open::in_memory(Some(faults));
        if let Some(inner) = Arc::get_mut(&mut store.inner) {
            inner.writes_inline = true;
        }
        store
    }

    fn new(db: redb::Database, lock: Option<lock::FolderLock>, faults: Option<Arc<dyn Faults>>) -> Self {
        let (committed, _) = broadcast::channel(SUBSCRIPTION_EVENTS_MAX);
        let queue = Mutex::default();
        Self { inner: Arc::new(Inner { db, _lock: lock, queue, committed, faults, writes_inline: false }) }
    }

    /// What the store holds at this moment; later commits do not show in it. Keep it short: pages it sees stay on disk.
    ///
    /// # Errors
    /// [`StoreError::Read`].
    pub fn snapshot(&self) -> Result<Snapshot, StoreError> {
        let txn = self.inner.db.begin_read().map_err(StoreError::read)?;
        Ok(Snapshot::new(txn))
    }

    /// Copies the whole store into a new file, while writing goes on. Blocks: for `spawn_blocking`.
    ///
    /// # Errors
    /// The file exists already, the disk is full, a row cannot be read. Nothing is left at `path` then.
    pub fn snapshot_to(&self, path: &Path) -> Result<u64, OpenError> {
        copy::copy(&self.inner.db, path)
    }
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store").finish_non_exhaustive()
    }
}
