//! One question to the fast model and its answer as text, for the engine's own upkeep: names, summaries, checks.

use crate::chat::ChatParts;
use crate::model_queue::Acquire;
use futures::StreamExt;
use protocol::engine::ModelJob;
use protocol::model::{Finish, ModelCall, ModelName, ModelRole, Piece, PromptMessage, TokenUsage};
use protocol::usage::Billing;
use protocol::{Error, ErrorKind};
use runtime::{Outside, World};
use std::sync::Arc;
use storage::Batch;
use storage::records::UsageRecord;
use tokio::time::{Duration, timeout};

/// How long one such call may take. Ours.
const CALL_TIME_MAX: Duration = Duration::from_secs(120);

pub(crate) struct Ask {
    pub(crate) question: String,
    pub(crate) job: ModelJob,
    pub(crate) output_tokens_max: u32,
    /// Models that are asked when no fast one answers.
    pub(crate) then: Vec<ModelName>,
}

/// Asks the fast model, then its fallbacks, then those of `then`. The error is the last one's.
pub(crate) async fn complete(parts: &Arc<ChatParts>, world: &World, ask: Ask) -> Result<String, Error> {
    let config = parts.config();
    let fast = config.models.roles.get(ModelRole::Fast).clone();
    let fallbacks = config.models.fallbacks.get(&ModelRole::Fast).cloned().unwrap_or_default();
    let mut last = Error::new(ErrorKind::Unavailable, "No fast model is set.");
    let mut models: Vec<ModelName> = Vec::new();
    for model in std::iter::once(fast).chain(fallbacks).chain(ask.then.clone()) {
        if !models.contains(&model) {
            models.push(model);
        }
    }
    for model in models {
        match one(parts, world, &ask, model).await {
            Ok(answer) => return Ok(answer),
            Err(error) => last = error,
        }
    }
    Err(last)
}

async fn one(parts: &Arc<ChatParts>, world: &World, ask: &Ask, model: ModelName) -> Result<String, Error> {
    let config = parts.config();
    let api_base = config.models.providers.get(model.provider()).and_then(|provider| provider.api_base.clone());
    let refused = |message: String| Error::new(ErrorKind::Unavailable, message);
    if config.models.local_only && !rules::prices::runs_here(&model, api_base.as_deref()) {
        return Err(refused("Local only is on.".into()));
    }
    let billing = rules::prices::billing(&model, api_base.as_deref());
    if let Some(message) = (billing == Billing::Paid).then(|| (parts.budget)()).flatten() {
        return Err(refused(message));
    }
    let _permit = if config.models.local_queue && rules::local_queue::is_queued(&model) {
        let acquire = Acquire { job: ask.job, model: model.0.clone() };
        let waiting = parts.queue.ask(&Outside::within(Duration::from_secs(10)), acquire).await?;
        Some(waiting.await.map_err(|_| refused("The local model's queue was restarted.".into()))?)
    } else {
        None
    };
    let call = ModelCall {
        model: model.clone(),
        messages: vec![PromptMessage::User { text: ask.question.clone(), pictures: Vec::new() }],
        tools: Vec::new(),
        effort: config.models.reasoning.get(&ModelRole::Fast).copied().unwrap_or_default(),
        temperature: config.models.temperature.get(&ModelRole::Fast).copied(),
        context_length: config
            .models
            .context_length_per_role
            .get(&ModelRole::Fast)
            .copied()
            .unwrap_or(config.models.context_length),
        api_base,
        json: false,
        output_tokens_max: Some(ask.output_tokens_max),
    };
    let (text, usage) = timeout(CALL_TIME_MAX, collect(parts, call))
        .await
        .map_err(|_| Error::new(ErrorKind::Timeout, "The fast model took too long."))??;
    store_usage(parts, world, &model, billing, usage).await;
    Ok(text)
}

async fn collect(parts: &ChatParts, call: ModelCall) -> Result<(String, TokenUsage), Error> {
    let mut pieces = parts.models.stream(call);
    let (mut text, mut usage, mut finish) = (String::new(), TokenUsage::default(), None);
    while let Some(piece) = pieces.next().await {
        match piece.map_err(|error| Error::new(ErrorKind::Upstream, error.message))? {
            Piece::Text(more) => text.push_str(&more),
            Piece::Usage(used) => usage = used,
            Piece::Finish(why) => finish = Some(why),
            Piece::Thinking(_) | Piece::Call { .. } | Piece::ContextLength(_) => (),
        }
    }
    match finish {
        Some(Finish::Stop | Finish::Length) => Ok((text, usage)),
        _ => Err(Error::new(ErrorKind::Upstream, "The model did not finish its answer.")),
    }
}

async fn store_usage(parts: &ChatParts, world: &World, model: &ModelName, billing: Billing, usage: TokenUsage) {
    let mut batch = Batch::new();
    batch.put(&UsageRecord {
        id: world.id(),
        at: world.now(),
        model: model.0.clone(),
        source: "background".into(),
        role: Some(ModelRole::Fast.as_str().into()),
        billing,
        prompt_tokens: usage.prompt,
        completion_tokens: usage.completion,
        cost_usd: rules::prices::cost(model, &usage).filter(|_| billing == Billing::Paid),
    });
    if let Err(error) = parts.store.commit(batch).await {
        tracing::warn!(%error, "usage was not stored");
    }
}
