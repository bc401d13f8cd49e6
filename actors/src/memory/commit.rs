//! Writes what a save was judged to be. What has changed since it was judged is judged again; the same words are never
//! remembered twice, however many save them at once.

use super::decided::Decided;
use super::facts::{add_sources, chat_of, json, link, message_of};
use super::requests::{Commit, Kept, NewFact};
use super::{Memory, searched};
use crate::events::log_line;
use protocol::events::DomainEvent;
use protocol::memory::{
    ChangeReason, MemoryChange, MemoryState, MemoryStatus, MemoryType, ReviewNote, SCOPE_ALWAYS, SaveAction, Saved,
};
use protocol::{Error, Timestamp};
use rules::memory::{Analysis, analysis, confidence, duration, review, topics};
use runtime::{Ctx, Handles};
use storage::records::{FactRecord, FactSaveRecord, FactState, FactStatus};
use storage::{Batch, Snapshot};

impl Handles<Commit> for Memory {
    async fn handle(&mut self, Commit { new, decided }: Commit, ctx: &Ctx<Self>) -> Result<Kept, Error> {
        let found = {
            let snapshot = self.needs.store.snapshot()?;
            match before(&snapshot, &new)? {
                Some(Known::Gone(fact)) => {
                    let skipped = saved(SaveAction::Skip, fact, &new.content, &new.scope);
                    return Ok(Kept::Saved(skipped));
                }
                Some(Known::Saved(fact)) => return Ok(Kept::Saved(as_it_is(&fact))),
                Some(Known::Same(fact)) => Target::Skip(fact),
                None => match target(&snapshot, &new, decided)? {
                    Some(target) => target,
                    None => return Ok(Kept::Changed),
                },
            }
        };
        let saved = match found {
            Target::Add(analysis) => self.add(&new, &analysis, ctx).await?,
            Target::Update(fact, content, analysis) => self.update(&new, fact, (content, &analysis), ctx).await?,
            Target::Delete(fact) => self.delete_for(&new, fact, ctx).await?,
            Target::Skip(fact) => self.skip(&new, fact, ctx).await?,
        };
        Ok(Kept::Saved(saved))
    }
}

/// What a save meets before anything was judged.
enum Known {
    /// This very thing was saved from this very message before, and forgotten since: it does not come back by itself.
    Gone(u64),
    /// It was saved before from the same message.
    Saved(FactRecord),
    /// Something else said it in the same words.
    Same(FactRecord),
}

/// What is to be done, with the row as it is now.
enum Target {
    Add(Analysis),
    Update(FactRecord, String, Analysis),
    Delete(FactRecord),
    Skip(FactRecord),
}

fn before(snapshot: &Snapshot, new: &NewFact) -> Result<Option<Known>, Error> {
    if let Some(message) = message_of(new.reference.as_ref()) {
        let key = (message, FactRecord::words_hash(&new.content));
        if let Some(save) = snapshot.get::<FactSaveRecord>(&key)? {
            let fact = snapshot.get::<FactRecord>(&save.fact)?;
            return Ok(Some(fact.map_or(Known::Gone(save.fact), Known::Saved)));
        }
    }
    for fact in snapshot.facts_saying(&new.content)? {
        if fact.state == FactState::Superseded || !sees(new, &fact) {
            continue;
        }
        match fact.merged_into {
            None => return Ok(Some(Known::Same(fact))),
            // Said in the words of a copy: what is kept says the same in another language.
            Some(kept) => {
                if let Some(kept) = snapshot.get::<FactRecord>(&kept)? {
                    return Ok(Some(Known::Same(kept)));
                }
            }
        }
    }
    Ok(None)
}

/// Whether a save may touch a memory at all: saves stay in their scope and in what is shared by all, and what waits for
/// review is in nobody's way but of what waits too.
pub(super) fn sees(new: &NewFact, fact: &FactRecord) -> bool {
    let in_scope = fact.scope == new.scope || fact.scope == SCOPE_ALWAYS;
    in_scope && (fact.status != FactStatus::Pending || new.hold.is_some())
}

