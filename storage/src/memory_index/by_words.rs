//! The index of words of one kind: asked together with its tail, and brought up to date from the outbox.
//!
//! A damaged index answers nothing and is made anew from the records; until then the tail still answers.

use super::forms::forms;
use super::schema::{Opened, Place, id_of};
use super::tail::{Tail, Weights, text_of};
use super::texts;
use crate::records::{Searched, SearchedChange, SearchedKind};
use crate::search::error::{SearchError, Trouble};
use crate::search::words::Cut;
use crate::store::SEARCHED_COUNTER;
use crate::{Snapshot, Store, StoreError};
use std::collections::{BTreeSet, HashSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tantivy::collector::TopDocs;
use tantivy::query::{BooleanQuery, Occur, Query, TermQuery};
use tantivy::schema::IndexRecordOption;
use tantivy::{IndexWriter, Searcher, Term};

/// Different words of a question that are looked for. Ours: twice what the ranking counts.
pub const ASKED_WORDS_MAX: usize = 20;
/// How often the index is asked for more because hits may not be shown.
const PAGES_MAX: usize = 6;
/// By how much each page is longer than the one before.
const PAGE_GROWTH: usize = 3;

pub(super) struct ByWords {
    kind: SearchedKind,
    place: Place,
    opened: Mutex<Option<Opened>>,
    tail: Mutex<Tail>,
    /// A search found the files damaged; the next work makes them anew.
    damaged: AtomicBool,
    /// It has been brought up to date since it was opened or made anew.
    pub(super) settled: AtomicBool,
}

/// One search for words.
pub(super) struct Wanted<'a> {
    pub(super) asked: Vec<String>,
    pub(super) k: usize,
    pub(super) keep: &'a dyn Fn(u64) -> bool,
}

/// The different words of a question.
pub(super) fn asked(query: &str) -> Vec<String> {
    let mut distinct: Vec<String> = Vec::new();
    for word in forms(query, Cut::Question) {
        if distinct.len() < ASKED_WORDS_MAX && !distinct.contains(&word.text) {
            distinct.push(word.text);
        }
    }
    distinct
}

impl ByWords {
    pub(super) fn new(kind: SearchedKind, place: Place) -> Self {
        Self {
            kind,
            place,
            opened: Mutex::default(),
            tail: Mutex::new(Tail::new(kind)),
            damaged: AtomicBool::new(false),
            settled: AtomicBool::new(false),
        }
    }

    /// Texts with any of the words, best first.
    pub(super) fn find(&self, store: &Store, wanted: &Wanted<'_>) -> Result<Vec<(u64, f32)>, SearchError> {
        if wanted.asked.is_empty() || wanted.k == 0 {
            return Ok(Vec::new());
        }
        let mut found = Vec::new();
        let asked = catch_unwind(AssertUnwindSafe(|| -> Result<(), Trouble> {
            let (mut search, index) = self.begin(store, wanted)?;
            // What the tail has is kept when the index fails.
            found.clone_from(&search.found);
            if let Some((opened, searcher)) = index {
                search.index(&opened, &searcher)?;
            }
            found = search.found;
            Ok(())
        }));
        match asked {
            Ok(Ok(())) => {}
            Ok(Err(Trouble::Other(SearchError::Store(error)))) => return Err(error.into()),
            Ok(Err(Trouble::Other(error))) => tracing::warn!(%error, "the index of memories could not be asked"),
            Ok(Err(Trouble::Damaged(detail))) => self.set_damaged(&detail),
            Err(_) => self.set_damaged("reading it failed"),
        }
        if self.damaged.load(Ordering::Acquire) && found.is_empty() {
            found = self.begin(store, wanted).map_err(plain)?.0.found;
        }
        found.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        found.truncate(wanted.k);
        Ok(found)
    }

    /// How rare each word is.
    pub(super) fn rarities(&self, store: &Store, asked: &[String]) -> Result<Vec<f32>, SearchError> {
        let mut tail = self.tail();
        tail.follow(&store.snapshot()?)?;
        let known = catch_unwind(AssertUnwindSafe(|| {
            let index = self.opened_if_there()?.map(|opened| (opened.clone(), opened.searcher()));
            weights(&tail, asked, index.as_ref())
        }));
        match known {
            Ok(Ok(weights)) => return Ok(weights.rarity),
            Ok(Err(Trouble::Damaged(detail))) => self.set_damaged(&detail),
            Ok(Err(Trouble::Other(error))) => tracing::warn!(%error, "the index of memories could not be asked"),
            Err(_) => self.set_damaged("reading it failed"),
        }
        Ok(weights(&tail, asked, None).map_err(plain)?.rarity)
    }

