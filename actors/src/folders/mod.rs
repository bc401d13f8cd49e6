//! Folders of the person's notes and Obsidian vaults (contract section 22): looked through by one scan at a time, searched
//! by words and by meaning. Read only, always: removing a folder forgets the index of it and nothing else.
//!
//! The role is the one writer of folders, files and pieces. What reads them is a [`FolderNotes`].

mod add;
mod app;
mod change;
mod engine;
mod forget;
mod keep;
mod notes;
mod prompted;
mod read;
mod remove;
mod rescan;
mod scan;
mod search;
mod shown;
#[cfg(test)]
mod test_kit;
#[cfg(test)]
mod tests;
mod tools;
mod upkeep;
mod watched;

pub use app::folder_app;
pub use notes::FolderNotes;
pub use prompted::Prompted;
pub use search::FindAsk;
pub use tools::folder_tools;

use crate::events::log_line;
use crate::live::Hub;
use crate::ports::FolderFiles;
use crate::stop::Switch;
use notes::Known;
use protocol::config::Config;
use protocol::events::DomainEvent;
use protocol::folders::{FolderChange, FolderProgress};
use protocol::{Error, Timestamp};
use runtime::{Ctx, Role};
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use storage::records::{FolderRecord, MetaRecord, NewEvent};
use storage::{Batch, Store};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use watched::Watched;

/// Folders that can be added. Ours.
pub const FOLDERS_MAX: usize = 100;
/// The number of the newest folder there ever was: none is given twice.
const LAST_NUMBER: &str = "folders.last_number";

/// The role.
pub struct Folders {
    needs: FoldersNeeds,
    /// Every folder, those that are being forgotten too.
    folders: BTreeMap<String, FolderRecord>,
    /// Those that are to be looked through, in the order they came.
    waiting: VecDeque<String>,
    running: Option<Running>,
    /// Scans that were begun since the start: tells their messages apart.
    scans: u64,
    watched: BTreeMap<String, Watched>,
}

/// What the role needs.
#[derive(Clone)]
pub struct FoldersNeeds {
    pub store: Store,
    pub live: Hub,
    pub config: watch::Receiver<Arc<Config>>,
    pub files: Arc<dyn FolderFiles>,
    pub stop: Switch,
    /// The folders as searches see them; this role alone sends to it.
    pub known: Arc<watch::Sender<Known>>,
    /// False: nothing happens by itself (`SENTIENT_DISABLE_BACKGROUND`).
    pub background: bool,
}

/// The scan that is going on.
struct Running {
    scan: u64,
    id: String,
    cancel: CancellationToken,
    progress: Option<FolderProgress>,
    /// When windows were last told of it.
    told_at: Option<Timestamp>,
    /// Something changed meanwhile: look again.
    again: bool,
}

impl Role for Folders {
    const NAME: &'static str = "folders";
    const RANK: u8 = 16;
    type Needs = FoldersNeeds;

    async fn start(needs: FoldersNeeds, ctx: &Ctx<Self>) -> Result<Self, Error> {
        let rows = needs.store.snapshot()?.all::<FolderRecord>()?;
        let folders: BTreeMap<String, FolderRecord> =
            rows.map(|row| row.map(|row| (row.id.clone(), row))).collect::<Result<_, _>>()?;
        let role = Self { needs, folders, waiting: VecDeque::new(), running: None, scans: 0, watched: BTreeMap::new() };
        role.publish();
        upkeep::begin(ctx, &role);
        Ok(role)
    }
}

impl Folders {
    fn config(&self) -> Arc<Config> {
        self.needs.config.borrow().clone()
    }

    /// A folder that is there and not being forgotten.
    fn folder(&self, id: &str) -> Result<&FolderRecord, Error> {
        self.folders.get(id).filter(|folder| !folder.is_removed).ok_or_else(unknown)
    }

    /// Writes a folder with the news of it, then takes it over.
    async fn put(&mut self, folder: FolderRecord, now: Timestamp) -> Result<(), Error> {
        let mut batch = Batch::new();
        batch.put(&folder).event(news(&folder.id, false, now));
        self.needs.store.commit(batch).await?;
        self.folders.insert(folder.id.clone(), folder);
        self.publish();
        Ok(())
    }

    /// The number of a new folder; it counts once the batch is written.
    fn next_number(&self, batch: &mut Batch) -> Result<u64, Error> {
        let kept = self.needs.store.snapshot()?.get::<MetaRecord>(&LAST_NUMBER.to_owned())?;
        let kept = kept.and_then(|row| row.value.parse::<u64>().ok()).unwrap_or_default();
        let newest = self.folders.values().map(|folder| folder.number).max().unwrap_or_default();
        let number = kept.max(newest) + 1;
        batch.put(&MetaRecord { name: LAST_NUMBER.into(), value: number.to_string() });
        Ok(number)
    }

    /// Tells searches which folders there are.
    fn publish(&self) {
        let there = self.folders.values().filter(|folder| !folder.is_removed).cloned().collect();
        let scanning = self.running.as_ref().map(|running| (running.id.clone(), running.progress));
        self.needs.known.send_replace(Known { folders: there, scanning });
    }
}

/// `folders.updated` as a line of the event log.
fn news(id: &str, removed: bool, now: Timestamp) -> NewEvent {
    log_line(&DomainEvent::FoldersUpdated(FolderChange { id: id.to_owned(), removed, progress: None }), now)
}

/// The answer for a folder that is not there.
fn unknown() -> Error {
    Error::not_found("This folder is not added any more.")
}
