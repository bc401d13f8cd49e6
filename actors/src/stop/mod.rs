//! "Stop everything" (contract section 17): one control that ends all of the engine's work at once. It never goes
//! through a model, so no prompt can talk it out of anything, and through no mailbox, so no crowd can hold it up.
//!
//! The [`Switch`] is shared by all that works: a press ends it there and then. The role [`Stop`] keeps the state in the
//! store and tells of it; [`Engine::stop_all`](crate::Engine::stop_all) does the whole.

mod engine;
mod resume;
mod save;
mod switch;
mod trees;

pub use switch::{AtWork, Switch, Work, stopped};
pub use trees::{KILL_WAIT_MAX, Killed, ProcessTrees, TREES_MAX, TreeGuard};

use protocol::engine::StopState;
use protocol::{Error, Request};
use runtime::{Ctx, Role};
use storage::records::MetaRecord;
use storage::{Snapshot, Store};
use switch::Kept;

/// The name of the state among the single values of the store.
const STATE: &str = "stop.state";

/// The role.
pub struct Stop {
    needs: StopNeeds,
    /// What the store holds.
    stored: Kept,
    /// At which number of stops that was.
    stops_stored: u64,
}

/// What it needs.
#[derive(Clone)]
pub struct StopNeeds {
    pub store: Store,
    pub switch: Switch,
}

/// Stores what the switch says. Answers it.
pub(crate) struct Save;

impl Request for Save {
    type Reply = StopState;
    const NAME: &'static str = "stop.save";
}

/// Lets work begin again.
pub(crate) struct Resume {
    pub(crate) source: String,
}

impl Request for Resume {
    type Reply = StopState;
    const NAME: &'static str = "stop.resume";
}

impl Role for Stop {
    const NAME: &'static str = "stop";
    const RANK: u8 = 5;
    type Needs = StopNeeds;

    async fn start(needs: StopNeeds, _: &Ctx<Self>) -> Result<Self, Error> {
        let stored = read(&needs.store.snapshot()?)?;
        Ok(Self { needs, stored, stops_stored: 0 })
    }
}

/// The switch as the last run left it.
///
/// # Errors
/// A store that cannot be read. A state that cannot be read counts as stopped: nothing begins by itself that the
/// person may have stopped.
pub fn switch(store: &Store) -> Result<Switch, Error> {
    Ok(Switch::new(read(&store.snapshot()?)?))
}

fn read(snapshot: &Snapshot) -> Result<Kept, Error> {
    let Some(row) = snapshot.get::<MetaRecord>(&STATE.to_owned())? else { return Ok(Kept::default()) };
    Ok(serde_json::from_str(&row.value).unwrap_or_else(|error| {
        tracing::error!(%error, "whether everything was stopped cannot be read: it counts as stopped");
        Kept { state: StopState { stopped: true, ..StopState::default() }, ..Kept::default() }
    }))
}
