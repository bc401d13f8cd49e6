//! A disk of the tests: folders and files in memory, and a role over them.

use super::notes::Known;
use super::{FolderNotes, Folders, FoldersNeeds};
use crate::embeddings::Embeddings;
use crate::fixtures::{running, world};
use crate::live::Hub;
use crate::ports::{
    ChangeHeard, ComputerPlaces, FileText, FolderFiles, FolderWatch, FoundFolder, ListAsk, Listing, NoText, NotListed,
    NotWatched,
};
use crate::stop::Switch;
use futures::FutureExt;
use futures::future::{BoxFuture, ready};
use protocol::config::Config;
use protocol::folders::{Folder, FolderStatus, NewFolder};
use rules::folders::{FileKind, ListedFile, Patterns};
use runtime::{Address, World};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use storage::{MemoryIndex, Store};
use tokio::sync::{Semaphore, watch};

/// Where the tests' folder is.
pub(super) const ROOT: &str = "/home/maya/Notes";

/// What is on the disk.
#[derive(Default)]
pub(super) struct Disk {
    /// Folder, then path inside it: text and change time.
    pub(super) files: BTreeMap<(String, String), (String, i64)>,
    pub(super) folders: Vec<String>,
    /// Why a file has no text.
    pub(super) faults: BTreeMap<String, NoText>,
    /// Files that change whenever they are read.
    pub(super) changing: Vec<String>,
    /// A folder in it cannot be opened.
    pub(super) has_closed: bool,
    pub(super) is_vault: bool,
    pub(super) device: u64,
    pub(super) reads: Vec<String>,
    /// How often a folder was listed.
    pub(super) listed: u64,
}

/// The disk as the role reaches it.
#[derive(Clone)]
pub(super) struct TestDisk {
    inner: Arc<Mutex<Disk>>,
    /// Each listing takes one: none left means that it waits.
    pub(super) listings: Arc<Semaphore>,
}

impl TestDisk {
    pub(super) fn new() -> Self {
        let disk = Disk { folders: vec![ROOT.into()], device: 1, ..Disk::default() };
        Self { inner: Arc::new(Mutex::new(disk)), listings: Arc::new(Semaphore::new(Semaphore::MAX_PERMITS)) }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Disk> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes a file; each time it was changed later.
    pub(super) fn write(&self, path: &str, text: &str) {
        let mut disk = self.lock();
        let later = disk.files.values().map(|(_, at)| *at).max().unwrap_or(0) + 1;
        disk.files.insert((ROOT.into(), path.into()), (text.into(), later));
    }

    pub(super) fn remove(&self, path: &str) {
        self.lock().files.remove(&(ROOT.into(), path.into()));
    }

    /// What was read since the last time.
    pub(super) fn reads(&self) -> Vec<String> {
        std::mem::take(&mut self.lock().reads)
    }

    fn listing(&self, ask: &ListAsk) -> Result<Listing, NotListed> {
        let mut disk = self.lock();
        disk.listed += 1;
        if !disk.folders.contains(&ask.root) {
            return Err(NotListed::Missing);
        }
        let patterns = Patterns::new(ask.ignore.iter().map(String::as_str));
        let mut listing = Listing {
            folders: vec![String::new()],
            has_closed: disk.has_closed,
            is_vault: disk.is_vault,
            device: Some(disk.device),
            is_empty: true,
            ..Listing::default()
        };
        for ((root, path), (text, modified_ms)) in &disk.files {
            if *root != ask.root {
                continue;
            }
            listing.is_empty = false;
            if patterns.keeps_file(path) && listing.files.len() < ask.files_max {
                listing.files.push(ListedFile {
                    path: path.clone(),
                    bytes: text.len() as u64,
                    modified_ms: *modified_ms,
                });
            }
        }
        Ok(listing)
    }

    fn read(&self, root: &str, path: &str) -> Result<FileText, NoText> {
        let mut disk = self.lock();
        disk.reads.push(path.to_owned());
        if let Some(fault) = disk.faults.get(path) {
            return Err(*fault);
        }
        let is_changing = disk.changing.iter().any(|changing| changing == path);
        let (text, modified_ms) = disk.files.get(&(root.to_owned(), path.to_owned())).cloned().ok_or(NoText::Gone)?;
        Ok(FileText { bytes: text.len() as u64, text, is_part: false, modified_ms, is_changing })
    }
}

impl FolderFiles for TestDisk {
    fn places(&self) -> ComputerPlaces {
        ComputerPlaces {
            home: Some("/home/maya".into()),
            data: "/home/maya/.sentient".into(),
            is_windows: false,
            ignores_case: false,
        }
    }

