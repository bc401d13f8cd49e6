//! The person says that a memory is not right, or is.

use super::Memory;
use super::facts::state;
use super::requests::Judge;
use crate::events::log_line;
use protocol::Error;
use protocol::events::DomainEvent;
use protocol::memory::{ChangeReason, MemoryChange, MemoryState, SaveAction};
use runtime::{Ctx, Handles};
use storage::Batch;
use storage::records::{FactRecord, FactState};

impl Handles<Judge> for Memory {
    async fn handle(&mut self, Judge { id, state: wanted }: Judge, ctx: &Ctx<Self>) -> Result<FactRecord, Error> {
        let mut fact = self.row(id)?;
        let before = fact.clone();
        let reason = match wanted {
            MemoryState::Superseded => return Err(Error::invalid("A memory can be `disputed` or `current`.")),
            MemoryState::Disputed => {
                fact.state = FactState::Disputed;
                ChangeReason::Disputed
            }
            MemoryState::Current => {
                fact.state = FactState::Current;
                fact.confidence = 1.0;
                ChangeReason::Confirmed
            }
        };
        (fact.superseded_by, fact.superseded_at) = (None, None);
        if fact == before {
            return Ok(fact);
        }
        fact.updated_at = ctx.now();
        let change = MemoryChange {
            content: Some(fact.content.clone()),
            state: Some(state(fact.state)),
            reason: Some(reason),
            scope: Some(fact.scope.clone()),
            ..MemoryChange::new(SaveAction::Update, Some(id))
        };
        let mut batch = Batch::new();
        batch.put(&fact);
        batch.event(log_line(&DomainEvent::MemoryUpdated(Box::new(change)), ctx.now()));
        match fact.state {
            FactState::Disputed => self.withdraw(&fact, batch, ctx).await?,
            FactState::Current | FactState::Superseded => self.commit(batch).await?,
        }
        Ok(fact)
    }
}
