//! The portrait of `GET /api/user-model`: a few sentences that rest on insights in use and on nothing that waits.

use super::Known;
use protocol::knowing::InsightStatus;
use unicode_segmentation::UnicodeSegmentation;

/// Words of a portrait (contract section 15).
pub const PORTRAIT_WORDS_MAX: usize = 180;
/// Insights a portrait is made from. Ours.
const INSIGHTS_MAX: usize = 60;

/// What a model is asked for when the refresh read what others wrote: the portrait then comes from a question that shows
/// nothing but insights in use, so that no words of others get into it unreviewed. `None` when there is nothing to say.
pub fn portrait_question(name: &str, known: &[Known]) -> Option<String> {
    let who = if name.trim().is_empty() { "the user" } else { name.trim() };
    let in_use = known.iter().filter(|known| matches!(known.status, InsightStatus::Confirmed | InsightStatus::Active));
    let lines: Vec<String> = in_use.take(INSIGHTS_MAX).map(|known| format!("- {}", known.statement)).collect();
    (!lines.is_empty()).then(|| {
        format!(
            "Write a portrait of {who} in at most 150 words from these statements, and from nothing else. Answer with one JSON \
             object and nothing else: {{\"summary\": \"...\"}}\n\n{}",
            lines.join("\n")
        )
    })
}

/// The portrait of an answer: whole sentences, at most [`PORTRAIT_WORDS_MAX`] words. `None` when there is none.
pub fn accept_portrait(summary: &str) -> Option<String> {
    let mut kept = String::new();
    let mut count = 0;
    for sentence in summary.trim().split_sentence_bounds() {
        let words = sentence.unicode_words().count();
        if count + words > PORTRAIT_WORDS_MAX {
            break;
        }
        count += words;
        kept += sentence;
    }
    let kept = kept.trim();
    (count > 0).then(|| kept.to_owned())
}