    fn found(&self, path: String) -> BoxFuture<'static, Option<FoundFolder>> {
        let there = self.lock().folders.contains(&path);
        ready(there.then_some(FoundFolder { path, is_vault: self.lock().is_vault })).boxed()
    }

    fn list(&self, ask: ListAsk) -> BoxFuture<'static, Result<Listing, NotListed>> {
        let disk = self.clone();
        async move {
            disk.listings.acquire().await.expect("never closed").forget();
            disk.listing(&ask)
        }
        .boxed()
    }

    fn text(&self, root: String, path: String, _: FileKind, _: u64) -> BoxFuture<'static, Result<FileText, NoText>> {
        ready(self.read(&root, &path)).boxed()
    }

    fn watch(&self, _: PathBuf, _: ChangeHeard) -> Result<Box<dyn FolderWatch>, NotWatched> {
        Err(NotWatched("There are no watches in tests.".into()))
    }
}

/// A role over a disk.
pub(super) struct Case {
    pub(super) disk: TestDisk,
    pub(super) store: Store,
    pub(super) settings: watch::Sender<Arc<Config>>,
    pub(super) stop: Switch,
    pub(super) live: Hub,
    pub(super) notes: FolderNotes,
    pub(super) role: Address<Folders>,
    pub(super) world: World,
    pub(super) clock: Arc<crate::fixtures::SetClock>,
}

/// A role over an empty disk. `background`: it looks by itself too.
pub(super) async fn case(background: bool) -> Case {
    over(TestDisk::new(), Store::in_memory(), background).await
}

/// A role over a disk and a store.
pub(super) async fn over(disk: TestDisk, store: Store, background: bool) -> Case {
    let (world, clock) = world(1_000_000);
    let (settings, config) = watch::channel(Arc::new(Config::default()));
    let (stop, live) = (Switch::default(), Hub::new(0));
    let search = (MemoryIndex::in_memory(), Embeddings::default());
    let notes = FolderNotes::new(store.clone(), search, config.clone(), Arc::new(disk.clone()));
    let needs = FoldersNeeds {
        store: store.clone(),
        live: live.clone(),
        config,
        files: Arc::new(disk.clone()),
        stop: stop.clone(),
        known: notes.known.clone(),
        background,
    };
    let mut known = notes.known.subscribe();
    let role = running::<Folders>(&world, needs).await;
    // Until it has started, no folder is known, which looks as if none were due.
    known.changed().await.expect("it starts");
    Case { disk, store, settings, stop, live, notes, role, world, clock }
}

impl Case {
    /// Adds the tests' folder, and waits until it was looked through.
    pub(super) async fn added(&self, scope: &str) -> String {
        let id = self.add(NewFolder { path: ROOT.into(), ignore: Vec::new(), scope: Some(scope.into()) }).await;
        let id = id.expect("added");
        self.settled().await;
        id
    }

    pub(super) async fn add(&self, new: NewFolder) -> Result<String, protocol::Error> {
        let found = self.disk.found(new.path.clone()).await;
        let NewFolder { path, ignore, scope } = new;
        let add = super::add::Add { typed: path, found, ignore, scope: scope.unwrap_or_default() };
        self.role.ask(&crate::fixtures::outside(), add).await
    }

    /// Looks through a folder once more, and waits for its end.
    pub(super) async fn rescanned(&self, id: &str) -> Folder {
        let before = self.disk.lock().listed;
        self.role.ask(&crate::fixtures::outside(), super::rescan::Rescan { id: id.into() }).await.expect("asked");
        // A missing folder is always due, so it looks settled before this look has begun.
        while self.disk.lock().listed == before {
            tokio::task::yield_now().await;
        }
        self.settled().await;
        self.shown(id).await
    }

    /// Looks through a folder that was missing, and waits until it is there again.
    pub(super) async fn found_again(&self, id: &str) -> Folder {
        self.role.ask(&crate::fixtures::outside(), super::rescan::Rescan { id: id.into() }).await.expect("asked");
        let ready = |known: &Known| known.scanning.is_none() && known.folders.iter().all(|folder| !folder.is_missing);
        self.notes.known.subscribe().wait_for(ready).await.expect("the role is there");
        self.shown(id).await
    }

    /// Waits until no folder is looked through and none is due.
    pub(super) async fn settled(&self) {
        let idle = |known: &Known| {
            known.scanning.is_none() && known.folders.iter().all(|folder| !folder.needs_scan || folder.is_missing)
        };
        self.notes.known.subscribe().wait_for(idle).await.expect("the role is there");
    }

    pub(super) async fn shown(&self, id: &str) -> Folder {
        self.notes.shown(id).await.expect("there")
    }

    pub(super) async fn status(&self, id: &str) -> FolderStatus {
        self.shown(id).await.status
    }
}
