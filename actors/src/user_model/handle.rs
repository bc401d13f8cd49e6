//! How the rest of the engine reaches the user model. Cheap to clone; it holds no insight of its own.

use super::requests::{ApproveInsight, ApproveInsightsFrom, DiscardInsight, ForgetEvidence, Settle};
use super::{UserModel, cascade, page, parse_id, review, shown};
use crate::knowing::Means;
use crate::memory::{AboutYou, Going, Insights, NewFact, SaveOrigin};
use futures::FutureExt;
use futures::future::BoxFuture;
use protocol::Error;
use protocol::knowing::{InsightStatus, QuestionAnswered, UserModelPage, Verdict};
use protocol::memory::{ReviewItem, ReviewKind};
use runtime::{Address, Outside};
use std::sync::Arc;
use storage::Snapshot;
use storage::records::{InsightRecord, QuestionRecord};
use tokio::sync::Semaphore;
use tokio::time::Duration;

/// How long a caller waits for the role. Ours: it only commits.
const PATIENCE: Duration = Duration::from_secs(30);
/// Characters of an answer to a question. Ours.
const ANSWER_CHARS_MAX: usize = 2_000;

/// The user model, as others use it.
#[derive(Clone)]
pub struct UserModelHandle {
    /// The one writer of insights.
    pub role: Address<UserModel>,
    pub(crate) means: Arc<Means>,
    /// One refresh at a time.
    pub(super) line: Arc<Semaphore>,
}

/// A caller of the role.
pub(super) fn asking() -> Outside {
    Outside::within(PATIENCE)
}

impl UserModelHandle {
    pub(crate) fn new(role: Address<UserModel>, means: Arc<Means>) -> Self {
        Self { role, means, line: Arc::new(Semaphore::new(1)) }
    }

    pub(super) fn snapshot(&self) -> Result<Snapshot, Error> {
        Ok(self.means.store().snapshot()?)
    }

    /// `GET /api/user-model`.
    ///
    /// # Errors
    /// A store that cannot be read.
    pub fn page(&self) -> Result<UserModelPage, Error> {
        page::page(&self.snapshot()?)
    }

    /// Takes the person's answer to a question: a plain yes or no in code, anything else as a model reads it, and without
    /// a model in the person's own words.
    ///
    /// # Errors
    /// `Invalid` for an empty answer, `NotFound` when the question is not open.
    pub async fn answer(&self, question: &str, answer: &str) -> Result<QuestionAnswered, Error> {
        let answer = answer.trim();
        if answer.is_empty() {
            return Err(Error::invalid("The answer is empty."));
        }
        if answer.chars().count() > ANSWER_CHARS_MAX {
            return Err(Error::invalid(format!("An answer has at most {ANSWER_CHARS_MAX} characters.")));
        }
        let snapshot = self.snapshot()?;
        let open = snapshot.get::<QuestionRecord>(&question.to_owned())?.ok_or_else(super::questions::not_open)?;
        let insight = snapshot.get::<InsightRecord>(&open.insight_id)?;
        drop(snapshot);
        let verdict = match (rules::user_model::by_words(answer), &insight) {
            (Some(verdict), _) => verdict,
            (None, Some(insight)) => {
                let asked = rules::user_model::verdict_question(&insight.statement, &open.question, answer);
                let said = self.means.ask(self.means.config().user_model.role, asked, 200).await;
                let said = said.inspect_err(|error| tracing::info!(%error, "no model read the answer")).ok();
                rules::user_model::parse_verdict(said.as_deref(), answer)
            }
            (None, None) => rules::user_model::parse_verdict(None, answer),
        };
        let settle = Settle { question: question.to_owned(), answer: verdict.clone() };
        let settled = self.role.ask(&asking(), settle).await?;
        if let Some(insight) = &settled {
            self.remember(insight, verdict.verdict).await;
        }
        Ok(QuestionAnswered { ok: true, verdict: verdict.verdict, insight: settled.map(shown) })
    }

    /// What was answered is remembered as a fact; an insight is settled whether or not that works.
    async fn remember(&self, insight: &InsightRecord, verdict: Verdict) {
        let name = self.means.config().assistant.user_name.clone();
        let content = rules::user_model::fact_of(&name, &insight.statement, verdict);
        let saved = self.means.memories.save(NewFact::new(content, "user_model", SaveOrigin::Typed)).await;
        if let Err(error) = saved {
            tracing::warn!(%error, "the answer to a question was not remembered as a fact");
        }
    }
}

impl Insights for UserModelHandle {
    fn waiting(&self, snapshot: &Snapshot, expire_days: u32) -> Result<Vec<ReviewItem>, Error> {
        Ok(review::waiting(snapshot)?.into_iter().map(|insight| item(insight, expire_days)).collect())
    }

    fn approve(&self, id: String, content: Option<String>) -> BoxFuture<'static, Result<(), Error>> {
        let role = self.role.clone();
        async move {
            let id = parse_id(&id).map_err(|_| review::not_waiting())?;
            role.ask(&asking(), ApproveInsight { id, content }).await
        }
        .boxed()
    }

    fn discard(&self, id: String) -> BoxFuture<'static, Result<(), Error>> {
        let role = self.role.clone();
        async move {
            let id = parse_id(&id).map_err(|_| review::not_waiting())?;
            role.ask(&asking(), DiscardInsight { id }).await
        }
        .boxed()
    }

    fn approve_from(&self, from: String) -> BoxFuture<'static, Result<usize, Error>> {
        let role = self.role.clone();
        async move { role.ask(&asking(), ApproveInsightsFrom { from }).await }.boxed()
    }

    fn all(&self, snapshot: &Snapshot) -> Result<Vec<AboutYou>, Error> {
        let mut all = Vec::new();
        for insight in snapshot.all::<InsightRecord>()? {
            let insight = insight?;
            if insight.status != InsightStatus::Retired {
                all.push(about_you(insight));
            }
        }
        Ok(all)
    }

    fn counted(&self, snapshot: &Snapshot, going: &Going) -> Result<usize, Error> {
        cascade::counted(snapshot, going)
    }

    fn forget(&self, going: Going) -> BoxFuture<'static, Result<usize, Error>> {
        let role = self.role.clone();
        async move { role.ask(&asking(), ForgetEvidence { going }).await }.boxed()
    }
}

fn item(insight: InsightRecord, expire_days: u32) -> ReviewItem {
    let note = review::note(&insight).unwrap_or_default();
    ReviewItem {
        kind: ReviewKind::Insight,
        id: insight.id.to_string().into(),
        text: insight.statement,
        source: insight.source,
        from: note.from,
        snippet: note.snippet,
        session_id: note.session_id,
        title: note.title,
        dated: note.dated,
        export: note.export,
        reason: note.reason,
        scope: None,
        created_at: insight.created_at,
        expires_at: review::expires_at(insight.created_at, expire_days),
    }
}

fn about_you(insight: InsightRecord) -> AboutYou {
    let status = match insight.status {
        InsightStatus::Confirmed => "confirmed",
        InsightStatus::Active => "active",
        InsightStatus::Disputed => "disputed",
        InsightStatus::Retired => "retired",
        InsightStatus::Pending => "pending",
    };
    AboutYou {
        id: insight.id.to_string(),
        dimension: insight.dimension.name().into(),
        statement: insight.statement,
        confidence: insight.confidence,
        status: status.into(),
        source: insight.source,
        created_at: insight.created_at,
        updated_at: insight.updated_at,
        came_from: insight.review,
    }
}
