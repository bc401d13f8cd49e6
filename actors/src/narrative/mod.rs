//! The narrative: one page about the person, one for work and one for each project. The one writer of its versions.
//!
//! A version is never changed but in how it stands; every version is kept, with what each of its sentences rests on, and
//! can be brought back. What says something that rests on words of others waits for the person. The role only commits;
//! asking a model is work of [`NarrativeHandle::refresh`], and what becomes of the answer is decided by `rules::narrative`.

mod cascade;
mod ground;
mod handle;
mod keep;
mod refresh;
mod review;
mod rows;

pub(crate) use cascade::NarrativeCascade;
pub use handle::NarrativeHandle;
pub(crate) use rows::scopes_with_pages;

use crate::events::log_line;
use protocol::events::DomainEvent;
use protocol::knowing::{NarrativeState, NarrativeTrigger};
use protocol::{Error, Request};
use rules::user_model::Mark;
use runtime::{Ctx, Role};
use storage::records::{NarrativeRecord, SentenceRecord};
use storage::{Batch, Store};

/// The role.
pub struct Narrative {
    store: Store,
}

impl Role for Narrative {
    const NAME: &'static str = "narrative";
    const RANK: u8 = 27;
    type Needs = Store;

    async fn start(store: Store, _: &Ctx<Self>) -> Result<Self, Error> {
        Ok(Self { store })
    }
}

/// Keeps a new version: current at once, or held when a sentence rests on words of others. `None`: what it rested on
/// is gone meanwhile.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Keep {
    pub(crate) scope: String,
    pub(crate) trigger: NarrativeTrigger,
    pub(crate) sentences: Vec<SentenceRecord>,
    /// JSON of a `ReviewNote`, for a held one.
    pub(crate) review: Option<String>,
    /// How far memories were read for it.
    pub(crate) read: Mark,
}

impl Request for Keep {
    type Reply = Option<NarrativeRecord>;
    const NAME: &'static str = "narrative.keep";
}

/// Notes that a page was tried, and with `read` that nothing new came of it.
pub(crate) struct Tried {
    pub(crate) scope: String,
    pub(crate) read: Option<Mark>,
}

impl Request for Tried {
    type Reply = ();
    const NAME: &'static str = "narrative.tried";
}

/// What the person does with a version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deed {
    /// Takes a held one in.
    Approve,
    /// Turns a held one down.
    Discard,
    /// Brings an earlier one back, as a new version.
    Rollback,
}

/// Does it. `NotFound` without such a version, `Conflict` when it does not stand so.
pub struct Decide {
    pub scope: String,
    pub version: u64,
    pub deed: Deed,
}

impl Request for Decide {
    type Reply = NarrativeRecord;
    const NAME: &'static str = "narrative.decide";
}

impl Narrative {
    /// Writes versions with the event that tells of the last of them.
    ///
    /// A memory may have been forgotten between reading and writing, and forgetting looks at the rows as they were
    /// before. So what was written is looked at once more.
    async fn commit(
        &self,
        mut batch: Batch,
        told: &NarrativeRecord,
        ctx: &Ctx<Self>,
    ) -> Result<NarrativeRecord, Error> {
        let (scope, version, state) = (told.scope.clone(), told.version, told.state);
        let event = DomainEvent::NarrativeUpdated { scope: scope.clone(), version, state };
        batch.event(log_line(&event, ctx.now()));
        self.store.commit(batch).await?;
        let snapshot = self.store.snapshot()?;
        let mut clean = Batch::new();
        let written = snapshot.get::<NarrativeRecord>(&(scope.clone(), version))?;
        if let Some(cleaned) = written.map(|row| cascade::without_gone(&snapshot, row)).transpose()?.flatten() {
            clean.put(&cleaned);
            self.store.commit(clean).await?;
        }
        self.version(&scope, version)
    }

    fn version(&self, scope: &str, version: u64) -> Result<NarrativeRecord, Error> {
        let row = self.store.snapshot()?.get::<NarrativeRecord>(&(scope.to_owned(), version))?;
        row.ok_or_else(|| Error::not_found("There is no such version of the page."))
    }
}

/// Whether a version is the one chats read.
fn is_current(row: &NarrativeRecord) -> bool {
    row.state == NarrativeState::Current
}
