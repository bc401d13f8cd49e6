//! What the person does with versions: takes a held one in, turns it down, brings an earlier one back.

use super::{Decide, Deed, Narrative, is_current, keep, rows};
use protocol::knowing::{NarrativeState, NarrativeTrigger};
use protocol::{Error, ErrorKind};
use runtime::{Ctx, Handles};
use storage::Batch;
use storage::records::{NarrativeRecord, SentenceRecord};

impl Handles<Decide> for Narrative {
    async fn handle(&mut self, request: Decide, ctx: &Ctx<Self>) -> Result<NarrativeRecord, Error> {
        let row = self.version(&request.scope, request.version)?;
        match request.deed {
            Deed::Approve => self.approve(row, ctx).await,
            Deed::Discard => self.discard(row, ctx).await,
            Deed::Rollback => self.roll_back(row, ctx).await,
        }
    }
}

fn conflict(message: &str) -> Error {
    Error::new(ErrorKind::Conflict, message)
}

impl Narrative {
    async fn approve(&self, row: NarrativeRecord, ctx: &Ctx<Self>) -> Result<NarrativeRecord, Error> {
        if row.state != NarrativeState::Held {
            return Err(conflict("This version is not waiting for review any more."));
        }
        let mut batch = Batch::new();
        self.retire_current(&row.scope, &mut batch)?;
        let sentences =
            row.sentences.iter().cloned().map(|sentence| SentenceRecord { outside: false, ..sentence }).collect();
        let row = NarrativeRecord { state: NarrativeState::Current, sentences, ..row };
        batch.put(&row);
        self.commit(batch, &row, ctx).await
    }

    async fn discard(&self, row: NarrativeRecord, ctx: &Ctx<Self>) -> Result<NarrativeRecord, Error> {
        if row.state != NarrativeState::Held {
            return Err(conflict("This version is not waiting for review any more."));
        }
        let row = NarrativeRecord { state: NarrativeState::Discarded, ..row };
        let mut batch = Batch::new();
        batch.put(&row);
        self.commit(batch, &row, ctx).await
    }

    /// The old sentences as a new version, so that the history stays whole. What they rested on may be gone, and words of
    /// others that nobody approved stay out.
    async fn roll_back(&self, row: NarrativeRecord, ctx: &Ctx<Self>) -> Result<NarrativeRecord, Error> {
        if is_current(&row) {
            return Err(conflict("This version is the current one."));
        }
        if row.state == NarrativeState::Held {
            return Err(conflict("This version waits for review.").hint("Approve it instead."));
        }
        let snapshot = self.store.snapshot()?;
        let sentences = keep::still_good(&snapshot, &row, ctx.now())?;
        if sentences.is_empty() {
            return Err(conflict(
                "Nothing of this version holds any more: the memories it rested on are gone or changed.",
            ));
        }
        let known = rows::versions(&snapshot, &row.scope)?;
        let back = NarrativeRecord {
            version: known.first().map_or(1, |newest| newest.version + 1),
            state: NarrativeState::Current,
            trigger: NarrativeTrigger::Rollback,
            sentences,
            before: known.iter().find(|row| is_current(row)).map(|row| row.version),
            review: None,
            restored_from: Some(row.version),
            created_at: ctx.now(),
            scope: row.scope,
        };
        let mut batch = Batch::new();
        self.retire_current(&back.scope, &mut batch)?;
        // What the person brought back is not written over at the next tick.
        let state = rows::ReadState { tried_at: Some(ctx.now()), ..rows::read_state(&snapshot, &back.scope)? };
        rows::put_read_state(&mut batch, &back.scope, &state);
        batch.put(&back);
        self.commit(batch, &back, ctx).await
    }

    fn retire_current(&self, scope: &str, batch: &mut Batch) -> Result<(), Error> {
        if let Some(current) = rows::current(&self.store.snapshot()?, scope)? {
            batch.put(&NarrativeRecord { state: NarrativeState::Earlier, ..current });
        }
        Ok(())
    }
}
