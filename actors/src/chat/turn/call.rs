//! The calls of one answer: read, stored, run.

use super::facts::Facts;
use super::model::WrittenCall;
use super::{Append, Outcome, Runner, Setting};
use crate::chat::NewRow;
use crate::gate::{Judged, effective_risk};
use crate::memory::Occasion;
use crate::snapshots::CallKeeper;
use crate::subagents::Parent;
use crate::tools::{Registry, ToolCtx};
use futures::FutureExt;
use protocol::approvals::ApprovalRecord;
use protocol::chat::{ChatEvent, ChatFrame};
use protocol::ids::CallId;
use protocol::limits::CALLS_PER_ROUND_MAX;
use protocol::sessions::{MessageRole, StoredCall};
use protocol::tools::{Progress, Risk, ToolOutcome};
use protocol::{Error, ErrorKind};
use rules::effects::Begun;
use rules::turn::{Effect, Input, Turn};
use serde_json::{Value, json};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use storage::records::{EffectRecord, EffectState};
use tokio::time::{Instant, timeout};

/// One call of the answer being worked on.
#[derive(Clone, Debug)]
pub(super) struct RoundCall {
    pub(super) id: CallId,
    pub(super) name: String,
    pub(super) arguments: Value,
    /// What the model wrote, when it could not be read.
    pub(super) written: String,
    /// Why the arguments do not fit.
    pub(super) bad_arguments: Option<String>,
    pub(super) judged: Option<Judged>,
    /// A second look was taken, and what it found.
    pub(super) looked: bool,
    pub(super) warning: Option<String>,
    pub(super) approved: bool,
    pub(super) declined: bool,
    pub(super) approval: Option<ApprovalRecord>,
    pub(super) outcome: Option<ToolOutcome>,
    pub(super) duration_ms: u64,
    pub(super) ran: bool,
    /// Its undo window has ended.
    pub(super) held: bool,
    /// It was begun, and nobody knows whether it went through.
    pub(super) unknown: bool,
    /// The delete for good it takes the place of.
    pub(super) instead_of: Option<String>,
    /// It is in the journal of effects.
    pub(super) journaled: bool,
    pub(super) recorded: bool,
}

impl RoundCall {
    fn new(id: CallId, name: String, arguments: Value) -> Self {
        Self {
            id,
            name,
            arguments,
            written: String::new(),
            bad_arguments: None,
            judged: None,
            looked: false,
            warning: None,
            approved: false,
            declined: false,
            approval: None,
            outcome: None,
            duration_ms: 0,
            ran: false,
            held: false,
            unknown: false,
            instead_of: None,
            journaled: false,
            recorded: false,
        }
    }

    /// Equal for calls of the same tool with the same arguments.
    pub(super) fn fingerprint(&self) -> u64 {
        fingerprint(&(&self.name, self.arguments.to_string()))
    }

    /// How far a call without a result has come.
    pub(super) fn how_far(&self) -> Begun {
        match (self.journaled, self.ran) {
            (true, true) => Begun::OutcomeUnknown,
            (true, false) => Begun::Waiting,
            (false, _) => Begun::Never,
        }
    }

    /// What the journal says of a call that has its result.
    pub(super) fn settled(&self, outcome: &ToolOutcome) -> EffectState {
        match (self.unknown, self.ran, outcome.is_error) {
            (true, ..) => EffectState::Unknown,
            (_, false, _) => EffectState::NotSent,
            (_, true, true) => EffectState::Failed,
            (_, true, false) => EffectState::Done,
        }
    }

    fn stored(&self) -> StoredCall {
        let arguments = if self.bad_arguments.is_some() && !self.written.is_empty() {
            self.written.clone()
        } else {
            self.arguments.to_string()
        };
        StoredCall::new(self.id.clone(), self.name.clone(), arguments)
    }
}

