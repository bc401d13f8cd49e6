//! One call of a model: what is sent, what is shown while it writes, what it came to.

use super::{Append, Home, Outcome, QueueDrain, Runner, Safe};
use crate::chat::ChatParts;
use crate::model_queue::{Acquire, Permit};
use futures::StreamExt;
use protocol::Error;
use protocol::chat::{ChatEvent, ChatFrame, NoticeCode};
use protocol::engine::ModelJob;
use protocol::ids::{SessionId, TurnId};
use protocol::model::{Finish, ModelCall, ModelError, ModelErrorKind, Piece, Thought, TokenUsage};
use rules::held_text::HeldText;
use rules::model_choice::{Candidate, fallback_notice};
use rules::turn::{Budget, Input, Note};
use std::sync::{Arc, Mutex, PoisonError};
use storage::records::UsageRecord;
use tokio::time::{Duration, timeout};

/// The sentence for a model that is not on this computer while Local only is on.
pub(super) const LOCAL_ONLY: &str = "Local only is on, so models outside this computer are not used. Turn it off in Settings > Models, or pick a local model.";
/// How long a call may wait for the local model behind others. Ours.
const QUEUE_WAIT: Duration = Duration::from_secs(3_600);
/// Text of one answer. Ours: a model that never stops is stopped here.
const ANSWER_BYTES_MAX: usize = 4 * 1024 * 1024;

/// What a model has said in one call.
#[derive(Clone, Debug, Default)]
pub(super) struct Round {
    pub(super) text: String,
    pub(super) thinking: String,
    /// The stretches of it that came with their provider's proof.
    pub(super) thoughts: Vec<Thought>,
    pub(super) calls: Vec<WrittenCall>,
    pub(super) usage: Option<TokenUsage>,
    pub(super) context_length: Option<u32>,
    pub(super) finish: Option<Finish>,
}

/// The words of an answer while it is written, for the case that it is stopped.
pub(super) type Partial = Arc<Mutex<(String, String)>>;

/// A call as the model wrote it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct WrittenCall {
    pub(super) name: String,
    pub(super) arguments: String,
}

/// How a model call ended.
pub(super) struct RoundEnd {
    round: Round,
    error: Option<ModelError>,
}

/// Who hears the words while they come.
#[derive(Clone)]
struct Ear {
    parts: Arc<ChatParts>,
    session_id: SessionId,
    turn_id: TurnId,
    partial: Partial,
    safe: Safe,
    home: Home,
}

impl Ear {
    fn keep(&self, text: &str, thinking: &str) {
        let mut partial = self.partial.lock().unwrap_or_else(PoisonError::into_inner);
        partial.0.push_str(text);
        partial.1.push_str(thinking);
    }

    fn tell(&self, event: ChatEvent) {
        let (session_id, turn_id) = (self.session_id.clone(), Some(self.turn_id.clone()));
        self.home.tell(&self.parts, ChatFrame { event, session_id, turn_id });
    }
}

impl Runner {
    pub(super) async fn call_model(&mut self, candidate: usize, tools: bool, note: Option<Note>) -> Result<(), Error> {
        if let Some(budget) = self.budget_reached() {
            self.feed(Input::UsedUp(budget));
            return Ok(());
        }
        self.take_steers().await?;
        self.look_for_rules().await;
        self.outside_at_round.clone_from(&self.record.untrusted);
        self.calls.clear();
        self.round = Round::default();
        self.partial = Partial::default();
        let Some(chosen) = self.facts.candidates.get(candidate).cloned() else {
            let error =
                ModelError::new(ModelErrorKind::ModelMissing, "No model is set. Pick one in Settings > Models.");
            self.push_model_error(error);
            return Ok(());
        };
        self.notice(candidate, &chosen).await?;
        if let Some(error) = self.forbidden(&chosen) {
            self.push_model_error(error);
            return Ok(());
        }
        self.forget_proofs_of_others(candidate);
        let call = self.model_call(&chosen, tools, note);
        self.prompt_tokens = call.messages.iter().map(rules::prompt::message_size).sum();
        let ear = Ear {
            parts: self.setting.parts.clone(),
            session_id: self.record.id.clone(),
            turn_id: self.setting.turn.turn_id.clone(),
            partial: self.partial.clone(),
            safe: self.setting.safe.clone(),
            home: self.setting.home.clone(),
        };
        let idle = Duration::from_secs(u64::from(self.facts.config.models.request_timeout_s));
        let queued = self.facts.config.models.local_queue && rules::local_queue::is_queued(&chosen.model);
        let job = self.setting.errand.as_ref().map_or(ModelJob::Chat, |errand| errand.job);
        let queued = queued.then_some(job);
        self.jobs.push(Box::pin(async move { Outcome::Model(stream(ear, call, idle, queued).await) }));
        Ok(())
    }

    fn push_model_error(&mut self, error: ModelError) {
        let end = RoundEnd { round: Round::default(), error: Some(error) };
        self.jobs.push(Box::pin(std::future::ready(Outcome::Model(end))));
    }

