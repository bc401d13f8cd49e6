//! What of the insights a model gets with a message (contract rule 92). No model is called for it.

use protocol::knowing::{Dimension, InsightStatus};
use std::cmp::Ordering;

/// An active insight as sure as this is given whatever the message is about (contract section 15).
const SURE: f64 = 0.6;
/// Behind a line that is less sure (strings.tsv, user_model_likely).
const LIKELY: &str = " (likely)";

/// An insight that may be given.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    pub id: u64,
    pub dimension: Dimension,
    pub statement: String,
    pub confidence: f64,
    pub status: InsightStatus,
    /// Cosine with the message; `None` when it was not found by meaning.
    pub similarity: Option<f64>,
}

/// What bounds the block.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContextLimits {
    /// `user_model.context_max_chars`, the heading included.
    pub chars: usize,
    /// `user_model.context_min_similarity`.
    pub min_similarity: f64,
    /// A chat about work or a project leaves out relationships (contract section 7, "Memory scopes").
    pub without_relationships: bool,
}

/// The block, and the insights in it. Empty when nothing fits.
pub fn context(name: &str, candidates: &[Candidate], limits: ContextLimits) -> (String, Vec<u64>) {
    let name = if name.trim().is_empty() { "the user" } else { name.trim() };
    let mut block = format!("## What I have learned about {name}"); // strings.tsv, user_model_heading
    let mut chars = block.chars().count();
    let mut ids = Vec::new();
    for candidate in in_order(candidates, limits) {
        let likely = if candidate.confidence < SURE { LIKELY } else { "" };
        let line = format!("\n- {}{likely}", candidate.statement);
        let more = line.chars().count();
        if chars + more <= limits.chars {
            block += &line;
            chars += more;
            ids.push(candidate.id);
        }
    }
    if ids.is_empty() { (String::new(), ids) } else { (block, ids) }
}

/// Confirmed ones, then active ones that fit the message, then active ones that are sure.
fn in_order(candidates: &[Candidate], limits: ContextLimits) -> Vec<&Candidate> {
    let place = |candidate: &Candidate| -> Option<u8> {
        if limits.without_relationships && candidate.dimension == Dimension::Relationships {
            return None;
        }
        match candidate.status {
            InsightStatus::Confirmed => Some(0),
            InsightStatus::Active if candidate.similarity.is_some_and(|found| found >= limits.min_similarity) => {
                Some(1)
            }
            InsightStatus::Active if candidate.confidence >= SURE => Some(2),
            _ => None,
        }
    };
    let mut placed: Vec<(u8, &Candidate)> =
        candidates.iter().filter_map(|candidate| Some((place(candidate)?, candidate))).collect();
    let descending = |a: f64, b: f64| b.partial_cmp(&a).unwrap_or(Ordering::Equal);
    placed.sort_by(|(place_a, a), (place_b, b)| {
        let fits = if *place_a == 1 {
            descending(a.similarity.unwrap_or_default(), b.similarity.unwrap_or_default())
        } else {
            Ordering::Equal
        };
        place_a.cmp(place_b).then(fits).then(descending(a.confidence, b.confidence)).then(a.id.cmp(&b.id))
    });
    placed.into_iter().map(|(_, candidate)| candidate).collect()
}
