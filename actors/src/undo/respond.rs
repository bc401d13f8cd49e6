//! Answers a window.

use super::{Respond, Undo};
use protocol::Error;
use runtime::{Ctx, Handles};

impl Handles<Respond> for Undo {
    async fn handle(&mut self, respond: Respond, _: &Ctx<Self>) -> Result<bool, Error> {
        let Some(open) = self.open.remove(&respond.undo_id) else { return Ok(false) };
        // A turn whose window has ended no longer listens: then it was too late.
        Ok(open.answer.send(respond.action).is_ok())
    }
}
