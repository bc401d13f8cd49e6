//! What a call would do, the way a person reads it (contract section 10, "Previews, undo windows and the trash").

use serde::{Deserialize, Serialize};

/// Built in code from a call's name and arguments, never by a model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ActionPreview {
    pub kind: ActionKind,
    pub title: String,
    pub fields: Vec<PreviewField>,
    /// The message's text; empty when there is none.
    pub body: String,
}

/// What kind of thing happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ActionKind {
    Email,
    Message,
    Post,
    /// For good.
    Delete,
    Trash,
    Purchase,
    /// Anything else that has something a person would read.
    Action,
}

impl ActionKind {
    /// Whether something leaves that a moment later nobody can call back: what an undo window is for.
    pub fn is_sent(self) -> bool {
        matches!(self, Self::Email | Self::Message | Self::Post)
    }
}

/// One line of a preview.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PreviewField {
    pub label: String,
    pub value: String,
}

impl PreviewField {
    pub fn new(label: impl Into<String>, value: impl Into<String>) -> Self {
        Self { label: label.into(), value: value.into() }
    }
}
