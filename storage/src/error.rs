//! What can go wrong with the data folder and with one commit, in words for the person in front of the screen.

use crate::record::RecordError;
use protocol::{Error, ErrorKind, Timestamp};
use std::io;
use std::path::{Path, PathBuf};

/// Why a data folder did not open.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Another engine has it. `None` when that engine has not written its name yet.
    #[error("{}", in_use(*pid, *started))]
    InUse { pid: Option<u32>, started: Option<Timestamp> },
    #[error(
        "The data in {} was written by a newer version of Sentient (format {found}; this one knows {known}). Install that version again, or go back to a copy in the folder `snapshots`.",
        path.display()
    )]
    Newer { path: PathBuf, found: u32, known: u32 },
    #[error(
        "The data file {} is damaged ({detail}). Move it away and put a backup, or the newest file of the folder `snapshots`, in its place.",
        path.display()
    )]
    Corrupt { path: PathBuf, detail: String },
    #[error("The disk that holds {} is full. Make room and start Sentient again.", path.display())]
    DiskFull { path: PathBuf },
    #[error("Sentient may not read and write {}. Check who owns the folder and its permissions.", path.display())]
    Permission { path: PathBuf },
    #[error("{} cannot be used: {detail}. Check the disk and the path.", path.display())]
    Unusable { path: PathBuf, detail: String },
    #[error(
        "Bringing the data to the new format failed: {detail}. Nothing was changed{}.",
        snapshot.as_ref().map(|path| format!("; a copy is at {}", path.display())).unwrap_or_default()
    )]
    Upgrade { detail: String, snapshot: Option<PathBuf> },
}

fn in_use(pid: Option<u32>, started: Option<Timestamp>) -> String {
    let who = match pid {
        Some(pid) => format!("Sentient is already running with this data folder (process {pid}"),
        None => "Sentient is already running with this data folder (another process".to_owned(),
    };
    let since = match started {
        Some(at) => format!(", since {} UTC)", at.to_jiff().strftime("%Y-%m-%d %H:%M")),
        None => ")".to_owned(),
    };
    format!("{who}{since}. Use that one, close it first, or start this one with another folder.")
}

impl OpenError {
    pub(crate) fn from_io(path: &Path, error: &io::Error) -> Self {
        let path = path.to_owned();
        match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::DiskFull { path },
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => Self::Permission { path },
            io::ErrorKind::InvalidData => Self::Corrupt { path, detail: error.to_string() },
            _ => Self::Unusable { path, detail: error.to_string() },
        }
    }

    pub(crate) fn from_redb(path: &Path, error: redb::Error) -> Self {
        match error {
            redb::Error::Io(error) => Self::from_io(path, &error),
            redb::Error::DatabaseAlreadyOpen => Self::InUse { pid: None, started: None },
            other => Self::Corrupt { path: path.to_owned(), detail: other.to_string() },
        }
    }
}

impl From<OpenError> for Error {
    fn from(error: OpenError) -> Self {
        let kind = match error {
            OpenError::InUse { .. } => ErrorKind::Conflict,
            OpenError::DiskFull { .. } | OpenError::Permission { .. } => ErrorKind::Unavailable,
            _ => ErrorKind::Internal,
        };
        Self::new(kind, error.to_string())
    }
}

/// Why a commit or a read of the store did not succeed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// Too much is waiting to be written. Certainly not written.
    #[error("the store is busy: too many changes are waiting to be written")]
    Busy,
    /// The batch is larger than a named limit. Certainly not written.
    #[error("the change is too large for one commit: {what}")]
    TooLarge { what: String },
    /// A row cannot be written or read. Certainly not written.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// Certainly not written.
    #[error("the change was not written: {reason}")]
    Failed { reason: String },
    /// It may have been written or not: look it up before doing it again.
    #[error("it is not known whether the change was written: {reason}")]
    Uncertain { reason: String },
    #[error("the store cannot be read: {reason}")]
    Read { reason: String },
}

impl StoreError {
    /// Whether the change may be in the store in spite of this error.
    pub fn may_be_written(&self) -> bool {
        matches!(self, Self::Uncertain { .. })
    }

    pub(crate) fn failed(error: impl Into<redb::Error>) -> Self {
        Self::Failed { reason: plain(&error.into()) }
    }

    pub(crate) fn uncertain(error: impl Into<redb::Error>) -> Self {
        Self::Uncertain { reason: plain(&error.into()) }
    }

    pub(crate) fn read(error: impl Into<redb::Error>) -> Self {
        Self::Read { reason: plain(&error.into()) }
    }
}

/// The cause in words. After a failed write redb refuses everything until the file is opened again.
fn plain(error: &redb::Error) -> String {
    match error {
        redb::Error::Io(cause) if cause.kind() == io::ErrorKind::StorageFull => "the disk is full".to_owned(),
        redb::Error::PreviousIo => "the disk failed before; the data file must be opened again".to_owned(),
        other => other.to_string(),
    }
}

impl From<StoreError> for Error {
    fn from(error: StoreError) -> Self {
        match &error {
            StoreError::Busy => {
                Self::new(ErrorKind::Busy, "Too much is being saved at once.").hint("Try again in a moment.")
            }
            StoreError::TooLarge { .. }
            | StoreError::Record(RecordError::TooLarge { .. } | RecordError::KeyTooLong { .. }) => {
                Self::new(ErrorKind::TooLarge, "This is too large to be saved.")
            }
            StoreError::Read { .. } | StoreError::Record(_) => {
                Self::internal("What was saved could not be read.").hint("The log says more.")
            }
            StoreError::Failed { .. } => {
                Self::internal("This could not be saved.").hint("Check that the disk has room; the log says more.")
            }
            StoreError::Uncertain { .. } => Self::internal("It is not known whether this was saved.")
                .hint("Look whether it is there before trying again; the log says more."),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn disk_trouble_is_told_plainly() {
        for (kind, want) in [
            (io::ErrorKind::StorageFull, "is full. Make room"),
            (io::ErrorKind::PermissionDenied, "may not read and write"),
            (io::ErrorKind::InvalidData, "is damaged"),
            (io::ErrorKind::NotADirectory, "cannot be used"),
        ] {
            let text = OpenError::from_io(Path::new("/home/a"), &io::Error::from(kind)).to_string();
            assert!(text.contains(want) && text.contains("/home/a"), "{kind:?}: {text}");
        }
    }

    #[test]
    fn the_other_engine_is_named() {
        let started = Some(Timestamp(1_791_622_800_000));
        let text = OpenError::InUse { pid: Some(42), started }.to_string();
        assert!(text.contains("process 42, since 2026-10-10 09:00 UTC"), "{text}");
        assert!(OpenError::InUse { pid: None, started: None }.to_string().contains("another process). Use that one"));
    }

    #[test]
    fn only_uncertain_may_be_written() {
        let reason = String::new();
        assert!(StoreError::Uncertain { reason: reason.clone() }.may_be_written());
        assert!(!StoreError::Failed { reason }.may_be_written());
        assert!(!StoreError::Busy.may_be_written());
    }
}
