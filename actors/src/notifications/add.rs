//! Adds a notification, and lets the oldest go when there are too many.

use super::{NewNotification, Notifications, shown};
use crate::events::log_line;
use protocol::events::DomainEvent;
use protocol::ids::NotificationId;
use protocol::limits::NOTIFICATIONS_MAX;
use protocol::notifications::Notification;
use protocol::{Error, Request};
use runtime::{Ctx, Handles};
use std::collections::BTreeMap;
use storage::Batch;
use storage::records::{MetaRecord, NotificationRecord};

/// Adds a notification.
pub struct AddNotification {
    pub new: NewNotification,
    /// A value that becomes true with it, written in the same commit: "the person was told of this".
    pub mark: Option<MetaRecord>,
}

impl Request for AddNotification {
    type Reply = Notification;
    const NAME: &'static str = "notifications.add";
}

impl Handles<AddNotification> for Notifications {
    async fn handle(&mut self, request: AddNotification, ctx: &Ctx<Self>) -> Result<Notification, Error> {
        let AddNotification { new, mark } = request;
        let record = NotificationRecord {
            id: NotificationId(ctx.world.id()),
            kind: new.kind,
            title: new.title,
            message: new.message,
            payload: new.payload.to_string(),
            task_id: new.task_id,
            read: false,
            created_at: ctx.now(),
        };
        let gone = overflow(&self.rows, NOTIFICATIONS_MAX);
        let added = shown(record.clone());
        let mut batch = Batch::new();
        batch.put(&record).event(log_line(&DomainEvent::NotificationNew(added.clone()), ctx.now()));
        for id in &gone {
            let deleted = DomainEvent::NotificationDeleted { id: Some(id.clone()) };
            batch.delete::<NotificationRecord>(id).event(log_line(&deleted, ctx.now()));
        }
        if let Some(mark) = &mark {
            batch.put(mark);
        }
        self.store.commit(batch).await?;
        self.rows.insert(record.id, false);
        for id in &gone {
            self.rows.remove(id);
        }
        Ok(added)
    }
}

/// The rows that must go so that one more fits: the oldest that were read, then the oldest.
fn overflow(rows: &BTreeMap<NotificationId, bool>, max: usize) -> Vec<NotificationId> {
    let excess = (rows.len() + 1).saturating_sub(max);
    let of = |read: bool| rows.iter().filter(move |(_, is_read)| **is_read == read).map(|(id, _)| id.clone());
    of(true).chain(of(false)).take(excess).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_that_were_read_go_first() {
        for (name, rows, max, want) in [
            ("room left", "a b", 3, ""),
            ("the oldest read one", "a b! c!", 3, "b"),
            ("none was read", "a b c", 3, "a"),
            ("far too many", "a b! c", 2, "b a"),
            ("a limit of nothing", "a", 0, "a"),
        ] {
            let rows = rows.split(' ').map(|row| (row.trim_end_matches('!').into(), row.ends_with('!'))).collect();
            let gone: Vec<String> = overflow(&rows, max).into_iter().map(|id| id.0).collect();
            assert_eq!(gone.join(" "), want, "{name}");
        }
    }
}
