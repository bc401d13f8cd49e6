//! What a command, a script or a tool did to files of which copies were kept.

use protocol::Timestamp;
use protocol::ids::{CallId, SessionId};
use serde::{Deserialize, Serialize};

/// One call that changed files. Key: its id (time-ordered), which is also the name of its folder of copies.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileSnapshotRecord {
    pub id: String,
    pub at: Timestamp,
    pub source: SnapshotSource,
    /// The command, the script's first line or the file's name.
    pub what: String,
    pub session_id: Option<SessionId>,
    pub task_id: Option<String>,
    pub call_id: Option<CallId>,
    pub files: Vec<SnapshotFile>,
    /// Files it made; they are not put back.
    pub created: Vec<String>,
    /// No file has a copy, since there were too many.
    pub too_many: bool,
    /// Bytes of the copies.
    pub bytes: u64,
    /// The copies were deleted to make room, or because of their age.
    pub copies_gone: bool,
    /// Set before the first file is put back. Found so after a crash, it may be done again.
    pub restoring_at: Option<Timestamp>,
    pub restored_at: Option<Timestamp>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SnapshotSource {
    Command,
    Code,
    /// `file_write`.
    File,
    /// Putting another snapshot back.
    PutBack,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SnapshotFile {
    pub path: String,
    pub deleted: bool,
    pub bytes: u64,
    pub copy: Option<String>,
    /// Why it has no copy.
    pub note: Option<String>,
}
