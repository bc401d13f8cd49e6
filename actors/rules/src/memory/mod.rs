//! What is remembered and how: which facts a text holds, what a new fact does to the ones that are known, and what must
//! wait for the person (contract section 7; `memory.md` sections 1 to 4; rules 81 to 88 and 230 to 237).
//!
//! Code decides first and last. A model is asked in between, only about facts that may be about the same person, and what
//! it answers is checked: it can lose no name, place or number, overwrite nobody else's fact and skip no correction. All of
//! it works on words: Latin and Devanagari names are known to be the same name, and a script without capitals is treated
//! as if every word that is not an ordinary one could be a name.

pub mod analysis;
pub mod attribute;
pub mod confidence;
pub mod correction;
mod cover;
mod decide;
#[cfg(test)]
mod decide_tests;
pub mod decision;
mod details;
pub mod duration;
pub mod episodes;
pub mod extraction;
#[cfg(test)]
mod extraction_tests;
pub mod grounded;
pub mod instruction;
pub mod names;
pub mod pieces;
pub mod profile;
pub mod ranking;
pub mod recalled;
pub mod residence;
pub mod review;
pub mod scope;
pub mod subject;
pub mod talk;
pub mod told;
pub mod topics;
mod transliteration;
pub mod wishes;
mod words;
pub mod workspace;

pub use analysis::Analysis;
pub use decide::{BeforeModel, Candidate, Decision, Existing, ModelDecision, Offered, before_model, decide};
pub use details::{Detail, DetailKind, in_text as details};

/// Whether a text says that something is not so.
pub fn is_negative(text: &str) -> bool {
    words::negative(text)
}

/// The meaningful words of a text, stemmed: without small words and words that say no.
pub fn meaningful_words(text: &str) -> std::collections::BTreeSet<String> {
    words::meaningful(text)
}
