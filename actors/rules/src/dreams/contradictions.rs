//! Memories that cannot both hold, and which of them does.

use super::{DreamFact, Similar, other_wish, pair_key};
use crate::json_answer;
use crate::memory::subject::{self, Match};
use crate::memory::{attribute, details, is_negative};
use crate::word_overlap::words;
use jiff::tz::TimeZone;
use serde::Deserialize;
use std::collections::BTreeSet;

/// Pairs of one dream. Ours: the model calls are fewer.
const PAIRS_MAX: usize = 400;

/// Two memories that may contradict each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contradiction {
    /// Indexes: the one said first, the one said last.
    pub older: usize,
    pub newer: usize,
}

/// The pairs to ask about, the ones that are always asked about first. `cleared` holds the pairs a model has said may both
/// hold (see [`pair_key`]).
pub fn contradictions(
    facts: &[DreamFact],
    similar: Similar<'_>,
    similarity_min: f64,
    owner: &str,
    cleared: &[String],
) -> Vec<Contradiction> {
    let cleared: BTreeSet<&str> = cleared.iter().map(String::as_str).collect();
    let seen: Vec<Seen<'_>> = facts.iter().map(|fact| Seen::of(fact, owner)).collect();
    let mut found: Vec<(bool, f64, Contradiction)> = Vec::new();
    for (a, one) in seen.iter().enumerate() {
        for (b, other) in seen.iter().enumerate().skip(a + 1) {
            if one.fact.scope != other.fact.scope || !one.may_contradict(other, owner) {
                continue;
            }
            let similarity = similar(one.fact.id, other.fact.id);
            let tight = one.families.intersection(&other.families).any(|family| family.is_tight());
            let near = similarity.is_some_and(|similarity| similarity >= similarity_min);
            if (tight || near) && !cleared.contains(pair_key(one.fact, other.fact).as_str()) {
                let said = |fact: &DreamFact| (fact.updated_at, fact.id);
                let (older, newer) = if said(one.fact) <= said(other.fact) { (a, b) } else { (b, a) };
                found.push((tight, similarity.unwrap_or_default(), Contradiction { older, newer }));
            }
        }
    }
    found.sort_by(|a, b| b.0.cmp(&a.0).then(b.1.total_cmp(&a.1)));
    found.into_iter().take(PAIRS_MAX).map(|(_, _, pair)| pair).collect()
}

/// A memory with what its words say, read once.
struct Seen<'a> {
    fact: &'a DreamFact,
    subject: subject::Subject,
    families: BTreeSet<attribute::Family>,
    details: Vec<crate::memory::Detail>,
    words: BTreeSet<String>,
    negative: bool,
}

impl<'a> Seen<'a> {
    fn of(fact: &'a DreamFact, owner: &str) -> Self {
        let text = fact.content.as_str();
        Self {
            fact,
            subject: subject::of(text, owner),
            families: attribute::of(text),
            details: details(text),
            words: words(text),
            negative: is_negative(text),
        }
    }

    /// About the same one, and of one family or with another name, place, number or sense. One that only says more of
    /// the same does not contradict.
    fn may_contradict(&self, other: &Self, owner: &str) -> bool {
        let says_more = self.negative == other.negative
            && (self.words.is_subset(&other.words) || other.words.is_subset(&self.words));
        if says_more
            || subject::matches(&self.subject, &other.subject) != Match::Same
            || other_wish(&self.fact.content, &other.fact.content, owner)
        {
            return false;
        }
        let differs = |these: &Self, those: &Self| !these.details.iter().all(|detail| detail.within(&those.details));
        !self.families.is_disjoint(&other.families)
            || self.negative != other.negative
            || differs(self, other)
            || differs(other, self)
    }
}

/// What a model is asked about a pair.
pub fn contradiction_question(older: &DreamFact, newer: &DreamFact, zone: &TimeZone) -> String {
    let day =
        |fact: &DreamFact| fact.updated_at.to_jiff().to_zoned_datetime(zone.clone()).strftime("%-d %B %Y").to_string();
    format!(
        "Two memories about the same person or thing:\nA (from {}): {}\nB (from {}): {}\n\nCan both be true now? They contradict \
         each other only when they cannot. Answer with one JSON object and nothing else: {{\"contradict\": true or false, \
         \"current\": \"A\" or \"B\"}} where \"current\" is the one that holds now.",
        day(older),
        older.content,
        day(newer),
        newer.content
    )
}

/// A model's answer about a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Settled {
    /// Both may hold.
    Both,
    /// The newer one holds.
    Newer,
    /// The older one does: the model says so, and only its words say that they are about now.
    Older,
}

/// Reads an answer: whether they contradict, and whether the model picked the older. `None` when it cannot be used.
pub fn parse_contradiction(answer: &str) -> Option<(bool, bool)> {
    #[derive(Deserialize)]
    struct Written {
        contradict: bool,
        #[serde(default)]
        current: Option<String>,
    }
    let Written { contradict, current } = json_answer::parsed(answer)?;
    Some((contradict, current.is_some_and(|current| current.trim().eq_ignore_ascii_case("a"))))
}

/// Which one is kept (memory.md, section 8).
pub fn settle(older: &str, newer: &str, (contradict, picks_older): (bool, bool)) -> Settled {
    match (contradict, picks_older && speaks_of_now(older) && !speaks_of_now(newer)) {
        (false, _) => Settled::Both,
        (true, true) => Settled::Older,
        (true, false) => Settled::Newer,
    }
}

/// Whether the words themselves say that they are about now: `now`, `this month`, `अब`.
fn speaks_of_now(text: &str) -> bool {
    const ALONE: [&str; 14] = [
        "now",
        "nowadays",
        "currently",
        "today",
        "tonight",
        "presently",
        "अब",
        "अभी",
        "आज",
        "आजकल",
        "फिलहाल",
        "फ़िलहाल",
        "aajkal",
        "abhi",
    ];
    const AFTER_THIS: [&str; 14] = [
        "week",
        "month",
        "year",
        "morning",
        "evening",
        "summer",
        "winter",
        "spring",
        "autumn",
        "season",
        "हफ्ते",
        "महीने",
        "साल",
        "सप्ताह",
    ];
    let text = text.to_lowercase();
    let words: Vec<&str> = text
        .split_whitespace()
        .map(|word| word.trim_matches(|c: char| c.is_ascii_punctuation() || matches!(c, '।' | '’')))
        .collect();
    let pairs = words.windows(2).any(|pair| {
        (matches!(pair[0], "this" | "इस") && AFTER_THIS.contains(&pair[1])) || (pair[0] == "these" && pair[1] == "days")
    });
    pairs || words.iter().any(|word| ALONE.contains(word))
}