/// How a turn begins: at its first model call, or after a restart with the calls that have no result yet.
pub(super) fn begin(setting: &Setting, facts: &Facts) -> (Turn, Vec<Effect>, Vec<RoundCall>) {
    let rounds = setting.rows.iter().filter(|row| !row.tool_calls.is_empty()).count();
    let Some(last) = setting.rows.iter().rev().find(|row| !row.tool_calls.is_empty()) else {
        let (turn, effects) = Turn::begin(facts.limits);
        return (turn, effects, Vec::new());
    };
    let has_result = |call: &StoredCall| setting.rows.iter().any(|row| row.tool_call_id.as_ref() == Some(&call.id));
    let calls: Vec<RoundCall> = last.tool_calls.iter().map(|call| found(setting, call, has_result(call))).collect();
    let recorded = calls.iter().map(|call| call.recorded).collect();
    let (turn, effects) = Turn::resume(facts.limits, u32::try_from(rounds).unwrap_or(u32::MAX), recorded);
    (turn, effects, calls)
}

/// A call found in the store. One that was begun and not settled is never begun again: nobody knows how it went.
fn found(setting: &Setting, call: &StoredCall, recorded: bool) -> RoundCall {
    let written = WrittenCall { name: call.function.name.clone(), arguments: call.function.arguments.clone() };
    let mut found = read(call.id.clone(), &setting.parts.tools, &written);
    found.recorded = recorded;
    let journal = setting.parts.store.snapshot().ok();
    let effect = journal.and_then(|snapshot| snapshot.get::<EffectRecord>(&call.id).ok().flatten());
    let begun = super::super::unfinished::begun(effect.as_ref());
    if begun != Begun::Never {
        found.outcome = Some(rules::effects::left_over(begun));
        found.unknown = begun == Begun::OutcomeUnknown;
        found.journaled = true;
    }
    found.instead_of = effect.and_then(|effect| effect.instead_of);
    found
}

/// Reads what a model wrote, now or before a restart, against the tool's schema. What does not fit is never run.
fn read(id: CallId, tools: &Registry, call: &WrittenCall) -> RoundCall {
    let Some(tool) = tools.get(&call.name) else {
        let arguments = serde_json::from_str(&call.arguments).unwrap_or_else(|_| json!({}));
        return RoundCall::new(id, call.name.clone(), arguments);
    };
    match rules::tool_repair::arguments(&call.arguments, &tool.spec().parameters) {
        Ok(arguments) => RoundCall::new(id, call.name.clone(), arguments),
        Err(error) => RoundCall {
            written: call.arguments.clone(),
            bad_arguments: Some(rules::tool_repair::invalid_arguments(&call.name, &error)),
            ..RoundCall::new(id, call.name.clone(), json!({}))
        },
    }
}

impl Runner {
    /// The calls of the answer, with arguments read against each tool's schema.
    pub(super) fn read_calls(&self) -> Vec<RoundCall> {
        let written = self.round.calls.iter().take(CALLS_PER_ROUND_MAX);
        let tools = &self.setting.parts.tools;
        let read = written.map(|call| read(CallId(self.setting.world.id()), tools, call));
        read.map(|call| self.swapped(call)).collect()
    }

    /// Stores the answer with its calls, then shows them; none is looked at before that.
    pub(super) async fn store_calls(&mut self) -> Result<(), Error> {
        let row = NewRow {
            text: self.round.text.clone(),
            thinking: (!self.round.thinking.is_empty()).then(|| self.round.thinking.clone()),
            calls: self.calls.iter().map(RoundCall::stored).collect(),
            ..NewRow::of(MessageRole::Assistant)
        };
        let step = Append { rows: vec![row], ..self.step() };
        self.append(step).await?;
        // Proofs are for this turn only; the row keeps the words.
        if let Some(said) = self.said.last_mut().filter(|_| !self.round.thoughts.is_empty()) {
            said.thinking.clone_from(&self.round.thoughts);
        }
        for call in &self.calls {
            let (call_id, name, arguments) = (call.id.clone(), call.name.clone(), call.arguments.clone());
            self.tell(ChatEvent::ToolCall { call_id, name, arguments });
        }
        Ok(())
    }

