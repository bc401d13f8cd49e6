//! The notification centre (contract section 6). The one writer of its rows: what is added, read and deleted is
//! committed together with the event that tells of it, and it never grows past its limit.

mod add;
mod delete;
mod engine;
mod read;
mod settle;
#[cfg(test)]
mod tests;

pub use add::AddNotification;
pub use delete::DeleteNotifications;
pub use read::ReadNotifications;
pub(crate) use settle::PENDING;
pub use settle::SettleApprovals;

use protocol::Error;
use protocol::ids::NotificationId;
use protocol::notifications::{Notification, NotificationKind};
use runtime::{Ctx, Role};
use serde_json::Value;
use std::collections::BTreeMap;
use storage::Store;
use storage::records::NotificationRecord;

/// What a notification is made from; the role gives it its name and its moment.
#[derive(Clone, Debug, PartialEq)]
pub struct NewNotification {
    pub kind: NotificationKind,
    pub title: String,
    /// Markdown.
    pub message: String,
    /// A JSON object.
    pub payload: Value,
    pub task_id: Option<String>,
}

/// The role.
pub struct Notifications {
    store: Store,
    /// Every row and whether it was read; names sort by age.
    rows: BTreeMap<NotificationId, bool>,
}

impl Role for Notifications {
    const NAME: &'static str = "notifications";
    const RANK: u8 = 20;
    type Needs = Store;

    async fn start(store: Store, _: &Ctx<Self>) -> Result<Self, Error> {
        let snapshot = store.snapshot()?;
        let mut rows = BTreeMap::new();
        for row in snapshot.all::<NotificationRecord>()? {
            let row = row?;
            rows.insert(row.id, row.read);
        }
        Ok(Self { store, rows })
    }
}

/// A row as clients see it.
pub(crate) fn shown(record: NotificationRecord) -> Notification {
    let NotificationRecord { id, kind, title, message, payload, task_id, read, created_at } = record;
    let payload = serde_json::from_str(&payload).unwrap_or_else(|error| {
        tracing::error!(%error, notification = %id, "a payload cannot be read");
        Value::Object(serde_json::Map::default())
    });
    Notification { id, kind, title, message, payload, task_id, read, created_at }
}

/// The answer for a row that is not there.
fn unknown() -> Error {
    Error::not_found("This notification is not there any more.")
}
