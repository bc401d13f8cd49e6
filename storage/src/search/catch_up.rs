//! The index follows the outbox: rows in order, one tantivy commit for many, and only then are the rows deleted.
//!
//! A crash anywhere in between repeats work and loses none: adding a message first removes what is there of it.

use super::error::{SearchError, Trouble};
use super::files::{Opened, Place};
use super::{Inner, MessageIndex, is_searchable, is_visible};
use crate::records::{IndexJob, MessageRecord, OutboxRow, SessionRecord};
use crate::store::OUTBOX_COUNTER;
use crate::{Batch, Snapshot, Store, StoreError};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::PoisonError;
use std::sync::atomic::Ordering;
use tantivy::IndexWriter;

/// Outbox rows of one tantivy commit. Ours: a commit costs about 130 ms, however much is in it.
pub const INDEX_COMMIT_JOBS_MAX: usize = 2_000;
/// Outbox rows that are worth a commit while the engine runs: tantivy's writer takes some 20 MB and tens of milliseconds
/// of the processor, for one message as for many. A search looks through up to `TAIL_JOBS_MAX` rows that wait, so what
/// has not been indexed is found all the same; this leaves room for what comes while a commit is being made.
pub const INDEX_WORTHWHILE_JOBS: usize = 1_000;

impl MessageIndex {
    /// Whether [`MessageIndex::keep_up`] may have something to do. Takes microseconds and may be asked anywhere.
    ///
    /// # Errors
    /// The records cannot be read.
    pub fn has_work(&self, store: &Store) -> Result<bool, SearchError> {
        if !self.inner.settled.load(Ordering::Acquire) || self.inner.damaged.load(Ordering::Acquire) {
            return Ok(true);
        }
        Ok(store.snapshot()?.count::<OutboxRow>()? >= INDEX_WORTHWHILE_JOBS as u64)
    }

    /// [`MessageIndex::catch_up`] for a running engine: lets outbox rows wait until they are worth it.
    ///
    /// # Errors
    /// As for [`MessageIndex::catch_up`].
    pub fn keep_up(&self, store: &Store) -> Result<usize, SearchError> {
        self.bring_up(store, INDEX_WORTHWHILE_JOBS)
    }

    /// Does the index work that waits, and answers how many outbox rows that were. Makes the index anew from the
    /// records when it is missing, damaged, of another version, or ahead of the store (an older store was put back).
    /// Blocks, for seconds after an import; costs next to nothing when there is no work.
    ///
    /// # Errors
    /// The records or the disk fail. What was done stays done; the next call goes on from there.
    pub fn catch_up(&self, store: &Store) -> Result<usize, SearchError> {
        self.bring_up(store, 1)
    }

    fn bring_up(&self, store: &Store, least: usize) -> Result<usize, SearchError> {
        let _alone = self.inner.writing.lock().unwrap_or_else(PoisonError::into_inner);
        if self.inner.damaged.load(Ordering::Acquire) {
            self.inner.clear()?;
        }
        match self.inner.attempt(store, least) {
            Ok(done) => Ok(done),
            Err(Trouble::Other(error)) => Err(error),
            Err(Trouble::Damaged(detail)) => {
                self.inner.set_damaged(&detail);
                self.inner.clear()?;
                self.inner.attempt(store, least).map_err(plain)
            }
        }
    }
}

fn plain(trouble: Trouble) -> SearchError {
    match trouble {
        Trouble::Damaged(detail) => SearchError::Index(detail),
        Trouble::Other(error) => error,
    }
}

impl Inner {
    /// tantivy may panic on damaged files.
    fn attempt(&self, store: &Store, least: usize) -> Result<usize, Trouble> {
        catch_unwind(AssertUnwindSafe(|| self.work(store, least)))
            .unwrap_or_else(|_| Err(Trouble::Damaged("writing it failed".into())))
    }

    fn clear(&self) -> Result<(), SearchError> {
        *self.opened() = None;
        self.place.clear().map_err(plain)?;
        self.damaged.store(false, Ordering::Release);
        self.settled.store(false, Ordering::Release);
        Ok(())
    }

