//! One look through one folder: it is listed, what is gone is forgotten, and only what is new or changed is read.
//!
//! The job reads and cuts; what it finds it hands to the role, which writes. A scan that is cut off by a stop, a crash or
//! the end of the program begins again later and finds what it kept before unchanged.

use super::keep::{Keep, Kept, KeptWhat};
use super::watched::Watched;
use super::{Folders, Running};
use crate::ports::{ChangeHeard, FileText, FolderFiles, FolderWatch, ListAsk, Listing, NoText, NotListed, NotWatched};
use crate::stop::{AtWork, Work};
use futures::FutureExt;
use protocol::folders::FolderProgress;
use protocol::{Error, ErrorKind, Request};
use rules::folders::{CUTTER, FileKind, ListedFile, Seen, Unfinished, cut_note, look};
use runtime::{Address, Ctx, Handles, Outside};
use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use storage::Store;
use storage::records::{FolderFileRecord, FolderFileState, FolderRecord};
use tokio::task::spawn_blocking;
use tokio::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

/// Files, and bytes of their texts, that are handed to the role together. Ours.
const HANDED_FILES_MAX: usize = 100;
const HANDED_BYTES_MAX: usize = 4 * 1024 * 1024;
/// How long the role may take to keep them.
const KEEP_WAIT: Duration = Duration::from_secs(120);
const MEGABYTE: u64 = 1024 * 1024;

/// What a scan came to.
enum End {
    Done(Box<Done>),
    Missing,
    Cancelled,
    Failed(Error),
}

/// A scan that came to its end.
struct Done {
    listing: Listing,
    /// Files that had grown too big by the time they were opened.
    grown: u64,
    unfinished: Option<Unfinished>,
    took_ms: u64,
    watch: Option<Result<Arc<dyn FolderWatch>, NotWatched>>,
}

/// Tells the role that its scan has ended.
struct ScanEnded {
    scan: u64,
    end: End,
}

impl Request for ScanEnded {
    type Reply = ();
    const NAME: &'static str = "folders.scan_ended";
}

/// All a scan works with.
struct Job {
    scan: u64,
    folder: FolderRecord,
    settings: protocol::config::Folders,
    files: Arc<dyn FolderFiles>,
    store: Store,
    role: Address<Folders>,
    cancel: CancellationToken,
    /// The watch there is, or how one is begun; `None` when nothing is watched.
    watch: Option<(Option<Arc<dyn FolderWatch>>, ChangeHeard)>,
    _at_work: AtWork,
}

impl Folders {
    /// A folder waits for its turn.
    pub(super) fn wait_for(&mut self, id: &str) {
        if !self.waiting.iter().any(|waiting| waiting == id) {
            self.waiting.push_back(id.to_owned());
        }
    }

    /// Begins with the folder that has waited longest, when none is looked through now. While everything is stopped all of
    /// them wait on.
    pub(super) fn scan_next(&mut self, ctx: &Ctx<Self>) {
        while self.running.is_none() {
            let Some(id) = self.waiting.pop_front() else { return };
            let Ok(folder) = self.folder(&id).cloned() else { continue };
            let cancel = ctx.scope.token().child_token();
            let Ok(at_work) = self.needs.stop.enter_by_itself(Work::Background, cancel.clone()) else {
                self.waiting.push_front(id);
                return;
            };
            self.scans += 1;
            let settings = self.config().folders.clone();
            let watch = (settings.watch && self.needs.background).then(|| self.watch_of(&id));
            let job = Job {
                scan: self.scans,
                folder,
                settings,
                files: self.needs.files.clone(),
                store: self.needs.store.clone(),
                role: ctx.me.clone(),
                cancel: cancel.clone(),
                watch,
                _at_work: at_work,
            };
            self.running = Some(Running { scan: self.scans, id, cancel, progress: None, told_at: None, again: false });
            self.publish();
            ctx.scope.spawn("folder scan", run(job));
        }
    }
}

/// Runs a scan to its end and tells the role, whatever happened.
async fn run(job: Job) {
    let (scan, role, cancel) = (job.scan, job.role.clone(), job.cancel.clone());
    let work = AssertUnwindSafe(through(job)).catch_unwind();
    let end = tokio::select! {
        biased;
        () = cancel.cancelled() => End::Cancelled,
        done = work => match done {
            Ok(Ok(done)) => End::Done(Box::new(done)),
            Ok(Err(end)) => end,
            Err(_) => End::Failed(Error::internal("a look through a folder panicked")),
        },
    };
    if let Err(error) = role.tell(&Outside::within(KEEP_WAIT), ScanEnded { scan, end }).await {
        tracing::debug!(%error, "nobody hears of the end of a scan");
    }
}

