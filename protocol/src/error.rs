//! The one error that crosses a boundary: a kind that code can match, words a person can read, and what to do about it.
//!
//! The message is lowercase-free prose for the person in front of the screen; causes go to the log, never in here.

use serde::{Deserialize, Serialize};
use std::fmt;

/// What went wrong, as code sees it. The gateway maps each kind to one HTTP status.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorKind {
    /// The request makes no sense as it stands (400).
    Invalid,
    /// The request is well formed but a value in it is not allowed (422).
    Unprocessable,
    /// What was asked for is not there (404).
    NotFound,
    /// It cannot be done in the present state (409).
    Conflict,
    /// Not allowed (403).
    Denied,
    /// Larger than the named limit (413).
    TooLarge,
    /// A queue is full; trying again later helps (429).
    Busy,
    /// It took longer than its deadline (504).
    Timeout,
    /// It was stopped on purpose (409).
    Cancelled,
    /// Something it needs is not there right now (503).
    Unavailable,
    /// A service outside answered wrongly or not at all (502).
    Upstream,
    /// A bug or a failing disk (500). A handler that answers this is restarted from the store.
    Internal,
}

/// An error with words for the person and, where there is one, the thing to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Error {
    pub kind: ErrorKind,
    /// One plain sentence: what happened.
    pub message: String,
    /// One plain sentence: what to do about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

impl Error {
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), hint: None }
    }

    /// Adds what the person can do about it.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Invalid, message)
    }

    pub fn not_found(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::NotFound, message)
    }

    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Internal, message)
    }

    /// Whether the actor that met it can no longer trust its own state and must start again from the store.
    pub fn is_fatal(&self) -> bool {
        self.kind == ErrorKind::Internal
    }

    /// Message and hint as one text, the `detail` of an HTTP answer.
    pub fn detail(&self) -> String {
        match &self.hint {
            Some(hint) => format!("{} {hint}", self.message),
            None => self.message.clone(),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.detail())
    }
}

impl std::error::Error for Error {}
