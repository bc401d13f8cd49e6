//! The same memory in Hindi and in another language: kept once (contract section 15, #353).

use super::{DreamFact, Similar, pair_key};
use crate::json_answer;
use crate::memory::subject::{self, Match, Subject};
use crate::memory::{Detail, DetailKind, details, names};
use serde::Deserialize;
use std::collections::BTreeSet;

/// Memories that one Hindi memory is compared with (contract section 15).
pub const NEIGHBOURS_MAX: usize = 3;

/// A memory led by Devanagari and one without any that may say the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LanguagePair {
    pub hindi: usize,
    pub other: usize,
}

/// Whether most letters of a text are Devanagari.
fn is_led_by_devanagari(text: &str) -> bool {
    let letters = || text.chars().filter(|c| c.is_alphabetic());
    letters().filter(|c| is_devanagari(*c)).count() * 2 > letters().count()
}

fn is_devanagari(c: char) -> bool {
    matches!(c, '\u{0900}'..='\u{097F}' | '\u{A8E0}'..='\u{A8FF}')
}

/// Whether vectors of a model put a sentence and its translation side by side. Others only order what code has paired.
pub fn speaks_many_languages(model: &str) -> bool {
    const MODELS: [&str; 12] = [
        "bge-m3",
        "multilingual",
        "labse",
        "embeddinggemma",
        "qwen3-embedding",
        "arctic-embed2",
        "arctic-embed-l-v2",
        "jina-embeddings-v3",
        "text-embedding-3",
        "gemini-embedding",
        "text-embedding-004",
        "granite-embedding:278m",
    ];
    let model = model.to_lowercase();
    MODELS.iter().any(|known| model.contains(known))
}

/// What bounds the pairing.
struct Pairing<'a> {
    similar: Similar<'a>,
    /// `dreaming.language_merge_similarity`, when the vectors are of a model for many languages.
    similarity_min: Option<f64>,
    owner: &'a str,
}

/// The pairs to ask about. `settled` holds pairs that are not the same, or that the person has taken apart.
pub fn language_pairs(
    facts: &[DreamFact],
    similar: Similar<'_>,
    similarity_min: Option<f64>,
    owner: &str,
    settled: &dyn Fn(&DreamFact, &DreamFact) -> bool,
) -> Vec<LanguagePair> {
    let pairing = Pairing { similar, similarity_min, owner };
    let others: Vec<usize> =
        (0..facts.len()).filter(|index| !facts[*index].content.chars().any(is_devanagari)).collect();
    let mut pairs = Vec::new();
    for (hindi, fact) in facts.iter().enumerate().filter(|(_, fact)| is_led_by_devanagari(&fact.content)) {
        let mut near: Vec<(f64, usize)> = others
            .iter()
            .copied()
            .filter(|other| facts[*other].scope == fact.scope && !settled(fact, &facts[*other]))
            .filter_map(|other| Some((pairing.likeness(fact, &facts[other])?, other)))
            .collect();
        near.sort_by(|a, b| b.0.total_cmp(&a.0).then(facts[a.1].id.cmp(&facts[b.1].id)));
        pairs.extend(near.into_iter().take(NEIGHBOURS_MAX).map(|(_, other)| LanguagePair { hindi, other }));
    }
    pairs
}

impl Pairing<'_> {
    /// How alike two memories are, when they may say the same at all.
    fn likeness(&self, hindi: &DreamFact, other: &DreamFact) -> Option<f64> {
        let similarity = (self.similar)(hindi.id, other.id);
        if let Some(min) = self.similarity_min
            && similarity.is_none_or(|similarity| similarity < min)
        {
            return None;
        }
        let (one, two) = (subject::of(&hindi.content, self.owner), subject::of(&other.content, self.owner));
        let clear = |subject: &Subject| !matches!(subject, Subject::Unclear | Subject::Thing(_));
        if !clear(&one) || !clear(&two) || subject::matches(&one, &two) != Match::Same {
            return None;
        }
        let (ours, theirs) = (details(&hindi.content), details(&other.content));
        let is_named = |detail: &&Detail| matches!(detail.kind, DetailKind::Name | DetailKind::Place);
        let is_owner = |detail: &Detail| names::same(&detail.text, self.owner);
        let has_no_more = theirs
            .iter()
            .filter(is_named)
            .all(|detail| is_owner(detail) || names::is_said(&detail.text, &hindi.content));
        (numbers(&ours) == numbers(&theirs) && has_no_more).then(|| similarity.unwrap_or_default())
    }
}

/// The numbers of a text, dates included; what is said twice counts once.
fn numbers(details: &[Detail]) -> BTreeSet<String> {
    let counted = details.iter().filter(|detail| matches!(detail.kind, DetailKind::Number | DetailKind::Date));
    counted.flat_map(|detail| &detail.keys).filter(|key| key.chars().any(|c| c.is_ascii_digit())).cloned().collect()
}

/// What a model is asked about a pair: A is the Hindi memory.
pub fn language_question(hindi: &str, other: &str) -> String {
    format!(
        "Two memories in two languages:\nA: {hindi}\nB: {other}\n\nDo they say the same thing? Answer with one JSON object and \
         nothing else: {{\"same\": true or false, \"extra\": \"A\", \"B\" or \"none\" (the one that says something the other \
         does not), \"conflict\": true or false (they cannot both be true)}}"
    )
}

/// What a model's answer means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meant {
    Same,
    /// Not the same, or one says more, or they conflict: not asked again until one of them changes.
    NotTheSame,
    /// The answer cannot be used: asked again next time.
    Unclear,
}

/// Reads an answer: only `same`, no `extra` and no `conflict` is the same.
pub fn parse_language(answer: &str) -> Meant {
    #[derive(Deserialize)]
    struct Written {
        same: bool,
        extra: String,
        conflict: bool,
    }
    let Some(Written { same, extra, conflict }) = json_answer::parsed(answer) else { return Meant::Unclear };
    match (same, extra.trim().to_lowercase().as_str(), conflict) {
        (true, "none", false) => Meant::Same,
        (_, "a" | "b" | "none", _) => Meant::NotTheSame,
        _ => Meant::Unclear,
    }
}

/// Which of a pair is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    Hindi,
    Other,
}

/// Whether most memories are in Hindi; `None` for as many of one as of the other.
pub fn majority_is_devanagari(facts: &[DreamFact]) -> Option<bool> {
    let hindi = facts.iter().filter(|fact| is_led_by_devanagari(&fact.content)).count();
    let others = facts.len() - hindi;
    (hindi != others).then_some(hindi > others)
}

/// A lasting memory is kept over one with an end; then the one in the language most memories are in; then the older.
pub fn kept_side(hindi: &DreamFact, other: &DreamFact, majority: Option<bool>) -> Side {
    let hindi_stays = match (hindi.is_short_term, other.is_short_term, majority) {
        (true, false, _) => false,
        (false, true, _) => true,
        (_, _, Some(majority)) => majority,
        (_, _, None) => (hindi.created_at, hindi.id) <= (other.created_at, other.id),
    };
    if hindi_stays { Side::Hindi } else { Side::Other }
}

/// Whether a pair's answer is remembered.
pub fn is_remembered(remembered: &[String], one: &DreamFact, other: &DreamFact) -> bool {
    remembered.contains(&pair_key(one, other))
}
