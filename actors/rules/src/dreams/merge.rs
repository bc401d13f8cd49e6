//! Memories that say the same in nearly the same words, and the one text that is kept of them.

use super::{DreamFact, Similar, other_wish};
use crate::json_answer;
use crate::memory::subject::{self, Match};
use crate::memory::{Detail, details, is_negative};
use crate::word_overlap::{overlap, words};
use serde::Deserialize;

/// Memories that become one at once (memory.md, section 8).
pub const CLUSTER_MAX: usize = 5;
/// Characters of a merged text. Ours: as long as a memory may be that was read out of a chat.
const TEXT_CHARS_MAX: usize = 500;

/// What counts as the same (`dreaming.merge_similarity`, `dreaming.merge_min_overlap`).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MergeLimits {
    pub similarity: f64,
    pub overlap: f64,
}

/// Memories that say the same. The first one, the oldest, keeps its id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cluster {
    /// Indexes, oldest first; at least two.
    pub members: Vec<usize>,
    /// The index of the one whose words are kept without asking a model: they are the same words, or it has all words
    /// of the others. `None`: a model writes the text.
    pub words_of: Option<usize>,
}

/// The clusters among these memories, each memory in at most one. `owner` is the person's name.
pub fn clusters(facts: &[DreamFact], similar: Similar<'_>, limits: MergeLimits, owner: &str) -> Vec<Cluster> {
    let mut order: Vec<usize> = (0..facts.len()).collect();
    order.sort_by_key(|index| facts[*index].id);
    let mut taken = vec![false; facts.len()];
    let mut clusters = Vec::new();
    for (place, &first) in order.iter().enumerate() {
        if taken[first] {
            continue;
        }
        let mut members = vec![first];
        for &next in &order[place + 1..] {
            let fits = |member: &usize| may_merge(&facts[*member], &facts[next], similar, limits, owner);
            if members.len() < CLUSTER_MAX && !taken[next] && members.iter().all(fits) {
                members.push(next);
                taken[next] = true;
            }
        }
        if members.len() > 1 {
            let words_of = has_all_words(facts, &members);
            clusters.push(Cluster { members, words_of });
        }
    }
    clusters
}

/// Whether two memories may become one: one scope, one kind of time, and either the same words or alike by meaning and
/// by words, about the same one, with no name, place or number in the way.
fn may_merge(one: &DreamFact, other: &DreamFact, similar: Similar<'_>, limits: MergeLimits, owner: &str) -> bool {
    if one.scope != other.scope || one.is_short_term != other.is_short_term {
        return false;
    }
    let (a, b) = (one.content.as_str(), other.content.as_str());
    if words(a) == words(b) && details_fit(a, b) {
        return is_negative(a) == is_negative(b) && same_order(a, b);
    }
    similar(one.id, other.id).is_some_and(|similarity| similarity >= limits.similarity)
        && overlap(a, b) >= limits.overlap
        && is_negative(a) == is_negative(b)
        && subject::matches(&subject::of(a, owner), &subject::of(b, owner)) != Match::Other
        && !other_wish(a, b, owner)
        && details_fit(a, b)
}

/// The same words in another order can say something else: "Riya is older than Maya".
fn same_order(one: &str, other: &str) -> bool {
    let plain = |text: &str| text.to_lowercase().split_whitespace().map(trimmed).collect::<Vec<_>>().join(" ");
    plain(one) == plain(other)
}

fn trimmed(word: &str) -> String {
    word.trim_matches(|c: char| c.is_ascii_punctuation() || matches!(c, '।' | '。')).to_owned()
}

/// Not when each has a name, place, number or address of its own: those conflict, or one of them would be lost.
fn details_fit(one: &str, other: &str) -> bool {
    let (one, other) = (details(one), details(other));
    all_within(&one, &other) || all_within(&other, &one)
}

fn all_within(these: &[Detail], those: &[Detail]) -> bool {
    these.iter().all(|detail| detail.within(those))
}

fn has_all_words(facts: &[DreamFact], members: &[usize]) -> Option<usize> {
    let of = |index: &usize| words(&facts[*index].content);
    members.iter().copied().find(|candidate| {
        let all = of(candidate);
        members.iter().all(|member| of(member).is_subset(&all))
    })
}

/// What a model is asked about a cluster.
pub fn merge_question(contents: &[&str]) -> String {
    let lines: Vec<String> = contents.iter().map(|content| format!("- {}", line(content))).collect();
    format!(
        "These memories say the same thing. Write one memory that keeps every detail of all of them: every name, place, number \
         and date, and add nothing. One sentence, in their language.\n{}\n\nAnswer with one JSON object and nothing else: \
         {{\"content\": \"...\"}}",
        lines.join("\n")
    )
}

/// The text of an answer. `None` when it has none.
pub fn parse_merged(answer: &str) -> Option<String> {
    #[derive(Deserialize)]
    struct Written {
        content: String,
    }
    let text = line(&json_answer::parsed::<Written>(answer)?.content);
    (!text.is_empty() && text.chars().count() <= TEXT_CHARS_MAX).then_some(text)
}

/// A model's text, if it keeps every detail of the memories, adds none, is about the same one and says yes or no as they
/// do. `None`: the fuller memory's own words are kept instead.
pub fn accepted_text(merged: Option<String>, contents: &[&str], owner: &str) -> Option<String> {
    let merged = merged?;
    let (kept, given): (Vec<Detail>, Vec<Vec<Detail>>) =
        (details(&merged), contents.iter().map(|content| details(content)).collect());
    let loses = given.iter().any(|of_one| !all_within(of_one, &kept));
    let adds = !kept.iter().all(|detail| given.iter().any(|of_one| detail.within(of_one)));
    let about = subject::of(&merged, owner);
    let other = contents.iter().any(|content| {
        is_negative(content) != is_negative(&merged)
            || subject::matches(&subject::of(content, owner), &about) == Match::Other
    });
    // Words that none of them has are tolerated only as far as grammar needs them.
    let of_all = words(&contents.join(" "));
    let new_words = words(&merged).into_iter().filter(|word| !of_all.contains(word)).count();
    let invents = new_words * 3 > of_all.len();
    (!loses && !adds && !other && !invents).then_some(merged)
}

/// Which of the memories says the most: by details, then by words; the oldest of equals.
pub fn fuller(contents: &[&str]) -> usize {
    let weight = |index: &usize| (details(contents[*index]).len(), words(contents[*index]).len());
    (0..contents.len()).rev().max_by_key(weight).unwrap_or_default()
}

fn line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
