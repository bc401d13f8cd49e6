//! STAND-IN until recall is merged; this whole file goes then. It finds memories by
//! their words only.

use protocol::Error;
use std::collections::BTreeSet;
use storage::Store;
use storage::records::{FactRecord, FactState, FactStatus};

#[derive(Clone)]
pub struct Recall {
    pub(crate) store: Store,
}

#[derive(Clone, Debug, Default)]
pub struct RecallAsk {
    pub text: String,
    pub scopes: Option<Vec<String>>,
    pub sources: Option<String>,
    pub states: Vec<FactState>,
    pub limit: usize,
}

#[derive(Clone, Debug)]
pub struct RecalledFact {
    pub fact: FactRecord,
    pub similarity: f32,
    pub share: f32,
    pub score: f32,
}

impl Recall {
    pub async fn facts(&self, ask: RecallAsk) -> Result<Vec<RecalledFact>, Error> {
        let words: BTreeSet<String> = ask.text.to_lowercase().split_whitespace().map(str::to_owned).collect();
        let mut found = Vec::new();
        for fact in self.store.snapshot()?.all::<FactRecord>()? {
            let fact = fact?;
            let there = fact.content.to_lowercase();
            let share =
                words.iter().filter(|word| there.contains(word.as_str())).count() as f32 / words.len().max(1) as f32;
            let scoped = ask.scopes.as_ref().is_none_or(|scopes| scopes.contains(&fact.scope));
            let sourced =
                ask.sources.as_ref().is_none_or(|source| fact.sources.iter().any(|link| link.source == *source));
            if share >= 0.5
                && scoped
                && sourced
                && fact.status == FactStatus::Active
                && ask.states.contains(&fact.state)
            {
                found.push(RecalledFact { fact, similarity: 0.0, share, score: share });
            }
        }
        found.sort_by(|one, other| other.score.total_cmp(&one.score));
        found.truncate(ask.limit);
        Ok(found)
    }
}
