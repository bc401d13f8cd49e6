//! Helpers that chats start (contract section 10, "Subagents"): their rows, their places, their ends.
//!
//! The one writer of helpers' rows. A helper's work is a job below this role (`work`, `reading`) and runs the same loop as
//! a chat's reply; it asks this role to store each step, so cancelling it, deleting its chat and stopping everything reach
//! it at once. A restart finds the helpers that were at work and ends them honestly. It never opens a chat itself: what
//! a helper in the background found is handed to the directory of chats.

mod begin;
mod cancel;
mod desk;
mod end;
mod engine;
mod forget;
mod offered;
mod parent;
mod reading;
mod recover;
mod step;
mod telling;
mod tools;
mod work;

pub(crate) use desk::Desk;
pub(crate) use forget::EndOf;
pub(crate) use offered::withheld;
pub(crate) use parent::Parent;
pub use tools::{subagent_app, subagent_tools};

use crate::chats::Chats;
use crate::events::log_line;
use crate::notifications::Notifications;
use crate::stop::{AtWork, Switch};
use protocol::config::Config;
use protocol::events::DomainEvent;
use protocol::ids::SubagentId;
use protocol::subagents::{ProgressMessage, ProgressUpdate, Subagent};
use protocol::{Error, Timestamp};
use runtime::{Address, Ctx, Role, Scope};
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use storage::records::{SubagentRecord, SubagentStepRecord};
use storage::{Batch, Store};
use tokio::sync::{oneshot, watch};

/// Helpers that may wait for a place. Ours.
const WAITING_MAX: usize = 64;
/// Steps kept of one helper. Ours: its rounds are limited, so only one that calls very many tools at once comes near.
const STEPS_MAX: u32 = 500;

/// The role.
pub struct Subagents {
    needs: SubagentsNeeds,
    /// Helpers that have not ended, with a place or waiting for one.
    open: BTreeMap<SubagentId, OpenHelper>,
    /// Those without a place, the first one next.
    line: VecDeque<(SubagentId, begin::Job)>,
}

/// What it is made from.
#[derive(Clone)]
pub struct SubagentsNeeds {
    pub store: Store,
    pub config: watch::Receiver<Arc<Config>>,
    pub notifications: Address<Notifications>,
    /// Ends helpers with everything else.
    pub stop: Switch,
    /// Where a summary is handed in; set once the directory of chats has its address.
    pub chats: watch::Receiver<Option<Address<Chats>>>,
}

struct OpenHelper {
    record: SubagentRecord,
    scope: Scope,
    /// Keeps it where a stop finds it, until it has ended.
    _at_work: AtWork,
    /// Takes one of the places of `subagents.max_concurrent`.
    has_place: bool,
    /// Its chat waits for its end.
    ended: Option<oneshot::Sender<SubagentRecord>>,
}

impl Role for Subagents {
    const NAME: &'static str = "subagents";
    const RANK: u8 = 50;
    const MAILBOX_MAX: usize = 1_024;
    type Needs = SubagentsNeeds;

    async fn start(needs: SubagentsNeeds, ctx: &Ctx<Self>) -> Result<Self, Error> {
        recover::begin(ctx);
        Ok(Self { needs, open: BTreeMap::new(), line: VecDeque::new() })
    }
}

impl Subagents {
    /// Writes a helper's row with what happened, and tells the windows with it.
    async fn store(&self, record: &SubagentRecord, mut batch: Batch, now: Timestamp) -> Result<(), Error> {
        batch.put(record).event(log_line(&DomainEvent::SubagentUpdated(shown(record.clone(), None)), now));
        self.needs.store.commit(batch).await?;
        Ok(())
    }
}

/// Adds a step to a helper's log; one too many is left out.
fn put_step(record: &mut SubagentRecord, batch: &mut Batch, message: ProgressMessage, now: Timestamp) {
    if record.next_step >= STEPS_MAX {
        return;
    }
    let update = ProgressUpdate { timestamp: now, message };
    batch.put(&SubagentStepRecord {
        subagent_id: record.id.clone(),
        number: u64::from(record.next_step),
        update: serde_json::to_string(&update).unwrap_or_default(),
    });
    record.next_step += 1;
}

/// A helper as surfaces see it.
fn shown(record: SubagentRecord, events: Option<Vec<ProgressUpdate>>) -> Subagent {
    Subagent {
        subagent_id: record.id,
        session_id: record.session_id,
        parent_call_id: record.parent_call_id,
        goal: record.goal,
        kind: record.kind,
        status: record.status,
        background: record.background,
        summary: record.summary,
        error: record.error,
        tool_calls: record.tool_calls,
        started_at: record.started_at,
        finished_at: record.finished_at,
        events,
    }
}
