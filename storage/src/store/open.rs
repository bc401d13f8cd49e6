//! Opening: the lock, the file, its format, and what was brought up to date on the way.

use super::lock::FolderLock;
use super::upgrade::{self, UpgradedTable};
use super::{DATA_FILE, Faults, Store};
use crate::OpenError;
use crate::records::TABLES;
use protocol::Timestamp;
use redb::backends::InMemoryBackend;
use redb::{Builder, Database};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Bytes that redb keeps of the file. Its own default is a gigabyte; the system caches the file anyway, and an idle
/// engine must stay small.
const CACHE_BYTES: usize = 4 * 1024 * 1024;

/// What the store is told when it opens.
#[derive(Clone, Default)]
pub struct OpenOptions {
    /// The present moment, written into the lock file and into the name of a copy.
    pub now: Timestamp,
    /// The program's version, written into the lock file.
    pub version: String,
    /// Faults for tests and simulations.
    pub faults: Option<Arc<dyn Faults>>,
}

impl fmt::Debug for OpenOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenOptions").field("now", &self.now).field("version", &self.version).finish_non_exhaustive()
    }
}

/// What happened on opening.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OpenReport {
    /// Tables whose rows were brought to their present version; empty in ordinary life.
    pub upgraded: Vec<UpgradedTable>,
    /// The copy made before that.
    pub snapshot: Option<PathBuf>,
}

pub(super) fn builder() -> Builder {
    let mut builder = Database::builder();
    builder.set_cache_size(CACHE_BYTES);
    builder
}

pub(super) fn open(folder: &Path, options: OpenOptions) -> Result<(Store, OpenReport), OpenError> {
    make_private(folder).map_err(|error| OpenError::from_io(folder, &error))?;
    let lock = FolderLock::take(folder, options.now, &options.version)?;
    let path = folder.join(DATA_FILE);
    // redb panics on some damaged files.
    let opened = catch_unwind(AssertUnwindSafe(|| {
        let db = open_file(&path)?;
        let report = upgrade::bring_up_to_date(&db, folder, options.now, TABLES)?;
        Ok((db, report))
    }));
    let (db, report) = opened.unwrap_or_else(|_| {
        Err(OpenError::Corrupt { path: path.clone(), detail: "its contents contradict themselves".into() })
    })?;
    Ok((Store::new(db, Some(lock), options.faults), report))
}

/// Makes the folder so that only its owner may look into it. One that is there already is left as it is.
fn make_private(folder: &Path) -> std::io::Result<()> {
    if let Some(parent) = folder.parent() {
        std::fs::create_dir_all(parent)?;
    }
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt;
        builder.mode(0o700);
    }
    builder.create(folder)
}

pub(super) fn open_file(path: &Path) -> Result<Database, OpenError> {
    let mut builder = builder();
    builder.set_repair_callback(|repair| {
        tracing::info!(done = repair.progress(), "the engine was not closed properly; its data is being checked");
    });
    builder.create(path).map_err(|error| OpenError::from_redb(path, error.into()))
}

pub(super) fn in_memory(faults: Option<Arc<dyn Faults>>) -> Store {
    let db = builder().create_with_backend(InMemoryBackend::new()).expect("memory does not fail");
    upgrade::write_format(&db, TABLES).expect("memory does not fail");
    Store::new(db, None, faults)
}
