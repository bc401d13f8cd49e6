//! What surfaces ask of memory and what they get back (contract section 7): the bodies and answers of `/api/memories`.

use crate::memory::{MemoryState, MergedMemory, ReviewItem};
use crate::time::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Memories of one page of `GET /api/memories` when the caller names no `limit`. Ours.
pub const MEMORIES_LIMIT_DEFAULT: usize = 100;
/// Memories of one page. Ours.
pub const MEMORIES_LIMIT_MAX: usize = 1_000;
/// Characters of one memory. Ours: one fact, not a document.
pub const MEMORY_CHARS_MAX: usize = 2_000;
/// Facts, and insights, of the review inbox (contract section 7, "Memories waiting for review").
pub const REVIEW_ITEMS_MAX: usize = 500;
/// Memories in the graph (`memory.md` section 4).
pub const GRAPH_NODES_MAX: usize = 1_500;
/// Characters of a node's label (contract section 7).
pub const GRAPH_LABEL_CHARS: usize = 25;

/// `GET /api/memories`: which ones.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub struct MemoryQuery {
    pub topic: Option<String>,
    /// Words to search for: the answer is ordered by `score` then, not by age.
    pub q: Option<String>,
    pub source: Option<String>,
    pub scope: Option<String>,
    #[serde(default)]
    pub state: StateFilter,
    pub limit: Option<usize>,
    pub offset: Option<usize>,
}

/// Which states are listed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StateFilter {
    /// Current and disputed ones.
    #[default]
    Usual,
    Current,
    Disputed,
    Superseded,
    All,
}

impl StateFilter {
    pub fn holds(self, state: MemoryState) -> bool {
        match self {
            Self::Usual => state != MemoryState::Superseded,
            Self::Current => state == MemoryState::Current,
            Self::Disputed => state == MemoryState::Disputed,
            Self::Superseded => state == MemoryState::Superseded,
            Self::All => true,
        }
    }
}

/// One topic and how many memories it has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TopicCount {
    pub name: String,
    pub description: String,
    pub count: usize,
}

/// `GET /api/memories/graph`.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct MemoryGraph {
    pub nodes: Vec<GraphNode>,
    pub links: Vec<GraphLink>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GraphNode {
    pub id: u64,
    /// The first [`GRAPH_LABEL_CHARS`] characters.
    pub label: String,
    pub title: String,
    pub content: String,
    pub topics: Vec<String>,
    pub memory_type: crate::memory::MemoryType,
    pub source: String,
    pub created_at: Timestamp,
}

/// Two memories that mean nearly the same; `value` is their cosine.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GraphLink {
    pub source: u64,
    pub target: u64,
    pub value: f64,
}

/// `POST /api/memories`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub struct NewMemory {
    pub content: String,
    pub source: Option<String>,
    pub scope: Option<String>,
    #[serde(default)]
    pub hold_for_review: bool,
    /// Where it comes from, in plain words, for a memory that is held.
    pub review_from: Option<String>,
}

/// `PATCH /api/memories/{id}`: one of the two.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub struct MemoryPatch {
    pub scope: Option<String>,
    pub state: Option<String>,
}

/// `DELETE /api/memories/{id}`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct MemoryDeleted {
    pub deleted: bool,
    /// It is gone, and something made of it waits to be removed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub cleanup_pending: bool,
}

/// `DELETE /api/memories/source/{source}`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SourceForgotten {
    pub deleted: usize,
    pub unlinked: usize,
}

/// One place where memories are kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ScopeRow {
    pub name: String,
    pub label: String,
    /// Active memories in it.
    pub count: usize,
    pub built_in: bool,
}

/// `DELETE /api/memories/scope/{scope}`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct ScopeReset {
    pub deleted: usize,
}

/// The kind of file an export is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ExportFormat {
    Markdown,
    Sqlite,
}

/// `POST /api/memories/export`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Exported {
    pub path: String,
    pub folder: String,
    pub name: String,
    pub format: ExportFormat,
    /// Active memories.
    pub memories: usize,
    /// Active insights about the person.
    pub about_you: usize,
    /// What waits for review, of both.
    pub waiting: usize,
}

/// `GET /api/memories/review`.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Review {
    /// Newest first, at most [`REVIEW_ITEMS_MAX`] of each kind.
    pub items: Vec<ReviewItem>,
    /// All of them, also those beyond the page.
    pub count: usize,
    pub expire_days: u32,
    pub merged: Vec<MergedMemory>,
}
