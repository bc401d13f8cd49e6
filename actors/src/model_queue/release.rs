//! A permit came back, or time has passed.

use super::{AtTheModel, Look, ModelQueue, Release, Tell};
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

impl Handles<Tell> for ModelQueue {
    async fn handle(&mut self, _: Tell, ctx: &Ctx<Self>) -> Result<(), Error> {
        self.tell(ctx);
        Ok(())
    }
}

impl Handles<Look> for ModelQueue {
    async fn handle(&mut self, Look(number): Look, ctx: &Ctx<Self>) -> Result<(), Error> {
        if number == self.looks {
            self.advance(ctx);
        }
        Ok(())
    }
}

/// Tells the queue once the call's permit is gone. It goes on when work is stopped: that is when permits come back.
pub(super) fn when_free(model: &AtTheModel, id: u64, ctx: &Ctx<ModelQueue>) {
    let (model, me) = (model.clone(), ctx.me.clone());
    ctx.world.work.spawn("model permit", async move {
        model.free().await;
        tell(&me, Release(id)).await;
    });
}

/// Tells the queue something after a while.
pub(super) fn later<R: Request<Reply = ()>>(wait: Duration, request: R, ctx: &Ctx<ModelQueue>)
where
    ModelQueue: Handles<R>,
{
    let me = ctx.me.clone();
    ctx.scope.spawn_dropped("model queue later", async move {
        tokio::time::sleep(wait).await;
        tell(&me, request).await;
    });
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
