//! Takes back what a turn has asked.

use super::{Approvals, Withdraw};
use protocol::Error;
use runtime::{Ctx, Handles};

impl Handles<Withdraw> for Approvals {
    async fn handle(&mut self, withdraw: Withdraw, _: &Ctx<Self>) -> Result<(), Error> {
        self.open.retain(|_, open| open.question.turn_id != withdraw.turn_id);
        Ok(())
    }
}
