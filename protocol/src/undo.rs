//! The undo window of an email, a message or a post: for a few seconds it can still be taken back (contract section 10).

use crate::ids::{CallId, UndoId};
use crate::preview::ActionPreview;
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};

/// `undo_window`: the call waits, and its `tool_result` follows when the window ends.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct UndoWindow {
    pub undo_id: UndoId,
    pub call_id: CallId,
    pub name: String,
    pub seconds: u64,
    /// When it ends.
    pub until: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preview: Option<ActionPreview>,
}

/// What the person does while a window is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UndoAction {
    /// It never goes out.
    Undo,
    SendNow,
}
