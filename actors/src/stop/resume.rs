//! Lets work begin again. It is stored first: a resume that is lost leaves everything stopped.

use super::switch::Kept;
use super::{Resume, Stop};
use protocol::Error;
use protocol::engine::StopState;
use runtime::{Ctx, Handles};

impl Handles<Resume> for Stop {
    async fn handle(&mut self, Resume { source }: Resume, ctx: &Ctx<Self>) -> Result<StopState, Error> {
        let (now, stops) = self.needs.switch.now();
        if !now.stopped {
            return Ok(now);
        }
        let state = StopState { stopped: false, stopped_at: None, source: Some(source) };
        let leftovers = self.stored.leftovers.clone();
        self.keep(Kept { state: state.clone(), leftovers: leftovers.clone() }, ctx).await?;
        if self.needs.switch.release(state.clone(), stops) {
            return Ok(state);
        }
        // Everything was stopped once more while this was stored: that counts, and its own save follows.
        let (state, _) = self.needs.switch.now();
        self.keep(Kept { state: state.clone(), leftovers }, ctx).await?;
        Ok(state)
    }
}
