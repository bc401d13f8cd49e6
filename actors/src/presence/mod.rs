//! Whether any window is in front (contract section 1, `presence`). Not a row: after a restart every window says so
//! again when it connects.

use crate::small::asking;
use crate::{Engine, live::Hub};
use protocol::events::{DomainEvent, EventFrame};
use protocol::{Error, Request};
use runtime::{Ctx, Handles, Role};
use std::collections::BTreeSet;

/// Windows in front that are remembered. Ours: more than may be connected.
const WINDOWS_MAX: usize = 1_024;

/// The role.
pub struct Presence {
    live: Hub,
    in_front: BTreeSet<String>,
}

/// A window says whether it is in front, or is gone.
pub struct SetPresence {
    /// The name of its socket.
    pub window: String,
    pub active: bool,
}

impl Request for SetPresence {
    type Reply = ();
    const NAME: &'static str = "presence.set";
}

/// Whether any window is in front.
pub struct InApp;

impl Request for InApp {
    type Reply = bool;
    const NAME: &'static str = "presence.in_app";
}

impl Role for Presence {
    const NAME: &'static str = "presence";
    const RANK: u8 = 10;
    type Needs = Hub;

    async fn start(live: Hub, _: &Ctx<Self>) -> Result<Self, Error> {
        Ok(Self { live, in_front: BTreeSet::new() })
    }
}

impl Handles<SetPresence> for Presence {
    async fn handle(&mut self, SetPresence { window, active }: SetPresence, ctx: &Ctx<Self>) -> Result<(), Error> {
        let before = !self.in_front.is_empty();
        if active && self.in_front.len() < WINDOWS_MAX {
            self.in_front.insert(window);
        } else {
            self.in_front.remove(&window);
        }
        let in_app = !self.in_front.is_empty();
        if in_app != before {
            self.live.event(&EventFrame { event: DomainEvent::PresenceChanged { in_app }, ts: ctx.now() });
        }
        Ok(())
    }
}

impl Handles<InApp> for Presence {
    async fn handle(&mut self, _: InApp, _: &Ctx<Self>) -> Result<bool, Error> {
        Ok(!self.in_front.is_empty())
    }
}

impl Engine {
    /// A window says whether it is in front; `false` also when it leaves.
    ///
    /// # Errors
    /// An engine that is ending.
    pub async fn set_presence(&self, window: String, active: bool) -> Result<(), Error> {
        self.small.presence.ask(&asking(), SetPresence { window, active }).await
    }

    /// Whether any window is in front.
    ///
    /// # Errors
    /// An engine that is ending.
    pub async fn in_app(&self) -> Result<bool, Error> {
        self.small.presence.ask(&asking(), InApp).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{outside, running, world};
    use crate::live::Delivery;

    #[tokio::test]
    async fn windows_hear_only_of_the_first_in_front_and_the_last_to_leave() {
        let live = Hub::new(0);
        let mut heard = live.subscribe(None);
        let presence = running::<Presence>(&world(0).0, live).await;
        for (window, active) in [("a", true), ("b", true), ("a", true), ("a", false), ("c", false), ("b", false)] {
            let said = SetPresence { window: window.into(), active };
            presence.ask(&outside(), said).await.expect("said");
        }
        assert!(!presence.ask(&outside(), InApp).await.expect("known"));
        let Delivery::Frames(lines) = heard.next().await else { panic!("nothing was missed") };
        let told: Vec<bool> = lines.iter().map(|line| line.json.contains(r#""in_app":true"#)).collect();
        assert_eq!(told, [true, false]);
    }
}
