//! What is kept beside single memories: workspace files, summaries of chats, personas, and what an import came to
//! (contract section 7).

use crate::ids::SessionId;
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};

/// Characters of a workspace file the person saves. Ours: a prompt gets a tenth of it.
pub const WORKSPACE_CHARS_MAX: usize = 60_000;

/// `GET /api/memories/workspace`: the files whole, empty where there is none.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct WorkspaceFiles {
    pub soul: String,
    pub user: String,
    pub memory: String,
    /// The note of today and the one of yesterday.
    pub today: String,
    pub yesterday: String,
}

/// The body of `PUT /api/memories/workspace/{file}`.
#[derive(Clone, Debug, Deserialize)]
pub struct NewWorkspaceFile {
    pub content: String,
}

/// Its answer: the name of the file that was saved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SavedWorkspaceFile {
    pub saved: String,
}

/// `GET /api/memories/summaries`: one summary of a stretch of a chat.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ChatSummary {
    pub id: u64,
    pub content: String,
    pub start_at: Timestamp,
    pub end_at: Timestamp,
    pub session_id: SessionId,
    /// The app whose content the chat read; such summaries reach no other chat.
    pub untrusted: Option<String>,
}

/// `GET /api/memories/personas`: a ready-made SOUL.md.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Persona {
    pub id: String,
    pub name: String,
    pub description: String,
    pub soul_md: String,
}

/// `POST /api/memories/import`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ImportResult {
    pub added: usize,
    pub updated: usize,
    pub skipped: usize,
    /// Wait for review.
    pub pending: usize,
    /// `file:<name>`.
    pub source: String,
}
