//! What those who change files hold: a guard from before the change until after it.

use super::{Keep, OpenGuards, ROW_FILES_MAX, SnapshotNeeds, Snapshots, on_disk};
use protocol::config::Config;
use protocol::ids::{CallId, SessionId};
use runtime::{Address, Outside, Scope, World};
use std::path::PathBuf;
use std::sync::Arc;
use storage::FileSnapshots;
use storage::file_snapshots::{ChangedFile, Settled, SnapshotLimits, Taken};
use storage::records::{FileSnapshotRecord, SnapshotFile, SnapshotSource};
use tokio::sync::watch;
use tokio::time::Duration;

/// How long the row of a snapshot may take to be stored.
const STORE_WAIT: Duration = Duration::from_secs(30);
/// Characters of what is said of a call. Ours.
const WHAT_CHARS_MAX: usize = 300;
const MEGABYTE: u64 = 1024 * 1024;

/// Keeps copies for whoever asks. Cheap to clone.
#[derive(Clone)]
pub struct Keeper {
    pub(super) role: Address<Snapshots>,
    pub(super) disk: FileSnapshots,
    config: watch::Receiver<Arc<Config>>,
    world: World,
    open: OpenGuards,
    /// Settles what was taken, also for calls that were stopped: a stop does not cancel it.
    pub(crate) scope: Scope,
}

/// Which call is about to change files.
#[derive(Clone, Debug)]
pub struct About {
    pub source: SnapshotSource,
    /// The command, the script or the file, for a person.
    pub what: String,
    pub session_id: Option<SessionId>,
    pub task_id: Option<String>,
    pub call_id: Option<CallId>,
}

/// The keeper as one call of a chat has it; nothing is kept for an incognito chat.
#[derive(Clone)]
pub struct CallKeeper {
    pub keeper: Keeper,
    pub session_id: Option<SessionId>,
    pub task_id: Option<String>,
    pub call_id: CallId,
    pub incognito: bool,
}

/// A guard: what may be changed, as it was before. Settled when the change is done; dropped, it is settled too.
#[derive(Default)]
pub struct Kept(Option<Box<Pending>>);

struct Pending {
    keeper: Keeper,
    about: About,
    taken: Taken,
}

impl Keeper {
    pub fn new(role: Address<Snapshots>, needs: SnapshotNeeds, world: World) -> Self {
        let SnapshotNeeds { disk, config, open, .. } = needs;
        Self { role, disk, config, world, open, scope: Scope::new() }
    }

    /// Waits until nothing is being settled or put back any more. Answers whether that was so in time.
    pub async fn scope_ended(&self, grace: Duration) -> bool {
        self.scope.ended(grace).await
    }

    /// Copies what could be changed below these folders, or these single files. It never fails: when the disk refuses,
    /// that is logged, and the call runs without copies.
    pub async fn guard(&self, about: About, roots: Vec<PathBuf>) -> Kept {
        let settings = self.config.borrow().tools.snapshots.clone();
        if !settings.enabled || roots.is_empty() {
            return Kept::default();
        }
        let limits = SnapshotLimits {
            file_bytes_max: u64::from(settings.max_file_mb) * MEGABYTE,
            total_bytes_max: u64::from(settings.max_total_mb) * MEGABYTE,
            files_max: usize::try_from(settings.max_files).unwrap_or(usize::MAX),
        };
        let id = self.world.id();
        self.open.lock().insert(id.clone());
        let name = id.clone();
        match on_disk(&self.disk, move |disk| disk.take(&name, &roots, limits)).await {
            Ok(taken) => Kept(Some(Box::new(Pending { keeper: self.clone(), about, taken }))),
            Err(error) => {
                self.open.lock().remove(&id);
                tracing::warn!(%error, what = %about.what, "no copies of files could be kept");
                Kept::default()
            }
        }
    }

