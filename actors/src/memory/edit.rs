//! What the person does to a memory in their own hands: other words, another place.

use super::commit::{expires, is_short};
use super::facts::status;
use super::requests::{Edit, Move};
use super::{Memory, searched};
use crate::events::log_line;
use protocol::Error;
use protocol::events::DomainEvent;
use protocol::memory::{ChangeReason, MemoryChange, MemoryStatus, SCOPE_PERSONAL, SaveAction};
use rules::memory::{analysis, scope, topics};
use runtime::{Ctx, Handles};
use storage::Batch;
use storage::records::{FactRecord, FactState};

impl Handles<Edit> for Memory {
    async fn handle(&mut self, Edit { id, content, analysis }: Edit, ctx: &Ctx<Self>) -> Result<FactRecord, Error> {
        let mut fact = self.row(id)?;
        if fact.content == content {
            return Ok(fact);
        }
        let analysis = analysis.unwrap_or_else(|| analysis::of(&content));
        let previous = std::mem::replace(&mut fact.content, content);
        fact.previous_content = Some(previous.clone());
        fact.topics = topics::normalise(&analysis.topics);
        fact.short_term = is_short(&analysis);
        fact.expires_at = expires(&analysis, ctx.now());
        fact.confidence = 1.0;
        if fact.state == FactState::Disputed {
            fact.state = FactState::Current;
        }
        fact.updated_at = ctx.now();
        let change = MemoryChange {
            content: Some(fact.content.clone()),
            previous: Some(previous),
            status: Some(status(fact.status)).filter(|status| *status == MemoryStatus::Pending),
            scope: Some(fact.scope.clone()),
            ..MemoryChange::new(SaveAction::Update, Some(id))
        };
        let mut batch = Batch::new();
        searched::put(&mut batch, &fact);
        batch.event(log_line(&DomainEvent::MemoryUpdated(Box::new(change)), ctx.now()));
        self.commit(batch).await?;
        Ok(fact)
    }
}

impl Handles<Move> for Memory {
    async fn handle(&mut self, Move { id, scope }: Move, ctx: &Ctx<Self>) -> Result<FactRecord, Error> {
        let scope = scope::parse(&scope).map_err(|error| Error::invalid(error.to_string()))?;
        let mut fact = self.row(id)?;
        if fact.scope == scope {
            return Ok(fact);
        }
        let previous = std::mem::replace(&mut fact.scope, scope);
        let change = MemoryChange {
            content: Some(fact.content.clone()),
            reason: Some(ChangeReason::Moved),
            scope: Some(fact.scope.clone()),
            previous_scope: Some(previous.clone()),
            ..MemoryChange::new(SaveAction::Update, Some(id))
        };
        let mut batch = Batch::new();
        // Retention counts from when it was replaced, so `updated_at` alone changes.
        fact.updated_at = ctx.now();
        batch.put(&fact);
        batch.event(log_line(&DomainEvent::MemoryUpdated(Box::new(change)), ctx.now()));
        if is_in_files(&previous) && !is_in_files(&fact.scope) {
            self.withdraw(&fact, batch, ctx).await?;
        } else {
            self.commit(batch).await?;
        }
        Ok(fact)
    }
}

/// Whether memories of this scope are written into USER.md and MEMORY.md.
fn is_in_files(scope: &str) -> bool {
    scope::readable(SCOPE_PERSONAL).iter().any(|read| read == scope)
}
