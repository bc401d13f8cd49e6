//! Takes a grant back.

use super::Grants;
use protocol::ids::GrantId;
use protocol::{Error, Request};
use runtime::{Ctx, Handles};

/// Takes one back (`DELETE /api/approvals/grants/{id}`).
pub struct Revoke(pub GrantId);

impl Request for Revoke {
    type Reply = ();
    const NAME: &'static str = "grants.revoke";
}

impl Handles<Revoke> for Grants {
    async fn handle(&mut self, Revoke(id): Revoke, ctx: &Ctx<Self>) -> Result<(), Error> {
        if !self.list().iter().any(|grant| grant.id == id) {
            return Err(Error::not_found("This is not allowed for now any more."));
        }
        self.settle(None, &[id], ctx).await
    }
}
