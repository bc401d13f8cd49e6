//! What can go wrong with the index, and whether it is the index itself that is damaged.

use crate::StoreError;
use protocol::{Error, ErrorKind};
use std::io;
use tantivy::TantivyError;

/// Why a search or the index work did not succeed. A damaged index is not among it: it is made anew.
#[derive(Clone, Debug, thiserror::Error)]
pub enum SearchError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("the search index cannot be used: {0}")]
    Index(String),
}

impl From<SearchError> for Error {
    fn from(error: SearchError) -> Self {
        match error {
            SearchError::Store(error) => error.into(),
            SearchError::Index(_) => Self::new(ErrorKind::Internal, "Searching your chats did not work.")
                .hint("Check that the disk has room; the log says more."),
        }
    }
}

/// What stopped a piece of index work.
#[derive(Debug)]
pub(crate) enum Trouble {
    /// The files contradict themselves: delete them and begin again.
    Damaged(String),
    Other(SearchError),
}

impl From<StoreError> for Trouble {
    fn from(error: StoreError) -> Self {
        Self::Other(error.into())
    }
}

impl From<io::Error> for Trouble {
    fn from(error: io::Error) -> Self {
        TantivyError::from(error).into()
    }
}

impl From<TantivyError> for Trouble {
    fn from(error: TantivyError) -> Self {
        let damaged = match &error {
            TantivyError::DataCorruption(_)
            | TantivyError::OpenReadError(_)
            | TantivyError::IncompatibleIndex(_)
            | TantivyError::SchemaError(_)
            | TantivyError::FieldNotFound(_)
            | TantivyError::DeserializeError(_)
            | TantivyError::InternalError(_)
            | TantivyError::Poisoned => true,
            TantivyError::IoError(cause) => matches!(
                cause.kind(),
                io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof | io::ErrorKind::NotFound
            ),
            _ => false,
        };
        if damaged { Self::Damaged(error.to_string()) } else { Self::Other(SearchError::Index(error.to_string())) }
    }
}
