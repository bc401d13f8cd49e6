//! A task is deleted: what was allowed for it goes too.

use super::Grants;
use protocol::ids::GrantId;
use protocol::{Error, Request};
use runtime::{Ctx, Handles};

/// Takes back all that was allowed for a task.
pub struct ForgetTask(pub String);

impl Request for ForgetTask {
    type Reply = ();
    const NAME: &'static str = "grants.forget_task";
}

impl Handles<ForgetTask> for Grants {
    async fn handle(&mut self, ForgetTask(task): ForgetTask, ctx: &Ctx<Self>) -> Result<(), Error> {
        let list = self.list();
        let of_it = list.iter().filter(|grant| grant.task_id.as_deref() == Some(task.as_str()));
        let gone: Vec<GrantId> = of_it.map(|grant| grant.id.clone()).collect();
        if gone.is_empty() { Ok(()) } else { self.settle(None, &gone, ctx).await }
    }
}