    /// What the index does not have yet, and the index as it is at this moment.
    ///
    /// The order matters. Upkeep commits, then lets the tail go of what is committed, then empties the outbox. So under the
    /// tail's lock the index has whatever the tail has let go of, and a snapshot taken after it has the rows of both: each
    /// hit is looked up in a snapshot that is not older than what found it.
    fn begin<'a>(
        &self,
        store: &Store,
        wanted: &'a Wanted<'a>,
    ) -> Result<(Search<'a>, Option<(Opened, Searcher)>), Trouble> {
        let mut tail = self.tail();
        let index = self.opened_if_there()?.map(|opened| (opened.clone(), opened.searcher()));
        let snapshot = store.snapshot()?;
        tail.follow(&snapshot)?;
        let weights = weights(&tail, &wanted.asked, index.as_ref())?;
        let seen = tail.changed().collect();
        let matches = tail.matches(&wanted.asked, &weights);
        drop(tail);
        let mut search = Search { snapshot, kind: self.kind, wanted, seen, found: Vec::new() };
        for (id, score) in matches {
            if (wanted.keep)(id) && search.is_there(id)? {
                search.found.push((id, score));
            }
        }
        Ok((search, index))
    }

    /// Does the work of `rows`, which end at the change `last`, and answers whether all of the index was made from the
    /// records instead.
    pub(super) fn work(&self, snapshot: &Snapshot, rows: &[SearchedChange]) -> Result<bool, SearchError> {
        match self.attempt(snapshot, rows) {
            Ok(anew) => Ok(anew),
            Err(Trouble::Other(error)) => Err(error),
            Err(Trouble::Damaged(detail)) => {
                self.set_damaged(&detail);
                self.attempt(snapshot, rows).map_err(plain)?;
                Ok(true)
            }
        }
    }

    /// tantivy may panic on damaged files.
    fn attempt(&self, snapshot: &Snapshot, rows: &[SearchedChange]) -> Result<bool, Trouble> {
        let done = catch_unwind(AssertUnwindSafe(|| {
            if self.damaged.load(Ordering::Acquire) {
                *self.opened() = None;
                self.place.clear()?;
                self.damaged.store(false, Ordering::Release);
            }
            self.bring_up(snapshot, rows)
        }));
        done.unwrap_or_else(|_| Err(Trouble::Damaged("writing it failed".into())))
    }

    fn bring_up(&self, snapshot: &Snapshot, rows: &[SearchedChange]) -> Result<bool, Trouble> {
        let nothing_yet = matches!(self.place, Place::Folder(_)) && !self.place.exists();
        if nothing_yet && texts::none(snapshot, self.kind)? {
            // An empty home does not pay for an index.
            self.settled.store(true, Ordering::Release);
            return Ok(false);
        }
        let opened = self.opened_or_made()?;
        let newest = snapshot.counter(SEARCHED_COUNTER)?;
        let position = opened.position()?.filter(|position| *position <= newest);
        if position.is_none() {
            tracing::info!("the index of memories is being made from the records");
            write(&opened, newest, |writer| {
                writer.delete_all_documents()?;
                texts::every(snapshot, self.kind, &mut |id, text| opened.add(writer, id, text))
            })?;
            self.tail().forget(newest);
        } else if let Some(last) = rows.last() {
            let later = rows.iter().filter(|row| position.is_some_and(|position| row.number > position));
            let changed: BTreeSet<u64> = later.filter_map(|row| text_of(&row.change, self.kind)).collect();
            if !changed.is_empty() {
                write(&opened, last.number, |writer| {
                    for id in changed {
                        opened.remove(writer, id);
                        if let Some(text) = texts::text(snapshot, Searched::new(self.kind, id))? {
                            opened.add(writer, id, &text)?;
                        }
                    }
                    Ok(())
                })?;
            }
            self.tail().forget(last.number);
        }
        self.settled.store(true, Ordering::Release);
        Ok(position.is_none())
    }

    pub(super) fn has_work(&self) -> bool {
        !self.settled.load(Ordering::Acquire) || self.damaged.load(Ordering::Acquire)
    }

    fn tail(&self) -> MutexGuard<'_, Tail> {
        self.tail.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn opened(&self) -> MutexGuard<'_, Option<Opened>> {
        self.opened.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn opened_if_there(&self) -> Result<Option<Opened>, Trouble> {
        let mut opened = self.opened();
        if opened.is_none() && self.place.exists() && !self.damaged.load(Ordering::Acquire) {
            *opened = Some(self.place.open()?);
        }
        Ok(opened.clone())
    }

    fn opened_or_made(&self) -> Result<Opened, Trouble> {
        let mut opened = self.opened();
        match &*opened {
            Some(opened) => Ok(opened.clone()),
            None => Ok(opened.insert(self.place.open()?).clone()),
        }
    }

    fn set_damaged(&self, detail: &str) {
        tracing::warn!(detail, "the index of memories is damaged and will be made anew");
        self.damaged.store(true, Ordering::Release);
        self.settled.store(false, Ordering::Release);
        *self.opened() = None;
    }
}

