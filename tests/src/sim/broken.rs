//! Breaks roles of a running engine on purpose: they panic in the middle of a request, and their supervisor starts them
//! again (ARCHITECTURE.md, invariant 10).

use crate::sim::Chance;
use actors::Engine;
use actors::chats::Chats;
use actors::model_queue::ModelQueue;
use actors::subagents::Subagents;
use protocol::{Error, Request};
use runtime::{Ctx, Handles, Outside};
use tokio::time::Duration;

/// Roles broken in one life; more in a short time would be more than a supervisor puts up with.
pub(crate) const BREAKS_MAX: u32 = 3;

struct Break;

impl Request for Break {
    type Reply = ();
    const NAME: &'static str = "sim.break";
}

impl Handles<Break> for ModelQueue {
    async fn handle(&mut self, _: Break, _: &Ctx<Self>) -> Result<(), Error> {
        panic!("broken on purpose")
    }
}

impl Handles<Break> for Chats {
    async fn handle(&mut self, _: Break, _: &Ctx<Self>) -> Result<(), Error> {
        panic!("broken on purpose")
    }
}

impl Handles<Break> for Subagents {
    async fn handle(&mut self, _: Break, _: &Ctx<Self>) -> Result<(), Error> {
        panic!("broken on purpose")
    }
}

/// Breaks one of them, and says which.
pub(crate) async fn break_one(engine: &Engine, chance: &mut Chance) -> &'static str {
    let caller = Outside::within(Duration::from_secs(5));
    let (which, sent) = match chance.below(3) {
        0 => ("the model queue", engine.queue_address().tell(&caller, Break).await),
        1 => ("the directory of chats", engine.chats_address().tell(&caller, Break).await),
        _ => ("the helpers", engine.subagents_address().tell(&caller, Break).await),
    };
    if sent.is_err() { "nothing: it has too much to do" } else { which }
}
