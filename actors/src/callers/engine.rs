//! Other programs as surfaces see them: their requests, and the secrets they are known by.

use super::NamedChat;
use crate::Engine;
use crate::chats::requests::{Disposition, NewChat, NewMessage};
use crate::live::Subscription;
use crate::ports::Secret;
use crate::small::asking;
use protocol::callers::McpStatus;
use protocol::ids::{SessionId, TurnId};
use protocol::{Error, ErrorKind};
use rules::callers::{API_KEY_ENTRY, MCP_TOKEN_ENTRY, OtherApp};

/// How the two secrets begin, so that one is known for what it is wherever it turns up.
const API_KEY_PREFIX: &str = "sk-sentient-";
pub(crate) const MCP_TOKEN_PREFIX: &str = "mcp-sentient-";
/// Random bytes of a secret.
const SECRET_BYTES: usize = 32;

/// Which chat a program speaks to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AppChat {
    /// The one of this name, made when it is not there.
    Named(String),
    /// One it has spoken to before.
    Continued(SessionId),
    New,
}

/// A reply that was begun for a program.
pub struct AppReply {
    pub session_id: SessionId,
    pub turn_id: TurnId,
    /// Hears the chat from before the reply began.
    pub lines: Subscription,
}

impl Engine {
    /// Begins a turn another program asks for.
    ///
    /// # Errors
    /// `Conflict` when its chat is answering already, `Cancelled` when everything was stopped meanwhile, `Denied` for a chat of the person's own, `NotFound` for one that is
    /// not there.
    pub async fn ask_as_app(&self, app: OtherApp, chat: AppChat, text: String) -> Result<AppReply, Error> {
        let asked_at = self.effects.switch.stops();
        let session = match chat {
            AppChat::Named(name) => Some(self.callers.ask(&asking(), NamedChat(name)).await?),
            AppChat::Continued(session) => Some(session),
            AppChat::New => None,
        };
        let new = NewChat { channel: app.channel().into(), ..NewChat::default() };
        let open = self.open_chat(session, new).await?;
        let lines = self.live.subscribe_chat(&open.session_id);
        if self.effects.switch.stops() != asked_at {
            // Stopped while its chat was still being made: it does not begin, and a new request does.
            return Err(Error::new(ErrorKind::Cancelled, "Stopped."));
        }
        let channel = app.channel().into();
        let accepted = open.send(NewMessage { text, channel, from: Some(app), ..NewMessage::default() }).await?;
        match accepted.disposition {
            Disposition::Started(turn_id) => Ok(AppReply { session_id: accepted.session_id, turn_id, lines }),
            Disposition::Steered(_) | Disposition::Queued => {
                Err(Error::internal("another app's message was not alone"))
            }
        }
    }

    /// The key of `/v1`; `None` when none was made.
    ///
    /// # Errors
    /// A keychain in trouble.
    pub async fn api_key(&self) -> Result<Option<Secret>, Error> {
        self.caller_secret(API_KEY_ENTRY).await
    }

    /// Makes a key for `/v1` in place of the one before. This is the only time it is shown.
    ///
    /// # Errors
    /// `Unavailable` where nothing can save it.
    pub async fn new_api_key(&self) -> Result<Secret, Error> {
        self.new_caller_secret(API_KEY_ENTRY, API_KEY_PREFIX).await
    }

    /// The token of `sentient mcp`; `None` when none was issued.
    ///
    /// # Errors
    /// A keychain in trouble.
    pub async fn mcp_token(&self) -> Result<Option<Secret>, Error> {
        self.caller_secret(MCP_TOKEN_ENTRY).await
    }

    /// Whether a token has the shape of one of `sentient mcp`. Others are refused without asking the keychain.
    pub fn looks_like_mcp_token(offered: &str) -> bool {
        offered.starts_with(MCP_TOKEN_PREFIX)
    }

    /// Replaces the token of `sentient mcp`.
    ///
    /// # Errors
    /// `Unavailable` where nothing can save it.
    pub async fn rotate_mcp_token(&self) -> Result<(), Error> {
        self.new_caller_secret(MCP_TOKEN_ENTRY, MCP_TOKEN_PREFIX).await.map(drop)
    }

    /// Issues the token of `sentient mcp` when the switch is on and there is none. Where it cannot be saved the switch
    /// stays as it is, and `GET /api/mcp/status` says that there is no token.
    pub async fn issue_mcp_token(&self) {
        if !self.config().integrations.mcp_server_enabled {
            return;
        }
        let issued = match self.mcp_token().await {
            Ok(Some(_)) => return,
            Ok(None) => self.rotate_mcp_token().await,
            Err(error) => Err(error),
        };
        if let Err(error) = issued {
            tracing::warn!(%error, "no token for `sentient mcp` could be issued");
        }
    }

    /// What an MCP app may do right now.
    ///
    /// # Errors
    /// A keychain in trouble.
    pub async fn mcp_status(&self) -> Result<McpStatus, Error> {
        let integrations = &self.config().integrations;
        Ok(McpStatus {
            enabled: integrations.mcp_server_enabled,
            memories_skip_review: integrations.mcp_server_memories_skip_review,
            token_issued: self.mcp_token().await?.is_some(),
        })
    }

    /// The answer to a nonce that arrived at an address: see [`rules::callers::proof`].
    ///
    /// # Errors
    /// `Invalid` for what is no nonce, `NotFound` when no token was issued.
    pub async fn mcp_proof(&self, nonce: &str, at: std::net::SocketAddr) -> Result<String, Error> {
        if !rules::callers::proof::is_nonce(nonce) {
            return Err(Error::invalid("A nonce has 16 to 128 letters, digits, - and _."));
        }
        let token = self.mcp_token().await?;
        let token = token.ok_or_else(|| Error::not_found("No token has been issued to MCP apps."))?;
        Ok(rules::callers::proof::proof(token.expose(), nonce, at))
    }

    async fn caller_secret(&self, name: &str) -> Result<Option<Secret>, Error> {
        Ok(self.small.outside.secrets.get(name.into(), None).await?.map(|(secret, _)| secret))
    }

    async fn new_caller_secret(&self, name: &str, prefix: &str) -> Result<Secret, Error> {
        let mut bytes = [0; SECRET_BYTES];
        self.world.entropy.fill(&mut bytes);
        let secret = bytes.iter().fold(prefix.to_owned(), |text, byte| format!("{text}{byte:02x}"));
        let secret = Secret::new(secret);
        self.small.outside.secrets.set(name.into(), secret.clone()).await.map_err(unsaved)?;
        Ok(secret)
    }
}

/// Saving is refused as `Unavailable` whatever the reason: the caller asked for nothing that could be wrong.
fn unsaved(error: Error) -> Error {
    Error { kind: ErrorKind::Unavailable, ..error }
}
