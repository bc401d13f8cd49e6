//! What was written of one kind since the index of words was last committed, cut into words, in memory.
//!
//! tantivy commits slowly, and people look for what they have just said. The tail is read from the outbox as far as a
//! search's snapshot goes, so that a commit is searchable at once.

use super::forms::forms;
use super::texts;
use crate::records::{Change, Searched, SearchedChange, SearchedKind};
use crate::search::words::Cut;
use crate::store::SEARCHED_COUNTER;
use crate::{Snapshot, StoreError};
use std::collections::HashMap;

/// Newest changes that the tail looks at. Ours: more wait only during an import, until the indexer has made its first
/// steps.
pub const TAIL_CHANGES_MAX: u64 = 4_000;
/// BM25's saturation of repeated words and its share of the length, as in tantivy.
const K1: f32 = 1.2;
const B: f32 = 0.75;

/// Texts that the index does not have yet, or has as they were.
#[derive(Debug)]
pub(super) struct Tail {
    kind: SearchedKind,
    position: u64,
    texts: HashMap<u64, Changed>,
}

#[derive(Debug)]
struct Changed {
    /// The change that said so.
    number: u64,
    /// `None` for a text that is gone or may not be found.
    words: Option<Counted>,
}

/// How often each word is in a text.
#[derive(Debug)]
struct Counted {
    counts: HashMap<String, u32>,
    length: usize,
}

/// What is known of all texts: needed to weigh words as the index does.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Weights {
    /// Inverse document frequency of each word of the question.
    pub(super) rarity: Vec<f32>,
    /// Words of a text on average.
    pub(super) mean_length: f32,
}

impl Tail {
    pub(super) fn new(kind: SearchedKind) -> Self {
        Self { kind, position: 0, texts: HashMap::new() }
    }

    /// Takes in what is committed up to a snapshot.
    pub(super) fn follow(&mut self, snapshot: &Snapshot) -> Result<(), StoreError> {
        let newest = snapshot.counter(SEARCHED_COUNTER)?;
        if newest <= self.position {
            return Ok(());
        }
        let from = self.position.max(newest.saturating_sub(TAIL_CHANGES_MAX)) + 1;
        for row in snapshot.range::<SearchedChange>(from..=newest)? {
            let row = row?;
            if let Some(id) = text_of(&row.change, self.kind) {
                let words = texts::text(snapshot, Searched::new(self.kind, id))?.map(|text| Counted::of(&text));
                self.texts.insert(id, Changed { number: row.number, words });
            }
        }
        self.position = newest;
        Ok(())
    }

    /// Lets go of what the index has by now.
    pub(super) fn forget(&mut self, position: u64) {
        self.position = self.position.max(position);
        self.texts.retain(|_, changed| changed.number > position);
        self.texts.shrink_to_fit();
    }

    /// The numbers that the index must not answer for.
    pub(super) fn changed(&self) -> impl Iterator<Item = u64> {
        self.texts.keys().copied()
    }

    /// Texts with any of the words, weighed as the index weighs its own.
    pub(super) fn matches(&self, asked: &[String], weights: &Weights) -> Vec<(u64, f32)> {
        let scored = self.texts.iter().filter_map(|(id, changed)| {
            let score = changed.words.as_ref()?.score(asked, weights);
            (score > 0.0).then_some((*id, score))
        });
        scored.collect()
    }

    /// What the texts add to the counts of the index.
    pub(super) fn counts(&self, asked: &[String]) -> Counts {
        let mut counts = Counts { texts: 0, words: 0, with: vec![0; asked.len()] };
        for text in self.texts.values().filter_map(|changed| changed.words.as_ref()) {
            counts.texts += 1;
            counts.words += text.length as u64;
            for (with, word) in counts.with.iter_mut().zip(asked) {
                *with += u64::from(text.counts.contains_key(word));
            }
        }
        counts
    }
}

/// Counts over many texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) texts: u64,
    /// Words of all of them.
    pub(super) words: u64,
    /// Texts that have each word of a question.
    pub(super) with: Vec<u64>,
}

impl Counts {
    /// How rare each word is and how long texts are.
    #[expect(clippy::cast_precision_loss, reason = "a mean")]
    pub(super) fn weights(&self) -> Weights {
        Weights {
            rarity: self.with.iter().map(|with| rarity(self.texts, *with)).collect(),
            mean_length: (self.words as f32 / self.texts.max(1) as f32).max(1.0),
        }
    }
}

/// The number of the text that a change is about, if it is about a text of this kind.
pub(super) fn text_of(change: &Change, kind: SearchedKind) -> Option<u64> {
    match change {
        Change::Text(searched) if searched.kind == kind => Some(searched.id),
        _ => None,
    }
}

impl Counted {
    fn of(text: &str) -> Self {
        let mut counts = HashMap::new();
        let cut = forms(text, Cut::Message);
        let length = cut.len();
        for word in cut {
            *counts.entry(word.text).or_insert(0) += 1;
        }
        Self { counts, length }
    }

    /// BM25 (Robertson and Zaragoza, "The Probabilistic Relevance Framework", 2009).
    #[expect(clippy::cast_precision_loss, reason = "counts of words in one text")]
    fn score(&self, asked: &[String], weights: &Weights) -> f32 {
        let long = 1.0 - B + B * self.length as f32 / weights.mean_length.max(1.0);
        let words = asked.iter().zip(&weights.rarity);
        words
            .filter_map(|(word, rarity)| {
                let often = *self.counts.get(word)? as f32;
                Some(rarity * often * (K1 + 1.0) / (often + K1 * long))
            })
            .sum()
    }
}

/// Inverse document frequency of a word that `with` of `all` texts have, as tantivy takes it.
#[expect(clippy::cast_precision_loss, reason = "a weight")]
fn rarity(all: u64, with: u64) -> f32 {
    let (all, with) = (all as f32, with.min(all) as f32);
    (1.0 + (all - with + 0.5) / (with + 0.5)).ln()
}
