//! What happens by the clock: what ran out goes, what nobody reviewed goes, history that was kept long enough goes, and
//! cleanups that failed are tried again.

use super::Memory;
use super::cascade::{self, CLEANUP_DAYS_MAX};
use super::requests::Upkeep;
use crate::config::ConfigReader;
use crate::notifications::{AddNotification, NewNotification};
use protocol::memory::{ChangeReason, MemoryChange, SaveAction};
use protocol::notifications::NotificationKind;
use protocol::{Error, Timestamp};
use runtime::{Ctx, Handles, Outside};
use serde_json::json;
use storage::Batch;
use storage::records::{FactCleanupRecord, FactRecord, FactSaveRecord, FactState, FactStatus};
use tokio::time::{Duration, sleep};

const DAY_MS: i64 = 24 * 3_600 * 1_000;
/// Days for which it is known what was saved from which message. Ours: far longer than any retry.
const SAVES_KEPT_DAYS: i64 = 90;
/// Rows deleted in one commit. Ours.
const ROWS_PER_COMMIT: usize = 1_000;
/// How long one upkeep may take. Ours.
const PATIENCE: Duration = Duration::from_secs(300);

pub(super) fn begin(ctx: &Ctx<Memory>, config: ConfigReader) {
    let me = ctx.me.clone();
    ctx.scope.spawn_dropped("memory upkeep", async move {
        loop {
            if let Err(error) = me.ask(&Outside::within(PATIENCE), Upkeep {}).await {
                tracing::warn!(%error, "the upkeep of memories did not end");
            }
            let minutes = config.borrow().memory.purge_interval_minutes;
            sleep(Duration::from_secs(u64::from(minutes.max(1)) * 60)).await;
        }
    });
}

impl Handles<Upkeep> for Memory {
    async fn handle(&mut self, _: Upkeep, ctx: &Ctx<Self>) -> Result<(), Error> {
        let now = ctx.now();
        self.clean_up(now).await?;
        let config = self.config();
        let superseded_days = i64::from(config.memory.keep_superseded_days);
        let review_days = i64::from(config.memory.review_expire_days);
        let due = self.rows_where(move |fact| end_of(fact, (superseded_days, review_days), now).is_some()).await?;
        let of = |end: End| -> Vec<FactRecord> {
            let ends = due.iter().filter(|fact| end_of(fact, (superseded_days, review_days), now) == Some(end));
            ends.cloned().collect()
        };
        for end in [End::RanOut, End::History] {
            self.end(of(end), end, ctx).await?;
        }
        let held = of(End::NotReviewed);
        let count = held.len();
        self.end(held, End::NotReviewed, ctx).await?;
        if count > 0 {
            let new = not_reviewed(count, review_days);
            self.needs.notifications.ask(ctx, AddNotification { new, mark: None }).await?;
        }
        self.forget_old_saves(now).await
    }
}

/// Why a memory goes by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// It was short-term.
    RanOut,
    /// It was replaced long ago.
    History,
    NotReviewed,
}

/// Whether a memory goes now, and why. `0` days of history keep it for ever.
fn end_of(fact: &FactRecord, (superseded_days, review_days): (i64, i64), now: Timestamp) -> Option<End> {
    let older = |since: Timestamp, days: i64| since.plus_millis(days.saturating_mul(DAY_MS)) <= now;
    if fact.expires_at.is_some_and(|end| end <= now) {
        return Some(End::RanOut);
    }
    let replaced = fact.superseded_at.filter(|_| fact.state == FactState::Superseded && superseded_days > 0);
    if replaced.is_some_and(|since| older(since, superseded_days)) {
        return Some(End::History);
    }
    let waits = fact.status == FactStatus::Pending && older(fact.created_at, review_days);
    waits.then_some(End::NotReviewed)
}

fn not_reviewed(count: usize, days: i64) -> NewNotification {
    let what = if count == 1 { "One memory".to_owned() } else { format!("{count} memories") };
    NewNotification {
        kind: NotificationKind::Info,
        title: "Memory review".into(),
        message: format!("{what} waited {days} days for your review and went away without being used."),
        payload: json!({ "kind": "memory_review_expired", "count": count }),
        task_id: None,
    }
}

impl Memory {
    async fn end(&mut self, gone: Vec<FactRecord>, end: End, ctx: &Ctx<Self>) -> Result<(), Error> {
        let reason = match end {
            End::RanOut => ChangeReason::Expired,
            End::History => ChangeReason::SupersededExpired,
            End::NotReviewed => ChangeReason::ReviewExpired,
        };
        let change = MemoryChange {
            reason: Some(reason),
            count: Some(gone.len()),
            ..MemoryChange::new(SaveAction::Delete, None)
        };
        self.forget_many(gone, change, ctx).await.map(drop)
    }

    /// Tries again what could not be removed; what has been tried long enough is let go.
    async fn clean_up(&mut self, now: Timestamp) -> Result<(), Error> {
        let waiting: Vec<FactCleanupRecord> =
            self.needs.store.snapshot()?.all::<FactCleanupRecord>()?.collect::<Result<_, _>>()?;
        for cleanup in waiting {
            let fact = cleanup.fact;
            let is_over = cleanup.since.plus_millis(CLEANUP_DAYS_MAX * DAY_MS) <= now;
            if cascade::run(&self.needs.store, &self.needs.derived, cleanup).await? && is_over {
                tracing::error!(fact, "what was made of a forgotten memory could not be removed in seven days");
                let mut batch = Batch::new();
                batch.delete::<FactCleanupRecord>(&fact);
                self.commit(batch).await?;
            }
        }
        Ok(())
    }

    async fn forget_old_saves(&self, now: Timestamp) -> Result<(), Error> {
        let oldest = now.plus_millis(-SAVES_KEPT_DAYS * DAY_MS);
        let mut batch = Batch::new();
        let mut rows = 0;
        for save in self.needs.store.snapshot()?.all::<FactSaveRecord>()? {
            let save = save?;
            if save.at < oldest && rows < ROWS_PER_COMMIT {
                batch.delete::<FactSaveRecord>(&(save.message, save.words));
                rows += 1;
            }
        }
        if batch.is_empty() { Ok(()) } else { self.commit(batch).await }
    }
}
