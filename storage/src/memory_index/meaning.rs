//! Asking by meaning: candidates from the shelves in memory, their true nearness from the records.
//!
//! A shelf is read on its first question, follows what is committed, and leaves memory when nobody asks for a while. It is
//! never trusted: a hit counts only with its vector and its text in the snapshot of the question.

use super::codes::Asked;
use super::lists::{Centres, should_be_cut};
use super::shelf::{Breadth, Label, Shelf};
use super::texts;
use crate::records::{Searched, SearchedKind};
use crate::store::SEARCHED_COUNTER;
use crate::{Snapshot, Store, StoreError, vectors};
use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// Candidates of the first look, as a multiple of what is wanted.
const FIRST_LOOK: usize = 4;
/// Hits beyond those wanted whose true nearness is looked at: a code may have put neighbours in the wrong order.
const BEYOND: usize = 8;
/// How far a code's nearness may be from the true one.
const CODE_ERROR: f32 = 0.02;
/// Each further look takes this many times more candidates.
const LOOK_GROWTH: usize = 8;

/// One question by meaning.
#[derive(Clone, Copy, Debug)]
pub struct Nearest<'a> {
    pub space: &'a str,
    pub kind: SearchedKind,
    /// A vector of that space, of any length but zero.
    pub query: &'a [f32],
    pub k: usize,
    /// The cosine below which nothing is wanted; -1 for all.
    pub least: f32,
}

/// The shelves that are in memory.
pub(super) struct Meaning {
    shelves: Mutex<HashMap<Label, Arc<Kept>>>,
    /// Vectors up to which a shelf is one list.
    exact_max: usize,
}

/// A shelf, or the place for one.
#[derive(Default)]
struct Kept {
    shelf: RwLock<Option<Shelf>>,
    /// How it was cut the last time. Small, and finding it is most of the work, so it stays when the shelf goes.
    centres: Mutex<Option<Centres>>,
    /// Looks of the upkeep since the last question.
    idle: AtomicU32,
}

impl Kept {
    fn read(&self) -> RwLockReadGuard<'_, Option<Shelf>> {
        self.shelf.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Option<Shelf>> {
        self.shelf.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// The shelf and a snapshot of the same moment: while the shelf is held it does not move on, so a candidate is looked up
    /// in just the records it was read from.
    fn followed(&self, store: &Store, label: &Label) -> Result<Held<'_>, StoreError> {
        let shelf = self.read();
        let snapshot = store.snapshot()?;
        let newest = snapshot.counter(SEARCHED_COUNTER)?;
        if shelf.as_ref().is_some_and(|shelf| shelf.position >= newest) {
            return Ok(Held { shelf, snapshot });
        }
        drop((shelf, snapshot));
        let mut shelf = self.write();
        let snapshot = store.snapshot()?;
        match &mut *shelf {
            Some(shelf) => shelf.follow(&snapshot, label)?,
            none => *none = Some(Shelf::load(&snapshot, label, None)?),
        }
        Ok(Held { shelf: RwLockWriteGuard::downgrade(shelf), snapshot })
    }
}

/// A shelf that stays as it is, and the records of that moment.
struct Held<'a> {
    shelf: RwLockReadGuard<'a, Option<Shelf>>,
    snapshot: Snapshot,
}

impl Meaning {
    pub(super) fn new(exact_max: usize) -> Self {
        Self { shelves: Mutex::default(), exact_max }
    }

    fn all(&self) -> Vec<(Label, Arc<Kept>)> {
        let shelves = self.shelves.lock().unwrap_or_else(PoisonError::into_inner);
        shelves.iter().map(|(label, kept)| (label.clone(), Arc::clone(kept))).collect()
    }

    fn kept(&self, label: &Label) -> Arc<Kept> {
        let mut shelves = self.shelves.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(shelves.entry(label.clone()).or_default())
    }

