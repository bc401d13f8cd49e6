//! Adds something the engine has to say to a chat: what a helper in the background found.

use super::append::{self, NewRow};
use super::{Chat, Left};
use protocol::ids::MessageId;
use protocol::sessions::MessageRole;
use protocol::{Error, Request};
use runtime::{Ctx, Handles};
use storage::Batch;

/// Adds a message of the assistant. The same one handed in twice is there once.
pub(crate) struct Remark {
    pub(crate) id: MessageId,
    pub(crate) text: String,
    /// Whose words it repeats; empty when nobody's.
    pub(crate) outside: String,
}

impl Request for Remark {
    type Reply = ();
    const NAME: &'static str = "chat.remark";
}

impl Handles<Remark> for Chat {
    async fn handle(&mut self, remark: Remark, ctx: &Ctx<Self>) -> Result<(), Error> {
        if self.left == Some(Left::Store) || !self.stored {
            return Err(Error::not_found("This chat does not exist any more."));
        }
        self.is_here()?;
        if self.parts.store.snapshot()?.message(&remark.id)?.is_some() {
            return Ok(());
        }
        self.last_used = ctx.now();
        let mut record = self.record.clone();
        let row = NewRow { text: remark.text, ..NewRow::of(MessageRole::Assistant) };
        let mut placed = append::place(&mut record, row, None, &ctx.world);
        placed.id = remark.id;
        let mut batch = Batch::new();
        let source = (!remark.outside.is_empty()).then_some(remark.outside);
        append::note_reading(&mut record, &mut batch, source, Vec::new(), ctx.now());
        batch.put(&placed).put(&record);
        append::index(&mut batch, &record, &placed);
        self.commit(batch).await?;
        self.record = record;
        Ok(())
    }
}