async fn through(job: Job) -> Result<Done, End> {
    let began = Instant::now();
    let ask = ListAsk {
        root: job.folder.path.clone(),
        ignore: job.settings.ignore.iter().chain(&job.folder.ignore).cloned().collect(),
        files_max: job.settings.max_files as usize,
        bytes_max: u64::from(job.settings.max_file_mb) * MEGABYTE,
        cancel: job.cancel.clone(),
    };
    let listing = job.files.list(ask).await.map_err(|not| match not {
        NotListed::Missing => End::Missing,
        NotListed::Cancelled => End::Cancelled,
    })?;
    let known = job.known().await?;
    // Where a drive is mounted there is an empty folder while it is not.
    if listing.is_empty && !known.is_empty() && job.folder.device != listing.device {
        return Err(End::Missing);
    }
    let seen = known.iter().map(|(path, (seen, _))| (path.clone(), *seen)).collect();
    let saw_all = !listing.has_closed && !listing.has_more;
    let look = look(listing.files.clone(), &seen, saw_all, job.cut());
    let mut reading = Reading { job: &job, known: &known, grown: 0, unfinished: None };
    reading.all(look.read, look.gone).await?;
    let Reading { grown, unfinished, .. } = reading;
    let closed = listing.has_closed.then_some(Unfinished::Closed);
    let unfinished = listing.has_more.then_some(Unfinished::TooMany).or(closed).or(unfinished);
    let watch = job.follow(&listing).await;
    let took_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
    let listing = Listing { files: Vec::new(), ..listing };
    Ok(Done { listing, grown, unfinished, took_ms, watch })
}

/// What is known of each file: how it looked, and the hash of its text.
type KnownFiles = BTreeMap<String, (Seen, u64)>;

impl Job {
    /// How files are cut now.
    fn cut(&self) -> u64 {
        (CUTTER << 32) | u64::from(self.settings.chunk_chars)
    }

    async fn known(&self) -> Result<KnownFiles, End> {
        let (store, id) = (self.store.clone(), self.folder.id.clone());
        let read = spawn_blocking(move || {
            let mut known = KnownFiles::new();
            for row in store.snapshot()?.prefix::<FolderFileRecord>(&id)? {
                let row = row?;
                let try_again = row.state == FolderFileState::NotOpened;
                let seen = Seen { bytes: row.bytes, modified_ms: row.modified_ms, cut: row.cut, try_again };
                known.insert(row.path, (seen, row.text_hash));
            }
            Ok::<_, Error>(known)
        });
        read.await
            .map_err(|cause| End::Failed(Error::internal(format!("the known files: {cause}"))))?
            .map_err(End::Failed)
    }

    /// Watches the folders that were looked into.
    async fn follow(&self, listing: &Listing) -> Option<Result<Arc<dyn FolderWatch>, NotWatched>> {
        let (there, heard) = self.watch.clone()?;
        let (files, root, folders) = (self.files.clone(), self.folder.path.clone(), listing.folders.clone());
        let following = spawn_blocking(move || {
            let watch = match there {
                Some(watch) => watch,
                None => Arc::from(files.watch(root.into(), heard)?),
            };
            watch.follow(&folders).map(|()| watch)
        });
        following.await.ok()
    }
}

/// The part of a scan that reads.
struct Reading<'a> {
    job: &'a Job,
    known: &'a KnownFiles,
    grown: u64,
    unfinished: Option<Unfinished>,
}

impl Reading<'_> {
    async fn all(&mut self, read: Vec<ListedFile>, gone: Vec<String>) -> Result<(), End> {
        let mut progress = FolderProgress { done: 0, total: read.len() as u64 };
        for gone in gone.chunks(HANDED_FILES_MAX) {
            self.hand(Vec::new(), gone.to_vec(), progress).await?;
        }
        let (mut files, mut gone, mut bytes) = (Vec::new(), Vec::new(), 0);
        for file in read {
            progress.done += 1;
            match self.file(file).await? {
                Became::Kept(kept, size) => {
                    bytes += size;
                    files.push(kept);
                }
                Became::TooBig(path) => {
                    self.grown += 1;
                    gone.push(path);
                }
                Became::Nothing => (),
            }
            if files.len() + gone.len() >= HANDED_FILES_MAX || bytes >= HANDED_BYTES_MAX {
                self.hand(std::mem::take(&mut files), std::mem::take(&mut gone), progress).await?;
                bytes = 0;
            }
        }
        self.hand(files, gone, progress).await
    }

    async fn hand(&self, files: Vec<Kept>, gone: Vec<String>, progress: FolderProgress) -> Result<(), End> {
        if files.is_empty() && gone.is_empty() {
            return Ok(());
        }
        let keep = Keep { scan: self.job.scan, files, gone, progress };
        self.job.role.ask(&Outside::within(KEEP_WAIT), keep).await.map_err(|error| match error.kind {
            ErrorKind::Cancelled | ErrorKind::NotFound => End::Cancelled,
            _ => End::Failed(error),
        })
    }

    async fn file(&mut self, file: ListedFile) -> Result<Became, End> {
        let Some(kind) = FileKind::of(&file.path) else { return Ok(Became::Nothing) };
        let state = match self.text(&file.path, kind).await {
            Ok(text) if text.is_changing => {
                self.unfinished = Some(Unfinished::Changing);
                return Ok(Became::Nothing);
            }
            Ok(text) => return self.cut(file.path, kind, text).await,
            // It is gone by now: the next look forgets it.
            Err(NoText::Gone) => return Ok(Became::Nothing),
            Err(NoText::TooBig) => return Ok(Became::TooBig(file.path)),
            Err(NoText::NotOpened) => FolderFileState::NotOpened,
            Err(NoText::Unreadable) => FolderFileState::Unreadable,
        };
        let ListedFile { path, bytes, modified_ms } = file;
        let kept = Kept { path, bytes, modified_ms, cut: self.job.cut(), what: KeptWhat::NoText(state) };
        Ok(Became::Kept(kept, 0))
    }

    /// The text of a file; one that changed while it was read is read once more.
    async fn text(&self, path: &str, kind: FileKind) -> Result<FileText, NoText> {
        let bytes_max = u64::from(self.job.settings.max_file_mb) * MEGABYTE;
        let read = || self.job.files.text(self.job.folder.path.clone(), path.to_owned(), kind, bytes_max);
        match read().await {
            Ok(text) if text.is_changing => read().await,
            answer => answer,
        }
    }

    async fn cut(&self, path: String, kind: FileKind, text: FileText) -> Result<Became, End> {
        let (chars, cut) = (self.job.settings.chunk_chars as usize, self.job.cut());
        let known = self.known.get(&path).filter(|(seen, _)| seen.cut == cut && !seen.try_again).map(|(_, hash)| *hash);
        let cutting = spawn_blocking(move || {
            let FileText { text, is_part, bytes, modified_ms, .. } = text;
            let mut note = cut_note(&path, kind, &text, chars);
            note.is_part |= is_part;
            let what = if known == Some(note.hash) { KeptWhat::SameText } else { KeptWhat::Cut(Box::new(note)) };
            Became::Kept(Kept { path, bytes, modified_ms, cut, what }, text.len())
        });
        cutting.await.map_err(|cause| End::Failed(Error::internal(format!("a file was not cut: {cause}"))))
    }
}

