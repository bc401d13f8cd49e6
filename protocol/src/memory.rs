//! Memories as surfaces see them (contract section 7): what is remembered, where it was said, and what waits for review.

use crate::ids::SessionId;
use crate::time::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The topics of memories, with what each holds (contract section 7; `memory.md` section 1).
pub const TOPICS: [(&str, &str); 8] = [
    ("Personal Identity", "Who you are: traits, beliefs, values, preferences, where you live."),
    ("Interests & Lifestyle", "Hobbies, habits, routines and taste."),
    ("Work & Learning", "Your job, studies, skills, projects and tools."),
    ("Health & Wellbeing", "Body and mind: sleep, fitness, allergies."),
    ("Relationships & Social Life", "Family, friends, colleagues and pets."),
    ("Financial", "Income, spending, accounts and plans for money."),
    ("Goals & Challenges", "Aims, plans and what stands in their way."),
    ("Miscellaneous", "What fits nowhere else."),
];

/// The scope of memories that every chat reads.
pub const SCOPE_ALWAYS: &str = "always";
/// The scope of memories and chats that name none.
pub const SCOPE_PERSONAL: &str = "personal";
/// The scope for work.
pub const SCOPE_WORK: &str = "work";
/// Characters of a project's name as a scope (contract section 7, "Memory scopes").
pub const SCOPE_CHARS_MAX: usize = 40;
/// Characters of the text a held memory came from (contract section 7, `ReviewNote`).
pub const SNIPPET_CHARS_MAX: usize = 400;

/// How long a memory is meant to hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MemoryType {
    #[default]
    LongTerm,
    /// Has a moment at which it ends.
    ShortTerm,
}

/// Whether a memory is in use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum MemoryStatus {
    #[default]
    Active,
    /// Waits for review: no prompt, no search and no other memory sees it.
    Pending,
    /// Folded into another memory; kept for its history.
    Merged,
}

/// Whether a memory is held to be true.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum MemoryState {
    #[default]
    Current,
    /// The person said that it is not right.
    Disputed,
    /// A newer memory contradicts it.
    Superseded,
}

/// One thing that is remembered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Memory {
    pub id: u64,
    pub content: String,
    /// Names of [`TOPICS`], at least one.
    pub topics: Vec<String>,
    /// Where it was learned first: `conversation`, `channel:<id>`, `device:<id>`, `app:<plugin>`, `folder:<id>`,
    /// `file:<name>`, `manual`, `onboarding`, `import:<app>`, `mcp`, `user_model`.
    pub source: String,
    pub memory_type: MemoryType,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    pub expires_at: Option<Timestamp>,
    /// The text before the last update.
    pub previous_content: Option<String>,
    pub status: MemoryStatus,
    pub review: Option<ReviewNote>,
    pub scope: String,
    /// 0 to 1.
    pub confidence: f64,
    pub state: MemoryState,
    pub superseded_by: Option<u64>,
    #[serde(rename = "ref")]
    pub reference: Option<SourceRef>,
    /// Every place where it was said, in the order they came.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sources: Option<Vec<SourceLink>>,
    /// The words that replaced it, when it is superseded (`GET /api/memories/{id}`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub superseded_by_content: Option<String>,
    /// Cosine with the search text; results of a search only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub similarity: Option<f64>,
    /// What results of a search are ordered by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
}

/// Where a held memory came from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReviewNote {
    /// The source in plain words, such as `Gmail` or `resume.pdf`.
    pub from: String,
    /// The text it came from, at most [`SNIPPET_CHARS_MAX`] characters.
    pub snippet: Option<String>,
    pub session_id: Option<SessionId>,
    /// The conversation, note or file of an import.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// That day, `YYYY-MM-DD`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dated: Option<String>,
    /// The export's file or folder name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub export: Option<String>,
    /// `instruction`: it reads like a standing order for Sentient.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Exactly where something was said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum SourceRef {
    /// A chat, and the person's message in it that says it.
    Message {
        session_id: SessionId,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        message_id: Option<crate::ids::MessageId>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        quote: Option<String>,
    },
    /// A mail that a chat read.
    Email(AppRef),
    /// Anything else that a chat read in an app.
    App(AppRef),
    /// A note in an added folder.
    Note {
        folder_id: String,
        path: String,
        title: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        url: Option<String>,
        session_id: SessionId,
        quote: String,
    },
    /// An imported file.
    File { file: String, quote: String },
}

