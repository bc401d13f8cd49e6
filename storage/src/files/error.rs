//! What can go wrong with a file, in words for the person.

use protocol::{Error, ErrorKind};
use std::io;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FileError {
    /// It would lead out of the files folder, or no system would take it.
    #[error("This is not a name of a file in the files folder.")]
    BadName,
    #[error("This file is not there any more.")]
    NotFound,
    #[error("The file is larger than {}.", megabytes(*bytes_max))]
    TooLarge { bytes_max: u64 },
    #[error("This file is not text.")]
    NotText,
    #[error("There are too many files with this name.")]
    NoFreeName,
    #[error("The disk is full.")]
    DiskFull,
    #[error("Sentient may not use this file.")]
    Permission,
    #[error("The file could not be used: {0}.")]
    Io(String),
}

fn megabytes(bytes: u64) -> String {
    match bytes / (1024 * 1024) {
        0 => format!("{bytes} bytes"),
        megabytes => format!("{megabytes} MB"),
    }
}

impl From<io::Error> for FileError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Self::NotFound,
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::DiskFull,
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => Self::Permission,
            io::ErrorKind::InvalidFilename => Self::BadName,
            io::ErrorKind::IsADirectory => Self::NotFound,
            _ => Self::Io(error.to_string()),
        }
    }
}

impl From<FileError> for Error {
    fn from(error: FileError) -> Self {
        let kind = match error {
            FileError::BadName => ErrorKind::Invalid,
            FileError::NotFound => ErrorKind::NotFound,
            FileError::TooLarge { .. } => ErrorKind::TooLarge,
            FileError::NotText => ErrorKind::Unprocessable,
            FileError::NoFreeName => ErrorKind::Conflict,
            FileError::DiskFull | FileError::Permission => ErrorKind::Unavailable,
            FileError::Io(_) => ErrorKind::Internal,
        };
        let answer = Self::new(kind, error.to_string());
        match error {
            FileError::NoFreeName => answer.hint("Give it another name."),
            FileError::DiskFull => answer.hint("Make room and try again."),
            FileError::Permission => answer.hint("Check its permissions."),
            _ => answer,
        }
    }
}