    /// `least` is how many outbox rows are worth a commit.
    fn work(&self, store: &Store, least: usize) -> Result<usize, Trouble> {
        let snapshot = store.snapshot()?;
        let nothing_yet = matches!(self.place, Place::Folder(_)) && !self.place.exists();
        if nothing_yet && snapshot.count::<MessageRecord>()? == 0 && snapshot.count::<OutboxRow>()? == 0 {
            // An empty home does not pay for an index.
            self.settled.store(true, Ordering::Release);
            return Ok(0);
        }
        let opened = self.opened_or_made()?;
        let position = opened.position()?;
        let mut work = Work { opened: &opened, writer: None };
        let mut done = 0;
        let newest = snapshot.counter(OUTBOX_COUNTER)?;
        if position.is_none_or(|position| position > newest) {
            work.rebuild(&snapshot, newest)?;
            // All that waited when the snapshot was taken is in by now.
            done += empty_outbox(store, newest)?;
        }
        let waiting = snapshot.count::<OutboxRow>()?;
        drop(snapshot);
        if waiting >= least as u64 {
            loop {
                let jobs = work.step(store)?;
                done += jobs;
                if jobs == 0 {
                    break;
                }
            }
        }
        work.finish()?;
        self.settled.store(true, Ordering::Release);
        Ok(done)
    }
}

/// Index work with the writer it needs, which is opened at the first job: its arena is most of the engine's memory.
struct Work<'a> {
    opened: &'a Opened,
    writer: Option<IndexWriter>,
}

impl Work<'_> {
    fn writer(&mut self) -> Result<&mut IndexWriter, Trouble> {
        match &mut self.writer {
            Some(writer) => Ok(writer),
            none => Ok(none.insert(self.opened.writer()?)),
        }
    }

    /// Everything from the records. The position is written with the last commit, so a crash before it begins again.
    fn rebuild(&mut self, snapshot: &Snapshot, position: u64) -> Result<(), Trouble> {
        tracing::info!("the search index is being made from the records");
        let opened = self.opened;
        let writer = self.writer()?;
        writer.delete_all_documents()?;
        for session in snapshot.all::<SessionRecord>()? {
            let session = session?;
            if session.incognito {
                continue;
            }
            for message in snapshot.prefix::<MessageRecord>(&session.id)? {
                let message = message?;
                if is_searchable(&message) {
                    opened.add(writer, &message)?;
                }
            }
        }
        opened.commit(writer, position)
    }

    /// One commit's worth of outbox rows; zero when there are none left.
    fn step(&mut self, store: &Store) -> Result<usize, Trouble> {
        let snapshot = store.snapshot()?;
        let rows = snapshot.all::<OutboxRow>()?.take(INDEX_COMMIT_JOBS_MAX);
        let rows: Vec<OutboxRow> = rows.collect::<Result<_, _>>()?;
        let Some(last) = rows.last().map(|row| row.number) else { return Ok(0) };
        let opened = self.opened;
        let writer = self.writer()?;
        for row in &rows {
            perform(opened, writer, &snapshot, &row.job)?;
        }
        drop(snapshot);
        opened.commit(writer, last)?;
        Ok(empty_outbox(store, last)?)
    }

    /// Lets merges end and gives the memory back.
    fn finish(self) -> Result<(), Trouble> {
        self.writer.map_or(Ok(()), |writer| Ok(writer.wait_merging_threads()?))
    }
}

/// Deletes the rows up to a number, a bounded many at a time, and answers how many there were.
fn empty_outbox(store: &Store, last: u64) -> Result<usize, StoreError> {
    let mut done = 0;
    loop {
        let rows = store.snapshot()?.range::<OutboxRow>(..=last)?.take(INDEX_COMMIT_JOBS_MAX).count();
        if rows == 0 {
            return Ok(done);
        }
        let mut batch = Batch::new();
        batch.delete_below::<OutboxRow>(&(last + 1), rows);
        store.commit_now(batch)?;
        done += rows;
    }
}

fn perform(opened: &Opened, writer: &IndexWriter, snapshot: &Snapshot, job: &IndexJob) -> Result<(), Trouble> {
    match job {
        IndexJob::Searched(_) => {}
        IndexJob::SessionGone { session_id } => opened.remove(writer, opened.fields.session, session_id.as_str()),
        IndexJob::Message { session_id, ordinal, message_id } => {
            opened.remove(writer, opened.fields.id, message_id.as_str());
            let message = snapshot.get::<MessageRecord>(&(session_id.clone(), *ordinal))?;
            let wanted = message.filter(|message| message.id == *message_id && is_searchable(message));
            if let Some(message) = wanted
                && is_visible(snapshot, session_id)?
            {
                opened.add(writer, &message)?;
            }
        }
    }
    Ok(())
}
