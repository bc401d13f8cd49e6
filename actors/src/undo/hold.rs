//! Opens a window, and lists those that are open. One whose turn no longer waits is gone.

use super::{Hold, ListWindows, Open, OpenWindow, Undo, WINDOWS_MAX};
use protocol::undo::UndoAction;
use protocol::{Error, ErrorKind};
use runtime::{Ctx, Handles};
use tokio::sync::oneshot;

impl Handles<Hold> for Undo {
    async fn handle(&mut self, Hold(window): Hold, _: &Ctx<Self>) -> Result<oneshot::Receiver<UndoAction>, Error> {
        self.forget_ended();
        if self.open.len() >= WINDOWS_MAX {
            return Err(Error::new(ErrorKind::Busy, "Too many messages are waiting to be sent."));
        }
        let (answer, receiver) = oneshot::channel();
        self.open.insert(window.window.undo_id.clone(), Open { window, answer });
        Ok(receiver)
    }
}

impl Handles<ListWindows> for Undo {
    async fn handle(&mut self, _: ListWindows, _: &Ctx<Self>) -> Result<Vec<OpenWindow>, Error> {
        self.forget_ended();
        Ok(self.open.values().map(|open| open.window.clone()).collect())
    }
}

impl Undo {
    fn forget_ended(&mut self) {
        self.open.retain(|_, open| !open.answer.is_closed());
    }
}
