//! Deletes a chat with everything that is its own.

use super::Chats;
use crate::approvals::proposals::ForgetChat;
use crate::chat::{Forget, Unfinished};
use crate::subagents::EndOf;
use protocol::ids::SessionId;
use protocol::{Error, Request};
use runtime::{Ctx, Handles};
use storage::records::SessionRecord;

/// Deletes a chat. `reason` is `incognito` when the engine closes it.
pub(crate) struct Delete {
    pub(crate) session: SessionId,
    pub(crate) reason: Option<String>,
}

impl Request for Delete {
    type Reply = ();
    const NAME: &'static str = "chats.delete";
}

impl Handles<Delete> for Chats {
    async fn handle(&mut self, delete: Delete, ctx: &Ctx<Self>) -> Result<(), Error> {
        self.delete(delete.session, delete.reason, Unfinished::GoesOn, ctx).await
    }
}

impl Chats {
    pub(super) async fn delete(
        &mut self,
        session: SessionId,
        reason: Option<String>,
        unfinished: Unfinished,
        ctx: &Ctx<Self>,
    ) -> Result<(), Error> {
        let record = self.needs.parts.store.snapshot()?.get::<SessionRecord>(&session)?;
        let incognito = record.is_some_and(|record| record.incognito);
        let chat = self.find(session.clone(), unfinished, ctx).await?;
        self.needs.parts.subagents.ask(ctx, EndOf(session.clone())).await?;
        let orphans = chat.address.ask(ctx, Forget { reason }).await?;
        self.close(&session);
        self.incognito.remove(&session);
        let forgotten = ForgetChat(session.clone());
        if let Err(error) = self.needs.parts.proposals.tell(ctx, forgotten).await {
            tracing::debug!(%error, "what a deleted chat held goes at the next start");
        }
        let files = self.needs.files.clone();
        // Files are tidied behind the rows: one that stays after a crash is found by the sweep at the next start.
        ctx.scope.spawn("files of a deleted chat", async move {
            files.forget(orphans, incognito.then_some(session)).await;
        });
        Ok(())
    }
}
