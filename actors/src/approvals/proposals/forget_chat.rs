//! A chat is deleted: its rows go with it; this lets go of what they held.

use super::Proposals;
use protocol::ids::SessionId;
use protocol::{Error, Request};
use runtime::{Ctx, Handles};

/// Nothing asks any more because of this chat.
pub struct ForgetChat(pub SessionId);

impl Request for ForgetChat {
    type Reply = ();
    const NAME: &'static str = "proposals.forget_chat";
}

impl Handles<ForgetChat> for Proposals {
    async fn handle(&mut self, ForgetChat(session): ForgetChat, _: &Ctx<Self>) -> Result<(), Error> {
        let mut list = self.list();
        list.retain(|held| held.session != session);
        self.show(list);
        Ok(())
    }
}
