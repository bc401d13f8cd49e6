//! What waits for review is taken in by the person, and by nobody else.

use super::facts::{add_sources, review_note};
use super::requests::{Approve, ApproveFrom};
use super::{Memory, searched};
use crate::events::log_line;
use protocol::Error;
use protocol::events::DomainEvent;
use protocol::memory::{ChangeReason, MemoryChange, SCOPE_ALWAYS, SaveAction};
use rules::memory::confidence;
use runtime::{Ctx, Handles};
use storage::Batch;
use storage::records::{FactRecord, FactState, FactStatus};

impl Handles<Approve> for Memory {
    async fn handle(&mut self, Approve { id, content }: Approve, ctx: &Ctx<Self>) -> Result<(), Error> {
        let fact = self.row(id).ok().filter(|fact| fact.status == FactStatus::Pending);
        let fact = fact.ok_or_else(|| Error::not_found("This is not waiting for review any more."))?;
        let content = content.map(|content| content.trim().to_owned());
        if content.as_ref().is_some_and(String::is_empty) {
            return Err(Error::invalid("A memory needs words."));
        }
        self.approve(fact, content, ctx).await
    }
}

impl Handles<ApproveFrom> for Memory {
    async fn handle(&mut self, ApproveFrom { from }: ApproveFrom, ctx: &Ctx<Self>) -> Result<usize, Error> {
        let held = self
            .rows_where(move |fact| {
                fact.status == FactStatus::Pending && review_note(fact).is_some_and(|note| note.from == from)
            })
            .await?;
        let count = held.len();
        for fact in held {
            self.approve(fact, None, ctx).await?;
        }
        Ok(count)
    }
}

impl Memory {
    async fn approve(&mut self, mut fact: FactRecord, content: Option<String>, ctx: &Ctx<Self>) -> Result<(), Error> {
        let now = ctx.now();
        if let Some(content) = content.filter(|content| *content != fact.content) {
            fact.previous_content = Some(std::mem::replace(&mut fact.content, content));
        }
        fact.confidence = confidence::approved(fact.confidence);
        fact.updated_at = now;
        let mut batch = Batch::new();
        match self.said_already(&fact)? {
            Some(mut known) => {
                let fresh = add_sources(&mut known, fact.sources.clone());
                known.confidence = (0..fresh).fold(known.confidence, |sure, _| confidence::again(sure));
                known.confidence = confidence::approved(known.confidence);
                if known.state == FactState::Disputed {
                    known.state = FactState::Current;
                }
                batch.put(&known);
                let change = MemoryChange {
                    reason: Some(ChangeReason::Approved),
                    scope: Some(known.scope.clone()),
                    ..MemoryChange::new(SaveAction::Delete, Some(fact.id))
                };
                batch.event(log_line(&DomainEvent::MemoryUpdated(Box::new(change)), now));
                self.forget_rows(vec![fact], batch, ctx).await.map(drop)
            }
            None => {
                fact.status = FactStatus::Active;
                let change = MemoryChange {
                    content: Some(fact.content.clone()),
                    reason: Some(ChangeReason::Approved),
                    scope: Some(fact.scope.clone()),
                    ..MemoryChange::new(SaveAction::Add, Some(fact.id))
                };
                searched::put(&mut batch, &fact);
                batch.event(log_line(&DomainEvent::MemoryUpdated(Box::new(change)), now));
                self.commit(batch).await
            }
        }
    }

    /// Another memory in use, in the same words and where this one would be seen.
    fn said_already(&self, fact: &FactRecord) -> Result<Option<FactRecord>, Error> {
        let same = self.needs.store.snapshot()?.facts_saying(&fact.content)?;
        Ok(same.into_iter().find(|other| {
            let is_used = other.status == FactStatus::Active && other.state != FactState::Superseded;
            other.id != fact.id && is_used && (other.scope == fact.scope || other.scope == SCOPE_ALWAYS)
        }))
    }
}
