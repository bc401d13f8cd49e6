//! What the nightly tidy-up does to memories. Its merges and contradictions are no deletes: what was made of the memories
//! stays, since they live on in what is kept.

use super::facts::add_sources;
use super::requests::{FoldLanguage, Merge, Promote, Supersede, Unmerge};
use super::{Memory, searched};
use crate::events::log_line;
use protocol::events::DomainEvent;
use protocol::memory::{ChangeReason, MemoryChange, SaveAction};
use protocol::{Error, ErrorKind};
use rules::memory::topics;
use runtime::{Ctx, Handles};
use storage::Batch;
use storage::records::{FactRecord, FactSource, FactState, FactStatus, MetaRecord};

/// Pairs that were folded and taken apart again: JSON of a list of pairs of numbers, the smaller first.
pub(crate) const KEPT_APART: &str = "memory.kept_apart";
/// Pairs that are remembered as kept apart. Ours: the oldest go.
const KEPT_APART_MAX: usize = 1_000;

impl Handles<Merge> for Memory {
    async fn handle(&mut self, Merge { keep, fold, content }: Merge, ctx: &Ctx<Self>) -> Result<FactRecord, Error> {
        let mut kept = self.active(keep)?;
        let mut batch = Batch::new();
        for id in fold.into_iter().filter(|id| *id != keep) {
            let folded = self.active(id)?;
            same_scope(&kept, &folded)?;
            add_sources(&mut kept, folded.sources.clone());
            kept.recall_count = kept.recall_count.saturating_add(folded.recall_count);
            kept.topics = topics::merged(&kept.topics, &folded.topics);
            let change = MemoryChange {
                reason: Some(ChangeReason::Merged),
                merged_into: Some(keep),
                ..MemoryChange::new(SaveAction::Delete, Some(id))
            };
            // What was folded into the folded one is passed on.
            for copy in self.rows_where(move |fact| fact.merged_into == Some(id)).await? {
                batch.put(&FactRecord { merged_into: Some(keep), ..copy });
            }
            searched::delete(&mut batch, id);
            batch.event(log_line(&DomainEvent::MemoryUpdated(Box::new(change)), ctx.now()));
        }
        let before = content.filter(|content| *content != kept.content);
        let previous = before.map(|content| std::mem::replace(&mut kept.content, content));
        if previous.is_some() {
            kept.previous_content.clone_from(&previous);
        }
        kept.updated_at = ctx.now();
        let change = MemoryChange {
            content: Some(kept.content.clone()),
            reason: Some(ChangeReason::Merged),
            previous,
            ..MemoryChange::new(SaveAction::Update, Some(keep))
        };
        searched::put(&mut batch, &kept);
        batch.event(log_line(&DomainEvent::MemoryUpdated(Box::new(change)), ctx.now()));
        self.commit(batch).await?;
        Ok(kept)
    }
}

impl Handles<Supersede> for Memory {
    async fn handle(&mut self, Supersede { old, by }: Supersede, ctx: &Ctx<Self>) -> Result<FactRecord, Error> {
        let (mut fact, newer) = (self.active(old)?, self.active(by)?);
        same_scope(&fact, &newer)?;
        if old == by || newer.state == FactState::Superseded {
            return Err(Error::new(ErrorKind::Conflict, "Only a memory that holds can replace another one."));
        }
        fact.state = FactState::Superseded;
        fact.superseded_by = Some(by);
        fact.superseded_at = Some(ctx.now());
        fact.updated_at = ctx.now();
        let change = MemoryChange {
            reason: Some(ChangeReason::Contradicted),
            state: Some(super::facts::state(fact.state)),
            superseded_by: Some(by),
            ..MemoryChange::new(SaveAction::Update, Some(old))
        };
        let mut batch = Batch::new();
        batch.put(&fact);
        batch.event(log_line(&DomainEvent::MemoryUpdated(Box::new(change)), ctx.now()));
        self.withdraw(&fact, batch, ctx).await?;
        Ok(fact)
    }
}

