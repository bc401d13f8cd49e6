//! Finding memories: by meaning and by words at once, in the order of `rules::memory::ranking`.
//!
//! It shows only what its snapshot of the records holds: never what waits for review, was folded into another memory, has
//! expired or is kept for another scope. It changes nothing, and does not count; whoever gives a memory to a model tells
//! the memory role.

mod find;
#[cfg(test)]
mod tests;

pub use find::Finder;

use crate::embeddings::Embeddings;
use protocol::config::Config;
use protocol::{Error, ErrorKind};
use rules::memory::ranking::Weighing;
use runtime::World;
use std::sync::Arc;
use storage::records::{FactRecord, FactState};
use storage::{MemoryIndex, Store};
use tokio::sync::watch;

/// Memories of one answer at most. Ours: about what a window shows of a search.
pub(super) const RECALLED_MAX: usize = 500;
/// Characters of a question that are looked at. Ours.
pub(super) const QUESTION_CHARS_MAX: usize = 4_000;

/// Finds memories. Cheap to clone.
#[derive(Clone)]
pub struct Recall {
    store: Store,
    index: MemoryIndex,
    embeddings: Embeddings,
    config: watch::Receiver<Arc<Config>>,
    world: World,
}

/// A question to memory.
#[derive(Clone, Debug, Default)]
pub struct RecallAsk {
    pub text: String,
    /// Only what is kept for these; `None` for all. Whoever reads for a chat names its scope and `always`.
    pub scopes: Option<Vec<String>>,
    /// Only what this source said, first or again.
    pub sources: Option<String>,
    /// Only these; empty for current ones alone.
    pub states: Vec<FactState>,
    /// At most [`RECALLED_MAX`].
    pub limit: usize,
}

/// A memory that answers a question.
#[derive(Clone, Debug, PartialEq)]
pub struct RecalledFact {
    pub fact: FactRecord,
    /// Cosine of the memory and the question; 0 when one of them has no vector now.
    pub similarity: f32,
    /// How much of what the question's words say the memory has (`ranking::Share::said`).
    pub share: f32,
    /// What answers are ordered by.
    pub score: f32,
}

impl Recall {
    pub fn new(
        store: Store,
        index: MemoryIndex,
        embeddings: Embeddings,
        config: watch::Receiver<Arc<Config>>,
        world: World,
    ) -> Self {
        Self { store, index, embeddings, config, world }
    }

    /// The memories that answer a question, best first.
    ///
    /// # Errors
    /// The records cannot be read. Without vectors it goes by words alone, and the other way round.
    pub async fn facts(&self, ask: RecallAsk) -> Result<Vec<RecalledFact>, Error> {
        if ask.limit == 0 || ask.text.trim().is_empty() {
            return Ok(Vec::new());
        }
        if self.store.snapshot()?.count::<FactRecord>()? == 0 {
            return Ok(Vec::new()); // a new home: not worth a thread
        }
        let asked = self.embeddings.query(&ask.text).await;
        let weighing = weighing(&self.config.borrow());
        let finder = Finder { store: self.store.clone(), index: self.index.clone(), now: self.world.now(), weighing };
        let found = tokio::task::spawn_blocking(move || finder.find(&ask, asked.as_ref())).await;
        found.map_err(|cause| Error::new(ErrorKind::Unavailable, cause.to_string()))?
    }
}

/// What the settings say about ranking.
#[expect(clippy::cast_possible_truncation, reason = "settings between 0 and 1")]
pub fn weighing(config: &Config) -> Weighing {
    Weighing {
        keyword_weight: config.memory.keyword_weight as f32,
        min_similarity: config.memory.min_similarity as f32,
    }
}