    /// The nearest texts with their cosine, best first.
    pub(super) fn find(
        &self,
        store: &Store,
        nearest: &Nearest<'_>,
        keep: &dyn Fn(u64) -> bool,
    ) -> Result<Vec<(u64, f32)>, StoreError> {
        let Some(query) = vectors::unit(nearest.query) else { return Ok(Vec::new()) };
        if nearest.k == 0 {
            return Ok(Vec::new());
        }
        let label = Label { space: nearest.space.to_owned(), kind: nearest.kind };
        let kept = self.kept(&label);
        kept.idle.store(0, Ordering::Relaxed);
        let asked = Asked::new(&query);
        let enough = nearest.k + BEYOND;
        let least = nearest.least - CODE_ERROR;
        let mut found = Vec::new();
        let mut seen = HashSet::new();
        let mut wanted = FIRST_LOOK * enough;
        // The lists nearby are asked first. Where they have too little that may be shown, all are.
        let mut breadth = Breadth::Near;
        loop {
            let (candidates, all, snapshot) = {
                let Held { shelf, snapshot } = kept.followed(store, &label)?;
                let Some(shelf) = &*shelf else { return Ok(Vec::new()) };
                let all = breadth == Breadth::All || shelf.lists() == 0;
                (shelf.candidates(&asked, wanted, least, breadth), all, snapshot)
            };
            let last = all && candidates.len() < wanted;
            for (_, id) in candidates {
                if found.len() >= enough {
                    break;
                }
                if seen.insert(id)
                    && keep(id)
                    && let Some(cosine) = cosine_of(&snapshot, &label, id, &query)?
                {
                    found.push((id, cosine));
                }
            }
            if found.len() >= enough || last {
                break;
            }
            breadth = Breadth::All;
            wanted *= LOOK_GROWTH;
        }
        found.retain(|(_, cosine)| *cosine >= nearest.least);
        found.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        found.truncate(nearest.k);
        Ok(found)
    }

    /// Brings what is in memory to the state of a snapshot, so that the outbox may be emptied up to it.
    pub(super) fn follow(&self, snapshot: &Snapshot) -> Result<(), StoreError> {
        for (label, kept) in self.all() {
            if let Some(shelf) = &mut *kept.write() {
                shelf.follow(snapshot, &label)?;
            }
        }
        Ok(())
    }

    /// Lets go of shelves that nobody has asked for during `looks` calls of this.
    pub(super) fn rest(&self, looks: u32) {
        for (_, kept) in self.all() {
            // An upkeep that is cutting it right now puts it back; it goes with the next look then.
            if kept.idle.fetch_add(1, Ordering::Relaxed) >= looks {
                *kept.write() = None;
            }
        }
    }

    /// Cuts shelves that have grown too long into lists, while questions go on with them as they are. Answers how many.
    pub(super) fn cut(&self, store: &Store) -> Result<usize, StoreError> {
        let mut cut = 0;
        for (label, kept) in self.all() {
            let Some(centres) = self.centres_for(&kept) else { continue };
            tracing::info!(lists = centres.len(), "vectors are cut into lists");
            let shelf = Shelf::load(&store.snapshot()?, &label, Some(centres.clone()))?;
            *kept.centres.lock().unwrap_or_else(PoisonError::into_inner) = Some(centres);
            *kept.write() = Some(shelf);
            cut += 1;
        }
        Ok(cut)
    }

    /// Where to cut a shelf that should be cut: as the last time, or anew when it has grown far beyond that.
    fn centres_for(&self, kept: &Kept) -> Option<Centres> {
        let (sample, vectors) = {
            let shelf = kept.read();
            let shelf = shelf.as_ref().filter(|shelf| self.is_long(shelf))?;
            let known = kept.centres.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(centres) = &*known
                && !should_be_cut(shelf.len(), centres.len(), self.exact_max)
                && shelf.dimensions() == Some(centres.dimensions())
            {
                return Some(centres.clone());
            }
            (shelf.sample(Centres::sampled(shelf.len())), shelf.len())
        };
        Centres::find(&sample, vectors)
    }

    fn is_long(&self, shelf: &Shelf) -> bool {
        should_be_cut(shelf.len(), shelf.lists(), self.exact_max)
    }

    /// Whether [`Meaning::cut`] has something to do.
    pub(super) fn has_work(&self) -> bool {
        self.all().iter().any(|(_, kept)| kept.read().as_ref().is_some_and(|shelf| self.is_long(shelf)))
    }

    /// How many vectors are in memory.
    pub(super) fn in_memory(&self) -> usize {
        self.all().iter().map(|(_, kept)| kept.read().as_ref().map_or(0, Shelf::len)).sum()
    }
}

/// The true cosine; `None` when the text has no vector in this snapshot or may not be found.
fn cosine_of(snapshot: &Snapshot, label: &Label, id: u64, query: &[f32]) -> Result<Option<f32>, StoreError> {
    let searched = Searched::new(label.kind, id);
    match vectors::of(snapshot, &label.space, searched)? {
        Some(row) if texts::may_be_found(snapshot, searched)? => Ok(vectors::cosine(&row, query)),
        _ => Ok(None),
    }
}
