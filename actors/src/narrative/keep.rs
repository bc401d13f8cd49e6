//! Keeps a new version.

use super::{Keep, Narrative, Tried, is_current, rows};
use protocol::Error;
use protocol::knowing::NarrativeState;
use rules::narrative::VERSIONS_MAX;
use runtime::{Ctx, Handles};
use storage::Batch;
use storage::records::NarrativeRecord;

impl Handles<Keep> for Narrative {
    async fn handle(&mut self, request: Keep, ctx: &Ctx<Self>) -> Result<Option<NarrativeRecord>, Error> {
        let Keep { scope, trigger, sentences, review, read } = request;
        let snapshot = self.store.snapshot()?;
        // What was forgotten or changed while the model answered stands under no sentence.
        let mut kept = Vec::new();
        for sentence in sentences {
            if rows::holds(&snapshot, &sentence, &scope, ctx.now())? {
                kept.push(sentence);
            }
        }
        let state = rows::ReadState { mark: read, tried_at: Some(ctx.now()) };
        let mut batch = Batch::new();
        if kept.is_empty() {
            return Ok(None);
        }
        let held = kept.iter().any(|sentence| sentence.outside);
        let known = rows::versions(&snapshot, &scope)?;
        let current = known.iter().find(|row| is_current(row));
        let row = NarrativeRecord {
            scope: scope.clone(),
            version: known.first().map_or(1, |newest| newest.version + 1),
            state: if held { NarrativeState::Held } else { NarrativeState::Current },
            trigger,
            sentences: kept,
            before: current.map(|row| row.version),
            review: review.filter(|_| held),
            restored_from: None,
            created_at: ctx.now(),
        };
        for old in &known {
            // A version that waits is replaced by a newer one; the current one only by one that does not wait.
            let replaced = old.state == NarrativeState::Held || (is_current(old) && !held);
            if replaced {
                batch.put(&NarrativeRecord { state: NarrativeState::Earlier, ..old.clone() });
            }
        }
        prune(&known, &mut batch);
        rows::put_read_state(&mut batch, &scope, &state);
        batch.put(&row);
        self.commit(batch, &row, ctx).await.map(Some)
    }
}

/// The oldest versions go when there are too many, never the one chats read.
fn prune(known: &[NarrativeRecord], batch: &mut Batch) {
    let old = known.iter().skip(VERSIONS_MAX - 1).filter(|row| !is_current(row) && row.state != NarrativeState::Held);
    for row in old {
        batch.delete::<NarrativeRecord>(&(row.scope.clone(), row.version));
    }
}

impl Handles<Tried> for Narrative {
    async fn handle(&mut self, Tried { scope, read }: Tried, ctx: &Ctx<Self>) -> Result<(), Error> {
        let before = rows::read_state(&self.store.snapshot()?, &scope)?;
        let state = rows::ReadState { mark: read.unwrap_or(before.mark), tried_at: Some(ctx.now()) };
        let mut batch = Batch::new();
        rows::put_read_state(&mut batch, &scope, &state);
        self.store.commit(batch).await?;
        Ok(())
    }
}

/// A version with only the sentences that still hold, and none that waits.
pub(super) fn still_good(
    snapshot: &storage::Snapshot,
    row: &NarrativeRecord,
    now: protocol::Timestamp,
) -> Result<Vec<storage::records::SentenceRecord>, Error> {
    let mut kept = Vec::new();
    for sentence in &row.sentences {
        if rows::holds(snapshot, sentence, &row.scope, now)? && !sentence.outside {
            kept.push(sentence.clone());
        }
    }
    Ok(kept)
}
