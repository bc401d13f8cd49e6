//! The memories a dream looks at, and how alike they are.

use super::steps::Work;
use crate::user_model::cosine;
use protocol::{Error, Timestamp};
use rules::dreams::DreamFact;
use std::collections::HashMap;
use storage::records::{FactRecord, FactState, FactStatus, Searched, SearchedKind};
use storage::{Snapshot, vectors};

/// Memories in use with their vectors.
pub(super) struct Facts {
    pub(super) facts: Vec<DreamFact>,
    vectors: HashMap<u64, Vec<f32>>,
    /// The vectors put a sentence and its translation side by side.
    pub(super) many_languages: bool,
}

impl Facts {
    /// How alike two of them are; `None` when one has no vector.
    pub(super) fn similar(&self, one: u64, other: u64) -> Option<f64> {
        Some(cosine(self.vectors.get(&one)?, self.vectors.get(&other)?))
    }
}

/// Whether a memory is in use.
pub(super) fn is_in_use(fact: &FactRecord, now: Timestamp) -> bool {
    fact.status == FactStatus::Active && fact.state == FactState::Current && fact.expires_at.is_none_or(|end| now < end)
}

/// A memory as the rules see it.
pub(super) fn seen(fact: FactRecord) -> DreamFact {
    DreamFact {
        id: fact.id,
        content: fact.content,
        scope: fact.scope,
        is_short_term: fact.short_term,
        created_at: fact.created_at,
        updated_at: fact.updated_at,
    }
}

impl Work {
    /// The newest memories in use (`dreaming.max_facts`), with vectors of one space.
    pub(super) async fn facts(&self) -> Result<Facts, Error> {
        let embeddings = &self.needs.means.memories.embeddings;
        // Which space searches use now; none, and memories are compared by their words alone.
        let space = embeddings.query("memory").await.map(|query| query.space);
        let many_languages = rules::dreams::speaks_many_languages(&embeddings.state().model);
        let (store, now) = (self.needs.store.clone(), self.needs.means.world.now());
        let max = usize::try_from(self.config().dreaming.max_facts).unwrap_or(usize::MAX);
        let read = tokio::task::spawn_blocking(move || read(&store.snapshot()?, space.as_deref(), max, now)).await;
        let (facts, vectors) = read.map_err(|cause| Error::internal(format!("memories were not read: {cause}")))??;
        Ok(Facts { facts, vectors, many_languages })
    }

    /// Whether memories are still as they were when they were compared: a model call takes its time, and the person may
    /// have edited or forgotten one meanwhile.
    pub(super) fn unchanged(&self, facts: &[&DreamFact]) -> Result<bool, Error> {
        let (snapshot, now) = (self.needs.store.snapshot()?, self.needs.means.world.now());
        for seen_then in facts {
            let fact = snapshot.get::<FactRecord>(&seen_then.id)?;
            let is_same = |fact: FactRecord| is_in_use(&fact, now) && seen(fact) == **seen_then;
            if !fact.is_some_and(is_same) {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

type Read = (Vec<DreamFact>, HashMap<u64, Vec<f32>>);

fn read(snapshot: &Snapshot, space: Option<&str>, max: usize, now: Timestamp) -> Result<Read, Error> {
    let mut facts = Vec::new();
    for fact in snapshot.all::<FactRecord>()? {
        let fact = fact?;
        if is_in_use(&fact, now) {
            facts.push(fact);
        }
    }
    facts.sort_by_key(|fact| std::cmp::Reverse((fact.updated_at, fact.id)));
    facts.truncate(max);
    let mut found = HashMap::new();
    for fact in &facts {
        let Some(space) = space else { break };
        let row = vectors::of(snapshot, space, Searched::new(SearchedKind::Fact, fact.id))?;
        if let Some(row) = row.filter(|row| row.text_hash == vectors::text_hash(&fact.content)) {
            found.insert(fact.id, vectors::from_half(&row.vector));
        }
    }
    Ok((facts.into_iter().map(seen).collect(), found))
}
