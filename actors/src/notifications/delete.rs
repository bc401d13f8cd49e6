//! Deletes notifications.

use super::{Notifications, unknown};
use crate::events::log_line;
use protocol::events::DomainEvent;
use protocol::ids::NotificationId;
use protocol::{Error, Request};
use runtime::{Ctx, Handles};
use storage::Batch;
use storage::records::NotificationRecord;

/// Deletes one, or all.
pub struct DeleteNotifications(pub Option<NotificationId>);

impl Request for DeleteNotifications {
    type Reply = ();
    const NAME: &'static str = "notifications.delete";
}

impl Handles<DeleteNotifications> for Notifications {
    async fn handle(&mut self, DeleteNotifications(id): DeleteNotifications, ctx: &Ctx<Self>) -> Result<(), Error> {
        let gone: Vec<NotificationId> = match &id {
            Some(id) if self.rows.contains_key(id) => vec![id.clone()],
            Some(_) => return Err(unknown()),
            None => self.rows.keys().cloned().collect(),
        };
        if gone.is_empty() {
            return Ok(());
        }
        let mut batch = Batch::new();
        for id in &gone {
            batch.delete::<NotificationRecord>(id);
        }
        batch.event(log_line(&DomainEvent::NotificationDeleted { id: id.clone() }, ctx.now()));
        self.store.commit(batch).await?;
        for id in &gone {
            self.rows.remove(id);
        }
        Ok(())
    }
}
