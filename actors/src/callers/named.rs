//! The chat behind a name of `/v1`: made at its first use, made anew when the person deleted it.

use super::{Callers, NAMES_MAX};
use crate::chat::Create;
use crate::chats::Open;
use crate::chats::requests::NewChat;
use protocol::ids::SessionId;
use protocol::{Error, ErrorKind, Request};
use rules::callers::API_CHANNEL;
use runtime::{Ctx, Handles};
use std::collections::BTreeMap;
use storage::records::{MetaRecord, SessionRecord};
use storage::{Batch, Snapshot};

/// Where the names are kept: a JSON object from name to chat.
const META: &str = "openai_api.sessions";

/// Finds the chat of a name.
pub struct NamedChat(pub String);

impl Request for NamedChat {
    type Reply = SessionId;
    const NAME: &'static str = "callers.named_chat";
}

impl Handles<NamedChat> for Callers {
    async fn handle(&mut self, NamedChat(name): NamedChat, ctx: &Ctx<Self>) -> Result<SessionId, Error> {
        let snapshot = self.needs.store.snapshot()?;
        let mut names = names(&snapshot)?;
        if let Some(known) = names.get(&name)
            && snapshot.get::<SessionRecord>(known)?.is_some()
        {
            return Ok(known.clone());
        }
        names.remove(&name);
        if NAMES_MAX <= names.len() {
            forget_deleted(&mut names, &snapshot)?;
        }
        if NAMES_MAX <= names.len() {
            return Err(Error::new(ErrorKind::Busy, "Other apps have too many chats.")
                .hint("Delete some of those marked \"From another app (API)\", or use a name that is known."));
        }
        let new = NewChat { channel: API_CHANNEL.into(), title: Some(name.clone()), ..NewChat::default() };
        let opened = self.needs.chats.ask(ctx, Open { session: None, new }).await?;
        // The name first: cut off here, it means a chat that is not there and gets a new one, and no chat is left over.
        names.insert(name, opened.session_id.clone());
        let value = serde_json::to_string(&names).map_err(|cause| Error::internal(cause.to_string()))?;
        let mut batch = Batch::new();
        batch.put(&MetaRecord { name: META.into(), value });
        self.needs.store.commit(batch).await?;
        opened.address.ask(ctx, Create).await?;
        Ok(opened.session_id)
    }
}

fn names(snapshot: &Snapshot) -> Result<BTreeMap<String, SessionId>, Error> {
    let kept = snapshot.get::<MetaRecord>(&META.to_owned())?;
    let Some(kept) = kept else { return Ok(BTreeMap::new()) };
    Ok(serde_json::from_str(&kept.value).unwrap_or_else(|error| {
        tracing::error!(%error, "the names of other apps' chats cannot be read; they begin anew");
        BTreeMap::new()
    }))
}

fn forget_deleted(names: &mut BTreeMap<String, SessionId>, snapshot: &Snapshot) -> Result<(), Error> {
    let mut kept = BTreeMap::new();
    for (name, session) in std::mem::take(names) {
        if snapshot.get::<SessionRecord>(&session)?.is_some() {
            kept.insert(name, session);
        }
    }
    *names = kept;
    Ok(())
}