impl Handles<Promote> for Memory {
    async fn handle(&mut self, Promote { id }: Promote, ctx: &Ctx<Self>) -> Result<FactRecord, Error> {
        let mut fact = self.active(id)?;
        fact.short_term = false;
        fact.expires_at = None;
        fact.updated_at = ctx.now();
        let change = MemoryChange {
            content: Some(fact.content.clone()),
            reason: Some(ChangeReason::Promoted),
            ..MemoryChange::new(SaveAction::Update, Some(id))
        };
        let mut batch = Batch::new();
        batch.put(&fact);
        batch.event(log_line(&DomainEvent::MemoryUpdated(Box::new(change)), ctx.now()));
        self.commit(batch).await?;
        Ok(fact)
    }
}

impl Handles<FoldLanguage> for Memory {
    async fn handle(
        &mut self,
        FoldLanguage { keep, fold }: FoldLanguage,
        ctx: &Ctx<Self>,
    ) -> Result<FactRecord, Error> {
        let (mut kept, mut folded) = (self.active(keep)?, self.active(fold)?);
        same_scope(&kept, &folded)?;
        if keep == fold {
            return Err(Error::new(ErrorKind::Conflict, "A memory cannot be folded into itself."));
        }
        let brought = folded.sources.iter().map(|link| FactSource { merged_from: Some(fold), ..link.clone() });
        // Linked even where the kept one has the same source: the undo takes exactly these links away again.
        kept.sources.extend(brought.take(super::facts::SOURCES_MAX));
        folded.status = FactStatus::Merged;
        folded.merged_into = Some(keep);
        folded.merged_at = Some(ctx.now());
        let change = MemoryChange {
            reason: Some(ChangeReason::Merged),
            merged_into: Some(keep),
            ..MemoryChange::new(SaveAction::Delete, Some(fold))
        };
        let mut batch = Batch::new();
        batch.put(&kept);
        searched::put(&mut batch, &folded);
        batch.event(log_line(&DomainEvent::MemoryUpdated(Box::new(change)), ctx.now()));
        self.commit(batch).await?;
        Ok(kept)
    }
}

impl Handles<Unmerge> for Memory {
    async fn handle(&mut self, Unmerge { id }: Unmerge, ctx: &Ctx<Self>) -> Result<FactRecord, Error> {
        let gone = || Error::not_found("This memory is not folded into another one any more.");
        let mut fact = self.row(id).ok().filter(|fact| fact.status == FactStatus::Merged).ok_or_else(gone)?;
        if fact.expires_at.is_some_and(|end| end <= ctx.now()) {
            return Err(gone());
        }
        let mut batch = Batch::new();
        if let Some(keep) = fact.merged_into.take() {
            if let Ok(mut kept) = self.row(keep) {
                kept.sources.retain(|link| link.merged_from != Some(id));
                batch.put(&kept);
            }
            batch.put(&self.kept_apart((keep, id))?);
        }
        fact.status = FactStatus::Active;
        fact.merged_at = None;
        let change = MemoryChange {
            content: Some(fact.content.clone()),
            reason: Some(ChangeReason::Unmerged),
            ..MemoryChange::new(SaveAction::Add, Some(id))
        };
        searched::put(&mut batch, &fact);
        batch.event(log_line(&DomainEvent::MemoryUpdated(Box::new(change)), ctx.now()));
        self.commit(batch).await?;
        Ok(fact)
    }
}

impl Memory {
    /// The list of pairs kept apart with one more.
    fn kept_apart(&self, (one, other): (u64, u64)) -> Result<MetaRecord, Error> {
        let kept = self.needs.store.snapshot()?.get::<MetaRecord>(&KEPT_APART.to_owned())?;
        let mut pairs: Vec<(u64, u64)> = kept.and_then(|row| serde_json::from_str(&row.value).ok()).unwrap_or_default();
        pairs.push((one.min(other), one.max(other)));
        let spare = pairs.len().saturating_sub(KEPT_APART_MAX);
        pairs.drain(..spare);
        Ok(MetaRecord { name: KEPT_APART.into(), value: super::facts::json(&pairs) })
    }
}

/// Two memories of different scopes are never made one.
fn same_scope(one: &FactRecord, other: &FactRecord) -> Result<(), Error> {
    if one.scope == other.scope {
        return Ok(());
    }
    Err(Error::new(ErrorKind::Conflict, "Memories of different scopes stay apart."))
}
