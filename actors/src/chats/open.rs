//! Finds a chat or starts it.

use super::{Chats, InMemory, OPEN_MAX, sweep};
use crate::chat::{Chat, ChatNeeds, Leave, Unfinished};
use crate::chats::requests::NewChat;
use protocol::ids::SessionId;
use protocol::{Error, ErrorKind, Request};
use runtime::{Address, Ctx, Handles, Restart, Spawner, SupervisorHandle};
use storage::records::SessionRecord;

/// Opens a chat that is stored, or with `None` a new one that gets stored with its first message.
pub(crate) struct Open {
    pub(crate) session: Option<SessionId>,
    pub(crate) new: NewChat,
}

/// An open chat.
pub(crate) struct Opened {
    pub(crate) session_id: SessionId,
    pub(crate) address: Address<Chat>,
}

impl Request for Open {
    type Reply = Opened;
    const NAME: &'static str = "chats.open";
}

/// A chat's actor did not answer: forget its address, so that it is started again when it is wanted.
pub(crate) struct Lost(pub(crate) SessionId);

impl Request for Lost {
    type Reply = ();
    const NAME: &'static str = "chats.lost";
}

impl Handles<Open> for Chats {
    async fn handle(&mut self, open: Open, ctx: &Ctx<Self>) -> Result<Opened, Error> {
        match open.session {
            Some(session) => self.find(session, Unfinished::GoesOn, ctx).await,
            None => self.spawn(ctx.world.id().into(), Some(open.new), Unfinished::GoesOn, ctx).await,
        }
    }
}

impl Handles<Lost> for Chats {
    async fn handle(&mut self, Lost(session): Lost, ctx: &Ctx<Self>) -> Result<(), Error> {
        // Somebody else may have opened it again: only one that is gone, or that now agrees to go, is let go.
        if let Some(chat) = self.open.get(&session)
            && (chat.address.is_gone() || chat.address.ask(ctx, Leave { for_ms: 0 }).await?)
        {
            self.close(&session);
        }
        Ok(())
    }
}

impl Chats {
    pub(super) async fn find(
        &mut self,
        session: SessionId,
        unfinished: Unfinished,
        ctx: &Ctx<Self>,
    ) -> Result<Opened, Error> {
        if let Some(found) = self.open.get(&session).filter(|found| !found.address.is_gone()) {
            return Ok(Opened { session_id: session, address: found.address.clone() });
        }
        let record = self.needs.parts.store.snapshot()?.get::<SessionRecord>(&session)?;
        let record = record.ok_or_else(|| Error::not_found("This chat does not exist any more."))?;
        if record.incognito {
            self.incognito.insert(session.clone());
        }
        self.spawn(session, None, unfinished, ctx).await
    }

    async fn spawn(
        &mut self,
        session_id: SessionId,
        new: Option<NewChat>,
        unfinished: Unfinished,
        ctx: &Ctx<Self>,
    ) -> Result<Opened, Error> {
        if self.open.len() >= OPEN_MAX {
            return Err(
                Error::new(ErrorKind::Busy, "Too many chats are open at once.").hint("Try again in a few minutes.")
            );
        }
        if new.as_ref().is_some_and(|new| new.incognito) {
            self.incognito.insert(session_id.clone());
        }
        let path = format!("root/work/open chats/{session_id}");
        let needs = ChatNeeds { session_id: session_id.clone(), new, unfinished, parts: self.needs.parts.clone() };
        let spawner = Spawner::<Chat>::named(&ctx.world, &self.needs.tree, path, needs);
        let address = spawner.address();
        let key = self.nursery()?.adopt(spawner.child(Restart::OnFailure)).await?;
        self.open.insert(session_id.clone(), InMemory { address: address.clone(), key });
        if self.open.len() >= self.crowded_at {
            self.crowded_at = usize::MAX; // until it has been looked at
            if let Err(error) = ctx.me.tell(ctx, sweep::Crowded).await {
                tracing::debug!(%error, "idle chats stay until the next look");
            }
        }
        Ok(Opened { session_id, address })
    }

    fn nursery(&self) -> Result<SupervisorHandle, Error> {
        let nursery = self.needs.nursery.borrow().clone();
        nursery.ok_or_else(|| Error::new(ErrorKind::Unavailable, "The engine is still starting."))
    }

    /// Lets a chat leave memory.
    pub(super) fn close(&mut self, session: &SessionId) {
        if let Some(gone) = self.open.remove(session) {
            match self.nursery() {
                Ok(nursery) => nursery.dismiss(gone.key),
                Err(error) => tracing::debug!(%error, "nobody left to dismiss a chat"),
            }
        }
    }
}
