//! After a start: helpers that were at work when the engine or this role ended are ended honestly, and summaries that
//! their chats do not have yet are handed in.

use super::{Subagents, telling};
use crate::subagents::end::Outcome;
use protocol::subagents::SubagentStatus;
use protocol::{Error, Request};
use runtime::{Ctx, Handles, Outside};
use storage::records::SubagentRecord;
use tokio::time::{Duration, sleep};

/// How long until another try, when the disk does not take it.
const TRY_AGAIN: Duration = Duration::from_secs(30);

/// Looks for what the last run left.
struct Recover;

impl Request for Recover {
    type Reply = ();
    const NAME: &'static str = "subagents.recover";
}

pub(super) fn begin(ctx: &Ctx<Subagents>) {
    let me = ctx.me.clone();
    ctx.scope.spawn_dropped("helpers of the last run", async move {
        while let Err(error) = me.ask(&Outside::within(TRY_AGAIN), Recover).await {
            tracing::warn!(%error, "helpers of the last run are not ended yet");
            sleep(TRY_AGAIN).await;
        }
    });
}

impl Handles<Recover> for Subagents {
    async fn handle(&mut self, _: Recover, ctx: &Ctx<Self>) -> Result<(), Error> {
        let rows: Vec<SubagentRecord> =
            self.needs.store.snapshot()?.all::<SubagentRecord>()?.collect::<Result<_, _>>()?;
        for mut record in rows {
            if record.status == SubagentStatus::Running && !self.open.contains_key(&record.id) {
                record = self.store_end(record, Outcome::failed(rules::subagents::cut_off()), ctx).await?;
            }
            if record.untold {
                telling::begin(record, self.needs.clone(), ctx);
            }
        }
        Ok(())
    }
}
