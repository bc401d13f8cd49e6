//! Ends a helper, exactly once: its last row, the news of it, and what comes after.

use super::{Subagents, put_step, telling};
use futures::FutureExt;
use futures::future::BoxFuture;
use protocol::ids::SubagentId;
use protocol::subagents::{ProgressMessage, ProgressType, SubagentKind, SubagentStatus};
use protocol::{Error, ErrorKind, Request};
use runtime::{Address, Ctx, Handles, Outside, World};
use std::panic::AssertUnwindSafe;
use storage::Batch;
use storage::records::SubagentRecord;
use tokio::time::{Duration, sleep};

/// How long the role may take to store an end, how long a try is apart from the next, and how many there are.
const STORE_WAIT: Duration = Duration::from_secs(30);
const ASK_AGAIN: Duration = Duration::from_millis(500);
const END_TRIES_MAX: usize = 120;

/// What came of a helper.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Outcome {
    pub(crate) status: SubagentStatus,
    pub(crate) summary: Option<String>,
    pub(crate) error: Option<String>,
}

impl Outcome {
    pub(crate) fn completed(summary: impl Into<String>) -> Self {
        Self { status: SubagentStatus::Completed, summary: Some(summary.into()), error: None }
    }

    pub(crate) fn failed(error: impl Into<String>) -> Self {
        Self { status: SubagentStatus::Error, summary: None, error: Some(error.into()) }
    }

    pub(crate) fn cancelled() -> Self {
        Self { status: SubagentStatus::Cancelled, summary: None, error: None }
    }
}

/// A helper's work is over.
#[derive(Clone)]
pub(super) struct Finish {
    pub(super) id: SubagentId,
    pub(super) outcome: Outcome,
}

impl Request for Finish {
    type Reply = ();
    const NAME: &'static str = "subagents.finish";
}

/// Runs a helper's work and hands in its end, whatever happens in it.
pub(super) async fn work_to_the_end(
    me: Address<Subagents>,
    world: World,
    id: SubagentId,
    work: BoxFuture<'static, Outcome>,
) {
    let outcome = AssertUnwindSafe(work).catch_unwind().await.unwrap_or_else(|_| {
        tracing::error!(subagent = %id, "a helper panicked");
        Outcome::failed("Something went wrong inside Sentient while this helper was working.")
    });
    if world.work.is_cancelled() {
        return; // the engine ends: the next start finds the row and says so
    }
    for _ in 0..END_TRIES_MAX {
        let finish = Finish { id: id.clone(), outcome: outcome.clone() };
        match me.ask(&Outside::within(STORE_WAIT), finish).await {
            Ok(()) => return,
            Err(error) if error.kind == ErrorKind::NotFound || me.is_gone() => return,
            Err(error) => tracing::debug!(%error, subagent = %id, "a helper's end is handed in again"),
        }
        sleep(ASK_AGAIN).await;
    }
    tracing::warn!(subagent = %id, "a helper's end could not be stored");
}

impl Handles<Finish> for Subagents {
    async fn handle(&mut self, Finish { id, outcome }: Finish, ctx: &Ctx<Self>) -> Result<(), Error> {
        self.end(&id, outcome, ctx).await
    }
}

impl Subagents {
    /// Stores the end of an open helper, tells whoever waits for it, and lets the next one work.
    pub(super) async fn end(&mut self, id: &SubagentId, outcome: Outcome, ctx: &Ctx<Self>) -> Result<(), Error> {
        let Some(helper) = self.open.get(id) else { return Err(Error::not_found("This helper has ended.")) };
        let record = self.store_end(helper.record.clone(), outcome, ctx).await?;
        if let Some(helper) = self.open.remove(id) {
            helper.scope.cancel();
            if let Some(waiting) = helper.ended
                && waiting.send(record.clone()).is_err()
            {
                tracing::debug!(subagent = %id, "nobody waits for this helper any more");
            }
        }
        self.line.retain(|(waiting, _)| waiting != id);
        self.fill_places(ctx);
        if record.untold {
            telling::begin(record, self.needs.clone(), ctx);
        }
        Ok(())
    }

    /// The row at its end. A worker in the background leaves word.
    pub(super) async fn store_end(
        &self,
        mut record: SubagentRecord,
        outcome: Outcome,
        ctx: &Ctx<Self>,
    ) -> Result<SubagentRecord, Error> {
        let Outcome { status, summary, error } = outcome;
        let last = match status {
            SubagentStatus::Completed => (ProgressType::FinalAnswer, summary.clone().unwrap_or_default()),
            SubagentStatus::Cancelled => (ProgressType::Info, "Stopped.".to_owned()),
            SubagentStatus::Running | SubagentStatus::Error => (ProgressType::Error, error.clone().unwrap_or_default()),
        };
        (record.status, record.summary, record.error) = (status, summary, error);
        record.finished_at = Some(ctx.now());
        record.untold = record.background && record.kind == SubagentKind::Worker && status != SubagentStatus::Cancelled;
        let mut batch = Batch::new();
        put_step(&mut record, &mut batch, ProgressMessage::new(last.0, last.1), ctx.now());
        self.store(&record, batch, ctx.now()).await?;
        Ok(record)
    }
}