    async fn settle(&self, about: About, taken: Taken) -> Option<String> {
        let id = taken.id.clone();
        let row = self.write_down(about, taken).await;
        self.open.lock().remove(&id);
        row
    }

    /// Writes down what became of the files. Answers the row's id when something changed.
    async fn write_down(&self, about: About, taken: Taken) -> Option<String> {
        let id = taken.id.clone();
        let settled = on_disk(&self.disk, move |disk| {
            let settled = disk.settle(&taken)?;
            Ok(settled.map(|settled| (settled, disk.bytes(&taken.id))))
        });
        let (settled, bytes) = match settled.await {
            Ok(settled) => settled?,
            Err(error) => {
                tracing::warn!(%error, %id, "what a call did to files could not be looked at; the next start does");
                return None;
            }
        };
        // A new file alone replaced nothing.
        if about.source == SnapshotSource::File && settled.files.is_empty() {
            let gone = id.clone();
            if let Err(error) = on_disk(&self.disk, move |disk| disk.remove(&gone)).await {
                tracing::debug!(%error, %id, "an empty snapshot stays until the next start");
            }
            return None;
        }
        let row = row(id.clone(), about, settled, bytes, self.world.now());
        if let Err(error) = self.role.ask(&Outside::within(STORE_WAIT), Keep(Box::new(row))).await {
            tracing::warn!(%error, %id, "a snapshot could not be written down; the next start does");
            return None;
        }
        Some(id)
    }
}

impl CallKeeper {
    /// [`Keeper::guard`] for this call.
    pub async fn guard(&self, source: SnapshotSource, what: &str, roots: Vec<PathBuf>) -> Kept {
        if self.incognito {
            return Kept::default();
        }
        let about = About {
            source,
            what: what.to_owned(),
            session_id: self.session_id.clone(),
            task_id: self.task_id.clone(),
            call_id: Some(self.call_id.clone()),
        };
        self.keeper.guard(about, roots).await
    }
}

impl Kept {
    /// Looks what has changed and keeps the copies of that. Answers the id of its row when something has.
    pub async fn settle(mut self) -> Option<String> {
        let Pending { keeper, about, taken } = *self.0.take()?;
        keeper.settle(about, taken).await
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        let Some(pending) = self.0.take() else { return };
        if tokio::runtime::Handle::try_current().is_err() {
            return; // the program ends: the next start finds what was taken
        }
        let Pending { keeper, about, taken } = *pending;
        let scope = keeper.scope.clone();
        scope.spawn("files of a call that was cut off", async move {
            keeper.settle(about, taken).await;
        });
    }
}

pub(super) fn row(
    id: String,
    about: About,
    settled: Settled,
    bytes: u64,
    at: protocol::Timestamp,
) -> FileSnapshotRecord {
    let Settled { mut files, mut created, too_many } = settled;
    files.sort_by_key(|file| file.copy.is_none());
    files.truncate(ROW_FILES_MAX);
    created.truncate(ROW_FILES_MAX);
    let About { source, what, session_id, task_id, call_id } = about;
    FileSnapshotRecord {
        id,
        at,
        source,
        what: what.chars().take(WHAT_CHARS_MAX).collect(),
        session_id,
        task_id,
        call_id,
        files: files.into_iter().map(stored).collect(),
        created,
        too_many,
        bytes,
        copies_gone: false,
        restoring_at: None,
        restored_at: None,
    }
}

fn stored(file: ChangedFile) -> SnapshotFile {
    let ChangedFile { path, deleted, bytes, copy, note } = file;
    SnapshotFile { path, deleted, bytes, copy, note }
}

/// As the disk knows it.
pub(super) fn changed(files: &[SnapshotFile]) -> Vec<ChangedFile> {
    let file = |file: &SnapshotFile| ChangedFile {
        path: file.path.clone(),
        deleted: file.deleted,
        bytes: file.bytes,
        copy: file.copy.clone(),
        note: file.note.clone(),
    };
    files.iter().map(file).collect()
}
