//! The nightly tidy-up of memories (contract section 15, "Dreams"): the one writer of dreams.
//!
//! A dream is a job below this role. Each of its steps is bounded and each change of memories is one request to the Memory
//! role, which is one commit: cut off anywhere, a dream leaves whole memories, and its row says honestly how far it came.
//! What may be merged or settled is decided by `rules::dreams`. Nothing is merged across scopes, and every merge of two
//! languages can be taken back.

mod cascade;
mod contradictions;
mod cut_off;
mod facts;
mod handle;
mod languages;
mod merge;
mod run;
mod steps;
mod tick;

pub(crate) use cascade::DreamCascade;
pub use handle::{DreamsHandle, shown};

use crate::config::ConfigReader;
use crate::events::log_line;
use crate::knowing::Means;
use crate::model_queue::ModelQueue;
use crate::narrative::NarrativeHandle;
use crate::notifications::Notifications;
use crate::ports::PowerSupply;
use crate::stop::AtWork;
use crate::user_model::UserModelHandle;
use protocol::events::DomainEvent;
use protocol::knowing::DreamTrigger;
use protocol::{Error, Request};
use runtime::{Address, Ctx, Role, Scope};
use std::sync::Arc;
use storage::records::{DreamRecord, MetaRecord};
use storage::{Batch, Store};

/// Dreams that are kept. Ours: more than a year; the oldest go first.
const DREAMS_MAX: usize = 400;
/// Why a dream that a crash or a restart cut off ended.
const CUT_OFF: &str = "Sentient was closed while this tidy-up ran. What it had done by then stays.";

/// The role.
pub struct Dreams {
    needs: DreamsNeeds,
    running: Option<Running>,
}

/// The dream that runs.
struct Running {
    record: DreamRecord,
    scope: Scope,
    /// Keeps it where a stop finds it.
    _at_work: AtWork,
}

/// What the role needs.
#[derive(Clone)]
pub struct DreamsNeeds {
    pub store: Store,
    pub config: ConfigReader,
    pub notifications: Address<Notifications>,
    pub(crate) means: Arc<Means>,
    pub user_model: UserModelHandle,
    pub narrative: NarrativeHandle,
    pub queue: Address<ModelQueue>,
    pub power: Arc<dyn PowerSupply>,
    /// False: nothing happens by the clock (`SENTIENT_DISABLE_BACKGROUND`).
    pub background: bool,
}

/// Begins a dream, or answers the one that runs. `stops`: how often everything had been stopped when the person asked.
pub(crate) struct Run {
    pub(crate) trigger: DreamTrigger,
    pub(crate) stops: u64,
}

impl Request for Run {
    type Reply = DreamRecord;
    const NAME: &'static str = "dreams.run";
}

/// How far the running dream has come, and a list of pairs it has learned of.
struct Progress {
    record: DreamRecord,
    pairs: Option<MetaRecord>,
}

impl Request for Progress {
    type Reply = ();
    const NAME: &'static str = "dreams.progress";
}

/// The dream is over.
struct End {
    record: DreamRecord,
}

impl Request for End {
    type Reply = ();
    const NAME: &'static str = "dreams.end";
}

impl Role for Dreams {
    const NAME: &'static str = "dreams";
    const RANK: u8 = 45;
    type Needs = DreamsNeeds;

    async fn start(needs: DreamsNeeds, ctx: &Ctx<Self>) -> Result<Self, Error> {
        cut_off::begin(ctx);
        if needs.background {
            tick::begin(ctx, &needs);
        }
        Ok(Self { needs, running: None })
    }
}

impl Dreams {
    /// Writes a dream with the event that tells of it.
    async fn store(&self, record: &DreamRecord, mut batch: Batch, ctx: &Ctx<Self>) -> Result<(), Error> {
        let told = DomainEvent::DreamUpdated(Box::new(shown(record.clone())));
        batch.put(record).event(log_line(&told, ctx.now()));
        self.needs.store.commit(batch).await?;
        Ok(())
    }
}