fn plain(trouble: Trouble) -> SearchError {
    match trouble {
        Trouble::Damaged(detail) => SearchError::Index(detail),
        Trouble::Other(error) => error,
    }
}

/// One commit. The writer's arena is most of the engine's memory, so it exists only here.
fn write(
    opened: &Opened,
    position: u64,
    fill: impl FnOnce(&IndexWriter) -> Result<(), Trouble>,
) -> Result<(), Trouble> {
    let mut writer = opened.writer()?;
    fill(&writer)?;
    opened.commit(&mut writer, position)?;
    opened.finish(writer)
}

/// How rare each word is and how long texts are, in the index and the tail together. A text that is in both counts twice,
/// which a weight can bear.
fn weights(tail: &Tail, asked: &[String], index: Option<&(Opened, Searcher)>) -> Result<Weights, Trouble> {
    let mut counts = tail.counts(asked);
    if let Some((opened, searcher)) = index {
        for segment in searcher.segment_readers() {
            counts.texts += u64::from(segment.num_docs());
            counts.words += segment.inverted_index(opened.text)?.total_num_tokens();
        }
        for (with, word) in counts.with.iter_mut().zip(asked) {
            *with += searcher.doc_freq(&Term::from_field_text(opened.text, word))?;
        }
    }
    Ok(counts.weights())
}

struct Search<'a> {
    snapshot: Snapshot,
    kind: SearchedKind,
    wanted: &'a Wanted<'a>,
    /// What has been looked at, or must be taken from the tail alone.
    seen: HashSet<u64>,
    found: Vec<(u64, f32)>,
}

impl Search<'_> {
    /// Whether the text may be found in this snapshot.
    fn is_there(&self, id: u64) -> Result<bool, StoreError> {
        texts::may_be_found(&self.snapshot, Searched::new(self.kind, id))
    }

    /// Asks the index, page by page, until there are enough hits that may be shown.
    fn index(&mut self, opened: &Opened, searcher: &Searcher) -> Result<(), Trouble> {
        let words = self.wanted.asked.iter().map(|word| {
            let term = Term::from_field_text(opened.text, word);
            let query: Box<dyn Query> = Box::new(TermQuery::new(term, IndexRecordOption::WithFreqs));
            (Occur::Should, query)
        });
        let query = BooleanQuery::new(words.collect());
        let mut page = self.wanted.k + self.seen.len().min(self.wanted.k);
        let mut offset = 0;
        let mut shown = 0;
        for _ in 0..PAGES_MAX {
            let top = TopDocs::with_limit(page).and_offset(offset).order_by_score();
            let documents = searcher.search(&query, &top)?;
            let last = documents.len() < page;
            for (score, address) in documents {
                let Some(id) = id_of(searcher, address)? else { continue };
                if self.seen.insert(id) && (self.wanted.keep)(id) && self.is_there(id)? {
                    self.found.push((id, score));
                    shown += 1;
                    if shown >= self.wanted.k {
                        return Ok(());
                    }
                }
            }
            if last {
                break;
            }
            offset += page;
            page *= PAGE_GROWTH;
        }
        Ok(())
    }
}
