//! What is remembered.

use protocol::Timestamp;
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