/// What became of a file that was to be read.
enum Became {
    /// With the bytes of its text.
    Kept(Kept, usize),
    TooBig(String),
    Nothing,
}

impl Handles<ScanEnded> for Folders {
    async fn handle(&mut self, ended: ScanEnded, ctx: &Ctx<Self>) -> Result<(), Error> {
        let Some(running) = self.running.take_if(|running| running.scan == ended.scan) else { return Ok(()) };
        self.publish();
        let id = running.id;
        if let Ok(old) = self.folder(&id).cloned() {
            let folder = self.after(old.clone(), ended.end, ctx);
            let folder = FolderRecord { needs_scan: folder.needs_scan || running.again, ..folder };
            if folder != old {
                self.put(folder, ctx.now()).await?;
            }
            if running.again {
                self.wait_for(&id);
            }
        }
        self.scan_next(ctx);
        Ok(())
    }
}

impl Folders {
    /// What a folder is after a scan.
    fn after(&mut self, old: FolderRecord, end: End, ctx: &Ctx<Self>) -> FolderRecord {
        match end {
            End::Done(done) => {
                let Done { listing, grown, unfinished, took_ms, watch } = *done;
                let files_max = self.config().folders.max_files;
                let not_watched = self.watched(&old.id, watch, ctx).map(|NotWatched(sentence)| sentence);
                FolderRecord {
                    needs_scan: false,
                    is_missing: false,
                    is_vault: listing.is_vault,
                    device: listing.device,
                    last_scan_at: Some(ctx.now()),
                    last_scan_ms: Some(took_ms),
                    skipped: listing.skipped + grown,
                    error: unfinished.map(|unfinished| unfinished.sentence(files_max)).or(not_watched),
                    ..old
                }
            }
            End::Missing => {
                self.watched.remove(&old.id);
                let error = Some("This folder cannot be found. What was read of it is kept; connect its drive, or remove the folder.".to_owned());
                FolderRecord { is_missing: true, error, ..old }
            }
            End::Cancelled => old,
            End::Failed(error) => {
                tracing::warn!(%error, folder = %old.id, "a look through a folder failed");
                let error = Some("The last look through this folder failed. It is tried again soon.".to_owned());
                FolderRecord { error, needs_scan: true, ..old }
            }
        }
    }

    /// Takes over what came of watching a folder. Answers why it is not watched.
    fn watched(
        &mut self,
        id: &str,
        watch: Option<Result<Arc<dyn FolderWatch>, NotWatched>>,
        ctx: &Ctx<Self>,
    ) -> Option<NotWatched> {
        match watch {
            None => drop(self.watched.remove(id)),
            Some(Ok(watch)) => {
                let entry = self.watched.entry(id.to_owned()).or_default();
                entry.begin(watch, id, &self.needs, ctx);
            }
            Some(Err(not)) => {
                self.watched.remove(id);
                return Some(not);
            }
        }
        None
    }

    /// The watch there is on a folder, and how changes in it are heard.
    fn watch_of(&mut self, id: &str) -> (Option<Arc<dyn FolderWatch>>, ChangeHeard) {
        let watched: &mut Watched = self.watched.entry(id.to_owned()).or_default();
        (watched.watch.clone(), watched.heard())
    }
}
