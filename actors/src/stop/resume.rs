//! Lets work begin again. It is stored first: a resume that is lost leaves everything stopped.

use super::switch::Kept;
use super::{Resume, Stop};
use protocol::Error;
use protocol::engine::StopState;
use runtime::{Ctx, Handles};

impl Handles<Resume> for Stop {
    async fn handle(&mut self, Resume { source }: Resume, ctx: &Ctx<Self>) -> Result<StopState, Error> {
        let (now, stops) = self.needs.switch.kept();
        if !now.state.stopped {
            return Ok(now.state);
        }
        let state = StopState { stopped: false, stopped_at: None, source: Some(source) };
        self.keep(Kept { state: state.clone(), last_at: now.last_at }, ctx).await?;
        if self.needs.switch.release(state.clone(), stops) {
            return Ok(state);
        }
        // Everything was stopped once more while this was stored: that counts.
        let (kept, _) = self.needs.switch.kept();
        self.keep(kept, ctx).await
    }
}
