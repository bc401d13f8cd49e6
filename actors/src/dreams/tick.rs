//! Whether a dream begins by itself, looked at every five minutes.

use super::{Dreams, Run, local_quiet};
use crate::knowing;
use protocol::knowing::DreamTrigger;
use protocol::{Error, Request, Timestamp};
use rules::dreams::{Moment, begins};
use runtime::{Ctx, Handles, Outside};
use storage::Snapshot;
use storage::records::DreamRecord;
use tokio::time::{Duration, sleep};

/// The first look after a start, and the time between two (memory.md, section 8).
const FIRST: Duration = Duration::from_secs(120);
const EVERY: Duration = Duration::from_secs(300);
/// How long one look may wait for what it asks.
const PATIENCE: Duration = Duration::from_secs(30);

/// Looks whether it is time.
pub(crate) struct Tick;

impl Request for Tick {
    type Reply = ();
    const NAME: &'static str = "dreams.tick";
}

pub(super) fn begin(ctx: &Ctx<Dreams>) {
    let me = ctx.me.clone();
    ctx.scope.spawn_dropped("dreams by the clock", async move {
        sleep(FIRST).await;
        loop {
            if let Err(error) = me.ask(&Outside::within(PATIENCE), Tick).await {
                tracing::warn!(%error, "it was not looked whether it is time to dream");
            }
            sleep(EVERY).await;
        }
    });
}

impl Handles<Tick> for Dreams {
    async fn handle(&mut self, _: Tick, ctx: &Ctx<Self>) -> Result<(), Error> {
        let config = self.needs.config.borrow().clone();
        let snapshot = self.needs.store.snapshot()?;
        let moment = Moment {
            now: ctx.now(),
            zone: &self.needs.means.zone(),
            enabled: config.dreaming.enabled,
            minute_of_day: config.dreaming.minute_of_day(),
            idle_minutes: config.dreaming.require_idle_minutes,
            active_at: active_at(&snapshot)?,
            dreamed_at: dreamed_at(&snapshot)?,
            quiet: local_quiet(self, ctx).await,
        };
        match begins(&moment) {
            Ok(()) => {
                let stops = self.needs.means.stop.stops();
                self.handle(Run { trigger: DreamTrigger::Schedule, stops }, ctx).await?;
            }
            Err(why) => tracing::debug!(?why, "no dream begins"),
        }
        knowing::by_the_clock(self.needs.user_model.clone(), self.needs.narrative.clone(), ctx);
        Ok(())
    }
}

/// The last message or reply of any chat.
fn active_at(snapshot: &Snapshot) -> Result<Option<Timestamp>, Error> {
    Ok(snapshot.newest_sessions()?.next().transpose()?.map(|session| session.updated_at))
}

/// When the last dream began that the clock started.
fn dreamed_at(snapshot: &Snapshot) -> Result<Option<Timestamp>, Error> {
    for dream in snapshot.all::<DreamRecord>()?.rev() {
        let dream = dream?;
        if dream.trigger == DreamTrigger::Schedule {
            return Ok(Some(dream.started_at));
        }
    }
    Ok(None)
}