    /// Steer messages join before the model is called again.
    async fn take_steers(&mut self) -> Result<(), Error> {
        if self.steers_wait {
            let step = Append { drain: QueueDrain::TakeSteers, ..self.step() };
            let appended = self.append(step).await?;
            for steer in appended.steers {
                self.tell(ChatEvent::UserInterjection { text: steer.content });
            }
        }
        Ok(())
    }

    /// Says once that the chat's own model does not answer.
    async fn notice(&mut self, candidate: usize, chosen: &Candidate) -> Result<(), Error> {
        let own = match self.record.model.as_deref() {
            Some(own) if !self.noticed && own != chosen.model.as_str() && self.setting.turn.model.is_none() => {
                own.to_owned()
            }
            _ => return Ok(()),
        };
        let why = match (&self.facts.own_model_why, &self.last_error) {
            (Some(why), _) if candidate == 0 => why.clone(),
            (_, Some(error)) if candidate > 0 => error.message.clone(),
            _ => return Ok(()),
        };
        self.setting.safe.wait().await?;
        self.noticed = true;
        self.tell(ChatEvent::Notice {
            message: fallback_notice(&protocol::model::ModelName(own.clone()), &chosen.model, &why),
            code: NoticeCode::ModelFallback,
            model: Some(own),
            used: Some(chosen.model.0.clone()),
        });
        Ok(())
    }

    /// Local only and the month's budget are checked before anything is sent (contract section 2).
    fn forbidden(&self, chosen: &Candidate) -> Option<ModelError> {
        let config = self.setting.parts.config();
        let base = self.facts.api_base(&chosen.model);
        if config.models.local_only && !rules::prices::runs_here(&chosen.model, base.as_deref()) {
            return Some(ModelError::new(ModelErrorKind::LocalOnly, LOCAL_ONLY));
        }
        if rules::prices::billing(&chosen.model, base.as_deref()) == protocol::usage::Billing::Paid {
            let message = (self.setting.parts.budget)()?;
            return Some(ModelError::new(ModelErrorKind::BudgetReached, message));
        }
        None
    }

    /// The budget of a helper that is used up.
    fn budget_reached(&self) -> Option<Budget> {
        self.setting.errand.as_ref()?.limits.reached(self.spent)
    }

    /// Another model takes over: it cannot vouch for what the one before it thought.
    fn forget_proofs_of_others(&mut self, candidate: usize) {
        if std::mem::replace(&mut self.thinker, candidate) == candidate {
            return;
        }
        for said in &mut self.said {
            said.thinking.retain(|thought| !thought.readable().is_empty());
            for thought in &mut said.thinking {
                *thought = Thought::text(thought.readable());
            }
        }
    }

    fn model_call(&self, chosen: &Candidate, tools: bool, note: Option<Note>) -> ModelCall {
        let context_length = self.facts.context_length(chosen);
        ModelCall {
            model: chosen.model.clone(),
            messages: self.prompt(context_length, tools, note),
            tools: if tools { self.facts.offers.clone() } else { Vec::new() },
            effort: self.facts.effort(chosen.role),
            temperature: self.facts.config.models.temperature.get(&chosen.role).copied(),
            context_length: context_length.unwrap_or(self.facts.config.models.context_length),
            api_base: self.facts.api_base(&chosen.model),
            json: false,
            output_tokens_max: None,
        }
    }

    /// The reply is stopped while the model writes: what was shown is what is kept.
    pub(super) fn keep_partial(&mut self) {
        let partial = std::mem::take(&mut *self.partial.lock().unwrap_or_else(PoisonError::into_inner));
        if self.calls.is_empty() {
            (self.round.text, self.round.thinking) = partial;
        }
    }

    pub(super) fn model_ended(&mut self, RoundEnd { round, error }: RoundEnd) {
        self.count(&round);
        let spoke = !round.text.is_empty();
        self.round = round;
        if let Some(error) = error {
            tracing::info!(kind = ?error.kind, message = %error.message, "a model call failed");
            let kind = error.kind;
            self.last_error = Some(error);
            self.feed(Input::ModelFailed { spoke, kind });
            return;
        }
        self.calls = self.read_calls();
        let has_text = !self.round.text.trim().is_empty();
        self.feed(Input::Answered { has_text, calls: self.calls.len() });
    }

