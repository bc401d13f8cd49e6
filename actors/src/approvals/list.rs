//! Lists the questions that still wait.

use super::{Approvals, List, OpenQuestion};
use protocol::Error;
use runtime::{Ctx, Handles};

impl Handles<List> for Approvals {
    async fn handle(&mut self, List: List, _: &Ctx<Self>) -> Result<Vec<OpenQuestion>, Error> {
        // A turn that stopped listening has ended; its question is only not taken back yet.
        let waits = self.open.values().filter(|open| !open.answer.is_closed());
        Ok(waits.map(|open| open.question.clone()).collect())
    }
}
