//! One question to the fast model and its answer as text, for the engine's own upkeep: names, summaries, checks.

use crate::chat::ChatParts;
use crate::model_queue::{Acquire, ModelQueue};
use crate::ports::Models;
use futures::StreamExt;
use protocol::config::Config;
use protocol::engine::ModelJob;
use protocol::model::{Finish, ModelCall, ModelName, ModelRole, Piece, PromptMessage, TokenUsage};
use protocol::usage::Billing;
use protocol::{Error, ErrorKind};
use runtime::{Address, World};
use std::sync::Arc;
use storage::records::UsageRecord;
use storage::{Batch, Store};
use tokio::sync::watch;
use tokio::time::{Duration, timeout};

/// How long one such call may take. Ours.
const CALL_TIME_MAX: Duration = Duration::from_secs(120);

pub(crate) struct Ask {
    pub(crate) question: String,
    pub(crate) job: ModelJob,
    pub(crate) output_tokens_max: u32,
    pub(crate) who: Who,
    /// Models that are asked when no fast one answers.
    pub(crate) then: Vec<ModelName>,
}

/// Whose question it is: which models may answer, and how.
pub(crate) enum Who {
    /// The engine's own: the fast model.
    Upkeep,
    /// The typed reader's: the fast model, then the chat's or the primary one. The answer is one JSON object.
    Reader { chat_model: Option<String> },
    /// What is worked out about the person: the model of a role, then the fast one. The answer is one JSON object.
    Knowing { role: ModelRole },
}

impl Who {
    fn models(&self, config: &Config) -> Vec<(ModelRole, ModelName)> {
        let of_role = |role: ModelRole| {
            let fallbacks = config.models.fallbacks.get(&role).cloned().unwrap_or_default();
            std::iter::once(config.models.roles.get(role).clone()).chain(fallbacks).map(move |model| (role, model))
        };
        let mut models: Vec<(ModelRole, ModelName)> = Vec::new();
        if let Self::Knowing { role } = self {
            models.extend(of_role(*role));
        }
        models.extend(of_role(ModelRole::Fast));
        if let Self::Reader { chat_model } = self {
            models.extend(chat_model.iter().map(|own| (ModelRole::Primary, ModelName(own.clone()))));
            models.extend(of_role(ModelRole::Primary));
        }
        models
    }

    fn source(&self) -> &'static str {
        match self {
            Self::Upkeep | Self::Knowing { .. } => "background",
            Self::Reader { .. } => "subagent",
        }
    }
}

impl Ask {
    /// Who is asked, in order, nobody twice.
    fn models(&self, config: &Config) -> Vec<(ModelRole, ModelName)> {
        let then = self.then.iter().map(|model| (ModelRole::Primary, model.clone()));
        let mut models: Vec<(ModelRole, ModelName)> = Vec::new();
        for (role, model) in self.who.models(config).into_iter().chain(then) {
            if !models.iter().any(|(_, known)| *known == model) {
                models.push((role, model));
            }
        }
        models
    }
}

/// What asking takes. Cheap to clone; for roles that have no [`ChatParts`].
#[derive(Clone)]
pub(crate) struct Asker {
    pub(crate) store: Store,
    pub(crate) config: watch::Receiver<Arc<Config>>,
    pub(crate) models: Arc<dyn Models>,
    pub(crate) queue: Address<ModelQueue>,
    /// See [`ChatParts::budget`].
    pub(crate) budget: Arc<dyn Fn() -> Option<String> + Send + Sync>,
}

impl Asker {
    fn config(&self) -> Arc<Config> {
        self.config.borrow().clone()
    }

    /// Asks the fast model, then its fallbacks, then those of `then`. The error is the last one's.
    pub(crate) async fn complete(&self, world: &World, ask: Ask) -> Result<String, Error> {
        ask_in_turn(self, world, ask).await
    }
}

/// [`Asker::complete`] for who has a chat's parts.
pub(crate) async fn complete(parts: &Arc<ChatParts>, world: &World, ask: Ask) -> Result<String, Error> {
    parts.asker().complete(world, ask).await
}

async fn ask_in_turn(parts: &Asker, world: &World, ask: Ask) -> Result<String, Error> {
    let config = parts.config();
    let mut last = Error::new(ErrorKind::Unavailable, "No fast model is set.");
    for (role, model) in ask.models(&config) {
        match one(parts, world, &ask, (role, model)).await {
            Ok(answer) => return Ok(answer),
            Err(error) => last = error,
        }
    }
    Err(last)
}

async fn one(parts: &Asker, world: &World, ask: &Ask, (role, model): (ModelRole, ModelName)) -> Result<String, Error> {
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
        Some(crate::model_queue::in_line(&parts.queue, acquire).await?)
    } else {
        None
    };
    let call = ModelCall {
        model: model.clone(),
        messages: vec![PromptMessage::User { text: ask.question.clone(), pictures: Vec::new() }],
        tools: Vec::new(),
        effort: config.models.reasoning.get(&role).copied().unwrap_or_default(),
        temperature: config.models.temperature.get(&role).copied(),
        context_length: config
            .models
            .context_length_per_role
            .get(&role)
            .copied()
            .unwrap_or(config.models.context_length),
        api_base,
        json: matches!(ask.who, Who::Reader { .. } | Who::Knowing { .. }),
        output_tokens_max: Some(ask.output_tokens_max),
    };
    let (text, usage) = timeout(CALL_TIME_MAX, collect(parts, call))
        .await
        .map_err(|_| Error::new(ErrorKind::Timeout, "The fast model took too long."))??;
    let used = Used { source: ask.who.source(), role, model, billing, usage };
    store_usage(parts, world, used).await;
    Ok(text)
}

async fn collect(parts: &Asker, call: ModelCall) -> Result<(String, TokenUsage), Error> {
    let mut pieces = parts.models.stream(call);
    let (mut text, mut usage, mut finish) = (String::new(), TokenUsage::default(), None);
    while let Some(piece) = pieces.next().await {
        match piece.map_err(|error| Error::new(ErrorKind::Upstream, error.message))? {
            Piece::Text(more) => text.push_str(&more),
            Piece::Usage(used) => usage = used,
            Piece::Finish(why) => finish = Some(why),
            Piece::Thinking(_) | Piece::Thought(_) | Piece::Call { .. } | Piece::ContextLength(_) => (),
        }
    }
    match finish {
        Some(Finish::Stop | Finish::Length) => Ok((text, usage)),
        _ => Err(Error::new(ErrorKind::Upstream, "The model did not finish its answer.")),
    }
}

/// One call that is to be counted.
struct Used {
    source: &'static str,
    role: ModelRole,
    model: ModelName,
    billing: Billing,
    usage: TokenUsage,
}

async fn store_usage(parts: &Asker, world: &World, used: Used) {
    let Used { source, role, model, billing, usage } = used;
    let mut batch = Batch::new();
    batch.put(&UsageRecord {
        id: world.id(),
        at: world.now(),
        model: model.0.clone(),
        source: source.into(),
        role: Some(role.as_str().into()),
        billing,
        prompt_tokens: usage.prompt,
        completion_tokens: usage.completion,
        cost_usd: rules::prices::cost(&model, &usage).filter(|_| billing == Billing::Paid),
    });
    if let Err(error) = parts.store.commit(batch).await {
        tracing::warn!(%error, "usage was not stored");
    }
}
