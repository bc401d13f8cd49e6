//! One call of a model that makes vectors, with all that goes before and after: whether it may be called, its place in the
//! line for the local model, its time, a look through its answer, and what it used.

use crate::model_queue::{Acquire, ModelQueue, in_line};
use crate::models::{allowed, api_base};
use crate::ports::Models;
use protocol::config::Config;
use protocol::engine::ModelJob;
use protocol::model::{ModelError, ModelErrorKind, ModelName, ModelRole, TokenUsage};
use protocol::usage::Billing;
use rules::embeddings::check;
use runtime::{Address, World};
use std::sync::Arc;
use storage::records::UsageRecord;
use storage::{Batch, Store, vectors};
use tokio::sync::watch;
use tokio::time::{Duration, timeout};

/// How long one call may take. Ours: a local model may have to be loaded first.
const CALL_TIME_MAX: Duration = Duration::from_secs(90);
/// Characters of a text that a model is given. Ours: embedding models read 256 to 8,192 tokens; what comes later in a longer
/// text changes little.
const TEXT_CHARS_MAX: usize = 8_000;

/// What calls of models need.
#[derive(Clone)]
pub struct OutsideModels {
    pub models: Arc<dyn Models>,
    pub queue: Address<ModelQueue>,
    pub config: watch::Receiver<Arc<Config>>,
    /// See [`crate::chat::ChatParts::budget`].
    pub budget: Arc<dyn Fn() -> Option<String> + Send + Sync>,
    pub store: Store,
    pub world: World,
}

/// Vectors of length one, one per text.
pub(super) struct Made {
    pub(super) dimensions: usize,
    pub(super) vectors: Vec<Arc<[f32]>>,
}

impl OutsideModels {
    /// The model the person set for memory search.
    pub(super) fn configured(&self) -> ModelName {
        self.config.borrow().models.roles.embedding.clone()
    }

    /// One vector per text.
    ///
    /// # Errors
    /// Why there are none, in a sentence for the person.
    pub(super) async fn embed(&self, model: &ModelName, texts: &[String], job: ModelJob) -> Result<Made, ModelError> {
        let config = self.config.borrow().clone();
        allowed(&config, model)?;
        let base = api_base(&config, model);
        let billing = rules::prices::billing(model, base.as_deref());
        if let Some(message) = (billing == Billing::Paid).then(|| (self.budget)()).flatten() {
            return Err(ModelError::new(ModelErrorKind::BudgetReached, message));
        }
        let _permit = if config.models.local_queue && rules::local_queue::is_queued(model) {
            let acquire = Acquire { job, model: model.0.clone() };
            let waited = in_line(&self.queue, acquire).await;
            Some(waited.map_err(|error| ModelError::new(ModelErrorKind::Unreachable, error.detail()))?)
        } else {
            None
        };
        let texts: Vec<String> = texts.iter().map(|text| text.chars().take(TEXT_CHARS_MAX).collect()).collect();
        let (count, tokens) = (texts.len(), texts.iter().map(|text| rules::context_meter::tokens(text)).sum());
        let called = timeout(CALL_TIME_MAX, self.models.embed(model.clone(), base, texts)).await;
        let vectors = called.unwrap_or_else(|_| {
            let message = format!("{model} took longer than {} seconds.", CALL_TIME_MAX.as_secs());
            Err(ModelError::new(ModelErrorKind::Unreachable, message))
        })?;
        self.count(model, billing, tokens);
        made(model, &vectors, count)
    }

    /// Stores what a call used; nobody waits for that.
    fn count(&self, model: &ModelName, billing: Billing, prompt: u64) {
        let usage = TokenUsage { prompt, ..TokenUsage::default() };
        let mut batch = Batch::new();
        batch.put(&UsageRecord {
            id: self.world.id(),
            at: self.world.now(),
            model: model.0.clone(),
            source: "background".into(),
            role: Some(ModelRole::Embedding.as_str().into()),
            billing,
            prompt_tokens: prompt,
            completion_tokens: 0,
            cost_usd: rules::prices::cost(model, &usage).filter(|_| billing == Billing::Paid),
        });
        let store = self.store.clone();
        self.world.work.spawn("embedding usage", async move {
            if let Err(error) = store.commit(batch).await {
                tracing::warn!(%error, "usage was not stored");
            }
        });
    }
}

fn made(model: &ModelName, vectors: &[Vec<f32>], texts: usize) -> Result<Made, ModelError> {
    let unusable = |fault: rules::embeddings::Fault| ModelError::new(ModelErrorKind::Malformed, fault.sentence(model));
    let dimensions = check(vectors, texts).map_err(unusable)?;
    let units: Option<Vec<Arc<[f32]>>> = vectors.iter().map(|vector| Some(vectors::unit(vector)?.into())).collect();
    let vectors = units.ok_or_else(|| unusable(rules::embeddings::Fault::Zero))?;
    Ok(Made { dimensions, vectors })
}
