//! What is remembered, and what remembers how it came and went.

use protocol::Timestamp;
use protocol::ids::SessionId;
use serde::{Deserialize, Serialize};

/// One memory (contract section 7). Key: its number, from 1, never used twice.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FactRecord {
    pub id: u64,
    pub content: String,
    pub topics: Vec<String>,
    /// Where it was learned first.
    pub source: String,
    /// Whether it has an end.
    pub short_term: bool,
    pub expires_at: Option<Timestamp>,
    pub status: FactStatus,
    pub scope: String,
    /// 0 to 1.
    pub confidence: f64,
    pub state: FactState,
    pub superseded_by: Option<u64>,
    /// When it was superseded: what its retention is counted from.
    pub superseded_at: Option<Timestamp>,
    /// The memory it was folded into.
    pub merged_into: Option<u64>,
    pub merged_at: Option<Timestamp>,
    /// The text before the last update.
    pub previous_content: Option<String>,
    /// JSON of a `ReviewNote`.
    pub review: Option<String>,
    /// Every place where it was said, in the order they came; the first is its own.
    pub sources: Vec<FactSource>,
    pub recall_count: u64,
    pub last_recalled_at: Option<Timestamp>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// Whether a memory is in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FactStatus {
    Active,
    Pending,
    Merged,
}

/// Whether a memory is held to be true.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FactState {
    Current,
    Disputed,
    Superseded,
}

/// One place where a memory was said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FactSource {
    pub source: String,
    /// JSON of a `SourceRef`.
    pub reference: Option<String>,
    pub at: Timestamp,
    /// The copy in another language that brought this source with it.
    pub merged_from: Option<u64>,
}

impl FactRecord {
    /// Equal for texts that say the same in the same words: letters' case, blanks and a full stop at the end do not count.
    /// It leads to the row (index `facts.by_words`), so it never changes.
    pub fn words_hash(content: &str) -> u64 {
        crate::vectors::text_hash(&same_words(content))
    }

    /// Whether two texts are the same words.
    pub fn same_words(one: &str, other: &str) -> bool {
        same_words(one) == same_words(other)
    }
}

/// A text without what does not count when two are compared.
fn same_words(text: &str) -> String {
    let lower = text.to_lowercase();
    let words: Vec<&str> = lower.split_whitespace().collect();
    words.join(" ").trim_end_matches(['.', '!', '\u{964}', '\u{3002}']).to_owned()
}

/// What became of one thing that was said in one message, so that saving it again changes nothing: after a crash between
/// the save and its answer, and also when the memory was forgotten since. Key: the message, then the words' hash.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FactSaveRecord {
    /// The message's id.
    pub message: String,
    pub words: u64,
    /// The memory it is in.
    pub fact: u64,
    pub at: Timestamp,
}

/// A forgotten memory of which something is left to be cleaned up. Key: its number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FactCleanupRecord {
    pub fact: u64,
    /// JSON of what the steps need to know.
    pub forgotten: String,
    /// Names of the steps still to be done.
    pub steps: Vec<String>,
    pub since: Timestamp,
}

/// A source that was forgotten (shown in Activity). Key: its id (time-ordered).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ForgetRecord {
    pub id: String,
    pub source: String,
    pub label: String,
    /// JSON of a `ForgetCounts`.
    pub counts: String,
    pub at: Timestamp,
}

/// A reply that had a memory in mind, so that its chip goes when the memory is forgotten. Key: the memory, then the chat
/// and the message's place in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FactChipRecord {
    pub fact: u64,
    pub session_id: SessionId,
    pub ordinal: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_words_are_found_however_they_are_written() {
        for (one, other, same) in [
            ("Maya lives in Pune", " maya  lives in PUNE. ", true),
            (
                "\u{92e}\u{93e}\u{92f}\u{93e} \u{92a}\u{941}\u{923}\u{947}\u{964}",
                "\u{92e}\u{93e}\u{92f}\u{93e} \u{92a}\u{941}\u{923}\u{947}",
                true,
            ),
            ("Maya lives in Pune", "Maya lives in Pune and works", false),
            ("Maya has 3 cats", "Maya has 3.5 cats", false),
        ] {
            assert_eq!(FactRecord::same_words(one, other), same, "{one} / {other}");
            assert_eq!(FactRecord::words_hash(one) == FactRecord::words_hash(other), same, "{one} / {other}");
        }
        assert_eq!(FactRecord::words_hash("a"), 0xaf63_dc4c_8601_ec8c, "the published value, for ever");
    }
}
