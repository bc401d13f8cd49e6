//! Usage and the budget as surfaces and turns see them.

use super::check::{Told, to_tell};
use super::{CheckBudget, KeepGoing, TOLD, Usage, budget, meta, rows_since, state_now};
use crate::Engine;
use crate::config::ConfigReader;
use crate::small::asking;
use protocol::Error;
use protocol::usage::{BudgetState, CostReport, UsageReport};
use rules::usage_report::{budget_stops, cost_report, days_start, periods_start, usage_report};
use runtime::{Address, Outside, World};
use std::sync::Arc;
use storage::{Store, StoreError};
use tokio::time::Duration;

/// Days of a report when the caller names none (contract).
const DAYS_DEFAULT: u32 = 30;
/// Days one report may look back. Ours.
const DAYS_MAX: u32 = 3_660;

impl Engine {
    /// `GET /api/usage`.
    ///
    /// # Errors
    /// A store that cannot be read.
    pub async fn usage(&self, days: Option<u32>) -> Result<UsageReport, Error> {
        let (store, clock) = (self.store.clone(), self.world.clock.clone());
        let days = days.unwrap_or(DAYS_DEFAULT).clamp(1, DAYS_MAX);
        blocking(move || {
            let zone = clock.zone();
            let rows = rows_since(&store.snapshot()?, days_start(clock.now(), days, &zone))?;
            Ok(usage_report(&rows, &zone))
        })
        .await
    }

    /// `GET /api/usage/cost`.
    ///
    /// # Errors
    /// A store that cannot be read.
    pub async fn cost(&self) -> Result<CostReport, Error> {
        let (store, clock, config) = (self.store.clone(), self.world.clock.clone(), self.config());
        blocking(move || {
            let (now, zone, snapshot) = (clock.now(), clock.zone(), store.snapshot()?);
            let rows = rows_since(&snapshot, periods_start(now, &zone))?;
            Ok(cost_report(&rows, now, &zone, config.models.local_only, &budget(&snapshot, &config)?))
        })
        .await
    }

    /// `POST /api/usage/budget/keep-going`.
    ///
    /// # Errors
    /// `Conflict` when there is no budget, or it is set to stop.
    pub async fn keep_going(&self) -> Result<BudgetState, Error> {
        self.small.usage.ask(&asking(), KeepGoing).await
    }
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, StoreError> + Send + 'static,
) -> Result<T, Error> {
    let done = tokio::task::spawn_blocking(work).await;
    Ok(done.map_err(|cause| Error::internal(format!("a report ended: {cause}")))??)
}

/// Whether the month's budget forbids a paid call now, with the sentence that says so.
///
/// It reads the month's rows anew each time, since turns store theirs themselves: nothing is remembered that could be
/// wrong. Without a budget it reads nothing. When it finds that the person must be told, it starts that.
pub fn budget_gate(
    world: &World,
    store: Store,
    config: ConfigReader,
    usage: Address<Usage>,
) -> Arc<dyn Fn() -> Option<String> + Send + Sync> {
    let world = world.clone();
    Arc::new(move || {
        let config = config.borrow().clone();
        if config.models.monthly_budget_usd <= 0.0 {
            return None;
        }
        let found = store
            .snapshot()
            .and_then(|snapshot| Ok((state_now(&snapshot, &config, &*world.clock)?, meta::<Told>(&snapshot, TOLD)?)));
        let (state, told) = found
            .inspect_err(|error| tracing::error!(%error, "the budget cannot be read, so it does not stop this call"))
            .ok()?;
        if to_tell(&state, told.as_ref()).is_some() {
            let usage = usage.clone();
            world.work.spawn_dropped("budget news", async move {
                if let Err(error) = usage.tell(&Outside::within(Duration::from_secs(5)), CheckBudget).await {
                    tracing::warn!(%error, "the person is told of the budget with the next call");
                }
            });
        }
        budget_stops(&state).then_some(state.message)
    })
}
