//! The files in which the assistant reads who it is and whom it works for.

use futures::future::BoxFuture;
use jiff::civil::Date;
use protocol::Error;

/// One file of the workspace folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WorkspaceFile {
    /// How the assistant should be (`SOUL.md`).
    Soul,
    /// What it should know of the person (`USER.md`).
    User,
    /// What it keeps in view for them (`MEMORY.md`).
    Memory,
    /// The note of one day (`notes/YYYY-MM-DD.md`).
    Note(Date),
}

/// Reads and writes the workspace. A write leaves the whole new text or the whole old one.
pub trait Workspace: Send + Sync + 'static {
    /// The text; `None` when the file is not there.
    fn read(&self, file: WorkspaceFile) -> BoxFuture<'static, Result<Option<String>, Error>>;
    fn write(&self, file: WorkspaceFile, text: String) -> BoxFuture<'static, Result<(), Error>>;
}
