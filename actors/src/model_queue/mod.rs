//! The queue in front of the local model: one call at a time, the most urgent first (`rules::local_queue`).
//!
//! It guards the model, not the work: whoever holds a permit may call, and dropping it lets the next one go, also when
//! its holder was cancelled or crashed. The permit outlives the actor: a queue that starts again while a call runs waits
//! for that call like for its own, so two calls never run at once.

mod acquire;
mod at_the_model;
mod power;
mod release;

pub use at_the_model::{AtTheModel, Permit};

use crate::live::Hub;
use crate::ports::PowerSupply;
use protocol::config::Config;
use protocol::engine::{ModelBusy, ModelJob};
use protocol::events::{DomainEvent, EventFrame};
use protocol::{Error, ErrorKind, Request};
use rules::local_queue::{Conditions, LocalQueue, PowerLimits};
use runtime::{Address, Ctx, Outside, Role};
use std::collections::BTreeMap;
use std::sync::Arc;
use tokio::sync::{oneshot, watch};
use tokio::time::Duration;

/// How long a change must last before windows hear of it (contract section 1, `model.busy`).
const TELL_AFTER: Duration = Duration::from_millis(200);

/// The queue.
pub struct ModelQueue {
    queue: LocalQueue,
    waiting: BTreeMap<u64, oneshot::Sender<Permit>>,
    next: u64,
    config: watch::Receiver<Arc<Config>>,
    live: Hub,
    told: ModelBusy,
    model: AtTheModel,
    power: power::Reading,
    /// Number of the newest [`Look`].
    looks: u64,
}

/// How long the queue may take to let somebody into the line.
const LINE_WAIT: Duration = Duration::from_secs(10);
/// How often somebody gets in line again because the queue broke meanwhile. Ours: the supervisor gives it up before.
const LINES_MAX: usize = 8;

/// Gets in line and waits for the model. A queue that breaks forgets its line, so everybody gets in line again.
///
/// # Errors
/// `busy` when the line is full; the queue's own when it cannot be reached.
pub async fn in_line(queue: &Address<ModelQueue>, acquire: Acquire) -> Result<Permit, Error> {
    for _ in 0..LINES_MAX {
        let waiting = match queue.ask(&Outside::within(LINE_WAIT), acquire.clone()).await {
            Err(error) if error.kind == ErrorKind::Unavailable && !queue.is_gone() => continue,
            waiting => waiting?,
        };
        if let Ok(permit) = waiting.await {
            return Ok(permit);
        }
    }
    Err(Error::new(ErrorKind::Unavailable, "The line for the local model kept breaking.")
        .hint("Try again in a moment."))
}

/// Waits for the local model.
#[derive(Clone)]
pub struct Acquire {
    pub job: ModelJob,
    pub model: String,
}

impl Request for Acquire {
    type Reply = oneshot::Receiver<Permit>;
    const NAME: &'static str = "model_queue.acquire";
}

/// What the local model is doing.
pub struct Busy;

impl Request for Busy {
    type Reply = ModelBusy;
    const NAME: &'static str = "model_queue.busy";
}

/// A permit was dropped.
struct Release(u64);

impl Request for Release {
    type Reply = ();
    const NAME: &'static str = "model_queue.release";
}

/// Windows should hear of the state, if it still is another one.
struct Tell;

impl Request for Tell {
    type Reply = ();
    const NAME: &'static str = "model_queue.tell";
}

/// What held calls back may be over: the quiet time, the battery. Only the newest look counts.
struct Look(u64);

impl Request for Look {
    type Reply = ();
    const NAME: &'static str = "model_queue.look";
}

/// What the queue needs.
#[derive(Clone)]
pub struct ModelQueueNeeds {
    pub config: watch::Receiver<Arc<Config>>,
    pub live: Hub,
    pub power: Arc<dyn PowerSupply>,
    /// Who has the model, across restarts of the queue.
    pub model: AtTheModel,
}

impl Role for ModelQueue {
    const NAME: &'static str = "model_queue";
    const RANK: u8 = 40;
    const MAILBOX_MAX: usize = 4_096;
    type Needs = ModelQueueNeeds;

    async fn start(needs: ModelQueueNeeds, ctx: &Ctx<Self>) -> Result<Self, Error> {
        let ModelQueueNeeds { config, live, power, model } = needs;
        let running = model.running();
        if let Some((ticket, _)) = &running {
            release::when_free(&model, ticket.id, ctx);
        }
        let next = running.as_ref().map_or(1, |(ticket, _)| ticket.id + 1);
        let (queue, told) = (LocalQueue::with_running(running), ModelBusy::default());
        let power = power::Reading::new(power);
        Ok(Self { queue, waiting: BTreeMap::new(), next, config, live, told, model, power, looks: 0 })
    }
}

impl ModelQueue {
    fn conditions(&self, ctx: &Ctx<Self>) -> Conditions {
        let config = self.config.borrow();
        Conditions {
            quiet_s: config.models.background_quiet_s,
            power: self.power.now(ctx.now()),
            limits: PowerLimits::of(&config),
        }
    }

    /// Lets the next call go, and looks again when something changes by itself.
    fn advance(&mut self, ctx: &Ctx<Self>) {
        if self.queue.has_upkeep() {
            self.power.refresh(ctx);
        }
        let conditions = self.conditions(ctx);
        while let Some(id) = self.queue.next(ctx.now(), &conditions) {
            let Some(waiter) = self.waiting.remove(&id) else {
                self.queue.remove(id, ctx.now());
                continue;
            };
            let permit = self.queue.running().cloned().and_then(|running| self.model.take(running));
            // Nobody to take it: it gave up while it waited. No permit: somebody this queue does not know of calls.
            if permit.is_none_or(|permit| waiter.send(permit).is_err()) {
                self.queue.remove(id, ctx.now());
                continue;
            }
            release::when_free(&self.model, id, ctx);
        }
        release::later(TELL_AFTER, Tell, ctx);
        if self.queue.is_empty() || self.queue.running().is_some() {
            return; // the end of the running call is what comes next
        }
        let quiet_in = self.queue.quiet_in(ctx.now(), conditions.quiet_s);
        let wait = if quiet_in == 0 { power::LOOK_AGAIN_MS } else { quiet_in.min(power::LOOK_AGAIN_MS) };
        self.looks += 1;
        release::later(millis(wait), Look(self.looks), ctx);
    }

    /// Tells the windows when something other than `since` changed.
    fn tell(&mut self, ctx: &Ctx<Self>) {
        let now = self.queue.busy(ctx.now(), &self.conditions(ctx));
        if (ModelBusy { since: None, ..now.clone() }) != (ModelBusy { since: None, ..self.told.clone() }) {
            self.told = now.clone();
            self.live.event(&EventFrame { event: DomainEvent::ModelBusy(now), ts: ctx.now() });
        }
    }
}

fn millis(millis: i64) -> Duration {
    Duration::from_millis(u64::try_from(millis).unwrap_or_default())
}

#[cfg(test)]
mod tests;
