//! What may be asked of chats. The engine handle (`crate::Engine`) sends these; the gateway never names an actor.

use protocol::Request;
use protocol::ids::{ClientId, MessageId, SessionId, TurnId};
use protocol::sessions::SessionPatch;
use rules::callers::OtherApp;
use serde::Serialize;

/// A message from the person, or from another program.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NewMessage {
    pub text: String,
    /// File names from `/api/files`.
    pub attachments: Vec<String>,
    /// For this message only; no fallback.
    pub model: Option<String>,
    pub client_id: Option<ClientId>,
    /// Where the person sits: `desktop`, `voice`, `api`…
    pub channel: String,
    /// Join the running reply rather than wait (`chat.steer`).
    pub steer: bool,
    /// The program whose request it is; `None` for the person's own words. Such a message is answered at once or not at
    /// all: it never joins or waits behind another reply.
    pub from: Option<OtherApp>,
}

/// A chat to be made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewChat {
    pub incognito: bool,
    pub model: Option<String>,
    pub memory_scope: Option<String>,
    pub channel: String,
    /// The name it keeps, when somebody has given it one.
    pub title: Option<String>,
}

/// What became of a message. It is stored in every case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Accepted {
    pub session_id: SessionId,
    pub disposition: Disposition,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Disposition {
    /// A reply is being made.
    Started(TurnId),
    /// It joins the reply in progress.
    Steered(TurnId),
    /// It gets a reply of its own after the one in progress.
    Queued,
}

/// Stores a message and starts, steers or queues.
pub struct Send(pub NewMessage);

impl Request for Send {
    type Reply = Accepted;
    const NAME: &'static str = "chat.send";
}

/// Stops the reply in progress. Answers whether there was one.
pub struct Cancel;

impl Request for Cancel {
    type Reply = bool;
    const NAME: &'static str = "chat.cancel";
}

/// The person has checked what the chat read and trusts it again.
pub struct Trust {
    /// Where they said so: `desktop`, or a messaging app's id.
    pub via: String,
    /// The newest message they had seen; `None` covers everything.
    pub upto: Option<MessageId>,
}

impl Request for Trust {
    type Reply = Trusted;
    const NAME: &'static str = "chat.trust";
}

/// Answer of `POST /api/sessions/{id}/trust`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Trusted {
    pub ok: bool,
    /// What it had read; empty when it was clean.
    pub was: String,
    /// False: something came after what the person had seen, and it stays marked with that.
    pub trusted: bool,
    /// The mark it has now; empty when trusted.
    pub untrusted: String,
    /// The group member who wrote since; empty for other content.
    pub writer: String,
}

/// Stores messages others wrote in a group chat: who and what, oldest first.
pub struct GroupMessages(pub Vec<(String, String)>);

impl Request for GroupMessages {
    type Reply = ();
    const NAME: &'static str = "chat.group_messages";
}

/// Changes title, model or memories.
pub struct Patch(pub SessionPatch);

impl Request for Patch {
    type Reply = Patched;
    const NAME: &'static str = "chat.patch";
}

/// Answer of `PATCH /api/sessions/{id}`: the fields that were sent.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Patched {
    pub ok: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<Option<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_scope: Option<String>,
}
