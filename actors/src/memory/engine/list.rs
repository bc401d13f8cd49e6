//! What is remembered, listed and searched.

use crate::Engine;
use crate::memory::facts::{shown_with_sources, state};
use crate::memory::forget_source::learned_from;
use crate::memory::{RecallAsk, unknown};
use protocol::memory::{Memory, MemoryStatus, TOPICS};
use protocol::memory_requests::{MEMORIES_LIMIT_DEFAULT, MEMORIES_LIMIT_MAX, MemoryQuery, StateFilter, TopicCount};
use protocol::{Error, Timestamp};
use rules::memory::{scope, topics};
use storage::records::{FactRecord, FactState, FactStatus};

/// Results of a search that are looked at, whatever page is asked for. Ours.
const FOUND_MAX: usize = 500;

impl Engine {
    /// `GET /api/memories`: newest first, or best first when there are words to search for.
    ///
    /// # Errors
    /// A store that cannot be read.
    pub async fn memories(&self, query: MemoryQuery) -> Result<Vec<Memory>, Error> {
        let wanted = Wanted::new(&query, self.world.now());
        let (limit, offset) = page(&query);
        match query.q.as_deref().map(str::trim).filter(|words| !words.is_empty()) {
            Some(words) => self.found(words, &wanted, limit, offset).await,
            None => {
                self.reading(move |snapshot| {
                    let rows = snapshot.all::<FactRecord>()?.rev();
                    let mut listed = Vec::new();
                    let mut skipped = 0;
                    for fact in rows {
                        let fact = fact?;
                        if !wanted.holds(&fact) {
                            continue;
                        }
                        if skipped < offset {
                            skipped += 1;
                        } else if listed.len() < limit {
                            listed.push(shown_with_sources(&fact));
                        } else {
                            break;
                        }
                    }
                    Ok(listed)
                })
                .await
            }
        }
    }

    async fn found(&self, words: &str, wanted: &Wanted, limit: usize, offset: usize) -> Result<Vec<Memory>, Error> {
        let ask = RecallAsk {
            text: words.to_owned(),
            scopes: wanted.scope.clone().map(|scope| vec![scope]),
            sources: wanted.source.clone(),
            states: states(wanted.state),
            limit: FOUND_MAX,
        };
        let found = self.memories.recall.facts(ask).await?;
        let rows = found.into_iter().filter(|found| wanted.holds(&found.fact)).skip(offset).take(limit);
        Ok(rows
            .map(|found| Memory {
                similarity: Some(f64::from(found.similarity)),
                score: Some(f64::from(found.score)),
                ..shown_with_sources(&found.fact)
            })
            .collect())
    }

    /// One memory with its sources, and with the words that replaced it.
    ///
    /// # Errors
    /// `NotFound` when it is gone.
    pub async fn memory(&self, id: u64) -> Result<Memory, Error> {
        let snapshot = self.store.snapshot()?;
        let fact = snapshot.get::<FactRecord>(&id)?.ok_or_else(unknown)?;
        let by = fact.superseded_by.filter(|_| fact.state == FactState::Superseded);
        let by = by.map(|by| snapshot.get::<FactRecord>(&by)).transpose()?.flatten();
        Ok(Memory { superseded_by_content: by.map(|by| by.content), ..shown_with_sources(&fact) })
    }

    /// What a program behind `sentient mcp` sees of one memory: nothing of what waits for review or was folded away.
    ///
    /// # Errors
    /// `NotFound` for those.
    pub fn memory_for_app(&self, memory: Memory) -> Result<Memory, Error> {
        if memory.status == MemoryStatus::Active { Ok(memory) } else { Err(unknown()) }
    }

    /// The topics, each with how many memories it has.
    ///
    /// # Errors
    /// A store that cannot be read.
    pub async fn memory_topics(&self) -> Result<Vec<TopicCount>, Error> {
        let wanted = Wanted::new(&MemoryQuery::default(), self.world.now());
        self.reading(move |snapshot| {
            let mut counted: Vec<TopicCount> = TOPICS
                .iter()
                .map(|(name, description)| TopicCount {
                    name: (*name).to_owned(),
                    description: (*description).to_owned(),
                    count: 0,
                })
                .collect();
            for fact in snapshot.all::<FactRecord>()? {
                let fact = fact?;
                if wanted.holds(&fact) {
                    counted.iter_mut().filter(|row| fact.topics.contains(&row.name)).for_each(|row| row.count += 1);
                }
            }
            Ok(counted)
        })
        .await
    }
}

/// Which memories are listed.
pub(super) struct Wanted {
    /// `Some(None)`: a topic that is none, which nothing has.
    topic: Option<Option<&'static str>>,
    source: Option<String>,
    scope: Option<String>,
    state: StateFilter,
    now: Timestamp,
}

impl Wanted {
    pub(super) fn new(query: &MemoryQuery, now: Timestamp) -> Self {
        let filled = |text: &Option<String>| text.clone().filter(|text| !text.trim().is_empty());
        let scope = filled(&query.scope).map(|name| scope::parse(&name).unwrap_or(name));
        let topic = filled(&query.topic).map(|name| topics::one(&name));
        Self { topic, source: filled(&query.source), scope, state: query.state, now }
    }

    /// Never one that waits for review, was folded into another or has run out.
    pub(super) fn holds(&self, fact: &FactRecord) -> bool {
        fact.status == FactStatus::Active
            && fact.expires_at.is_none_or(|end| self.now < end)
            && self.state.holds(state(fact.state))
            && self.topic.is_none_or(|topic| topic.is_some_and(|topic| fact.topics.iter().any(|has| has == topic)))
            && self.source.as_ref().is_none_or(|source| learned_from(fact, source))
            && self.scope.as_ref().is_none_or(|scope| fact.scope == *scope)
    }
}

fn page(query: &MemoryQuery) -> (usize, usize) {
    let limit = query.limit.unwrap_or(MEMORIES_LIMIT_DEFAULT).min(MEMORIES_LIMIT_MAX);
    (limit, query.offset.unwrap_or(0))
}

fn states(filter: StateFilter) -> Vec<FactState> {
    let all = [FactState::Current, FactState::Disputed, FactState::Superseded];
    all.into_iter().filter(|one| filter.holds(state(*one))).collect()
}
