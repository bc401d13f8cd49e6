//! Counts what was recalled: the nightly tidy-up keeps what is needed often.

use super::Memory;
use super::requests::Recalled;
use protocol::Error;
use runtime::{Ctx, Handles};
use std::collections::BTreeSet;
use storage::Batch;
use storage::records::FactRecord;

/// Memories counted at once. Ours; a prompt has at most `memory.facts_top_k` (50).
const IDS_MAX: usize = 500;

impl Handles<Recalled> for Memory {
    async fn handle(&mut self, Recalled { ids }: Recalled, ctx: &Ctx<Self>) -> Result<(), Error> {
        let ids: BTreeSet<u64> = ids.into_iter().take(IDS_MAX).collect();
        let mut batch = Batch::new();
        {
            let snapshot = self.needs.store.snapshot()?;
            for id in ids {
                if let Some(fact) = snapshot.get::<FactRecord>(&id)? {
                    let recall_count = fact.recall_count.saturating_add(1);
                    batch.put(&FactRecord { recall_count, last_recalled_at: Some(ctx.now()), ..fact });
                }
            }
        }
        if batch.is_empty() { Ok(()) } else { self.commit(batch).await }
    }
}