/// What a chat read in an app.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AppRef {
    pub app: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    pub title: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    pub session_id: SessionId,
    pub quote: String,
}

/// One place where a memory was said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceLink {
    pub source: String,
    #[serde(rename = "ref")]
    pub reference: Option<SourceRef>,
    pub at: Timestamp,
    /// Whether it is the one the memory was learned from first.
    pub own: bool,
}

/// What saving came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum SaveAction {
    Add,
    Update,
    Delete,
    Skip,
}

/// The answer of `POST /api/memories` and `memory_remember`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Saved {
    pub action: SaveAction,
    pub id: u64,
    pub content: String,
    /// `pending` when it waits for review.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<MemoryStatus>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// The text that was replaced.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub previous: Option<String>,
    /// Why it waits, for the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// `memory.updated`: one memory, or many at once (`id: null` with `count`). Only what applies is there.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MemoryChange {
    pub action: SaveAction,
    pub id: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<MemoryStatus>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<ChangeReason>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub previous: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub previous_scope: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<MemoryState>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub merged_into: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unlinked: Option<usize>,
}

impl MemoryChange {
    /// A change of one memory, or of many; the rest is left out.
    pub fn new(action: SaveAction, id: Option<u64>) -> Self {
        Self {
            action,
            id,
            content: None,
            status: None,
            reason: None,
            previous: None,
            session_id: None,
            source: None,
            count: None,
            scope: None,
            previous_scope: None,
            state: None,
            merged_into: None,
            superseded_by: None,
            unlinked: None,
        }
    }
}

/// Why a memory changed (`events.tsv`, `memory.updated`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangeReason {
    Instruction,
    SupersededExpired,
    Approved,
    Discarded,
    ReviewExpired,
    Moved,
    ScopeReset,
    Forgotten,
    Merged,
    Contradicted,
    Promoted,
    Expired,
    Disputed,
    Confirmed,
    Unmerged,
}

/// What forgetting a source deletes (contract section 7, `ForgetCounts`).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ForgetCounts {
    pub source: String,
    pub memories: usize,
    /// Kept because another source backs them.
    pub shared: usize,
    pub chats: usize,
    pub messages: usize,
    pub summaries: usize,
    /// Tool results in chats.
    pub results: usize,
    /// Mails or other items of an app that were kept.
    pub items: usize,
    pub insights: usize,
    /// `emails` or `items`.
    pub item_noun: String,
}

/// `memory.forgotten`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Forgotten {
    pub id: String,
    pub source: String,
    /// The source in plain words, such as `Telegram`.
    pub label: String,
    /// [`ForgetCounts`] without `source`.
    pub counts: serde_json::Value,
    pub at: Timestamp,
}

/// Something that waits for review (`GET /api/memories/review`).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ReviewItem {
    pub kind: ReviewKind,
    /// A memory's number, or an insight's id as text.
    pub id: serde_json::Value,
    pub text: String,
    pub source: String,
    pub from: String,
    pub snippet: Option<String>,
    pub session_id: Option<SessionId>,
    pub title: Option<String>,
    pub dated: Option<String>,
    pub export: Option<String>,
    pub reason: Option<String>,
    /// `null` for insights.
    pub scope: Option<String>,
    pub created_at: Timestamp,
    pub expires_at: Timestamp,
}

/// What kind of thing waits for review.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ReviewKind {
    Fact,
    Insight,
}

/// A memory that the nightly tidy-up folded into another one.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MergedMemory {
    pub id: u64,
    pub text: String,
    pub source: String,
    pub merged_at: Timestamp,
    pub by: String,
    pub merged_into: Option<MergedInto>,
}

/// The memory that was kept.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MergedInto {
    pub id: u64,
    pub text: String,
}
