//! The nightly tidy-up (contract section 15, "Dreams"; rule 90): when it may begin, which memories say the same, which
//! contradict each other, what is kept, and what the journal says.
//!
//! Code pairs memories and has the last word; a model only says whether two of them mean the same or which one holds.
//! Memories of two scopes never meet here.

mod budget;
mod contradictions;
mod journal;
mod languages;
mod merge;
mod power;
#[cfg(test)]
mod tests;
mod when;

pub use budget::Calls;
pub use contradictions::{Contradiction, Settled, contradiction_question, contradictions, parse_contradiction, settle};
pub use journal::{JOURNAL_LINES_MAX, Journal, notice};
pub use languages::{
    LanguagePair, Meant, NEIGHBOURS_MAX, Side, is_remembered, kept_side, language_pairs, language_question,
    majority_is_devanagari, parse_language, speaks_many_languages,
};
pub use merge::{CLUSTER_MAX, Cluster, MergeLimits, accepted_text, clusters, fuller, merge_question, parse_merged};
pub use power::battery_holds;
pub use when::{Moment, Quiet, WhyNot, begins, local_day};

use crate::memory::wishes;
use protocol::Timestamp;

/// A memory as a dream sees it: current, active, not held.
#[derive(Clone, Debug, PartialEq)]
pub struct DreamFact {
    pub id: u64,
    pub content: String,
    pub scope: String,
    pub is_short_term: bool,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// How alike two memories are, -1 to 1; `None` when one of them has no vector.
pub type Similar<'a> = &'a dyn Fn(u64, u64) -> Option<f64>;

/// Two memories as one text that changes as soon as either does: what an answer about them is remembered under.
pub fn pair_key(one: &DreamFact, other: &DreamFact) -> String {
    let (first, second) = if one.id <= other.id { (one, other) } else { (other, one) };
    format!("{}@{}:{}@{}", first.id, first.updated_at.as_millis(), second.id, second.updated_at.as_millis())
}

/// The pairs a model was asked about and need not be asked about again (memory.md, section 8: at most 1,000). The oldest go
/// first.
pub const CLEARED_MAX: usize = 1_000;

/// Adds a pair to the ones that are settled.
pub fn remember_cleared(cleared: &mut Vec<String>, key: String) {
    if !cleared.contains(&key) {
        cleared.push(key);
    }
    let excess = cleared.len().saturating_sub(CLEARED_MAX);
    cleared.drain(..excess);
}

/// Whether both are wishes, and about different things: then both stay, whatever their likeness.
fn other_wish(one: &str, other: &str, owner: &str) -> bool {
    match (wishes::of(one, owner), wishes::of(other, owner)) {
        (Some(one), Some(other)) => !one.what.is_subset(&other.what) && !other.what.is_subset(&one.what),
        _ => false,
    }
}
