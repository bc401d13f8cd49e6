//! What is worked out about the person (contract section 15, "User model"): which evidence is new, what a model is asked,
//! and what its answer may change.
//!
//! A model proposes; every bound is kept here. It never changes what the person confirmed or wrote, never brings back what
//! was retired, and what rests on words of others waits for the person.

mod changes;
mod context;
mod evidence;
mod portrait;
mod question;
#[cfg(test)]
mod tests;
mod verdict;

pub use changes::{Added, Changed, Changes, Held, Limits, Operation, Question, apply, parse};
pub use context::{Candidate, ContextLimits, context};
pub use evidence::{Mark, Material, QUOTE_CHARS_MAX, key, newest};
pub use portrait::{PORTRAIT_WORDS_MAX, accept_portrait, portrait_question};
pub use question::{Ask, question};
pub use verdict::{Answer, by_words, fact_of, parse_verdict, verdict_question};

use crate::word_overlap::overlap;
use protocol::knowing::{Dimension, InsightStatus};

/// Characters of a statement. Ours: one sentence.
pub const STATEMENT_CHARS_MAX: usize = 300;
/// The least a statement may have. Ours.
const STATEMENT_CHARS_MIN: usize = 8;
/// How many of their words two statements must share to be the same one. Ours.
const SAME_OVERLAP: f64 = 0.8;

/// An insight as the rules see it.
#[derive(Clone, Debug, PartialEq)]
pub struct Known {
    pub id: u64,
    pub dimension: Dimension,
    pub statement: String,
    pub confidence: f64,
    pub status: InsightStatus,
    /// The person wrote it.
    pub is_users: bool,
    /// What it rests on: kind and reference, as one text each.
    pub evidence: Vec<String>,
    /// There is an open question about it.
    pub is_asked: bool,
}

impl Known {
    /// Confirmed or written by the person: nothing changes it but the person.
    pub fn is_protected(&self) -> bool {
        self.is_users || self.status == InsightStatus::Confirmed
    }

    /// The engine's own and in use: what `user_model.max_active_insights` counts.
    fn counts(&self) -> bool {
        !self.is_users
            && matches!(self.status, InsightStatus::Active | InsightStatus::Disputed | InsightStatus::Pending)
    }
}

/// A statement as one tidy line; `None` when it is none.
pub fn statement(text: &str) -> Option<String> {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let chars = line.chars().count();
    ((STATEMENT_CHARS_MIN..=STATEMENT_CHARS_MAX).contains(&chars) && line.chars().any(char::is_alphabetic))
        .then_some(line)
}

/// Whether two statements say the same in (nearly) the same words, in any script.
pub fn says_the_same(one: &str, other: &str) -> bool {
    overlap(one, other) >= SAME_OVERLAP
}
