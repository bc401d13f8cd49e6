//! Vectors for texts: which model makes them, and in which space they are compared.
//!
//! A text becomes a vector, and two texts mean the same when their vectors point the same way. Vectors of two models cannot
//! be compared, so every vector belongs to a space. [`Embeddings`] is the handle that everything which searches or saves
//! is given; it never fails a search: when no vector can be made, words still find what they find.

use protocol::Error;
use std::sync::Arc;

/// Makes vectors. Cheap to clone.
#[derive(Clone)]
pub struct Embeddings;

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
    /// What is wrong with the configured model, in the person's words.
    pub error: Option<String>,
    /// The model whose vectors answer searches now: the configured one, or `builtin` in its place.
    pub model: String,
}

impl Embeddings {
    /// The vector of a search text, within a bounded time. `None`: nothing can be searched by meaning now, so go by words.
    pub async fn query(&self, _text: &str) -> Option<QueryVector> {
        None
    }

    /// Vectors for texts that are compared with each other or with what is stored, all in the space that searches use now.
    ///
    /// # Errors
    /// `Unavailable` when no model can make them.
    pub async fn texts(&self, texts: Vec<String>) -> Result<Embedded, Error> {
        Ok(Embedded { space: String::new(), vectors: vec![None; texts.len()] })
    }

    /// How searching by meaning fares now.
    pub fn state(&self) -> EmbeddingState {
        EmbeddingState::default()
    }
}