/// The decision with the row it is about; `None` when that row is not what it was judged by.
fn target(snapshot: &Snapshot, new: &NewFact, decided: Decided) -> Result<Option<Target>, Error> {
    let row = |id: u64, seen: &str| -> Result<Option<FactRecord>, Error> {
        let fact = snapshot.get::<FactRecord>(&id)?;
        Ok(fact.filter(|fact| {
            let in_use = fact.status == FactStatus::Active && fact.state != FactState::Superseded;
            in_use && fact.content == seen && sees(new, fact)
        }))
    };
    Ok(match decided {
        Decided::Add { analysis } => Some(Target::Add(analysis)),
        // What waits for review changes nothing that is in use.
        Decided::Update { analysis, .. } if new.hold.is_some() => Some(Target::Add(analysis)),
        Decided::Delete { .. } if new.hold.is_some() => Some(Target::Add(analysis::of(&new.content))),
        Decided::Update { id, seen, content, analysis } => {
            row(id, &seen)?.map(|fact| Target::Update(fact, content, analysis))
        }
        Decided::Delete { id, seen } => row(id, &seen)?.map(Target::Delete),
        Decided::Skip { id, seen } => row(id, &seen)?.map(Target::Skip),
    })
}

impl Memory {
    async fn add(&mut self, new: &NewFact, analysis: &Analysis, ctx: &Ctx<Self>) -> Result<Saved, Error> {
        let now = ctx.now();
        let mut batch = Batch::new();
        let id = self.next_id(&mut batch);
        let status = if new.hold.is_some() { FactStatus::Pending } else { FactStatus::Active };
        let mut fact = FactRecord {
            id,
            content: new.content.clone(),
            topics: topics::normalise(&analysis.topics),
            source: new.source.clone(),
            short_term: is_short(analysis),
            expires_at: expires(analysis, now),
            status,
            scope: new.scope.clone(),
            confidence: new.confidence.unwrap_or_else(|| confidence::of_source(&new.source, new.hold.is_some())),
            state: FactState::Current,
            superseded_by: None,
            superseded_at: None,
            merged_into: None,
            merged_at: None,
            previous_content: None,
            review: new.hold.as_ref().map(json),
            sources: vec![link(&new.source, new.reference.as_ref(), now)],
            recall_count: 0,
            last_recalled_at: None,
            created_at: now,
            updated_at: now,
        };
        add_sources(&mut fact, new.linked.clone());
        searched::put(&mut batch, &fact);
        self.remember_save(&mut batch, new, id, now);
        let change = MemoryChange {
            content: Some(fact.content.clone()),
            status: new.hold.is_some().then_some(MemoryStatus::Pending),
            reason: new.hold.as_ref().and_then(instruction_reason),
            ..told(SaveAction::Add, &fact, new)
        };
        batch.event(log_line(&DomainEvent::MemoryUpdated(Box::new(change)), now));
        self.commit(batch).await?;
        self.last_id = id;
        Ok(as_it_is(&fact))
    }

    async fn update(
        &mut self,
        new: &NewFact,
        mut fact: FactRecord,
        (content, analysis): (String, &Analysis),
        ctx: &Ctx<Self>,
    ) -> Result<Saved, Error> {
        let now = ctx.now();
        let previous = std::mem::replace(&mut fact.content, content);
        if !analysis.topics.is_empty() {
            fact.topics = topics::normalise(&analysis.topics);
        }
        fact.short_term = is_short(analysis);
        fact.expires_at = expires(analysis, now);
        fact.previous_content = Some(previous.clone());
        fact.confidence = new.confidence.unwrap_or_else(|| confidence::of_source(&new.source, false));
        fact.state = FactState::Current;
        fact.updated_at = now;
        add_sources(
            &mut fact,
            std::iter::once(link(&new.source, new.reference.as_ref(), now)).chain(new.linked.clone()),
        );
        let mut batch = Batch::new();
        searched::put(&mut batch, &fact);
        self.remember_save(&mut batch, new, fact.id, now);
        let change = MemoryChange {
            content: Some(fact.content.clone()),
            previous: Some(previous.clone()),
            ..told(SaveAction::Update, &fact, new)
        };
        batch.event(log_line(&DomainEvent::MemoryUpdated(Box::new(change)), now));
        self.commit(batch).await?;
        Ok(Saved { previous: Some(previous), ..saved(SaveAction::Update, fact.id, &fact.content, &fact.scope) })
    }

