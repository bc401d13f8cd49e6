//! What Sentient has worked out about the person (contract section 15, "User model"): the one writer of insights and of
//! the questions about them.
//!
//! The role only commits. Asking a model is work of [`UserModelHandle::refresh`], outside of it, and what a model's answer
//! may change is decided by `rules::user_model`. What the person confirmed or wrote, nothing here changes but the person.

mod apply;
mod ask;
mod cascade;
mod context;
mod edit;
mod evidence;
mod handle;
mod page;
mod questions;
mod refresh;
mod requests;
mod review;
mod rows;
mod tool;

pub(crate) use cascade::{InsightCascade, in_use, repeats};
pub use context::ContextBlock;
pub(crate) use context::cosine;
pub use handle::UserModelHandle;
pub use page::shown;
pub(crate) use refresh::RefreshReason;
pub(crate) use requests::ExpireInsights;
pub use requests::{AddInsight, DeleteInsight, DismissQuestion, PatchInsight};
pub use tool::UserModelAsk;

use crate::config::ConfigReader;
use crate::events::log_line;
use protocol::Error;
use protocol::events::DomainEvent;
use protocol::knowing::UserModelChange;
use runtime::{Ctx, Role};
use storage::records::{InsightRecord, MetaRecord, QuestionRecord};
use storage::{Batch, Snapshot, Store};

/// The number of the newest insight there ever was: none is given twice.
const LAST_ID: &str = "user_model.last_id";

/// The role.
pub struct UserModel {
    needs: UserModelNeeds,
    last_id: u64,
}

/// What the role needs.
#[derive(Clone)]
pub struct UserModelNeeds {
    pub store: Store,
    pub config: ConfigReader,
}

impl Role for UserModel {
    const NAME: &'static str = "user_model";
    const RANK: u8 = 26;
    type Needs = UserModelNeeds;

    async fn start(needs: UserModelNeeds, _: &Ctx<Self>) -> Result<Self, Error> {
        let snapshot = needs.store.snapshot()?;
        let kept = snapshot.get::<MetaRecord>(&LAST_ID.to_owned())?;
        let kept = kept.and_then(|row| row.value.parse().ok()).unwrap_or_default();
        let newest = snapshot.all::<InsightRecord>()?.next_back().transpose()?.map_or(0, |insight| insight.id);
        Ok(Self { needs, last_id: newest.max(kept) })
    }
}

/// A change on its way to the disk.
#[derive(Default)]
struct Change {
    batch: Batch,
    /// Insights that are written: looked at once more afterwards (see [`UserModel::commit`]).
    written: Vec<u64>,
    /// Insights that changed, those that go included.
    insights: usize,
    /// How many questions are more, or fewer, than before.
    questions: i64,
    /// A new portrait.
    summary: Option<String>,
}

impl UserModel {
    /// Gives a new insight its number; it counts once the batch is written.
    fn next_id(&mut self, batch: &mut Batch) -> u64 {
        self.last_id += 1;
        batch.put(&MetaRecord { name: LAST_ID.into(), value: self.last_id.to_string() });
        self.last_id
    }

    fn insight(&self, id: u64) -> Result<InsightRecord, Error> {
        self.needs.store.snapshot()?.get::<InsightRecord>(&id)?.ok_or_else(unknown)
    }

    /// Writes a change with the event that tells of it.
    ///
    /// A memory may have been forgotten between reading its insights and writing them, and forgetting looks at the rows
    /// as they were before. So what was written is looked at once more: evidence of a memory that is gone goes.
    async fn commit(&mut self, mut change: Change, ctx: &Ctx<Self>) -> Result<(), Error> {
        let snapshot = self.needs.store.snapshot()?;
        let open = i64::try_from(snapshot.count::<QuestionRecord>()?).unwrap_or_default();
        let told = UserModelChange {
            summary_changed: change.summary.is_some(),
            insights: change.insights,
            questions: usize::try_from(open + change.questions).unwrap_or_default(),
        };
        let summary = change.summary.unwrap_or(rows::state(&snapshot)?.summary);
        rows::put_state(&mut change.batch, &rows::State { summary, updated_at: Some(ctx.now()) });
        change.batch.event(log_line(&DomainEvent::UserModelUpdated(told), ctx.now()));
        self.needs.store.commit(change.batch).await?;
        let snapshot = self.needs.store.snapshot()?;
        let mut batch = Batch::new();
        for id in change.written {
            if let Some(insight) = snapshot.get::<InsightRecord>(&id)? {
                rows::without_gone(&snapshot, insight, &mut batch)?;
            }
        }
        if !batch.is_empty() {
            self.needs.store.commit(batch).await?;
        }
        Ok(())
    }
}

/// The question about an insight, if one is open.
fn question_of(snapshot: &Snapshot, insight: u64) -> Result<Option<QuestionRecord>, Error> {
    for question in snapshot.all::<QuestionRecord>()? {
        let question = question?;
        if question.insight_id == insight {
            return Ok(Some(question));
        }
    }
    Ok(None)
}

/// The answer for an insight that is not there.
fn unknown() -> Error {
    Error::not_found("This insight is not there any more.")
}

/// An insight's id as the API writes it.
fn parse_id(id: &str) -> Result<u64, Error> {
    id.parse().map_err(|_| unknown())
}