    /// The meter for the windows, and the row for the cost.
    fn count(&mut self, round: &Round) {
        let Some(candidate) = self.facts.candidates.get(self.machine.candidate()).cloned() else { return };
        let known = round.context_length.or_else(|| self.facts.context_length(&candidate));
        if round.usage.is_none() && (known.is_none() || round.finish.is_none()) {
            return;
        }
        let usage = round.usage.unwrap_or_default();
        let estimated = u64::try_from(self.prompt_tokens).unwrap_or(u64::MAX);
        self.tell(ChatEvent::Usage(rules::context_meter::meter(&candidate.model, round.usage, estimated, known)));
        let base = self.facts.api_base(&candidate.model);
        let billing = rules::prices::billing(&candidate.model, base.as_deref());
        let paid = billing == protocol::usage::Billing::Paid;
        let cost_usd = rules::prices::cost(&candidate.model, &usage).filter(|_| paid);
        if !rules::prices::is_local_runtime(&candidate.model) {
            self.spent.tokens = self.spent.tokens.saturating_add(usage.prompt).saturating_add(usage.completion);
            self.spent.cost_usd += cost_usd.unwrap_or_default();
        }
        self.usage.push(UsageRecord {
            id: self.setting.world.id(),
            at: self.setting.world.now(),
            model: candidate.model.0.clone(),
            source: self.setting.home.usage_source().into(),
            role: Some(candidate.role.as_str().into()),
            billing,
            prompt_tokens: usage.prompt,
            completion_tokens: usage.completion,
            cost_usd,
        });
    }
}

/// Streams one answer, showing words as they come.
async fn stream(ear: Ear, call: ModelCall, idle: Duration, queued: Option<ModelJob>) -> RoundEnd {
    let mut round = Round::default();
    let error = match permit(&ear.parts, &call, queued).await {
        Ok(_permit) => read(&ear, call, idle, &mut round).await.err(),
        Err(error) => Some(error),
    };
    RoundEnd { round, error }
}

async fn permit(parts: &ChatParts, call: &ModelCall, queued: Option<ModelJob>) -> Result<Option<Permit>, ModelError> {
    let Some(job) = queued else { return Ok(None) };
    let acquire = Acquire { job, model: call.model.0.clone() };
    let busy = |message: String| ModelError::new(ModelErrorKind::Unreachable, message);
    match timeout(QUEUE_WAIT, crate::model_queue::in_line(&parts.queue, acquire)).await {
        Ok(permit) => permit.map(Some).map_err(|error| busy(error.detail())),
        Err(_) => Err(busy("The local model stayed busy for too long. Try again later.".into())),
    }
}

async fn read(ear: &Ear, call: ModelCall, idle: Duration, round: &mut Round) -> Result<(), ModelError> {
    let model = call.model.clone();
    let mut pieces = ear.parts.models.stream(call);
    let mut held = HeldText::default();
    loop {
        let piece = match timeout(idle, pieces.next()).await {
            Ok(piece) => piece,
            Err(_) => {
                let message = format!(
                    "{} did not answer for {} seconds. It may be overloaded: try again, or pick another model in Settings > Models.",
                    model.model(),
                    idle.as_secs()
                );
                return Err(ModelError::new(ModelErrorKind::Unreachable, message));
            }
        };
        if ear.safe.wait().await.is_err() {
            break; // the reply ends without a word
        }
        match piece {
            Some(Ok(piece)) => take(ear, piece, &mut held, round),
            Some(Err(error)) => return Err(error),
            None => break,
        }
        if round.text.len() + round.thinking.len() > ANSWER_BYTES_MAX {
            return Err(ModelError::new(
                ModelErrorKind::Malformed,
                format!("{} did not stop writing, so it was stopped.", model.model()),
            ));
        }
    }
    if round.finish.is_none() {
        let message = format!("The answer of {} was cut off. Send the message again.", model.model());
        return Err(ModelError::new(ModelErrorKind::Malformed, message));
    }
    settle_text(ear, held, round);
    Ok(())
}

fn take(ear: &Ear, piece: Piece, held: &mut HeldText, round: &mut Round) {
    match piece {
        Piece::Text(text) => {
            let shown = held.push(&text);
            round.text.push_str(&text);
            if !shown.is_empty() {
                ear.keep(&shown, "");
                ear.tell(ChatEvent::TextDelta { text: shown });
            }
        }
        Piece::Thinking(text) => {
            round.thinking.push_str(&text);
            ear.keep("", &text);
            ear.tell(ChatEvent::ThinkingDelta { text });
        }
        Piece::Thought(thought) => round.thoughts.push(thought),
        Piece::Call { name, arguments, .. } => round.calls.push(WrittenCall { name, arguments }),
        Piece::Usage(usage) => round.usage = Some(usage),
        Piece::ContextLength(length) => round.context_length = Some(length),
        Piece::Finish(finish) => round.finish = Some(finish),
    }
}

/// What was held back is shown, unless it is a call written as text.
fn settle_text(ear: &Ear, held: HeldText, round: &mut Round) {
    let rest = held.finish();
    if !rest.is_empty() && !round.calls_in_text(&ear.parts) {
        ear.tell(ChatEvent::TextDelta { text: rest });
    }
}

impl Round {
    /// Reads calls a small model wrote as text. Whole ones only, and only of tools it was offered.
    fn calls_in_text(&mut self, parts: &ChatParts) -> bool {
        let offers = parts.gate.offers();
        let repaired = rules::tool_repair::repair(&self.text, &offers);
        if repaired.calls.is_empty() || !self.calls.is_empty() {
            return false;
        }
        self.text = repaired.text_left;
        for (name, arguments) in repaired.calls {
            self.calls.push(WrittenCall { name, arguments: arguments.to_string() });
        }
        true
    }
}
