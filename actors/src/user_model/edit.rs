//! What the person does with insights: adds, rewords, confirms, retires, deletes.

use super::requests::{AddInsight, DeleteInsight, PatchInsight};
use super::review::SOURCE_USER;
use super::{Change, UserModel, question_of, rows};
use protocol::Error;
use protocol::knowing::InsightStatus;
use runtime::{Ctx, Handles};
use storage::records::{InsightRecord, QuestionRecord};

/// Insights there may be in all. Ours: one page of them, and a scan of them takes no time.
const INSIGHTS_MAX: u64 = 5_000;

/// The statement as it is kept.
///
/// # Errors
/// `Invalid` when it is none.
pub(super) fn statement(text: &str) -> Result<String, Error> {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let chars = line.chars().count();
    if line.is_empty() {
        return Err(Error::invalid("An insight needs a statement."));
    }
    if chars > rules::user_model::STATEMENT_CHARS_MAX {
        let max = rules::user_model::STATEMENT_CHARS_MAX;
        return Err(Error::invalid(format!("A statement has at most {max} characters, this one has {chars}.")));
    }
    Ok(line)
}

impl Handles<AddInsight> for UserModel {
    async fn handle(&mut self, request: AddInsight, ctx: &Ctx<Self>) -> Result<InsightRecord, Error> {
        let statement = statement(&request.statement)?;
        if self.needs.store.snapshot()?.count::<InsightRecord>()? >= INSIGHTS_MAX {
            return Err(Error::invalid("There are too many insights.").hint("Delete some that no longer matter."));
        }
        let mut change = Change { insights: 1, ..Change::default() };
        let insight = InsightRecord {
            id: self.next_id(&mut change.batch),
            dimension: request.dimension,
            statement,
            confidence: 1.0,
            status: InsightStatus::Confirmed,
            source: SOURCE_USER.into(),
            evidence: Vec::new(),
            review: None,
            created_at: ctx.now(),
            updated_at: ctx.now(),
        };
        rows::put(&mut change.batch, &insight);
        self.commit(change, ctx).await?;
        Ok(insight)
    }
}

impl Handles<PatchInsight> for UserModel {
    async fn handle(&mut self, request: PatchInsight, ctx: &Ctx<Self>) -> Result<InsightRecord, Error> {
        let mut insight = self.insight(request.id)?;
        if insight.status == InsightStatus::Pending {
            return Err(super::unknown()); // it waits in the review inbox and is nowhere else
        }
        if request.status == Some(InsightStatus::Pending) {
            return Err(Error::invalid("An insight is active, confirmed, disputed or retired."));
        }
        let reworded = request.statement.as_deref().map(statement).transpose()?;
        if let Some(statement) = reworded {
            insight = InsightRecord {
                statement,
                source: SOURCE_USER.into(),
                status: InsightStatus::Confirmed,
                confidence: 1.0,
                ..insight
            };
        }
        if let Some(status) = request.status {
            insight.status = status;
            if status == InsightStatus::Confirmed {
                insight.confidence = 1.0;
            }
        }
        let closes = request.statement.is_some()
            || matches!(request.status, Some(InsightStatus::Confirmed | InsightStatus::Retired));
        insight.updated_at = ctx.now();
        let mut change = Change { insights: 1, written: vec![insight.id], ..Change::default() };
        if closes && let Some(question) = question_of(&self.needs.store.snapshot()?, insight.id)? {
            change.batch.delete::<QuestionRecord>(&question.id);
            change.questions = -1;
        }
        rows::put(&mut change.batch, &insight);
        self.commit(change, ctx).await?;
        Ok(insight)
    }
}

impl Handles<DeleteInsight> for UserModel {
    async fn handle(&mut self, DeleteInsight { id }: DeleteInsight, ctx: &Ctx<Self>) -> Result<(), Error> {
        self.insight(id)?;
        let mut change = Change { insights: 1, ..Change::default() };
        change.questions = -rows::delete(&self.needs.store.snapshot()?, &mut change.batch, id)?;
        self.commit(change, ctx).await
    }
}
