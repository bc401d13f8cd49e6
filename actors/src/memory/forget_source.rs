//! Forgets what was learned from one source. What another source backs too only loses this one.

use super::Memory;
use super::requests::{ForgetSource, ForgotSource};
use crate::events::log_line;
use protocol::Error;
use protocol::events::DomainEvent;
use protocol::memory::{ChangeReason, MemoryChange, SaveAction};
use runtime::{Ctx, Handles};
use storage::Batch;
use storage::records::FactRecord;

/// Rows written in one commit. Ours.
const ROWS_PER_COMMIT: usize = 500;

impl Handles<ForgetSource> for Memory {
    async fn handle(&mut self, ForgetSource { source }: ForgetSource, ctx: &Ctx<Self>) -> Result<ForgotSource, Error> {
        if source.trim().is_empty() {
            return Err(Error::invalid("Say which source to forget."));
        }
        let named = source.clone();
        let rows = self.rows_where(move |fact| learned_from(fact, &named)).await?;
        let (kept, gone): (Vec<_>, Vec<_>) = rows.into_iter().partition(|fact| another_backs(fact, &source));
        let (deleted, unlinked) = (gone.len(), kept.len());
        for chunk in kept.chunks(ROWS_PER_COMMIT) {
            let mut batch = Batch::new();
            for fact in chunk {
                batch.put(&without(fact.clone(), &source));
            }
            self.commit(batch).await?;
        }
        let change = MemoryChange {
            reason: Some(ChangeReason::Forgotten),
            source: Some(source),
            count: Some(deleted),
            unlinked: Some(unlinked),
            ..MemoryChange::new(SaveAction::Delete, None)
        };
        if gone.is_empty() {
            if unlinked > 0 {
                let mut batch = Batch::new();
                batch.event(log_line(&DomainEvent::MemoryUpdated(Box::new(change)), ctx.now()));
                self.commit(batch).await?;
            }
            return Ok(ForgotSource { deleted, unlinked, cleanup_pending: false });
        }
        let cleanup_pending = self.forget_many(gone, change, ctx).await?;
        Ok(ForgotSource { deleted, unlinked, cleanup_pending })
    }
}

/// Whether a memory was said there, first or later.
pub(super) fn learned_from(fact: &FactRecord, source: &str) -> bool {
    fact.source == source || fact.sources.iter().any(|link| link.source == source)
}

/// Whether something else says it too.
pub(super) fn another_backs(fact: &FactRecord, source: &str) -> bool {
    fact.source != source || fact.sources.iter().any(|link| link.source != source)
}

/// The memory without this source; the next one becomes its own.
fn without(mut fact: FactRecord, source: &str) -> FactRecord {
    fact.sources.retain(|link| link.source != source);
    if fact.source == source
        && let Some(first) = fact.sources.first()
    {
        fact.source = first.source.clone();
    }
    fact
}
