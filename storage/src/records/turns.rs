//! Work in progress: what a restart finds and finishes or ends honestly.

use protocol::Timestamp;
use protocol::ids::{CallId, ClientId, SessionId, TurnId};
use serde::{Deserialize, Serialize};

/// A turn that has not had its `done`. Deleted in the transaction that ends it. Key: the turn's id.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TurnRecord {
    pub turn_id: TurnId,
    pub session_id: SessionId,
    pub client_id: Option<ClientId>,
    /// Where the person sits: `desktop`, `voice`, `api`…
    pub channel: String,
    /// The model named for this message only.
    pub model: Option<String>,
    /// The ordinal of the message that began it.
    pub first_ordinal: u64,
    pub started_at: Timestamp,
    /// How often it was begun again after a crash.
    pub resumed: u32,
}

/// A message accepted while a reply was running. Deleted in the transaction that stores it as a message.
/// Key: chat id, then number.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct QueuedInput {
    pub session_id: SessionId,
    pub number: u64,
    pub kind: QueuedKind,
    pub text: String,
    pub attachments: Vec<String>,
    pub model: Option<String>,
    pub client_id: Option<ClientId>,
    pub channel: String,
    pub created_at: Timestamp,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum QueuedKind {
    /// Joins the running reply at its next round.
    Steer,
    /// Begins a turn of its own once the running one has ended.
    Turn,
}

/// The journal of calls that change something outside the store (ARCHITECTURE.md, invariant 4). Key: the call's id.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EffectRecord {
    pub call_id: CallId,
    pub session_id: SessionId,
    pub turn_id: TurnId,
    pub tool: String,
    /// JSON text.
    pub arguments: String,
    pub state: EffectState,
    /// When the state was reached.
    pub at: Timestamp,
    /// Until when it waits in its undo window; `None` when it waits in none.
    pub until: Option<Timestamp>,
    /// The delete for good that it takes the place of.
    pub instead_of: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum EffectState {
    /// Begun. Found after a restart it means: not known whether it went through. It is never done again.
    Attempted,
    Done,
    Failed,
    /// In its undo window. Found after a restart it means: not sent, and not sent any more.
    Waiting,
    /// Held back for good: undone, stopped or refused while it waited.
    NotSent,
    /// It was begun, and nobody knows whether it went through.
    Unknown,
}

/// Version 1: without undo windows and the trash.
#[derive(Deserialize)]
pub(super) struct EffectV1 {
    call_id: CallId,
    session_id: SessionId,
    turn_id: TurnId,
    tool: String,
    arguments: String,
    state: EffectState,
    at: Timestamp,
}

impl From<EffectV1> for EffectRecord {
    fn from(old: EffectV1) -> Self {
        let EffectV1 { call_id, session_id, turn_id, tool, arguments, state, at } = old;
        Self { call_id, session_id, turn_id, tool, arguments, state, at, until: None, instead_of: None }
    }
}

/// What was brought back from the trash. Key: the id of the call that moved it there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RestoreRecord {
    pub call_id: CallId,
    pub at: Timestamp,
    /// False while it is being brought back; found so after a restart it may be tried again.
    pub done: bool,
}
