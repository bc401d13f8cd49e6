//! Stops the reply in progress. What it had written is kept; what waits behind it goes on.

use super::Chat;
use crate::chats::requests::Cancel;
use protocol::Error;
use runtime::{Ctx, Handles};

impl Handles<Cancel> for Chat {
    async fn handle(&mut self, _: Cancel, _: &Ctx<Self>) -> Result<bool, Error> {
        let Some(running) = &self.running else { return Ok(false) };
        running.scope.cancel(); // the reply hears it at once, stores what it has and ends itself
        Ok(true)
    }
}
