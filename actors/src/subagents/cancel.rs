//! Stops one helper: by the person, or because the call that waits for it was stopped.

use super::{Subagents, shown};
use crate::subagents::end::Outcome;
use protocol::ids::SubagentId;
use protocol::subagents::Subagent;
use protocol::{Error, Request};
use runtime::{Ctx, Handles};
use storage::records::SubagentRecord;

/// Stops it. One that has ended stays as it is. Answers what it is now.
pub(crate) struct Cancel(pub(crate) SubagentId);

impl Request for Cancel {
    type Reply = Subagent;
    const NAME: &'static str = "subagents.cancel";
}

impl Handles<Cancel> for Subagents {
    async fn handle(&mut self, Cancel(id): Cancel, ctx: &Ctx<Self>) -> Result<Subagent, Error> {
        if self.open.contains_key(&id) {
            self.end(&id, Outcome::cancelled(), ctx).await?;
        }
        let record = self.needs.store.snapshot()?.get::<SubagentRecord>(&id)?;
        record.map(|record| shown(record, None)).ok_or_else(|| Error::not_found("There is no such helper."))
    }
}
