//! Replies that had the memory in mind say so; that goes, and the reply stays.

use super::{Derived, Forgotten};
use protocol::Error;
use protocol::sessions::MemorySource;
use storage::records::{FactChipRecord, MessageRecord};
use storage::{Batch, Snapshot};

/// The memory chips of replies.
pub(in crate::memory) struct Chips;

impl Derived for Chips {
    fn name(&self) -> &'static str {
        "chips"
    }

    fn forget(&self, snapshot: &Snapshot, forgotten: &Forgotten, batch: &mut Batch) -> Result<(), Error> {
        let ids = forgotten.ids();
        for id in &ids {
            for chip in snapshot.prefix::<FactChipRecord>(id)? {
                let chip = chip?;
                if let Some(message) = snapshot.get::<MessageRecord>(&(chip.session_id.clone(), chip.ordinal))? {
                    let kept: Vec<MemorySource> = serde_json::from_str(&message.memory_sources).unwrap_or_default();
                    let is_of = |source: &MemorySource| {
                        source.kind == "fact" && source.id.as_u64().is_some_and(|id| ids.contains(&id))
                    };
                    let kept: Vec<MemorySource> = kept.into_iter().filter(|source| !is_of(source)).collect();
                    let memory_sources = crate::memory::facts::json(&kept);
                    batch.put(&MessageRecord { memory_sources, ..message });
                }
            }
            batch.delete_prefix::<FactChipRecord>(id);
        }
        Ok(())
    }
}
