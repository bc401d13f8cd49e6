//! Says once that no model could do its part for memory, until one can again (contract section 7).

use crate::notifications::{AddNotification, NewNotification, Notifications};
use protocol::Error;
use protocol::notifications::NotificationKind;
use runtime::{Address, Outside};
use serde_json::json;
use storage::records::MetaRecord;
use storage::{Batch, Store};
use tokio::time::Duration;

const PATIENCE: Duration = Duration::from_secs(10);

/// What no model could do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoModel {
    /// Check whether a fact is new.
    Check,
    /// Read facts out of a chat.
    Extract,
}

impl NoModel {
    fn job(self) -> &'static str {
        match self {
            Self::Check => "check",
            Self::Extract => "extract",
        }
    }

    fn mark(self) -> String {
        format!("memory.no_model.{}", self.job())
    }

    fn notification(self) -> NewNotification {
        let (title, message) = match self {
            Self::Check => (
                "Memories saved without a full check",
                "No model could compare new memories with older ones, so only exact checks decide. Some may be there \
                 twice. Look at your fast model in Settings > Models.",
            ),
            Self::Extract => (
                "Memories not saved from your chats",
                "No model could read your chats for things worth remembering. Look at your fast model in Settings > \
                 Models.",
            ),
        };
        NewNotification {
            kind: NotificationKind::Info,
            title: title.into(),
            message: message.into(),
            payload: json!({ "kind": "memory_no_model", "job": self.job() }),
            task_id: None,
        }
    }
}

/// Tells the person, unless they were told since it last worked. The mark and the notice are one commit.
///
/// # Errors
/// A store that cannot be written.
pub(super) async fn tell(store: &Store, to: &Address<Notifications>, what: NoModel) -> Result<(), Error> {
    let name = what.mark();
    if store.snapshot()?.get::<MetaRecord>(&name)?.is_some() {
        return Ok(());
    }
    let mark = Some(MetaRecord { name, value: "true".into() });
    to.ask(&Outside::within(PATIENCE), AddNotification { new: what.notification(), mark }).await?;
    Ok(())
}

/// It works again: the next failure is news.
///
/// # Errors
/// A store that cannot be written.
pub(super) async fn works(store: &Store, what: NoModel) -> Result<(), Error> {
    let name = what.mark();
    if store.snapshot()?.get::<MetaRecord>(&name)?.is_none() {
        return Ok(());
    }
    let mut batch = Batch::new();
    batch.delete::<MetaRecord>(&name);
    store.commit(batch).await?;
    Ok(())
}
