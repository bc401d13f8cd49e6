//! The event log told of the memory when it came and when it changed. The lines stay, since their numbers count; the words
//! leave them.

use super::{Derived, Forgotten};
use protocol::Error;
use serde_json::Value;
use storage::records::EventRecord;
use storage::{Batch, Snapshot};

/// The words in the event log.
pub(in crate::memory) struct Events;

impl Derived for Events {
    fn name(&self) -> &'static str {
        "events"
    }

    fn forget(&self, snapshot: &Snapshot, forgotten: &Forgotten, batch: &mut Batch) -> Result<(), Error> {
        let ids = forgotten.ids();
        for event in snapshot.all::<EventRecord>()? {
            let event = event?;
            if event.kind != "memory.updated" {
                continue;
            }
            let Ok(Value::Object(mut data)) = serde_json::from_str(&event.data) else { continue };
            let of = |name: &str| data.get(name).and_then(Value::as_u64);
            let is_about = [of("id"), of("merged_into")].into_iter().flatten().any(|id| ids.contains(&id));
            let words = data.contains_key("content") || data.contains_key("previous");
            if is_about && words {
                data.remove("content");
                data.remove("previous");
                batch.redact_event(&event, Value::Object(data).to_string());
            }
        }
        Ok(())
    }
}
