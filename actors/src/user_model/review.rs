//! Insights that wait for the person (contract section 7, "Memories waiting for review").

use super::edit::statement;
use super::requests::{ApproveInsight, ApproveInsightsFrom, DiscardInsight, ExpireInsights};
use super::{Change, UserModel, rows};
use protocol::knowing::InsightStatus;
use protocol::memory::ReviewNote;
use protocol::{Error, Timestamp};
use runtime::{Ctx, Handles};
use storage::Snapshot;
use storage::records::InsightRecord;

/// The source of an insight the person wrote.
pub(super) const SOURCE_USER: &str = "user";
/// The source of one of the engine's own.
pub(super) const SOURCE_INFERRED: &str = "inferred";
const DAY_MS: i64 = 24 * 3_600 * 1_000;

/// A review note as stored text; it holds no map, so writing it cannot fail.
pub(super) fn json(note: &ReviewNote) -> String {
    serde_json::to_string(note).unwrap_or_default()
}

/// Where a held insight came from.
pub(super) fn note(insight: &InsightRecord) -> Option<ReviewNote> {
    serde_json::from_str(insight.review.as_deref()?).ok()
}

/// What waits, newest first.
pub(super) fn waiting(snapshot: &Snapshot) -> Result<Vec<InsightRecord>, Error> {
    let mut waiting = Vec::new();
    for insight in snapshot.all::<InsightRecord>()? {
        let insight = insight?;
        if insight.status == InsightStatus::Pending {
            waiting.push(insight);
        }
    }
    waiting.sort_by_key(|insight| std::cmp::Reverse((insight.created_at, insight.id)));
    Ok(waiting)
}

/// When one that nobody reviews goes.
pub(super) fn expires_at(created_at: Timestamp, expire_days: u32) -> Timestamp {
    created_at.plus_millis(i64::from(expire_days) * DAY_MS)
}

/// The answer for one that does not wait.
pub(super) fn not_waiting() -> Error {
    Error::not_found("This is not waiting for review any more.")
}

impl UserModel {
    fn held(&self, id: u64) -> Result<InsightRecord, Error> {
        self.insight(id).ok().filter(|insight| insight.status == InsightStatus::Pending).ok_or_else(not_waiting)
    }
}

/// A held insight as it is once the person took it in.
fn taken_in(insight: InsightRecord, words: Option<String>, now: Timestamp) -> InsightRecord {
    let insight = InsightRecord { updated_at: now, ..insight };
    match words {
        Some(statement) => InsightRecord {
            statement,
            source: SOURCE_USER.into(),
            status: InsightStatus::Confirmed,
            confidence: 1.0,
            ..insight
        },
        None => InsightRecord { status: InsightStatus::Active, ..insight },
    }
}

impl Handles<ApproveInsight> for UserModel {
    async fn handle(&mut self, request: ApproveInsight, ctx: &Ctx<Self>) -> Result<(), Error> {
        let held = self.held(request.id)?;
        let words = request.content.as_deref().map(statement).transpose()?;
        let insight = taken_in(held, words, ctx.now());
        let mut change = Change { insights: 1, written: vec![insight.id], ..Change::default() };
        rows::put(&mut change.batch, &insight);
        self.commit(change, ctx).await
    }
}

impl Handles<DiscardInsight> for UserModel {
    async fn handle(&mut self, DiscardInsight { id }: DiscardInsight, ctx: &Ctx<Self>) -> Result<(), Error> {
        self.held(id)?;
        let mut change = Change { insights: 1, ..Change::default() };
        change.questions = -rows::delete(&self.needs.store.snapshot()?, &mut change.batch, id)?;
        self.commit(change, ctx).await
    }
}

impl Handles<ApproveInsightsFrom> for UserModel {
    async fn handle(&mut self, request: ApproveInsightsFrom, ctx: &Ctx<Self>) -> Result<usize, Error> {
        let held = waiting(&self.needs.store.snapshot()?)?;
        let mut change = Change::default();
        for insight in held.into_iter().filter(|held| note(held).is_some_and(|note| note.from == request.from)) {
            let insight = taken_in(insight, None, ctx.now());
            rows::put(&mut change.batch, &insight);
            change.written.push(insight.id);
            change.insights += 1;
        }
        let count = change.insights;
        if count > 0 {
            self.commit(change, ctx).await?;
        }
        Ok(count)
    }
}

impl Handles<ExpireInsights> for UserModel {
    async fn handle(&mut self, _: ExpireInsights, ctx: &Ctx<Self>) -> Result<usize, Error> {
        let days = self.needs.config.borrow().memory.review_expire_days;
        let snapshot = self.needs.store.snapshot()?;
        let mut change = Change::default();
        for insight in waiting(&snapshot)? {
            if expires_at(insight.created_at, days) <= ctx.now() {
                change.questions -= rows::delete(&snapshot, &mut change.batch, insight.id)?;
                change.insights += 1;
            }
        }
        let count = change.insights;
        if count > 0 {
            self.commit(change, ctx).await?;
        }
        Ok(count)
    }
}
