//! One question, answered from one snapshot of the records. Blocks.

use super::{QUESTION_CHARS_MAX, RECALLED_MAX, RecallAsk, RecalledFact};
use crate::embeddings::QueryVector;
use protocol::{Error, Timestamp};
use rules::memory::ranking::{self, Weighing};
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use storage::memory_index::{Nearest, form, question_words, text_words};
use storage::records::{FactRecord, FactState, FactStatus, Searched, SearchedKind};
use storage::{MemoryIndex, Snapshot, Store, StoreError, vectors};

/// What a question is answered from, for whoever has its vector already. Blocks.
#[derive(Clone, Debug)]
pub struct Finder {
    pub store: Store,
    pub index: MemoryIndex,
    /// The present moment: what has expired by then is not shown.
    pub now: Timestamp,
    pub weighing: Weighing,
}

impl Finder {
    /// The memories that answer a question, best first. `asked` is its vector; `None` goes by words alone.
    ///
    /// # Errors
    /// The records cannot be read.
    pub fn find(&self, ask: &RecallAsk, asked: Option<&QueryVector>) -> Result<Vec<RecalledFact>, Error> {
        let limit = ask.limit.min(RECALLED_MAX);
        let end = ask.text.char_indices().nth(QUESTION_CHARS_MAX).map_or(ask.text.len(), |(at, _)| at);
        if limit == 0 {
            return Ok(Vec::new());
        }
        let shown = Shown { ask, now: self.now, snapshot: self.store.snapshot()?, rows: RefCell::default() };
        let words = self.words(&ask.text[..end])?;
        let pool = ranking::pool(limit);
        let mut candidates: BTreeMap<u64, Option<f32>> = BTreeMap::new();
        let keep = |id| shown.keeps(id);
        if let Some(QueryVector { space, vector }) = asked {
            let least = self.weighing.min_similarity;
            let nearest = Nearest { space, kind: SearchedKind::Fact, query: vector, k: pool, least };
            for (id, similarity) in self.index.nearest_of(&self.store, &nearest, &keep)? {
                candidates.insert(id, Some(similarity));
            }
        }
        let query = words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
        for (id, _) in self.index.words(&self.store, SearchedKind::Fact, &query, pool, &keep)? {
            candidates.entry(id).or_default();
        }
        let mut found = Vec::new();
        for (id, similarity) in candidates {
            let similarity = match (similarity, asked) {
                (None, Some(asked)) => similarity_of(&shown.snapshot, id, asked)?,
                (known, _) => known,
            };
            if let Some(fact) = shown.take(id)? {
                found.extend(self.judged(fact, similarity, &words));
            }
        }
        found.sort_by(|a, b| {
            b.score.total_cmp(&a.score).then(b.fact.updated_at.cmp(&a.fact.updated_at)).then(a.fact.id.cmp(&b.fact.id))
        });
        found.truncate(limit);
        Ok(found)
    }

    /// The words of a question that count, with how rare each is.
    fn words(&self, text: &str) -> Result<Vec<AskedWord>, Error> {
        let mut words: Vec<AskedWord> = Vec::new();
        for text in ranking::counted(question_words(text)) {
            let form = form(&text);
            // `painted` and `painting` are one word of a question.
            if !words.iter().any(|word| word.form == form) {
                words.push(AskedWord { text, form, rarity: 0.0 });
            }
        }
        let forms: Vec<String> = words.iter().map(|word| word.form.clone()).collect();
        let rarities = self.index.rarities(&self.store, SearchedKind::Fact, &forms)?;
        for (word, rarity) in words.iter_mut().zip(rarities) {
            word.rarity = rarity;
        }
        Ok(words)
    }

    /// The memory with its score; `None` when it does not answer the question.
    fn judged(&self, fact: FactRecord, similarity: Option<f32>, words: &[AskedWord]) -> Option<RecalledFact> {
        let there = text_words(&fact.content);
        let share = ranking::share(words.iter().map(|word| (word.rarity, there.contains(&word.form))));
        let score = ranking::score(similarity, share, self.weighing)?;
        Some(RecalledFact { fact, similarity: similarity.unwrap_or_default(), share: share.said, score })
    }
}

/// A word of a question that counts.
struct AskedWord {
    /// As it was asked, for the index.
    text: String,
    /// In the form in which it is compared.
    form: String,
    /// Inverse document frequency in nats.
    rarity: f32,
}

fn similarity_of(snapshot: &Snapshot, id: u64, asked: &QueryVector) -> Result<Option<f32>, StoreError> {
    let row = vectors::of(snapshot, &asked.space, Searched::new(SearchedKind::Fact, id))?;
    Ok(row.and_then(|row| vectors::cosine(&row, &asked.vector)))
}

/// The memories a question may be shown, each looked up once.
struct Shown<'a> {
    ask: &'a RecallAsk,
    now: Timestamp,
    snapshot: Snapshot,
    rows: RefCell<HashMap<u64, Result<Option<FactRecord>, StoreError>>>,
}

impl Shown<'_> {
    fn look_up(&self, id: u64) -> Result<Option<FactRecord>, StoreError> {
        let fact = self.snapshot.get::<FactRecord>(&id)?;
        Ok(fact.filter(|fact| may_be_shown(fact, self.ask, self.now)))
    }

    /// Whether the memory may be shown. One that cannot be read counts as such: [`Shown::take`] tells why.
    fn keeps(&self, id: u64) -> bool {
        let mut rows = self.rows.borrow_mut();
        let row = rows.entry(id).or_insert_with(|| self.look_up(id));
        !matches!(row, Ok(None))
    }

    fn take(&self, id: u64) -> Result<Option<FactRecord>, StoreError> {
        self.rows.borrow_mut().remove(&id).unwrap_or_else(|| self.look_up(id))
    }
}

/// Whether a question may be answered with a memory.
pub(super) fn may_be_shown(fact: &FactRecord, ask: &RecallAsk, now: Timestamp) -> bool {
    let state = if ask.states.is_empty() { fact.state == FactState::Current } else { ask.states.contains(&fact.state) };
    let scope = ask.scopes.as_ref().is_none_or(|scopes| scopes.contains(&fact.scope));
    let said = |source: &String| fact.source == *source || fact.sources.iter().any(|link| link.source == *source);
    let source = ask.sources.as_ref().is_none_or(said);
    let lasts = fact.expires_at.is_none_or(|end| end > now);
    fact.status == FactStatus::Active && state && scope && source && lasts
}
