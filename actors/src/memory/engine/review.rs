//! What waits for the person's review, of memories and of the user model.

use crate::Engine;
use crate::memory::facts::{review_note, shown_with_sources};
use crate::memory::handle::asking;
use crate::memory::{Approve, ApproveFrom, Discard, Unmerge};
use protocol::Error;
use protocol::memory::{Memory, MergedInto, MergedMemory, ReviewItem, ReviewKind};
use protocol::memory_requests::{REVIEW_ITEMS_MAX, Review};
use storage::Snapshot;
use storage::records::{FactRecord, FactStatus};

const DAY_MS: i64 = 24 * 3_600 * 1_000;
/// `by` of a merge (contract section 7).
const MERGED_BY: &str = "nightly tidying";

impl Engine {
    /// `GET /api/memories/review`.
    ///
    /// # Errors
    /// A store that cannot be read.
    pub async fn memory_review(&self) -> Result<Review, Error> {
        let expire_days = self.config().memory.review_expire_days;
        let insights = self.insights.clone();
        self.reading(move |snapshot| {
            let (mut held, mut merged) = (Vec::new(), Vec::new());
            for fact in snapshot.all::<FactRecord>()?.rev() {
                let fact = fact?;
                match fact.status {
                    FactStatus::Pending => held.push(item(&fact, expire_days)),
                    FactStatus::Merged => merged.push(folded(snapshot, &fact)?),
                    FactStatus::Active => (),
                }
            }
            let mut about = insights.waiting(snapshot, expire_days)?;
            let count = held.len() + about.len();
            held.truncate(REVIEW_ITEMS_MAX);
            about.truncate(REVIEW_ITEMS_MAX);
            held.extend(about);
            held.sort_by_key(|item| std::cmp::Reverse(item.created_at));
            merged.sort_by_key(|memory: &MergedMemory| std::cmp::Reverse(memory.merged_at));
            Ok(Review { items: held, count, expire_days, merged })
        })
        .await
    }

    /// `POST /api/memories/review/{kind}/{id}/approve`.
    ///
    /// # Errors
    /// `Invalid` for empty words, `NotFound` when it does not wait.
    pub async fn approve_held(&self, kind: ReviewKind, id: &str, content: Option<String>) -> Result<(), Error> {
        if content.as_ref().is_some_and(|content| content.trim().is_empty()) {
            return Err(Error::invalid("A memory needs words."));
        }
        match kind {
            ReviewKind::Fact => self.memories.memory.ask(&asking(), Approve { id: number(id)?, content }).await,
            ReviewKind::Insight => self.insights.approve(id.to_owned(), content).await,
        }
    }

    /// `DELETE /api/memories/review/{kind}/{id}`.
    ///
    /// # Errors
    /// `NotFound` when it does not wait.
    pub async fn discard_held(&self, kind: ReviewKind, id: &str) -> Result<(), Error> {
        match kind {
            ReviewKind::Fact => self.memories.memory.ask(&asking(), Discard { id: number(id)? }).await,
            ReviewKind::Insight => self.insights.discard(id.to_owned()).await,
        }
    }

    /// `POST /api/memories/review/approve-all`. Answers how many were taken in.
    ///
    /// # Errors
    /// `Invalid` without `from`.
    pub async fn approve_all_held(&self, from: &str) -> Result<usize, Error> {
        if from.trim().is_empty() {
            return Err(Error::invalid("Say whose memories to approve."));
        }
        let facts = self.memories.memory.ask(&asking(), ApproveFrom { from: from.to_owned() }).await?;
        Ok(facts + self.insights.approve_from(from.to_owned()).await?)
    }

    /// `POST /api/memories/review/merged/{id}/undo`.
    ///
    /// # Errors
    /// `NotFound` when it is not folded into another one, or has run out.
    pub async fn undo_merge(&self, id: u64) -> Result<Memory, Error> {
        Ok(shown_with_sources(&self.memories.memory.ask(&asking(), Unmerge { id }).await?))
    }
}

fn number(id: &str) -> Result<u64, Error> {
    id.parse().map_err(|_| Error::not_found("This is not waiting for review any more."))
}

fn item(fact: &FactRecord, expire_days: u32) -> ReviewItem {
    let note = review_note(fact).unwrap_or_default();
    ReviewItem {
        kind: ReviewKind::Fact,
        id: fact.id.into(),
        text: fact.content.clone(),
        source: fact.source.clone(),
        from: note.from,
        snippet: note.snippet,
        session_id: note.session_id,
        title: note.title,
        dated: note.dated,
        export: note.export,
        reason: note.reason,
        scope: Some(fact.scope.clone()),
        created_at: fact.created_at,
        expires_at: fact.created_at.plus_millis(i64::from(expire_days) * DAY_MS),
    }
}

fn folded(snapshot: &Snapshot, fact: &FactRecord) -> Result<MergedMemory, Error> {
    let into = fact.merged_into.map(|id| snapshot.get::<FactRecord>(&id)).transpose()?.flatten();
    Ok(MergedMemory {
        id: fact.id,
        text: fact.content.clone(),
        source: fact.source.clone(),
        merged_at: fact.merged_at.unwrap_or(fact.updated_at),
        by: MERGED_BY.to_owned(),
        merged_into: into.map(|kept| MergedInto { id: kept.id, text: kept.content }),
    })
}
