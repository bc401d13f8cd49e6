//! Finds summaries by what they mean, or by their words when nothing can be compared by meaning. Marked ones and those of
//! another scope are left out before anything is ranked, so they take nobody's place.

use super::is_marked;
use crate::embeddings::{Embeddings, QueryVector};
use protocol::{Error, ErrorKind};
use rules::memory::scope;
use storage::records::{SearchedKind, SessionRecord, SummaryRecord};
use storage::{MemoryIndex, Snapshot, Store};

/// What is searched.
#[derive(Clone)]
pub struct SummarySearch {
    pub store: Store,
    pub index: MemoryIndex,
    pub embeddings: Embeddings,
}

/// What is looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SummaryAsk {
    pub text: String,
    /// The scope of whoever asks; `None`: all of them.
    pub scope: Option<String>,
    pub limit: usize,
}

/// One that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundSummary {
    pub summary: SummaryRecord,
    /// Cosine, or BM25 when it was found by words.
    pub score: f32,
}

impl SummarySearch {
    /// The summaries nearest to a text, best first.
    ///
    /// # Errors
    /// A store or an index that cannot be read.
    pub async fn find(&self, ask: SummaryAsk) -> Result<Vec<FoundSummary>, Error> {
        let vector = self.embeddings.query(&ask.text).await;
        let looking = self.clone();
        let found = tokio::task::spawn_blocking(move || looking.look(&ask, vector)).await;
        found.map_err(|cause| Error::new(ErrorKind::Unavailable, cause.to_string()))?
    }

    fn look(&self, ask: &SummaryAsk, vector: Option<QueryVector>) -> Result<Vec<FoundSummary>, Error> {
        let snapshot = self.store.snapshot()?;
        let keep = |id: u64| may_be_found(&snapshot, id, ask.scope.as_deref());
        let trouble = |error: storage::search::SearchError| Error::new(ErrorKind::Unavailable, error.to_string());
        let mut found = match vector {
            Some(QueryVector { space, vector }) => {
                let place = (space.as_str(), SearchedKind::Summary);
                self.index.nearest(&self.store, place, &vector, ask.limit, &keep).map_err(trouble)?
            }
            None => Vec::new(),
        };
        if found.is_empty() {
            found =
                self.index.words(&self.store, SearchedKind::Summary, &ask.text, ask.limit, &keep).map_err(trouble)?;
        }
        let mut summaries = Vec::new();
        for (id, score) in found {
            if let Some(summary) = snapshot.get::<SummaryRecord>(&id)? {
                summaries.push(FoundSummary { summary, score });
            }
        }
        Ok(summaries)
    }
}

/// Whether a summary is there, unmarked, and of a scope that is read. One that cannot be read is not found.
fn may_be_found(snapshot: &Snapshot, id: u64, reader: Option<&str>) -> bool {
    let Ok(Some(summary)) = snapshot.get::<SummaryRecord>(&id) else { return false };
    let in_scope = reader.is_none_or(|reader| scope::reads(reader, &summary.scope));
    in_scope && !is_marked(&summary, |chat| snapshot.get::<SessionRecord>(chat)).unwrap_or(true)
}
