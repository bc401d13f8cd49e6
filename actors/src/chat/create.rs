//! Stores a new chat before its first message.

use super::Chat;
use protocol::{Error, Request};
use runtime::{Ctx, Handles};
use storage::Batch;

/// Makes sure the chat is in the store.
pub(crate) struct Create;

impl Request for Create {
    type Reply = ();
    const NAME: &'static str = "chat.create";
}

impl Handles<Create> for Chat {
    async fn handle(&mut self, _: Create, _: &Ctx<Self>) -> Result<(), Error> {
        self.is_here()?;
        if !self.stored {
            let mut batch = Batch::new();
            batch.put(&self.record);
            self.commit(batch).await?;
            self.stored = true;
        }
        Ok(())
    }
}
