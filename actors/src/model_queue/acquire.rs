//! Gets in line, and says how long the line is.

use super::{Acquire, Busy, ModelQueue, Permit};
use protocol::engine::ModelBusy;
use protocol::{Error, ErrorKind};
use rules::local_queue::{Ticket, WAITING_MAX};
use runtime::{Ctx, Handles};
use tokio::sync::oneshot;

impl Handles<Acquire> for ModelQueue {
    async fn handle(&mut self, acquire: Acquire, ctx: &Ctx<Self>) -> Result<oneshot::Receiver<Permit>, Error> {
        let gone: Vec<u64> = self.waiting.iter().filter(|(_, waiter)| waiter.is_closed()).map(|(id, _)| *id).collect();
        for id in gone {
            self.waiting.remove(&id);
            self.queue.remove(id, ctx.now());
        }
        if self.queue.len() >= WAITING_MAX {
            return Err(Error::new(ErrorKind::Busy, "Too much is waiting for the local model."));
        }
        let (waiter, permit) = oneshot::channel();
        let id = self.next;
        self.next += 1;
        self.waiting.insert(id, waiter);
        self.queue.add(Ticket { id, job: acquire.job, model: acquire.model, since: ctx.now() });
        self.advance(ctx);
        Ok(permit)
    }
}

impl Handles<Busy> for ModelQueue {
    async fn handle(&mut self, _: Busy, ctx: &Ctx<Self>) -> Result<ModelBusy, Error> {
        Ok(self.queue.busy(ctx.now(), &self.conditions(ctx)))
    }
}
