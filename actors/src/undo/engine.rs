//! Undo windows as surfaces see them.

use super::{ListWindows, OpenWindow, Respond};
use crate::Engine;
use crate::small::asking;
use protocol::Error;
use protocol::chat::SocketFrame;
use protocol::ids::UndoId;
use protocol::undo::UndoAction;

impl Engine {
    /// Takes a send back, or sends it now. Answers whether it was still waiting; then every window hears it.
    ///
    /// # Errors
    /// An engine that is ending.
    pub async fn answer_undo(&self, undo_id: UndoId, action: UndoAction) -> Result<bool, Error> {
        let done = self.effects.undo.ask(&asking(), Respond { undo_id: undo_id.clone(), action }).await?;
        if done {
            self.live.socket(&SocketFrame::UndoAck { undo_id, action, done });
        }
        Ok(done)
    }

    /// Sends that can still be taken back, of all chats.
    ///
    /// # Errors
    /// An engine that is ending.
    pub async fn open_windows(&self) -> Result<Vec<OpenWindow>, Error> {
        self.effects.undo.ask(&asking(), ListWindows).await
    }
}
