//! What the handle and the background work know together: the spaces, what is wrong, and the last search texts.
//!
//! It is memory only. What must outlive a restart is rows: the spaces, and one row per text that lacks a vector.

use super::{EmbeddingState, QueryVector};
use protocol::model::{BUILTIN_MODEL, ModelName, is_builtin};
use rules::embeddings::{BUILTIN_SPACE, SpaceState, Spaces, pause_s};
use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::sync::Arc;
use tokio::time::{Duration, Instant};

/// Search texts whose vectors are remembered (contract: seam of the memory parts). A chat asks for the same few again.
const CACHE_MAX: usize = 64;

/// How far a model's space is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Texts that have their vector.
    pub done: usize,
    pub total: usize,
}

impl fmt::Display for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Reading memory for search by meaning: {} of {}.", self.done, self.total)
    }
}

#[derive(Default)]
pub(super) struct Board {
    pub(super) spaces: Spaces,
    /// Texts that lack a vector of the configured model.
    pub(super) waiting: usize,
    pub(super) progress: Option<Progress>,
    /// A model made vectors of another length than those it made before.
    pub(super) met: Option<(ModelName, usize)>,
    /// Models that failed: the configured one and the one before it.
    away: BTreeMap<ModelName, Away>,
    cache: VecDeque<(String, QueryVector)>,
}

/// How a model failed.
struct Away {
    failures: u32,
    until: Instant,
    why: String,
}

impl Board {
    pub(super) fn state(&self, configured: &ModelName) -> EmbeddingState {
        let serving = self.spaces.serving(configured, self.waiting).filter(|space| !self.is_away(&space.model));
        let model = serving.map_or_else(|| BUILTIN_MODEL.to_owned(), |space| space.model.to_string());
        let space = serving.map_or_else(|| BUILTIN_SPACE.to_owned(), |space| space.name.clone());
        let error = self.away.get(configured).map(|away| {
            let instead = match is_builtin(&model) {
                true => "Until then the built-in model searches by meaning.".to_owned(),
                false => format!("Until then {model} searches by meaning."),
            };
            format!("{} {instead}", away.why)
        });
        let progress =
            self.progress.filter(|_| self.spaces.of(configured).is_some_and(|s| s.state != SpaceState::Whole));
        EmbeddingState { searching_by_meaning: true, error, model, space, progress }
    }

    /// Whether the model failed a moment ago and is left alone.
    pub(super) fn is_away(&self, model: &ModelName) -> bool {
        self.away.get(model).is_some_and(|away| Instant::now() < away.until)
    }

    /// The model failed.
    pub(super) fn failed(&mut self, model: &ModelName, why: &str) {
        let failures = self.away.get(model).map_or(0, |away| away.failures).saturating_add(1);
        let until = Instant::now() + Duration::from_secs(pause_s(failures));
        tracing::info!(%model, failures, why, "vectors cannot be made");
        self.away.insert(model.clone(), Away { failures, until, why: why.to_owned() });
    }

    /// The model answered.
    pub(super) fn answered(&mut self, model: &ModelName) {
        self.away.remove(model);
    }

    /// The settings changed: whatever failed may work now.
    pub(super) fn try_again(&mut self) {
        self.away.clear();
    }

    pub(super) fn cached(&mut self, space: &str, text: &str) -> Option<QueryVector> {
        let at = self.cache.iter().position(|(known, vector)| known == text && vector.space == space)?;
        let hit = self.cache.remove(at)?;
        self.cache.push_back(hit.clone());
        Some(hit.1)
    }

    pub(super) fn remember(&mut self, space: &str, text: &str, vector: &Arc<[f32]>) {
        self.cache.push_back((text.to_owned(), QueryVector { space: space.to_owned(), vector: vector.clone() }));
        if self.cache.len() > CACHE_MAX {
            self.cache.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vector() -> Arc<[f32]> {
        Arc::from([1.0])
    }

    #[test]
    fn the_last_texts_are_remembered_each_in_its_space() {
        let mut board = Board::default();
        for number in 0..CACHE_MAX {
            board.remember("a", &number.to_string(), &vector());
        }
        assert!(board.cached("b", "0").is_none(), "another space");
        assert!(board.cached("a", "0").is_some(), "and it is the newest now");
        board.remember("a", "one more", &vector());
        assert!(board.cached("a", "0").is_some() && board.cached("a", "one more").is_some());
        assert!(board.cached("a", "1").is_none(), "the one not asked for longest went");
    }

    #[tokio::test(start_paused = true)]
    async fn a_model_that_failed_is_left_alone_for_a_while_and_said_so() {
        let (a, b) = (ModelName("ollama/a".into()), ModelName("ollama/b".into()));
        let mut board = Board::default();
        board.failed(&a, "Ollama isn't running.");
        assert!(board.is_away(&a) && !board.is_away(&b));
        let state = board.state(&a);
        let error = state.error.expect("said");
        assert_eq!(error, "Ollama isn't running. Until then the built-in model searches by meaning.");
        assert_eq!((state.model.as_str(), state.searching_by_meaning), ("builtin", true));
        assert_eq!(board.state(&b).error, None, "nobody uses it");
        tokio::time::advance(Duration::from_secs(pause_s(1))).await;
        assert!(!board.is_away(&a), "it is tried again");
        assert!(board.state(&a).error.is_some(), "and still said until it answers");
        board.failed(&a, "Ollama isn't running.");
        tokio::time::advance(Duration::from_secs(pause_s(1))).await;
        assert!(board.is_away(&a), "longer this time");
        board.answered(&a);
        assert!(!board.is_away(&a) && board.state(&a).error.is_none());
    }
}
