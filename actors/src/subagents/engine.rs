//! Helpers as surfaces see them.

use super::cancel::Cancel;
use super::shown;
use crate::Engine;
use protocol::Error;
use protocol::ids::{SessionId, SubagentId};
use protocol::subagents::{ProgressUpdate, Subagent};
use runtime::Outside;
use storage::Snapshot;
use storage::records::{SessionRecord, SubagentRecord, SubagentStepRecord};
use tokio::time::Duration;

/// How long a surface waits for a stop.
const PATIENCE: Duration = Duration::from_secs(30);
/// Helpers listed of one chat. Ours.
const LISTED_MAX: usize = 200;

impl Engine {
    /// The helpers of a chat, newest first (`GET /api/sessions/{id}/subagents`).
    ///
    /// # Errors
    /// `NotFound` when there is no such chat.
    pub fn subagents(&self, session: &SessionId) -> Result<Vec<Subagent>, Error> {
        let snapshot = self.store.snapshot()?;
        if snapshot.get::<SessionRecord>(session)?.is_none() {
            return Err(Error::not_found("This chat does not exist any more."));
        }
        let mut rows: Vec<SubagentRecord> = snapshot.subagents_of(session)?.collect::<Result<_, _>>()?;
        rows.reverse();
        rows.truncate(LISTED_MAX);
        rows.into_iter().map(|record| with_events(&snapshot, record)).collect()
    }

    /// One helper (`GET /api/subagents/{id}`).
    ///
    /// # Errors
    /// `NotFound`.
    pub fn subagent(&self, id: &SubagentId) -> Result<Subagent, Error> {
        let snapshot = self.store.snapshot()?;
        let record = snapshot.get::<SubagentRecord>(id)?;
        with_events(&snapshot, record.ok_or_else(|| Error::not_found("There is no such helper."))?)
    }

    /// Stops a helper; one that has ended stays as it is (`POST /api/subagents/{id}/cancel`).
    ///
    /// # Errors
    /// `NotFound`, or a disk that does not take it.
    pub async fn cancel_subagent(&self, id: &SubagentId) -> Result<Subagent, Error> {
        self.subagents.ask(&Outside::within(PATIENCE), Cancel(id.clone())).await?;
        self.subagent(id)
    }
}

fn with_events(snapshot: &Snapshot, record: SubagentRecord) -> Result<Subagent, Error> {
    let steps = snapshot.prefix::<SubagentStepRecord>(&record.id)?;
    let update = |step: Result<SubagentStepRecord, storage::StoreError>| -> Result<Option<ProgressUpdate>, Error> {
        Ok(serde_json::from_str(&step?.update).ok())
    };
    let events: Vec<ProgressUpdate> = steps.filter_map(|step| update(step).transpose()).collect::<Result<_, _>>()?;
    Ok(shown(record, Some(events)))
}
