//! Whether a dream begins by itself, looked at every five minutes.

use super::{Dreams, DreamsNeeds, Run};
use crate::model_queue::Busy;
use crate::notifications::{AddNotification, NewNotification};
use crate::stop::Work;
use crate::user_model::{ExpireInsights, RefreshReason};
use protocol::knowing::{DreamTrigger, NarrativeTrigger};
use protocol::notifications::NotificationKind;
use protocol::{Error, Request, Timestamp};
use rules::dreams::{Moment, Quiet, battery_holds, begins};
use rules::local_queue::{Power, PowerLimits};
use runtime::{Ctx, Handles, Outside};
use serde_json::json;
use storage::Snapshot;
use storage::records::DreamRecord;
use tokio::time::{Duration, sleep};

/// The first look after a start, and the time between two (memory.md, section 8).
const FIRST: Duration = Duration::from_secs(120);
const EVERY: Duration = Duration::from_secs(300);
/// How long one look may wait for what it asks.
const PATIENCE: Duration = Duration::from_secs(30);

/// Looks whether it is time.
pub(crate) struct Tick {
    /// What the computer runs on now.
    pub(crate) power: Power,
}

impl Request for Tick {
    type Reply = ();
    const NAME: &'static str = "dreams.tick";
}

pub(super) fn begin(ctx: &Ctx<Dreams>, needs: &DreamsNeeds) {
    let (me, needs) = (ctx.me.clone(), needs.clone());
    ctx.scope.spawn_dropped("dreams by the clock", async move {
        sleep(FIRST).await;
        loop {
            let power = needs.power.read().await;
            if let Err(error) = me.ask(&Outside::within(PATIENCE), Tick { power }).await {
                tracing::warn!(%error, "it was not looked whether it is time to dream");
            }
            upkeep(&needs).await;
            sleep(EVERY).await;
        }
    });
}

impl Handles<Tick> for Dreams {
    async fn handle(&mut self, Tick { power }: Tick, ctx: &Ctx<Self>) -> Result<(), Error> {
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
            quiet: Quiet {
                model_busy: self.needs.queue.ask(ctx, Busy).await?.busy,
                on_battery: battery_holds(power, &PowerLimits::of(&config)),
                stopped: self.needs.means.stop.is_stopped(),
                is_dreaming: self.running.is_some(),
            },
        };
        match begins(&moment) {
            Ok(()) => {
                let stops = self.needs.means.stop.stops();
                self.handle(Run { trigger: DreamTrigger::Schedule, stops }, ctx).await?;
            }
            Err(why) => tracing::debug!(?why, "no dream begins"),
        }
        Ok(())
    }
}

/// What else happens by the clock: a look at what was said lately, pages about which enough was learned, and held insights
/// that nobody reviewed. None of it while everything is stopped.
async fn upkeep(needs: &DreamsNeeds) {
    let cancel = tokio_util::sync::CancellationToken::new();
    let Ok(_at_work) = needs.means.stop.enter_by_itself(Work::Background, cancel.clone()) else { return };
    tokio::select! {
        biased;
        () = cancel.cancelled() => (),
        done = all_upkeep(needs) => {
            if let Err(error) = done {
                tracing::info!(%error, "what is known about the person was not looked at");
            }
        }
    }
}

async fn all_upkeep(needs: &DreamsNeeds) -> Result<(), Error> {
    let expired = needs.user_model.role.ask(&Outside::within(PATIENCE), ExpireInsights {}).await?;
    if expired > 0 {
        let days = needs.config.borrow().memory.review_expire_days;
        let what = if expired == 1 { "One insight".to_owned() } else { format!("{expired} insights") };
        let new = NewNotification {
            kind: NotificationKind::Info,
            title: "Memory review".into(),
            message: format!("{what} about you waited {days} days for review and was let go."),
            payload: json!({}),
            task_id: None,
        };
        needs.notifications.ask(&Outside::within(PATIENCE), AddNotification { new, mark: None }).await?;
    }
    if !needs.config.borrow().user_model.enabled {
        return Ok(());
    }
    needs.user_model.refresh(RefreshReason::Turns).await?;
    let (store, now) = (needs.store.clone(), needs.means.world.now());
    let scopes =
        tokio::task::spawn_blocking(move || crate::narrative::scopes_with_pages(&store.snapshot()?, now)).await;
    for scope in scopes.map_err(|cause| Error::internal(format!("scopes were not read: {cause}")))?? {
        needs.narrative.refresh(&scope, NarrativeTrigger::Facts).await?;
    }
    Ok(())
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
