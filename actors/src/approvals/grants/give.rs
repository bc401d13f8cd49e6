//! Keeps an answer that covers more than one call.

use super::{GRANTS_MAX, Grants};
use protocol::approvals::{GrantScope, Via};
use protocol::ids::GrantId;
use protocol::tools::Risk;
use protocol::{Error, ErrorKind, Request, Timestamp};
use runtime::{Ctx, Handles};
use storage::records::GrantRecord;

/// Keeps a grant. It takes the place of an earlier one of the same tool and reach.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Give {
    pub tool: String,
    pub label: String,
    pub app: String,
    /// The risk that was approved; calls above it still ask.
    pub risk: Risk,
    pub via: Via,
    pub reach: Reach,
}

/// How far it reaches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reach {
    Task { id: String, name: String },
    Minutes(u32),
}

impl Request for Give {
    type Reply = GrantId;
    const NAME: &'static str = "grants.give";
}

impl Handles<Give> for Grants {
    async fn handle(&mut self, give: Give, ctx: &Ctx<Self>) -> Result<GrantId, Error> {
        let now = ctx.now();
        let (scope, task, expires_at) = match give.reach {
            Reach::Task { id, name } => (GrantScope::Task, Some((id, name)), None),
            Reach::Minutes(minutes) => {
                (GrantScope::Timed, None, Some(Timestamp(now.0.saturating_add(i64::from(minutes) * 60_000))))
            }
        };
        let (task_id, task_name) = task.unzip();
        let list = self.list();
        let earlier: Vec<GrantId> = list
            .iter()
            .filter(|grant| (&grant.tool, grant.scope, &grant.task_id) == (&give.tool, scope, &task_id))
            .map(|grant| grant.id.clone())
            .collect();
        if list.len() - earlier.len() >= GRANTS_MAX {
            return Err(Error::new(ErrorKind::Busy, "Too much is allowed for now. Revoke some of it in Settings."));
        }
        let id = GrantId(ctx.world.id());
        let record = GrantRecord {
            id: id.clone(),
            tool: give.tool,
            label: give.label,
            app: give.app,
            scope,
            task_id,
            task_name,
            risk: give.risk,
            via: give.via,
            created_at: now,
            expires_at,
        };
        self.settle(Some(record), &earlier, ctx).await?;
        Ok(id)
    }
}