    /// Runs a call the gate let through. What changes anything is written into the journal first.
    pub(super) async fn run_call(&mut self, index: usize) -> Result<(), Error> {
        let Some(call) = self.calls.get(index).cloned() else { return Ok(()) };
        let Some(tool) = self.setting.parts.tools.get(&call.name) else {
            return Err(Error::new(ErrorKind::Internal, "a call without a tool was let through"));
        };
        let changes = effective_risk(tool.as_ref(), &call.arguments) > Risk::Read;
        if changes {
            let step = Append { effects: vec![self.effect(&call, EffectState::Attempted)], ..self.step() };
            self.append(step).await?;
            self.calls[index].journaled = true;
            // Writing it down takes a moment, in which the reply may have been stopped (then the call is told as one that
            // waited and never began) or a rule may have changed.
            if self.setting.cancel.is_cancelled() {
                return Ok(());
            }
            if !self.still_runs(index) {
                self.refuse(index);
                return Ok(());
            }
        }
        self.calls[index].ran = true;
        let (ctx, time_max) = (self.tool_ctx(&call), tool.time_max());
        // However the call ends, also by being dropped, what it has started in the foreground ends with it.
        let over = ctx.cancel.clone().drop_guard();
        let running = AssertUnwindSafe(async move {
            let outcome = tool.run(call.arguments, ctx).await;
            drop(over);
            outcome
        })
        .catch_unwind();
        self.jobs.push(Box::pin(async move {
            let began = Instant::now();
            let ended = match timeout(time_max, running).await {
                Ok(Ok(outcome)) => Ok(outcome),
                Ok(Err(_)) => Err(format!("{} failed because of a fault in Sentient", call.name)),
                Err(_) => {
                    Err(format!("{} took longer than {} minutes and was ended", call.name, time_max.as_secs() / 60))
                }
            };
            let duration_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
            let unknown = ended.is_err() && changes;
            let outcome = ended.unwrap_or_else(|happened| rules::effects::cut_off(&happened, changes));
            Outcome::Ended { call: index, outcome, duration_ms, unknown }
        }));
        Ok(())
    }

    pub(super) fn effect(&self, call: &RoundCall, state: EffectState) -> EffectRecord {
        EffectRecord {
            call_id: call.id.clone(),
            session_id: self.record.id.clone(),
            turn_id: self.setting.turn.turn_id.clone(),
            tool: call.name.clone(),
            arguments: call.arguments.to_string(),
            state,
            at: self.setting.world.now(),
            until: None,
            instead_of: call.instead_of.clone(),
        }
    }

    fn tool_ctx(&self, call: &RoundCall) -> ToolCtx {
        let (parts, home, session_id) = (self.setting.parts.clone(), self.setting.home.clone(), self.record.id.clone());
        let (turn_id, call_id, name) = (self.setting.turn.turn_id.clone(), call.id.clone(), call.name.clone());
        let cancel = self.setting.cancel.child_token();
        let over = cancel.clone();
        let progress = Arc::new(move |progress: Progress| {
            // What a call has started may take a moment to end behind it: by then its turn may have its `done`.
            if over.is_cancelled() {
                return;
            }
            let Progress { kind, text, image, data } = progress;
            let event =
                ChatEvent::ToolProgress { call_id: call_id.clone(), name: name.clone(), kind, text, image, data };
            home.tell(&parts, ChatFrame { event, session_id: session_id.clone(), turn_id: Some(turn_id.clone()) });
        });
        let mut ctx = ToolCtx::new(self.setting.world.now(), self.facts.zone.clone(), progress);
        ctx.location.clone_from(&self.facts.config.assistant.location);
        ctx.result_limit = self.result_limit();
        ctx.untrusted = self.outside_at_round.clone().unwrap_or_default();
        ctx.visited_hosts.clone_from(self.record.visited_hosts.as_ref().unwrap_or(&Vec::new()));
        ctx.call_id = Some(call.id.to_string());
        ctx.unprompted = self.setting.errand.as_ref().is_some_and(|errand| errand.unprompted);
        ctx.memory = self.facts.memory;
        ctx.memories = Some(self.setting.parts.memories.clone());
        ctx.occasion = Arc::new(self.occasion());
        ctx.knowing = Some(self.setting.parts.knowing.clone());
        ctx.gate = Some(self.setting.parts.gate.clone());
        ctx.session_id = Some(self.record.id.clone());
        ctx.cancel = cancel;
        ctx.parent = self.parent(call).map(Arc::new);
        ctx.key.clone_from(&call.id.0);
        ctx.keeper = Some(CallKeeper {
            keeper: self.setting.parts.keeper.clone(),
            session_id: Some(self.record.id.clone()),
            task_id: None,
            call_id: call.id.clone(),
            incognito: self.record.incognito,
        });
        ctx
    }

