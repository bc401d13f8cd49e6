//! The files in which the assistant reads who it is and whom it works for.

use futures::future::BoxFuture;
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
    Note(Day),
}

/// A day of the calendar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Day {
    pub year: i16,
    pub month: i8,
    pub day: i8,
}

impl Day {
    /// The day of a moment, where the person is.
    pub fn of(zoned: &jiff::ZonedDateTime) -> Self {
        Self { year: zoned.year(), month: zoned.month(), day: zoned.day() }
    }
}

impl std::fmt::Display for Day {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

/// Reads and writes the workspace. A write leaves the whole new text or the whole old one.
pub trait Workspace: Send + Sync + 'static {
    /// The text; `None` when the file is not there.
    fn read(&self, file: WorkspaceFile) -> BoxFuture<'static, Result<Option<String>, Error>>;
    fn write(&self, file: WorkspaceFile, text: String) -> BoxFuture<'static, Result<(), Error>>;
}
