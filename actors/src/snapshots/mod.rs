//! Copies of files before a command, a script or a tool may change them, and putting them back (contract section 10,
//! "File snapshots before code writes").
//!
//! Whoever is about to change files asks the [`Keeper`] for a guard and settles it afterwards; it never keeps the call
//! from running. The role writes the rows; the copies themselves are `storage::FileSnapshots`.

mod engine;
mod keep;
mod keeper;
mod put_back;
mod upkeep;

pub use keeper::{About, CallKeeper, Keeper, Kept};

use protocol::config::Config;
use protocol::{Error, Request};
use runtime::{Ctx, Role};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use storage::records::FileSnapshotRecord;
use storage::{FileSnapshots, Store};
use tokio::sync::watch;

/// Rows that are kept. Ours: the oldest go first, with their copies.
pub const ROWS_MAX: usize = 5_000;
/// Changed or created files named in one row. Ours: those with copies come first.
pub const ROW_FILES_MAX: usize = 5_000;

/// The role.
pub struct Snapshots {
    needs: SnapshotNeeds,
    /// Being put back right now.
    busy: BTreeSet<String>,
}

/// What it needs.
#[derive(Clone)]
pub struct SnapshotNeeds {
    pub store: Store,
    pub disk: FileSnapshots,
    pub config: watch::Receiver<Arc<Config>>,
    pub(crate) open: OpenGuards,
}

/// Names of snapshots whose call still runs. They have no row yet, and repairing leaves them alone.
#[derive(Clone, Default)]
pub(crate) struct OpenGuards(Arc<Mutex<BTreeSet<String>>>);

impl OpenGuards {
    fn lock(&self) -> MutexGuard<'_, BTreeSet<String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The role's needs and the keeper that goes with it.
pub fn needs(store: Store, disk: FileSnapshots, config: watch::Receiver<Arc<Config>>) -> SnapshotNeeds {
    SnapshotNeeds { store, disk, config, open: OpenGuards::default() }
}

/// Stores what a call did.
pub(crate) struct Keep(pub(crate) Box<FileSnapshotRecord>);

impl Request for Keep {
    type Reply = ();
    const NAME: &'static str = "snapshots.keep";
}

/// Begins to put one back. Answers its row; `Conflict` says why it cannot be.
pub(crate) struct BeginPutBack {
    pub(crate) id: String,
}

impl Request for BeginPutBack {
    type Reply = FileSnapshotRecord;
    const NAME: &'static str = "snapshots.begin_put_back";
}

/// All files are back, or not.
pub(crate) struct EndPutBack {
    pub(crate) id: String,
    pub(crate) done: bool,
}

impl Request for EndPutBack {
    type Reply = ();
    const NAME: &'static str = "snapshots.end_put_back";
}

/// After a start: what a crash cut short is made whole.
pub(crate) struct Repair;

impl Request for Repair {
    type Reply = ();
    const NAME: &'static str = "snapshots.repair";
}

/// Old copies go, and all of them stay under the limit.
pub(crate) struct Prune;

impl Request for Prune {
    type Reply = ();
    const NAME: &'static str = "snapshots.prune";
}

impl Role for Snapshots {
    const NAME: &'static str = "snapshots";
    const RANK: u8 = 15;
    type Needs = SnapshotNeeds;

    async fn start(needs: SnapshotNeeds, ctx: &Ctx<Self>) -> Result<Self, Error> {
        upkeep::begin(ctx);
        Ok(Self { needs, busy: BTreeSet::new() })
    }
}

/// Work on the disk, on a thread where it may block.
pub(crate) async fn on_disk<T: Send + 'static>(
    disk: &FileSnapshots,
    work: impl FnOnce(&FileSnapshots) -> std::io::Result<T> + Send + 'static,
) -> Result<T, Error> {
    let disk = disk.clone();
    let done = tokio::task::spawn_blocking(move || work(&disk)).await;
    let done = done.map_err(|cause| Error::internal(format!("work on a snapshot ended: {cause}")))?;
    done.map_err(|cause| Error::new(protocol::ErrorKind::Unavailable, format!("The disk says: {cause}.")))
}
