//! Keeps what the switch says in the store.

use super::switch::Kept;
use super::{STATE, Save, Stop};
use crate::events::log_line;
use protocol::Error;
use protocol::engine::StopState;
use protocol::events::DomainEvent;
use runtime::{Ctx, Handles};
use storage::Batch;
use storage::records::MetaRecord;

impl Handles<Save> for Stop {
    async fn handle(&mut self, _: Save, ctx: &Ctx<Self>) -> Result<StopState, Error> {
        let (kept, _) = self.needs.switch.kept();
        self.keep(kept, ctx).await
    }
}

impl Stop {
    /// Stores it, with the news when something other than the moment of the last press changed.
    pub(super) async fn keep(&mut self, kept: Kept, ctx: &Ctx<Self>) -> Result<StopState, Error> {
        let state = kept.state.clone();
        if kept != self.stored {
            let mut batch = Batch::new();
            let value = serde_json::to_string(&kept).map_err(|error| Error::internal(error.to_string()))?;
            batch.put(&MetaRecord { name: STATE.into(), value });
            if state != self.stored.state {
                batch.event(log_line(&DomainEvent::StopUpdated(state.clone()), ctx.now()));
            }
            self.needs.store.commit(batch).await?;
            self.stored = kept;
        }
        Ok(state)
    }
}
