//! Tells the person when the budget crossed 80 % or 100 %: once each in a month.

use super::{TOLD, Usage, meta, state_now};
use crate::events::log_line;
use crate::notifications::{AddNotification, NewNotification};
use protocol::events::DomainEvent;
use protocol::notifications::NotificationKind;
use protocol::usage::{BudgetLevel, BudgetState};
use protocol::{Error, Request};
use runtime::{Ctx, Handles};
use serde::{Deserialize, Serialize};
use serde_json::json;
use storage::Batch;
use storage::records::MetaRecord;

/// Looks whether the person must be told.
pub struct CheckBudget;

impl Request for CheckBudget {
    type Reply = ();
    const NAME: &'static str = "usage.check_budget";
}

/// What was said last.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Told {
    pub(super) month: String,
    /// 80 or 100.
    pub(super) percent: u32,
}

impl Handles<CheckBudget> for Usage {
    async fn handle(&mut self, _: CheckBudget, ctx: &Ctx<Self>) -> Result<(), Error> {
        let config = self.needs.config.borrow().clone();
        let (state, told) = {
            let snapshot = self.needs.store.snapshot()?;
            (state_now(&snapshot, &config, &*ctx.world.clock)?, meta::<Told>(&snapshot, TOLD)?)
        };
        let Some(now_told) = to_tell(&state, told.as_ref()) else { return Ok(()) };
        let mark = MetaRecord { name: TOLD.into(), value: json!(now_told).to_string() };
        self.needs.notifications.ask(ctx, AddNotification { new: notification(&state), mark: Some(mark) }).await?;
        let mut batch = Batch::new();
        batch.event(log_line(&DomainEvent::BudgetUpdated(state), ctx.now()));
        self.needs.store.commit(batch).await?;
        Ok(())
    }
}

/// What must be said now, given what was said before. At 100 % at once, the 80 % are not said as well.
pub(super) fn to_tell(state: &BudgetState, told: Option<&Told>) -> Option<Told> {
    let percent = match state.state {
        BudgetLevel::Off | BudgetLevel::Ok => return None,
        BudgetLevel::Warning => 80,
        BudgetLevel::Reached => 100,
    };
    let before = told.filter(|told| told.month == state.month).map_or(0, |told| told.percent);
    (before < percent).then(|| Told { month: state.month.clone(), percent })
}

fn notification(state: &BudgetState) -> NewNotification {
    let title = match state.state {
        BudgetLevel::Reached => "This month's model budget is used up",
        _ => "This month's model budget is nearly used up",
    };
    NewNotification {
        kind: NotificationKind::Budget,
        title: title.into(),
        message: state.message.clone(),
        payload: json!({ "month": state.month, "percent": state.percent }),
        task_id: None,
    }
}
