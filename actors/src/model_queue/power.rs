//! What the computer runs on, read only while upkeep waits for the model: an idle engine looks at nothing.

use super::{ModelQueue, release};
use crate::ports::PowerSupply;
use protocol::{Error, Request, Timestamp};
use rules::local_queue::Power;
use runtime::{Ctx, Handles};
use std::sync::Arc;

/// How old a reading may be. Ours.
const FRESH_MS: i64 = 30 * 1_000;
/// How often the queue looks again while upkeep waits. Ours.
pub(super) const LOOK_AGAIN_MS: i64 = FRESH_MS + 1_000;

/// The newest reading.
pub(super) struct Reading {
    port: Arc<dyn PowerSupply>,
    last: Option<(Power, Timestamp)>,
    underway: bool,
}

/// A reading came in.
pub(super) struct Runs(Power);

impl Request for Runs {
    type Reply = ();
    const NAME: &'static str = "model_queue.power";
}

impl Reading {
    pub(super) fn new(port: Arc<dyn PowerSupply>) -> Self {
        Self { port, last: None, underway: false }
    }

    /// `None` when it is not known, or was too long ago.
    pub(super) fn now(&self, now: Timestamp) -> Option<Power> {
        let fresh = |at: Timestamp| (0..FRESH_MS).contains(&now.as_millis().saturating_sub(at.as_millis()));
        self.last.filter(|(_, at)| fresh(*at)).map(|(power, _)| power)
    }

    /// Reads anew when the last reading is too old.
    pub(super) fn refresh(&mut self, ctx: &Ctx<ModelQueue>) {
        if self.underway || self.now(ctx.now()).is_some() {
            return;
        }
        self.underway = true;
        let (read, me) = (self.port.read(), ctx.me.clone());
        ctx.scope.spawn_dropped("power", async move {
            let power = read.await;
            release::tell(&me, Runs(power)).await;
        });
    }
}

impl Handles<Runs> for ModelQueue {
    async fn handle(&mut self, Runs(power): Runs, ctx: &Ctx<Self>) -> Result<(), Error> {
        self.power.underway = false;
        self.power.last = Some((power, ctx.now()));
        self.advance(ctx);
        Ok(())
    }
}
