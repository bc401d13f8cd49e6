//! Marks notifications as read.

use super::{Notifications, unknown};
use crate::events::log_line;
use protocol::events::DomainEvent;
use protocol::ids::NotificationId;
use protocol::{Error, Request};
use runtime::{Ctx, Handles};
use storage::Batch;
use storage::records::NotificationRecord;

/// Marks one as read, or all.
pub struct ReadNotifications(pub Option<NotificationId>);

impl Request for ReadNotifications {
    type Reply = ();
    const NAME: &'static str = "notifications.read";
}

impl Handles<ReadNotifications> for Notifications {
    async fn handle(&mut self, ReadNotifications(id): ReadNotifications, ctx: &Ctx<Self>) -> Result<(), Error> {
        let fresh: Vec<NotificationId> = match &id {
            Some(id) => {
                let read = self.rows.get(id).ok_or_else(unknown)?;
                (!read).then(|| id.clone()).into_iter().collect()
            }
            None => self.rows.iter().filter(|(_, read)| !**read).map(|(id, _)| id.clone()).collect(),
        };
        if fresh.is_empty() {
            return Ok(());
        }
        let snapshot = self.store.snapshot()?;
        let mut batch = Batch::new();
        for id in &fresh {
            if let Some(record) = snapshot.get::<NotificationRecord>(id)? {
                batch.put(&NotificationRecord { read: true, ..record });
            }
        }
        batch.event(log_line(&DomainEvent::NotificationRead { id }, ctx.now()));
        self.store.commit(batch).await?;
        for id in fresh {
            self.rows.insert(id, true);
        }
        Ok(())
    }
}
