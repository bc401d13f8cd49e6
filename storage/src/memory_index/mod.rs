//! Finding memories and other short texts by their meaning and by their words.
//!
//! Everything here is disposable: vectors and texts are rows, the index follows them through the outbox, and every hit is
//! looked up in the records before it is answered. It never answers a text that is gone, waits for review or was folded
//! into another, and it never decides what a person wants to see: `keep` does. Everything blocks: call it from
//! `spawn_blocking`.

mod by_words;
mod codes;
mod forms;
mod lists;
mod meaning;
mod schema;
mod shelf;
mod tail;
#[cfg(test)]
mod tests;
mod texts;
mod upkeep;

pub use crate::search::SearchError;
pub use by_words::ASKED_WORDS_MAX;
pub use forms::form;
pub use meaning::Nearest;
pub use tail::TAIL_CHANGES_MAX;
pub use texts::{every_text, no_texts, text, text_guarded};
pub use upkeep::{CaughtUp, FORGOTTEN_WORDS_LOOKS, SEARCHED_STEP_MAX, SEARCHED_WORTHWHILE, SHELF_IDLE_LOOKS};

use crate::Store;
use crate::records::SearchedKind;
use crate::search::words::{Cut, words};
use by_words::{ByWords, Wanted};
use forms::forms;
use meaning::Meaning;
use schema::Place;
use std::collections::HashSet;
use std::fmt;
use std::path::Path;
use std::sync::atomic::AtomicU32;
use std::sync::{Arc, Mutex};

/// The index of what is searched. Clones are the same index.
#[derive(Clone)]
pub struct MemoryIndex {
    inner: Arc<Inner>,
}

struct Inner {
    words: [ByWords; 4],
    meaning: Meaning,
    /// One piece of upkeep at a time.
    writing: Mutex<()>,
    /// Looks since nothing waited.
    waited: AtomicU32,
}

impl MemoryIndex {
    /// The index of the data folder `home`, in `<home>/index/memory/`. Touches no file until it is used.
    pub fn open(home: &Path) -> Self {
        let folder = home.join("index").join("memory");
        Self::at(lists::EXACT_MAX, |kind| Place::Folder(folder.join(format!("{kind:?}").to_lowercase())))
    }

    /// An index that is gone with its last handle.
    pub fn in_memory() -> Self {
        Self::at(lists::EXACT_MAX, |_| Place::Memory)
    }

    fn at(exact_max: usize, place: impl Fn(SearchedKind) -> Place) -> Self {
        let inner = Inner {
            words: SearchedKind::ALL.map(|kind| ByWords::new(kind, place(kind))),
            meaning: Meaning::new(exact_max),
            writing: Mutex::default(),
            waited: AtomicU32::new(0),
        };
        Self { inner: Arc::new(inner) }
    }

    /// The `k` texts of a kind whose meaning is nearest to `query`, a vector of the same space: their numbers with the
    /// cosine, best first. `keep` is asked of candidates only; what it refuses takes nobody's place. What is committed is
    /// found at once. Exact up to 50,000 vectors, nearly so above.
    ///
    /// # Errors
    /// The records cannot be read.
    #[expect(clippy::too_many_arguments, reason = "where, what, how many and which: a search is no less")]
    pub fn nearest(
        &self,
        store: &Store,
        (space, kind): (&str, SearchedKind),
        query: &[f32],
        k: usize,
        keep: &dyn Fn(u64) -> bool,
    ) -> Result<Vec<(u64, f32)>, SearchError> {
        self.nearest_of(store, &Nearest { space, kind, query, k, least: -1.0 }, keep)
    }

    /// [`MemoryIndex::nearest`] with a cosine below which nothing is wanted, which is quicker where `keep` refuses much.
    ///
    /// # Errors
    /// As for [`MemoryIndex::nearest`].
    pub fn nearest_of(
        &self,
        store: &Store,
        nearest: &Nearest<'_>,
        keep: &dyn Fn(u64) -> bool,
    ) -> Result<Vec<(u64, f32)>, SearchError> {
        Ok(self.inner.meaning.find(store, nearest, keep)?)
    }

    /// The `k` texts of a kind with the words of `query` (BM25 over any of them), best first. `keep` as for
    /// [`MemoryIndex::nearest`].
    ///
    /// # Errors
    /// The records cannot be read. Trouble with the index only makes it find less.
    #[expect(clippy::too_many_arguments, reason = "where, what, how many and which: a search is no less")]
    pub fn words(
        &self,
        store: &Store,
        kind: SearchedKind,
        query: &str,
        k: usize,
        keep: &dyn Fn(u64) -> bool,
    ) -> Result<Vec<(u64, f32)>, SearchError> {
        let wanted = Wanted { asked: by_words::asked(query), k, keep };
        self.by_words(kind).find(store, &wanted)
    }

    /// How rare each word is among the texts of a kind: the inverse document frequency in nats. Words in the form in which
    /// they are compared.
    ///
    /// # Errors
    /// The records cannot be read. Trouble with the index only makes words look rarer than they are.
    pub fn rarities(&self, store: &Store, kind: SearchedKind, words: &[String]) -> Result<Vec<f32>, SearchError> {
        self.by_words(kind).rarities(store, words)
    }

    fn by_words(&self, kind: SearchedKind) -> &ByWords {
        &self.inner.words[usize::from(kind.number())]
    }
}

/// The different words of a question, in its order: lower case, without accents, scripts without spaces as pairs of
/// neighbours. [`form`] makes of each what is compared.
pub fn question_words(question: &str) -> Vec<String> {
    let mut seen = HashSet::new();
    let cut = words(question, Cut::Question).into_iter().map(|word| word.text);
    cut.filter(|word| seen.insert(word.clone())).collect()
}

/// The different words of a text, in the form in which they are compared.
pub fn text_words(text: &str) -> HashSet<String> {
    forms(text, Cut::Message).into_iter().map(|word| word.text).collect()
}

impl fmt::Debug for MemoryIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryIndex").finish_non_exhaustive()
    }
}
