//! Answers that cover more than one call: for a task, or for some time (contract section 2, "Scoped answers").
//!
//! The one writer of their rows, and of the list the gate reads. A grant is in the list only when it is on the disk; one
//! that has run out counts for nothing from that moment on, and its row goes soon after. No model sees or changes them.

mod expire;
mod forget_task;
mod give;
mod revoke;

pub use forget_task::ForgetTask;
pub use give::{Give, Reach};
pub use revoke::Revoke;

use crate::events::log_line;
use protocol::Error;
use protocol::Timestamp;
use protocol::approvals::Grant;
use protocol::events::DomainEvent;
use protocol::ids::GrantId;
use runtime::{Ctx, Role};
use std::sync::Arc;
use storage::records::GrantRecord;
use storage::{Batch, Store};
use tokio::sync::watch;

/// Grants there may be at once. Ours: each was given by a person's hand.
pub const GRANTS_MAX: usize = 1_000;

/// The grants in force, newest last; the gate and `GET /api/approvals/grants` read it.
pub type GrantList = watch::Receiver<Arc<Vec<Grant>>>;

/// What the role is handed.
#[derive(Clone)]
pub struct GrantsNeeds {
    pub store: Store,
    /// This role alone sends to it.
    pub list: Arc<watch::Sender<Arc<Vec<Grant>>>>,
}

/// The role. The list is its memory.
pub struct Grants {
    needs: GrantsNeeds,
    /// The moment it wakes up at next, to let go what has run out.
    wakes_at: Option<Timestamp>,
}

/// The list as it is stored; the gate has it before the first call, whoever starts first.
///
/// # Errors
/// A store that cannot be read.
pub fn stored(store: &Store) -> Result<Vec<Grant>, Error> {
    let snapshot = store.snapshot()?;
    Ok(snapshot.all::<GrantRecord>()?.map(|row| row.map(shown)).collect::<Result<_, _>>()?)
}

impl Role for Grants {
    const NAME: &'static str = "grants";
    const RANK: u8 = 20;
    type Needs = GrantsNeeds;

    async fn start(needs: GrantsNeeds, ctx: &Ctx<Self>) -> Result<Self, Error> {
        needs.list.send_replace(Arc::new(stored(&needs.store)?));
        let mut role = Self { needs, wakes_at: None };
        role.wake_up(ctx);
        Ok(role)
    }
}

impl Grants {
    fn list(&self) -> Arc<Vec<Grant>> {
        self.needs.list.borrow().clone()
    }

    /// Stores a change of the list with the event that tells of it, then lets everybody see it.
    async fn settle(&mut self, added: Option<GrantRecord>, gone: &[GrantId], ctx: &Ctx<Self>) -> Result<(), Error> {
        let mut list: Vec<Grant> = self.list().iter().filter(|grant| !gone.contains(&grant.id)).cloned().collect();
        let mut batch = Batch::new();
        for id in gone {
            batch.delete::<GrantRecord>(id);
        }
        if let Some(record) = added {
            batch.put(&record);
            list.push(shown(record));
        }
        let count = list.len();
        batch.event(log_line(&DomainEvent::ApprovalGrantsUpdated { count }, ctx.now()));
        self.needs.store.commit(batch).await?;
        self.needs.list.send_replace(Arc::new(list));
        self.wake_up(ctx);
        Ok(())
    }
}

fn shown(record: GrantRecord) -> Grant {
    let GrantRecord { id, tool, label, app, scope, task_id, task_name, risk, via, created_at, expires_at } = record;
    Grant { id, tool, label, app, scope, task_id, task_name, risk, via, created_at, expires_at }
}

#[cfg(test)]
mod tests;
