//! Settles notifications that ask for an approval: says what became of the question and counts it as read.

use super::{Notifications, shown};
use crate::events::log_line;
use protocol::approvals::Decision;
use protocol::events::DomainEvent;
use protocol::ids::{ApprovalId, SessionId};
use protocol::notifications::NotificationKind;
use protocol::{Error, Request};
use runtime::{Ctx, Handles};
use serde_json::Value;
use storage::Batch;
use storage::records::NotificationRecord;

/// `payload.status` of a question nobody has answered yet, and of one nobody can answer any more.
pub(crate) const PENDING: &str = "pending";
const EXPIRED: &str = "expired";

/// Settles questions that are still pending. Others stay as they are.
pub enum SettleApprovals {
    /// This one was answered, or `None`: nobody answered in time.
    Answered(ApprovalId, Option<Decision>),
    /// The turn of this chat has ended: nobody waits for an answer any more.
    TurnEnded(SessionId),
}

impl Request for SettleApprovals {
    type Reply = ();
    const NAME: &'static str = "notifications.settle_approvals";
}

impl Handles<SettleApprovals> for Notifications {
    async fn handle(&mut self, settle: SettleApprovals, ctx: &Ctx<Self>) -> Result<(), Error> {
        let snapshot = self.store.snapshot()?;
        let mut batch = Batch::new();
        let mut settled = Vec::new();
        for id in self.rows.keys() {
            let Some(record) = snapshot.get::<NotificationRecord>(id)? else { continue };
            if record.kind != NotificationKind::Approval {
                continue;
            }
            let mut payload: Value = serde_json::from_str(&record.payload).unwrap_or_default();
            if payload["status"] != PENDING || !settle.is_about(&payload) {
                continue;
            }
            payload["status"] = settle.status();
            let record = NotificationRecord { payload: payload.to_string(), read: true, ..record };
            batch.put(&record).event(log_line(&DomainEvent::NotificationUpdated(shown(record.clone())), ctx.now()));
            settled.push(record.id);
        }
        if settled.is_empty() {
            return Ok(());
        }
        self.store.commit(batch).await?;
        for id in settled {
            self.rows.insert(id, true);
        }
        Ok(())
    }
}

impl SettleApprovals {
    fn is_about(&self, payload: &Value) -> bool {
        match self {
            Self::Answered(id, _) => payload["approval_id"] == id.as_str(),
            Self::TurnEnded(session) => payload["session_id"] == session.as_str(),
        }
    }

    fn status(&self) -> Value {
        match self {
            Self::Answered(_, Some(decision)) => serde_json::to_value(decision).unwrap_or_default(),
            Self::Answered(_, None) | Self::TurnEnded(_) => Value::from(EXPIRED),
        }
    }
}
