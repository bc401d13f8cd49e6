//! The queue in front of the local model: one call at a time, the most urgent first (`rules::local_queue`).
//!
//! It guards the model, not the work: whoever holds a permit may call, and dropping it lets the next one go, also when
//! its holder was cancelled or crashed.

mod acquire;
mod release;

use crate::live::Hub;
use protocol::config::Config;
use protocol::engine::{ModelBusy, ModelJob};
use protocol::events::{DomainEvent, EventFrame};
use protocol::{Error, Request};
use rules::local_queue::LocalQueue;
use runtime::{Ctx, Role};
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
}

/// The right to call the local model; ends when it is dropped.
#[derive(Debug)]
pub struct Permit {
    _held: oneshot::Sender<()>,
}

/// Waits for the local model.
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

/// The quiet time may be over, or windows should hear of the state.
struct Tick;

impl Request for Tick {
    type Reply = ();
    const NAME: &'static str = "model_queue.tick";
}

/// What the queue needs.
#[derive(Clone)]
pub struct ModelQueueNeeds {
    pub config: watch::Receiver<Arc<Config>>,
    pub live: Hub,
}

impl Role for ModelQueue {
    const NAME: &'static str = "model_queue";
    const RANK: u8 = 40;
    const MAILBOX_MAX: usize = 4_096;
    type Needs = ModelQueueNeeds;

    async fn start(needs: ModelQueueNeeds, _: &Ctx<Self>) -> Result<Self, Error> {
        let ModelQueueNeeds { config, live } = needs;
        let (queue, waiting, told) = (LocalQueue::default(), BTreeMap::new(), ModelBusy::default());
        Ok(Self { queue, waiting, next: 1, config, live, told })
    }
}

impl ModelQueue {
    fn quiet_s(&self) -> u32 {
        self.config.borrow().models.background_quiet_s
    }

    /// Lets the next call go, and looks again when something changes by itself.
    fn advance(&mut self, ctx: &Ctx<Self>) {
        while let Some(id) = self.queue.next(ctx.now(), self.quiet_s()) {
            let Some(waiter) = self.waiting.remove(&id) else {
                self.queue.remove(id, ctx.now());
                continue;
            };
            let (held, dropped) = oneshot::channel();
            if waiter.send(Permit { _held: held }).is_err() {
                self.queue.remove(id, ctx.now()); // it gave up while it waited
                continue;
            }
            let me = ctx.me.clone();
            ctx.world.work.spawn("model permit", async move {
                drop(dropped.await);
                release::tell(&me, Release(id)).await;
            });
        }
        let quiet_in = self.queue.quiet_in(ctx.now(), self.quiet_s());
        let wait = if self.queue.is_empty() || quiet_in == 0 { TELL_AFTER } else { millis(quiet_in) };
        let me = ctx.me.clone();
        ctx.scope.spawn_dropped("model queue tick", async move {
            tokio::time::sleep(wait).await;
            release::tell(&me, Tick).await;
        });
    }

    /// Tells the windows when something other than `since` changed.
    fn tell(&mut self, ctx: &Ctx<Self>) {
        let now = self.queue.busy(ctx.now(), self.quiet_s());
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
