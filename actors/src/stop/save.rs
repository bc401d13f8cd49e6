//! Keeps what the switch says in the store, with the names of what it found under way.

use super::switch::{Kept, Leftovers, named};
use super::{STATE, Save, Stop};
use crate::events::log_line;
use protocol::Error;
use protocol::engine::StopState;
use protocol::events::DomainEvent;
use runtime::{Ctx, Handles};
use storage::records::{MetaRecord, QueuedInput, TurnRecord};
use storage::{Batch, Snapshot};

impl Handles<Save> for Stop {
    async fn handle(&mut self, _: Save, ctx: &Ctx<Self>) -> Result<StopState, Error> {
        let (state, stops) = self.needs.switch.now();
        let leftovers = if stops == self.stops_stored {
            self.stored.leftovers.clone()
        } else {
            under_way(&self.needs.store.snapshot()?)?
        };
        self.keep(Kept { state: state.clone(), leftovers: leftovers.clone() }, ctx).await?;
        self.needs.switch.leave(leftovers);
        self.stops_stored = stops;
        Ok(state)
    }
}

impl Stop {
    /// Stores it, with the news when the state changed.
    pub(super) async fn keep(&mut self, kept: Kept, ctx: &Ctx<Self>) -> Result<(), Error> {
        if kept == self.stored {
            return Ok(());
        }
        let mut batch = Batch::new();
        let value = serde_json::to_string(&kept).map_err(|error| Error::internal(error.to_string()))?;
        batch.put(&MetaRecord { name: STATE.into(), value });
        if kept.state != self.stored.state {
            batch.event(log_line(&DomainEvent::StopUpdated(kept.state.clone()), ctx.now()));
        }
        self.needs.store.commit(batch).await?;
        self.stored = kept;
        Ok(())
    }
}

/// Turns that have not ended and messages that wait. What was begun a moment after the stop may be among them; that
/// matters only when the program ends before it does.
fn under_way(snapshot: &Snapshot) -> Result<Leftovers, Error> {
    let mut found = Leftovers::default();
    for turn in snapshot.all::<TurnRecord>()? {
        found.turns.insert(turn?.turn_id);
    }
    for input in snapshot.all::<QueuedInput>()? {
        found.inputs.insert(named(&input?));
    }
    Ok(found)
}