    /// The new fact says that an old one no longer holds: that is a delete like any other.
    async fn delete_for(&mut self, new: &NewFact, fact: FactRecord, ctx: &Ctx<Self>) -> Result<Saved, Error> {
        let change = told(SaveAction::Delete, &fact, new);
        let (id, content, scope) = (fact.id, fact.content.clone(), fact.scope.clone());
        let mut batch = Batch::new();
        self.remember_save(&mut batch, new, id, ctx.now());
        batch.event(log_line(&DomainEvent::MemoryUpdated(Box::new(change)), ctx.now()));
        self.forget_rows(vec![fact], batch, ctx).await?;
        Ok(saved(SaveAction::Delete, id, &content, &scope))
    }

    /// Known already: it is linked to one more place, surer by a new source, and no longer disputed when the person says
    /// it again.
    async fn skip(&mut self, new: &NewFact, mut fact: FactRecord, ctx: &Ctx<Self>) -> Result<Saved, Error> {
        let now = ctx.now();
        let before = fact.clone();
        if new.hold.is_none() {
            let places = std::iter::once(link(&new.source, new.reference.as_ref(), now)).chain(new.linked.clone());
            let fresh = add_sources(&mut fact, places);
            fact.confidence = (0..fresh).fold(fact.confidence, |sure, _| confidence::again(sure));
            if fact.state == FactState::Disputed {
                fact.state = FactState::Current;
            }
        }
        let mut batch = Batch::new();
        self.remember_save(&mut batch, new, fact.id, now);
        if fact != before {
            batch.put(&fact);
        }
        if fact.state != before.state {
            let change = MemoryChange {
                content: Some(fact.content.clone()),
                state: Some(MemoryState::Current),
                reason: Some(ChangeReason::Confirmed),
                ..told(SaveAction::Update, &fact, new)
            };
            batch.event(log_line(&DomainEvent::MemoryUpdated(Box::new(change)), now));
        }
        if !batch.is_empty() {
            self.commit(batch).await?;
        }
        Ok(Saved { action: SaveAction::Skip, ..as_it_is(&fact) })
    }

    fn remember_save(&self, batch: &mut Batch, new: &NewFact, fact: u64, at: Timestamp) {
        if let Some(message) = message_of(new.reference.as_ref()) {
            batch.put(&FactSaveRecord { message, words: FactRecord::words_hash(&new.content), fact, at });
        }
    }
}

/// When a short-term memory ends.
pub(super) fn expires(analysis: &Analysis, now: Timestamp) -> Option<Timestamp> {
    is_short(analysis).then(|| duration::expiry(now, analysis.duration.as_deref()))
}

pub(super) fn is_short(analysis: &Analysis) -> bool {
    analysis.memory_type == MemoryType::ShortTerm
}

pub(super) fn instruction_reason(note: &ReviewNote) -> Option<ChangeReason> {
    (note.reason.as_deref() == Some(review::REASON_INSTRUCTION)).then_some(ChangeReason::Instruction)
}

/// What every event of a save says.
fn told(action: SaveAction, fact: &FactRecord, new: &NewFact) -> MemoryChange {
    MemoryChange {
        session_id: chat_of(new.reference.as_ref()),
        source: Some(new.source.clone()),
        scope: Some(fact.scope.clone()),
        ..MemoryChange::new(action, Some(fact.id))
    }
}

fn saved(action: SaveAction, id: u64, content: &str, scope: &str) -> Saved {
    let (content, scope) = (content.to_owned(), Some(scope.to_owned()));
    Saved { action, id, content, status: None, scope, previous: None, note: None }
}

/// The answer for a memory that was added, now or before.
fn as_it_is(fact: &FactRecord) -> Saved {
    let status = (fact.status == FactStatus::Pending).then_some(MemoryStatus::Pending);
    Saved { status, ..saved(SaveAction::Add, fact.id, &fact.content, &fact.scope) }
}
