//! Vectors for texts: which model makes them, and in which space they are compared.
//!
//! A text becomes a vector, and two texts mean the same when their vectors point the same way. Vectors of two models cannot
//! be compared, so every vector belongs to a space. [`Embeddings`] is the handle that everything which searches or saves
//! is given; it never fails a search: when no vector can be made, words still find what they find.
//!
//! The engine's own sentence model is always there, so every text has a vector at once. The model the person set is asked
//! in the background by the role [`Embedder`]; its space answers once it is whole, and the one before it until then.

mod board;
mod builtin;
mod outside;
mod pass;
mod query;
mod role;
mod spaces;
#[cfg(test)]
mod tests;

pub use board::Progress;
pub use outside::OutsideModels;
pub use role::{Embedder, EmbedderNeeds, Look};

use board::Board;
use outside::Made;
use protocol::Error;
use protocol::engine::ModelJob;
use protocol::model::{BUILTIN_MODEL, ModelError, ModelErrorKind, ModelName};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use storage::records::Searched;
use storage::{Batch, vectors};

/// Makes vectors. Cheap to clone. A new one has the builtin model alone, until the engine connects it.
#[derive(Clone, Default)]
pub struct Embeddings(Arc<Inner>);

#[derive(Default)]
struct Inner {
    outside: OnceLock<OutsideModels>,
    board: Mutex<Board>,
}

/// The vector of a search text, and the space it may be compared in.
#[derive(Clone, Debug, PartialEq)]
pub struct QueryVector {
    /// What vectors it may be compared with: `VectorRecord::space`. Take it as it is, never take it apart.
    pub space: String,
    /// Of length one.
    pub vector: Arc<[f32]>,
}

/// The vectors of several texts, all of one space.
#[derive(Clone, Debug, PartialEq)]
pub struct Embedded {
    pub space: String,
    /// One per text, in their order, of length one. `None` for a text without anything to go by, such as an empty one.
    pub vectors: Vec<Option<Arc<[f32]>>>,
}

/// How searching by meaning fares now.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EmbeddingState {
    /// Whether a search finds things by meaning, with whichever model.
    pub searching_by_meaning: bool,
    /// What is wrong with the configured model, in the person's words, and who answers in its place.
    pub error: Option<String>,
    /// The model whose vectors answer searches now: the configured one, the one before it, or `builtin`.
    pub model: String,
    /// Its space: `VectorRecord::space`.
    pub space: String,
    /// How far the configured model's space is, while it is being filled.
    pub progress: Option<Progress>,
}

impl Embeddings {
    /// Connects it to the models there are. Its [`Embedder`] is started with it and reads what the store says.
    pub(crate) fn connect(&self, outside: OutsideModels) {
        if self.0.outside.set(outside).is_err() {
            tracing::error!("a handle for vectors was connected twice: the first engine keeps it");
        }
    }

    /// The vector of a search text, within a bounded time. `None`: this text cannot be searched by meaning now, so go by
    /// its words.
    pub async fn query(&self, text: &str) -> Option<QueryVector> {
        query::query(self, text).await
    }

    /// Vectors for texts that are compared with each other or with what is stored, all in the space that searches use now.
    ///
    /// # Errors
    /// `TooLarge` for more than [`TEXTS_MAX`] texts.
    pub async fn texts(&self, texts: Vec<String>) -> Result<Embedded, Error> {
        query::texts(self, texts).await
    }

    /// How searching by meaning fares now.
    pub fn state(&self) -> EmbeddingState {
        self.board().state(&self.configured())
    }

    /// The model the person set.
    fn configured(&self) -> ModelName {
        self.0.outside.get().map_or_else(|| ModelName(BUILTIN_MODEL.to_owned()), OutsideModels::configured)
    }

    /// Asks a model.
    async fn ask(&self, model: &ModelName, texts: &[String], job: ModelJob) -> Result<Made, ModelError> {
        match self.0.outside.get() {
            Some(outside) => outside.embed(model, texts, job).await,
            None => Err(ModelError::new(ModelErrorKind::Unreachable, "The engine is starting.")),
        }
    }

    fn board(&self) -> MutexGuard<'_, Board> {
        self.0.board.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// For whoever writes or changes a searched text, in the same batch: leaves the work of its words and vectors, and gives it
/// its builtin vector at once, so that it is found by meaning as soon as it is stored.
pub fn changed(batch: &mut Batch, searched: Searched, text: &str) {
    vectors::changed(batch, searched);
    if let Some(record) = builtin::record(searched, text) {
        vectors::put(batch, &record);
    }
}

/// Texts of one call of [`Embeddings::texts`]. Ours.
pub const TEXTS_MAX: usize = 512;
