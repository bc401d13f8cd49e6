//! Questions to the person: what an answer does to the insight, and what happens without one.

use super::requests::{DismissQuestion, Settle};
use super::review::SOURCE_USER;
use super::{Change, UserModel, rows};
use protocol::Error;
use protocol::knowing::{EvidenceKind, InsightStatus, Verdict};
use runtime::{Ctx, Handles};
use storage::records::{InsightEvidence, InsightRecord, QuestionRecord};

/// The answer for a question that is not open.
pub(super) fn not_open() -> Error {
    Error::not_found("This question is not open any more.")
}

impl UserModel {
    fn question(&self, id: &str) -> Result<QuestionRecord, Error> {
        self.needs.store.snapshot()?.get::<QuestionRecord>(&id.to_owned())?.ok_or_else(not_open)
    }
}

impl Handles<Settle> for UserModel {
    async fn handle(
        &mut self,
        Settle { question, answer }: Settle,
        ctx: &Ctx<Self>,
    ) -> Result<Option<InsightRecord>, Error> {
        let question = self.question(&question)?;
        let mut change = Change { questions: -1, ..Change::default() };
        change.batch.delete::<QuestionRecord>(&question.id);
        let insight = self.insight(question.insight_id).ok();
        let settled = insight.map(|insight| {
            let (status, statement) = match (answer.verdict, answer.statement) {
                (Verdict::Retire, _) => (InsightStatus::Retired, insight.statement.clone()),
                (Verdict::Confirm, _) | (Verdict::Rewrite, None) => {
                    (InsightStatus::Confirmed, insight.statement.clone())
                }
                (Verdict::Rewrite, Some(words)) => (InsightStatus::Confirmed, words),
            };
            let reworded = statement != insight.statement;
            let source = if reworded { SOURCE_USER.to_owned() } else { insight.source.clone() };
            let confidence = if status == InsightStatus::Confirmed { 1.0 } else { insight.confidence };
            let mut evidence = insight.evidence.clone();
            evidence.push(InsightEvidence {
                kind: EvidenceKind::Feedback,
                reference: question.id.clone(),
                session_id: None,
                quote: question.question.clone(),
                at: ctx.now(),
            });
            let excess = evidence.len().saturating_sub(rows::EVIDENCE_MAX);
            evidence.drain(..excess);
            InsightRecord { status, statement, source, confidence, evidence, updated_at: ctx.now(), ..insight }
        });
        if let Some(insight) = &settled {
            rows::put(&mut change.batch, insight);
            change.insights = 1;
            change.written.push(insight.id);
        }
        self.commit(change, ctx).await?;
        Ok(settled)
    }
}

impl Handles<DismissQuestion> for UserModel {
    async fn handle(&mut self, DismissQuestion { id }: DismissQuestion, ctx: &Ctx<Self>) -> Result<(), Error> {
        let question = self.question(&id)?;
        let mut change = Change { questions: -1, ..Change::default() };
        change.batch.delete::<QuestionRecord>(&question.id);
        self.commit(change, ctx).await
    }
}
