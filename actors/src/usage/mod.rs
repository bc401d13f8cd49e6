//! What model calls used and cost: reports over the rows of ended calls, and the month's budget (contract section 2,
//! "Usage" and "Cost meter and budget").
//!
//! Turns store their calls' rows themselves; this role tells the person, once a month each, that the budget is nearly or
//! wholly used, and remembers that they want to keep going.

mod check;
mod engine;
mod keep_going;
#[cfg(test)]
mod tests;

pub use check::CheckBudget;
pub use engine::budget_gate;
pub use keep_going::KeepGoing;

use crate::config::ConfigReader;
use crate::notifications::Notifications;
use protocol::config::{BudgetAtLimit, Config};
use protocol::usage::BudgetState;
use protocol::{Error, Timestamp};
use rules::usage_report::{AtLimit, Budget, UsageRow, budget_state, periods_start};
use runtime::{Address, Clock, Ctx, Role};
use serde::de::DeserializeOwned;
use storage::records::{MetaRecord, UsageRecord};
use storage::{Snapshot, Store, StoreError};

/// The month for which the person said to keep going: JSON of its `YYYY-MM`.
const KEPT_GOING: &str = "budget.kept_going";
/// What the person was told last: JSON of a month and a percentage.
const TOLD: &str = "budget.told";

/// What the role needs.
#[derive(Clone)]
pub struct UsageNeeds {
    pub store: Store,
    pub config: ConfigReader,
    pub notifications: Address<Notifications>,
}

/// The role.
pub struct Usage {
    needs: UsageNeeds,
}

impl Role for Usage {
    const NAME: &'static str = "usage";
    /// Above notifications, which it asks to tell the person.
    const RANK: u8 = 21;
    type Needs = UsageNeeds;

    async fn start(needs: UsageNeeds, _: &Ctx<Self>) -> Result<Self, Error> {
        Ok(Self { needs })
    }
}

/// Rows of calls that ended at or after `from`, oldest first.
fn rows_since(snapshot: &Snapshot, from: Timestamp) -> Result<Vec<UsageRow>, StoreError> {
    snapshot.range::<UsageRecord>((from, String::new())..)?.map(|record| Ok(row(record?))).collect()
}

fn row(record: UsageRecord) -> UsageRow {
    let UsageRecord { id: _, at, model, source, role, billing, prompt_tokens, completion_tokens, cost_usd } = record;
    UsageRow { at, model, source, role, billing, prompt_tokens, completion_tokens, cost_usd }
}

fn meta<T: DeserializeOwned>(snapshot: &Snapshot, name: &str) -> Result<Option<T>, StoreError> {
    let record = snapshot.get::<MetaRecord>(&name.to_owned())?;
    Ok(record.and_then(|record| serde_json::from_str(&record.value).ok()))
}

fn budget(snapshot: &Snapshot, config: &Config) -> Result<Budget, StoreError> {
    let at_limit = match config.models.budget_at_limit {
        BudgetAtLimit::Ask => AtLimit::Ask,
        BudgetAtLimit::Stop => AtLimit::Stop,
    };
    let kept_going_month = meta(snapshot, KEPT_GOING)?;
    Ok(Budget { monthly_usd: config.models.monthly_budget_usd, at_limit, kept_going_month })
}

/// The budget now. Days and months are those of the computer's own clock.
fn state_now(snapshot: &Snapshot, config: &Config, clock: &dyn Clock) -> Result<BudgetState, StoreError> {
    let (now, zone) = (clock.now(), clock.zone());
    let rows = rows_since(snapshot, periods_start(now, &zone))?;
    Ok(budget_state(&rows, now, &zone, &budget(snapshot, config)?))
}
