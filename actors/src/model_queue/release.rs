//! A permit came back, or time has passed.

use super::{ModelQueue, Release, Tick};
use protocol::{Error, Request};
use runtime::{Address, Ctx, Handles, Outside};
use tokio::time::Duration;

impl Handles<Release> for ModelQueue {
    async fn handle(&mut self, Release(id): Release, ctx: &Ctx<Self>) -> Result<(), Error> {
        self.queue.remove(id, ctx.now());
        self.advance(ctx);
        Ok(())
    }
}

impl Handles<Tick> for ModelQueue {
    async fn handle(&mut self, _: Tick, ctx: &Ctx<Self>) -> Result<(), Error> {
        self.tell(ctx);
        if !self.queue.is_empty() && self.queue.quiet_in(ctx.now(), self.quiet_s()) == 0 {
            self.advance(ctx);
        }
        Ok(())
    }
}

/// Tells the queue something; it is gone only when the engine is.
pub(super) async fn tell<R: Request<Reply = ()>>(queue: &Address<ModelQueue>, request: R)
where
    ModelQueue: Handles<R>,
{
    if let Err(error) = queue.tell(&Outside::within(Duration::from_secs(5)), request).await {
        tracing::debug!(%error, "the model queue did not hear");
    }
}
