//! A refresh: what arrived since the last one, one question to a model, and what its answer may change.
//!
//! A job beside the role. It stops at "Stop everything" before every model call and writes only at its end, in one commit.

use super::requests::Apply;
use super::{UserModelHandle, evidence, handle};
use protocol::Error;
use protocol::config::Config;
use protocol::knowing::Refreshed;
use rules::user_model::{Ask, Known, Limits, Material};
use std::sync::Arc;
use storage::Snapshot;
use storage::records::{InsightRecord, QuestionRecord};

/// Tokens of an answer.
const OUTPUT_TOKENS_MAX: u32 = 2_000;
/// The same for a portrait alone.
const PORTRAIT_TOKENS_MAX: u32 = 500;

/// What asks for a refresh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RefreshReason {
    /// Enough was said since the last one: not more often than `user_model.min_refresh_hours`.
    Turns,
    Dream,
    /// The person: whatever the limits.
    Person,
}

impl UserModelHandle {
    /// Runs a refresh when there is new evidence. Answers what it changed; nothing when there was none to run.
    ///
    /// # Errors
    /// No model answered, or a store that cannot be read or written: nothing changed, and the evidence is read again.
    pub(crate) async fn refresh(&self, reason: RefreshReason) -> Result<Refreshed, Error> {
        let _alone = self.line.acquire().await.map_err(|_| Error::internal("the line of refreshes is closed"))?;
        let config = self.means.config();
        if !config.user_model.enabled || !self.is_due(reason, &config)? {
            return Ok(Refreshed::default());
        }
        let now = self.means.world.now();
        let store = self.means.store().clone();
        let gathering = config.clone();
        let read = tokio::task::spawn_blocking(move || evidence::gather(&store.snapshot()?, &gathering, now)).await;
        let (material, marks) = read.map_err(|cause| Error::internal(format!("evidence was not read: {cause}")))??;
        if material.is_empty() {
            return Ok(Refreshed::default());
        }
        let (known, open) = known(&self.snapshot()?)?;
        let asked = rules::user_model::question(&Ask {
            name: &config.assistant.user_name,
            known: &known,
            material: &material,
            marks: &self.means.marks,
            operations_max: size(config.user_model.max_operations),
        });
        let answer = self.means.ask(config.user_model.role, asked, OUTPUT_TOKENS_MAX).await?;
        let Some((operations, summary)) = rules::user_model::parse(&answer) else {
            tracing::info!("the answer about the person could not be read, so nothing changed");
            return Err(Error::new(protocol::ErrorKind::Upstream, "The model's answer could not be used.")
                .hint("Nothing changed. Try again, or pick another model in Settings > Models."));
        };
        let assistant = config.assistant.name.clone();
        let is_instruction = move |text: &str| rules::memory::instruction::shaped(text, &assistant);
        let limits = limits(&config, open);
        let changes = rules::user_model::apply(&operations, &known, &material, &limits, &is_instruction);
        let portrait = self.portrait(&config, &known, &material, summary).await;
        self.role.ask(&handle::asking(), Apply { changes, material, portrait, marks }).await
    }

    /// Whether it is time. The person's word is always enough.
    fn is_due(&self, reason: RefreshReason, config: &Config) -> Result<bool, Error> {
        if reason != RefreshReason::Turns {
            return Ok(true);
        }
        let snapshot = self.snapshot()?;
        let rested = evidence::last_refresh(&snapshot)?.is_none_or(|last| {
            let hours = (self.means.world.now().as_millis() - last.as_millis()) as f64 / 3_600_000.0;
            hours >= config.user_model.min_refresh_hours || hours < 0.0 // the clock was put back
        });
        let turns = size(config.user_model.refresh_after_turns);
        Ok(rested && evidence::unread_messages(&snapshot)? >= turns)
    }

    /// The portrait. When the question showed words of others, it comes from a question of its own that shows insights in
    /// use and nothing else: a portrait has no review, so nothing unreviewed may reach it.
    async fn portrait(
        &self,
        config: &Config,
        known: &[Known],
        material: &[Material],
        summary: Option<String>,
    ) -> Option<String> {
        if material.iter().all(|material| material.outside.is_none()) {
            return summary.as_deref().and_then(rules::user_model::accept_portrait);
        }
        let asked = rules::user_model::portrait_question(&config.assistant.user_name, known)?;
        let answer = self.means.ask(config.user_model.role, asked, PORTRAIT_TOKENS_MAX).await;
        let answer = answer.inspect_err(|error| tracing::info!(%error, "the portrait stays as it is")).ok()?;
        let object = rules::json_answer::object(&answer)?;
        rules::user_model::accept_portrait(object.get("summary")?.as_str()?)
    }
}

fn size(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

fn limits(config: &Arc<Config>, questions_open: usize) -> Limits {
    let settings = &config.user_model;
    Limits {
        operations: size(settings.max_operations),
        active_insights: size(settings.max_active_insights),
        open_questions: size(settings.max_open_questions),
        questions_open,
        support_step: settings.support_step,
        contradict_step: settings.contradict_step,
        dispute_below: settings.dispute_below,
    }
}

/// Every insight as the rules see it, and how many questions are open.
fn known(snapshot: &Snapshot) -> Result<(Vec<Known>, usize), Error> {
    let questions: Vec<QuestionRecord> = snapshot.all::<QuestionRecord>()?.collect::<Result<_, _>>()?;
    let mut known = Vec::new();
    for insight in snapshot.all::<InsightRecord>()? {
        let insight = insight?;
        known.push(Known {
            id: insight.id,
            dimension: insight.dimension,
            confidence: insight.confidence,
            status: insight.status,
            is_users: insight.source == super::review::SOURCE_USER,
            evidence: insight.evidence.iter().map(|one| rules::user_model::key(one.kind, &one.reference)).collect(),
            is_asked: questions.iter().any(|question| question.insight_id == insight.id),
            statement: insight.statement,
        });
    }
    Ok((known, questions.len()))
}