    /// Where and by whom something is said, for what memory tools read and save.
    pub(super) fn occasion(&self) -> Occasion {
        let app = self.facts.config.channels.get(&self.record.channel).map(|app| app.memory_scope.as_str());
        let mut occasion = Occasion::of_chat(&self.record, app);
        occasion.said.clone_from(&self.words);
        let own = self.setting.rows.iter().rev().find(|row| row.role == MessageRole::User && row.name.is_none());
        occasion.message = Some((self.record.id.clone(), own.map(|row| row.id.clone())));
        occasion
    }

    /// What a call may start helpers with. A helper starts none.
    fn parent(&self, call: &RoundCall) -> Option<Parent> {
        self.setting.errand.is_none().then(|| Parent {
            parts: self.setting.parts.clone(),
            world: self.setting.world.clone(),
            record: self.record.clone(),
            call_id: call.id.clone(),
            words: self.words.clone().into(),
            unprompted: false,
            memory: self.facts.memory,
        })
    }

    /// Characters of a result this turn's model reads.
    pub(super) fn result_limit(&self) -> usize {
        let chat = &self.facts.config.chat;
        let candidate = self.facts.candidates.get(self.machine.candidate());
        let context = candidate.and_then(|candidate| self.facts.context_length(candidate));
        let chars_max = usize::try_from(chat.tool_result_max_chars).unwrap_or(usize::MAX);
        rules::results::limit(chars_max, chat.tool_result_context_share, context)
    }

    /// Gives a call that does not run its result.
    pub(super) fn refuse(&mut self, index: usize) {
        let Some(call) = self.calls.get_mut(index) else { return };
        if call.outcome.is_none() {
            call.outcome = Some(if call.declined {
                let error =
                    "The user said no to this. Don't try it again another way; ask what they would like instead.";
                ToolOutcome { result: json!({ "error": error, "declined": true }), is_error: true }
            } else {
                refused(call)
            });
        }
        self.feed(Input::Ended { call: index, what: 0, result: 0, ran: false });
    }

    pub(super) fn call_ended(&mut self, index: usize, outcome: ToolOutcome, unknown: bool) {
        let Some(call) = self.calls.get_mut(index) else { return };
        let what = call.fingerprint();
        let outcome = if call.instead_of.is_some() { rules::effects::moved_to_trash(outcome) } else { outcome };
        let result = fingerprint(&outcome.result.to_string());
        call.outcome = Some(outcome);
        call.unknown = unknown;
        if unknown {
            self.unknown.insert(what);
        }
        self.feed(Input::Ended { call: index, what, result, ran: true });
    }
}

fn refused(call: &RoundCall) -> ToolOutcome {
    // Without one: a yes that no longer covers the call, since a rule changed while the question was open.
    let changed = || ToolOutcome::error("Not done: the rules for this tool changed while it waited for an answer.");
    call.judged.as_ref().and_then(Judged::outcome).unwrap_or_else(changed)
}

/// Equal for equal values, within one run of the engine and beyond.
fn fingerprint(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}
