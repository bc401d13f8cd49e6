//! Vectors that somebody waits for: of search texts, and of texts that are compared. It takes the space that answers now, and
//! falls back to the builtin one rather than let anybody wait.

use super::{Embedded, Embeddings, QueryVector, TEXTS_MAX};
use protocol::engine::ModelJob;
use protocol::{Error, ErrorKind};
use rules::embeddings::{BUILTIN_SPACE, Space};
use std::sync::Arc;
use tokio::time::{Duration, timeout};

/// How long a search waits for the configured model, its place in the line included. Ours: longer than a loaded model
/// takes, shorter than a person notices; a model that has to be loaded answers the next search.
const QUERY_WAIT_MAX: Duration = Duration::from_millis(1_500);
/// How long a save waits for the vectors it compares. Ours.
const TEXTS_WAIT_MAX: Duration = Duration::from_secs(5);
/// Characters of a search text that count (models.md, "message for the embedding").
const QUERY_CHARS_MAX: usize = 2_000;

pub(super) async fn query(embeddings: &Embeddings, text: &str) -> Option<QueryVector> {
    let text: String = text.trim().chars().take(QUERY_CHARS_MAX).collect();
    if text.is_empty() {
        return None;
    }
    if let Some(space) = serving(embeddings) {
        if let Some(known) = embeddings.board().cached(&space.name, &text) {
            return Some(known);
        }
        let texts = [text.clone()];
        let made = timeout(QUERY_WAIT_MAX, from_model(embeddings, &space, &texts)).await;
        // Too slow this once is no failure: it may be waiting in the line.
        if let Ok(Some(vector)) = made.map(|made| made.and_then(|vectors| vectors.first().cloned())) {
            embeddings.board().remember(&space.name, &text, &vector);
            return Some(QueryVector { space: space.name, vector });
        }
    }
    Some(QueryVector { space: BUILTIN_SPACE.into(), vector: embedder::vector(&text)?.into() })
}

pub(super) async fn texts(embeddings: &Embeddings, texts: Vec<String>) -> Result<Embedded, Error> {
    if texts.len() > TEXTS_MAX {
        return Err(Error::new(ErrorKind::TooLarge, format!("At most {TEXTS_MAX} texts are compared at once.")));
    }
    let filled: Vec<String> = texts.iter().filter(|text| !text.trim().is_empty()).cloned().collect();
    if let Some(space) = serving(embeddings).filter(|_| !filled.is_empty()) {
        let made = timeout(TEXTS_WAIT_MAX, from_model(embeddings, &space, &filled)).await;
        if let Ok(Some(vectors)) = made {
            let mut vectors = vectors.into_iter();
            let vectors = texts.iter().map(|text| if text.trim().is_empty() { None } else { vectors.next() }).collect();
            return Ok(Embedded { space: space.name, vectors });
        }
    }
    let vectors = texts.iter().map(|text| embedder::vector(text).map(Arc::from)).collect();
    Ok(Embedded { space: BUILTIN_SPACE.into(), vectors })
}

/// The space of a model that answers now.
fn serving(embeddings: &Embeddings) -> Option<Space> {
    let configured = embeddings.configured();
    let board = embeddings.board();
    board.spaces.serving(&configured, board.waiting).filter(|space| !board.is_away(&space.model)).cloned()
}

/// `None` when the model cannot make vectors of this space now.
async fn from_model(embeddings: &Embeddings, space: &Space, texts: &[String]) -> Option<Vec<Arc<[f32]>>> {
    match embeddings.ask(&space.model, texts, ModelJob::Interactive).await {
        Ok(made) if made.dimensions == space.dimensions => {
            embeddings.board().answered(&space.model);
            Some(made.vectors)
        }
        Ok(made) => {
            // Another model under the same name: the background work sees to it.
            embeddings.board().met = Some((space.model.clone(), made.dimensions));
            None
        }
        Err(error) => {
            embeddings.board().failed(&space.model, &error.message);
            None
        }
    }
}
