//! "Keep going this month": lifts the stop until the month ends.

use super::{KEPT_GOING, Usage, state_now};
use crate::events::log_line;
use protocol::config::BudgetAtLimit;
use protocol::events::DomainEvent;
use protocol::usage::{BudgetLevel, BudgetState};
use protocol::{Error, ErrorKind, Request};
use runtime::{Ctx, Handles};
use serde_json::json;
use storage::Batch;
use storage::records::MetaRecord;

/// Lifts the stop. Answers the budget as it is then; `Conflict` when there is none or it is set to stop.
pub struct KeepGoing;

impl Request for KeepGoing {
    type Reply = BudgetState;
    const NAME: &'static str = "usage.keep_going";
}

impl Handles<KeepGoing> for Usage {
    async fn handle(&mut self, _: KeepGoing, ctx: &Ctx<Self>) -> Result<BudgetState, Error> {
        let config = self.needs.config.borrow().clone();
        let before = state_now(&self.needs.store.snapshot()?, &config, &*ctx.world.clock)?;
        if before.state == BudgetLevel::Off {
            return Err(Error::new(ErrorKind::Conflict, "There is no monthly budget to go beyond.")
                .hint("Set one in Settings > Models."));
        }
        if config.models.budget_at_limit == BudgetAtLimit::Stop {
            return Err(Error::new(ErrorKind::Conflict, "Your budget is set to stop when it is used up.")
                .hint("Raise it, or set it to ask, in Settings > Models."));
        }
        if before.kept_going {
            return Ok(before);
        }
        let mut batch = Batch::new();
        batch.put(&MetaRecord { name: KEPT_GOING.into(), value: json!(before.month).to_string() });
        self.needs.store.commit(batch).await?;
        let after = state_now(&self.needs.store.snapshot()?, &config, &*ctx.world.clock)?;
        let mut news = Batch::new();
        news.event(log_line(&DomainEvent::BudgetUpdated(after.clone()), ctx.now()));
        self.needs.store.commit(news).await?;
        Ok(after)
    }
}
