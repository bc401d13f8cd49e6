//! The index follows the outbox: rows in order, one commit of the words for many, and only then are the rows deleted.
//!
//! A crash anywhere in between repeats work and loses none.

use super::{MemoryIndex, SearchError};
use crate::records::{Change, SearchedChange};
use crate::{Batch, Snapshot, Store};
use std::sync::PoisonError;
use std::sync::atomic::Ordering;

/// Changes of one commit of the words. Ours: a commit costs about 130 ms, however much is in it.
pub const SEARCHED_STEP_MAX: usize = 2_000;
/// Changes that are worth a commit while the engine runs. Until then they are searched in memory.
pub const SEARCHED_WORTHWHILE: usize = 500;
/// Looks ([`MemoryIndex::look`], one a second) without a question after which vectors leave memory: ten minutes.
pub const SHELF_IDLE_LOOKS: u32 = 600;
/// Looks after which work is done however little it is, when words are to be forgotten: a minute. They are never found
/// meanwhile, but they would be left in a file.
pub const FORGOTTEN_WORDS_LOOKS: u32 = 60;

/// What upkeep did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CaughtUp {
    /// Changes that were worked off.
    pub changes: usize,
    /// Indexes of words that were missing or damaged and were made anew from the records.
    pub made_anew: usize,
    /// Heaps of vectors that were cut into lists.
    pub cut: usize,
}

impl MemoryIndex {
    /// Whether [`MemoryIndex::keep_up`] may have something to do. Takes microseconds and may be asked anywhere.
    ///
    /// # Errors
    /// The records cannot be read.
    pub fn has_work(&self, store: &Store) -> Result<bool, SearchError> {
        if self.inner.words.iter().any(super::by_words::ByWords::has_work) || self.inner.meaning.has_work() {
            return Ok(true);
        }
        self.is_worthwhile(&store.snapshot()?, SEARCHED_WORTHWHILE)
    }

    /// [`MemoryIndex::catch_up`] for a running engine: lets changes wait until they are worth it.
    ///
    /// # Errors
    /// As for [`MemoryIndex::catch_up`].
    pub fn keep_up(&self, store: &Store) -> Result<CaughtUp, SearchError> {
        self.bring_up(store, SEARCHED_WORTHWHILE)
    }

    /// To be called once a second or so: counts how long nobody has asked and how long work waits. Takes microseconds.
    ///
    /// # Errors
    /// The records cannot be read.
    pub fn look(&self, store: &Store) -> Result<(), SearchError> {
        self.inner.meaning.rest(SHELF_IDLE_LOOKS);
        if store.snapshot()?.count::<SearchedChange>()? == 0 {
            self.inner.waited.store(0, Ordering::Relaxed);
        } else {
            self.inner.waited.fetch_add(1, Ordering::Relaxed);
        }
        Ok(())
    }

    /// Whether what waits is worth a commit.
    fn is_worthwhile(&self, snapshot: &Snapshot, least: usize) -> Result<bool, SearchError> {
        let waiting = snapshot.count::<SearchedChange>()?;
        if waiting >= least as u64 {
            return Ok(true);
        }
        if waiting == 0 || self.inner.waited.load(Ordering::Relaxed) < FORGOTTEN_WORDS_LOOKS {
            return Ok(false);
        }
        for row in snapshot.all::<SearchedChange>()? {
            if matches!(row?.change, Change::NoVectors(_)) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Vectors in memory now, of all spaces.
    pub fn vectors_in_memory(&self) -> usize {
        self.inner.meaning.in_memory()
    }

    /// Does the work that waits. Makes indexes of words anew from the records when they are missing, damaged, of another
    /// version, or ahead of the store (an older store was put back). Blocks, for seconds after an import; costs next to
    /// nothing when there is no work.
    ///
    /// # Errors
    /// The records or the disk fail. What was done stays done; the next call goes on from there.
    pub fn catch_up(&self, store: &Store) -> Result<CaughtUp, SearchError> {
        self.bring_up(store, 1)
    }

    fn bring_up(&self, store: &Store, least: usize) -> Result<CaughtUp, SearchError> {
        let _alone = self.inner.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let mut done = CaughtUp::default();
        // Once also when nothing waits: an index that is missing or damaged is made anew.
        let mut first = self.inner.words.iter().any(super::by_words::ByWords::has_work);
        loop {
            let snapshot = store.snapshot()?;
            let worthwhile = self.is_worthwhile(&snapshot, if done.changes > 0 { 1 } else { least })?;
            if !worthwhile && !first {
                break;
            }
            let rows = if worthwhile { SEARCHED_STEP_MAX } else { 0 };
            let rows: Vec<SearchedChange> = snapshot.all::<SearchedChange>()?.take(rows).collect::<Result<_, _>>()?;
            let last = rows.last().map_or(0, |row| row.number);
            let mut anew = 0;
            for words in &self.inner.words {
                anew += usize::from(words.work(&snapshot, &rows)?);
            }
            self.inner.meaning.follow(&snapshot)?;
            drop(snapshot);
            done.made_anew += anew;
            done.changes += empty_outbox(store, last)?;
            first = false;
        }
        done.cut = self.inner.meaning.cut(store)?;
        Ok(done)
    }
}

/// Deletes the rows up to a number, a bounded many at a time, and answers how many there were.
fn empty_outbox(store: &Store, last: u64) -> Result<usize, SearchError> {
    let mut done = 0;
    loop {
        let rows = store.snapshot()?.range::<SearchedChange>(..=last)?.take(SEARCHED_STEP_MAX).count();
        if rows == 0 {
            return Ok(done);
        }
        let mut batch = Batch::new();
        batch.delete_below::<SearchedChange>(&(last + 1), rows);
        store.commit_now(batch)?;
        done += rows;
    }
}
