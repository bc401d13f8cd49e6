//! Forgetting one memory, all of a scope, and what both have in common: the row and all that finds it go in one commit with
//! the note of what else is due, and then that is done.

use super::cascade::{self, FACTS_PER_CLEANUP, Forgotten, ForgottenFact};
use super::requests::{Discard, Forget, Forgot, ResetScope};
use super::{Memory, looking, searched, unknown};
use crate::events::log_line;
use protocol::events::DomainEvent;
use protocol::memory::{ChangeReason, MemoryChange, SaveAction};
use protocol::{Error, ErrorKind};
use rules::memory::scope;
use runtime::{Ctx, Handles};
use storage::Batch;
use storage::records::{FactRecord, FactStatus};

impl Handles<Forget> for Memory {
    async fn handle(&mut self, Forget { id, reason }: Forget, ctx: &Ctx<Self>) -> Result<Forgot, Error> {
        let fact = self.row(id)?;
        self.forget_one(fact, reason, ctx).await
    }
}

impl Handles<Discard> for Memory {
    async fn handle(&mut self, Discard { id }: Discard, ctx: &Ctx<Self>) -> Result<(), Error> {
        let fact = self.row(id).ok().filter(|fact| fact.status == FactStatus::Pending);
        let fact = fact.ok_or_else(|| Error::not_found("This is not waiting for review any more."))?;
        self.forget_one(fact, Some(ChangeReason::Discarded), ctx).await.map(drop)
    }
}

impl Handles<ResetScope> for Memory {
    async fn handle(&mut self, ResetScope { scope }: ResetScope, ctx: &Ctx<Self>) -> Result<usize, Error> {
        let scope = scope::parse(&scope).map_err(|error| Error::invalid(error.to_string()))?;
        let in_scope = scope.clone();
        let gone = self.rows_where(move |fact| fact.scope == in_scope).await?;
        let change = MemoryChange {
            reason: Some(ChangeReason::ScopeReset),
            scope: Some(scope),
            count: Some(gone.len()),
            ..MemoryChange::new(SaveAction::Delete, None)
        };
        let count = gone.len();
        self.forget_many(gone, change, ctx).await?;
        Ok(count)
    }
}

impl Memory {
    async fn forget_one(
        &mut self,
        fact: FactRecord,
        reason: Option<ChangeReason>,
        ctx: &Ctx<Self>,
    ) -> Result<Forgot, Error> {
        let change = MemoryChange {
            reason,
            scope: Some(fact.scope.clone()),
            ..MemoryChange::new(SaveAction::Delete, Some(fact.id))
        };
        let mut batch = Batch::new();
        batch.event(log_line(&DomainEvent::MemoryUpdated(Box::new(change)), ctx.now()));
        let cleanup_pending = self.forget_rows(vec![fact], batch, ctx).await?;
        Ok(Forgot { cleanup_pending })
    }

    /// Forgets many and tells it once, in the commit that takes the last of them. Nothing happens when there are none.
    pub(super) async fn forget_many(
        &mut self,
        gone: Vec<FactRecord>,
        change: MemoryChange,
        ctx: &Ctx<Self>,
    ) -> Result<bool, Error> {
        let mut is_pending = false;
        let chunks = gone.len().div_ceil(FACTS_PER_CLEANUP);
        for (number, chunk) in gone.chunks(FACTS_PER_CLEANUP).enumerate() {
            let mut batch = Batch::new();
            if number + 1 == chunks {
                batch.event(log_line(&DomainEvent::MemoryUpdated(Box::new(change.clone())), ctx.now()));
            }
            is_pending |= self.forget_rows(chunk.to_vec(), batch, ctx).await?;
        }
        Ok(is_pending)
    }

    /// Deletes these memories, the copies folded into them, and what was made of them. Answers whether something of that
    /// is still to be done. At most [`FACTS_PER_CLEANUP`].
    ///
    /// # Errors
    /// `Unavailable` when nothing was deleted.
    pub(super) async fn forget_rows(
        &mut self,
        gone: Vec<FactRecord>,
        mut batch: Batch,
        ctx: &Ctx<Self>,
    ) -> Result<bool, Error> {
        let ids: Vec<u64> = gone.iter().map(|fact| fact.id).collect();
        let copies = self.rows_where(move |fact| fact.merged_into.is_some_and(|kept| ids.contains(&kept))).await?;
        let facts = gone
            .iter()
            .map(|fact| ForgottenFact::of(fact, copies.iter().filter(|copy| copy.merged_into == Some(fact.id))));
        let copied = copies.iter().map(|copy| ForgottenFact::of(copy, std::iter::empty()));
        let forgotten = Forgotten { facts: facts.chain(copied).collect(), withdrawn: false };
        for fact in gone.iter().chain(&copies) {
            searched::delete(&mut batch, fact.id);
        }
        self.commit_and_clean(forgotten, batch, ctx).await
    }

    /// Takes a memory that stays out of what is written for prompts, in the commit that changes it.
    pub(super) async fn withdraw(&mut self, fact: &FactRecord, batch: Batch, ctx: &Ctx<Self>) -> Result<(), Error> {
        let facts = vec![ForgottenFact::of(fact, std::iter::empty())];
        self.commit_and_clean(Forgotten { facts, withdrawn: true }, batch, ctx).await.map(drop)
    }

    async fn commit_and_clean(
        &mut self,
        forgotten: Forgotten,
        mut batch: Batch,
        ctx: &Ctx<Self>,
    ) -> Result<bool, Error> {
        let due = cascade::due(&self.needs.derived, &forgotten, ctx.now());
        if let Some(due) = &due {
            batch.put(due);
        }
        self.needs.store.commit(batch).await.map_err(|error| {
            tracing::error!(%error, "a memory was not forgotten");
            Error::new(ErrorKind::Unavailable, "Nothing was forgotten.").hint("Try again in a moment.")
        })?;
        let Some(due) = due else { return Ok(false) };
        match cascade::run(&self.needs.store, &self.needs.derived, due).await {
            Ok(is_pending) => Ok(is_pending),
            // The note of what is due is on the disk: the upkeep finds it.
            Err(error) => {
                tracing::warn!(%error, "what was made of a forgotten memory is removed later");
                Ok(true)
            }
        }
    }

    /// Every memory that is so.
    pub(super) async fn rows_where(
        &self,
        wanted: impl Fn(&FactRecord) -> bool + Send + 'static,
    ) -> Result<Vec<FactRecord>, Error> {
        looking(&self.needs.store, move |snapshot| {
            let mut found = Vec::new();
            for fact in snapshot.all::<FactRecord>()? {
                let fact = fact?;
                if wanted(&fact) {
                    found.push(fact);
                }
            }
            Ok(found)
        })
        .await
    }

    /// A memory that is in use.
    pub(super) fn active(&self, id: u64) -> Result<FactRecord, Error> {
        let fact = self.row(id)?;
        if fact.status == FactStatus::Active { Ok(fact) } else { Err(unknown()) }
    }
}
