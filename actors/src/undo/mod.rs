//! Undo windows that are open: sends that wait a few seconds so that the person can still take them back. One role for
//! the whole engine, so that an answer from any surface reaches the turn that waits, and counts once.
//!
//! That a call waits is a row of the journal, written before the window opens; a window itself is not a row: what was
//! waiting when the program ended is not sent by the next one (contract section 10). This role never decides whether
//! something waits; that is `rules::gate`.

mod engine;
mod hold;
mod respond;

use protocol::ids::{SessionId, TurnId, UndoId};
use protocol::undo::{UndoAction, UndoWindow};
use protocol::{Error, Request};
use runtime::{Ctx, Role};
use std::collections::BTreeMap;
use tokio::sync::oneshot;

/// Windows that may be open at once. Ours.
pub const WINDOWS_MAX: usize = 1_000;

/// The broker of undo windows.
pub struct Undo {
    open: BTreeMap<UndoId, Open>,
}

struct Open {
    window: OpenWindow,
    answer: oneshot::Sender<UndoAction>,
}

/// A window nobody has answered yet, with all a surface needs to show it.
#[derive(Clone, Debug, PartialEq)]
pub struct OpenWindow {
    pub session_id: SessionId,
    pub turn_id: TurnId,
    pub window: UndoWindow,
}

/// Opens a window. The reply is where an answer will arrive; whoever waits drops it when the window ends.
pub struct Hold(pub OpenWindow);

impl Request for Hold {
    type Reply = oneshot::Receiver<UndoAction>;
    const NAME: &'static str = "undo.hold";
}

/// Answers a window. Whether one was open.
pub struct Respond {
    pub undo_id: UndoId,
    pub action: UndoAction,
}

impl Request for Respond {
    type Reply = bool;
    const NAME: &'static str = "undo.respond";
}

/// The windows that are open, for a surface that was not there when they opened.
pub struct ListWindows;

impl Request for ListWindows {
    type Reply = Vec<OpenWindow>;
    const NAME: &'static str = "undo.list";
}

impl Role for Undo {
    const NAME: &'static str = "undo";
    const RANK: u8 = 30;
    const MAILBOX_MAX: usize = 1_024;
    type Needs = ();

    async fn start((): (), _: &Ctx<Self>) -> Result<Self, Error> {
        Ok(Self { open: BTreeMap::new() })
    }
}
