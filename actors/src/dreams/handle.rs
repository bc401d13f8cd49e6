//! How the rest of the engine reaches dreams. Cheap to clone.

use super::{Dreams, Run};
use crate::knowing::Means;
use protocol::Error;
use protocol::knowing::{Dream, DreamStats, DreamTrigger};
use rules::dreams::Journal;
use runtime::{Address, Outside};
use std::sync::Arc;
use storage::records::{DreamCounts, DreamRecord};
use tokio::time::Duration;

/// How long a caller waits for the role. Ours: it only commits.
const PATIENCE: Duration = Duration::from_secs(30);
/// Dreams listed at once. Ours.
const LISTED_MAX: usize = 200;
/// Dreams listed when no number is given. Ours.
const LISTED: usize = 20;

/// Dreams, as others use them.
#[derive(Clone)]
pub struct DreamsHandle {
    /// The one writer of dreams.
    pub role: Address<Dreams>,
    pub(crate) means: Arc<Means>,
}

impl DreamsHandle {
    /// Dreams, newest first (`GET /api/memories/dreams`).
    ///
    /// # Errors
    /// A store that cannot be read.
    pub fn list(&self, limit: Option<usize>) -> Result<Vec<Dream>, Error> {
        let snapshot = self.means.store().snapshot()?;
        let rows = snapshot.all::<DreamRecord>()?.rev().take(limit.unwrap_or(LISTED).min(LISTED_MAX));
        Ok(rows.map(|row| row.map(shown)).collect::<Result<_, _>>()?)
    }

    /// One dream (`GET /api/memories/dreams/{id}`).
    ///
    /// # Errors
    /// `NotFound`.
    pub fn one(&self, id: &str) -> Result<Dream, Error> {
        let row = self.means.store().snapshot()?.get::<DreamRecord>(&id.to_owned())?;
        row.map(shown).ok_or_else(|| Error::not_found("There is no such dream."))
    }

    /// Begins a dream now, or answers the one that runs (`POST /api/memories/dreams/run`).
    ///
    /// # Errors
    /// A disk that does not take it.
    pub async fn run(&self) -> Result<Dream, Error> {
        let request = Run { trigger: DreamTrigger::Manual, stops: self.means.stop.stops() };
        self.role.ask(&Outside::within(PATIENCE), request).await.map(shown)
    }
}

/// A dream as clients see it.
pub fn shown(record: DreamRecord) -> Dream {
    let DreamCounts {
        facts_reviewed,
        merged,
        contradictions_resolved,
        promoted,
        expired,
        insights_updated,
        languages_merged,
    } = record.stats;
    Dream {
        id: record.id,
        started_at: record.started_at,
        finished_at: record.finished_at,
        status: record.status,
        trigger: record.trigger,
        stats: DreamStats {
            facts_reviewed,
            merged,
            contradictions_resolved,
            promoted,
            expired,
            insights_updated,
            languages_merged,
        },
        journal_md: if record.finished_at.is_some() { Journal::of(record.journal).markdown() } else { String::new() },
        error: record.error,
    }
}
