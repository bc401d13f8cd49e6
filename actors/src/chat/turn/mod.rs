//! Runs one reply: performs the effects of `rules::turn` and feeds back what came of them.
//!
//! It decides nothing. What may run is the gate's, what comes next the turn's, what is stored the chat's; and whatever
//! happens here, a panic included, the chat hears of one end.

mod app_question;
mod ask;
mod background;
mod call;
mod compose;
mod facts;
mod hold;
mod home;
mod hosts;
mod judge;
mod known;
mod look;
mod model;
mod noted;
mod prompt;
mod recalled;
mod record;
mod safe;
mod said;
mod sources;

use super::{Append, Appended, Chat, ChatParts, Close, Ended, QueueDrain};
use crate::folders::Prompted;
pub(crate) use app_question::expire_questions;
pub(crate) use background::{Look, Name, Summarised};
use call::RoundCall;
use facts::Facts;
use futures::FutureExt;
use futures::future::BoxFuture;
use futures::stream::{FuturesUnordered, StreamExt};
pub(crate) use home::{Errand, Home};
use model::RoundEnd;
use protocol::chat::{ChatEvent, ChatFrame};
use protocol::ids::MessageId;
use protocol::model::ModelError;
use protocol::sessions::{AnswerSource, MemorySource};
use protocol::undo::UndoAction;
use protocol::{Error, ErrorKind};
use rules::prompt::{Attached, Said};
use rules::subagents::Spent;
use rules::turn::{Budget, Effect, Input, Turn};
use runtime::{Address, Outside, World};
pub(crate) use safe::{Promise, Safe, promise};
use std::collections::{BTreeSet, VecDeque};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use storage::records::{MessageRecord, SessionRecord, TurnRecord, UsageRecord};
use tokio::sync::mpsc;
use tokio::time::{Duration, Instant, sleep, sleep_until};
use tokio_util::sync::CancellationToken;

/// How long the chat may take to store a step.
const STORE_WAIT: Duration = Duration::from_secs(30);
/// How long a chat that could not take a step in is left alone.
const ASK_AGAIN: Duration = Duration::from_millis(500);
/// How often a reply tries to hand in its end. The chat's own restarts and a slow disk take seconds; what is longer is
/// found in the store by the sweep.
const END_TRIES_MAX: usize = 120;

/// What a running reply may hear from its chat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Signal {
    /// The steer message with this number waits.
    Steered(u64),
}

/// What a reply begins with.
pub(crate) struct Setting {
    pub(crate) parts: Arc<ChatParts>,
    pub(crate) world: World,
    pub(crate) home: Home,
    pub(crate) turn: TurnRecord,
    pub(crate) first_ordinal: u64,
    pub(crate) record: SessionRecord,
    /// Steer messages were accepted before a crash and have not joined.
    pub(crate) steers_wait: bool,
    /// Messages of the turn: the one it answers, and after a crash those of its steps before it.
    pub(crate) rows: Vec<MessageRecord>,
    /// Whether they are on the disk.
    pub(crate) safe: Safe,
    pub(crate) cancel: CancellationToken,
    /// Set for a helper's turn.
    pub(crate) errand: Option<Errand>,
}

/// Something a reply waited for.
enum Outcome {
    Model(RoundEnd),
    /// A second look at a call found this, or nothing.
    Looked {
        call: usize,
        warning: Option<String>,
    },
    Decided {
        call: usize,
        decision: ask::Decided,
    },
    /// An undo window has ended, or was answered.
    Held {
        call: usize,
        action: Option<UndoAction>,
    },
    /// `unknown`: it was cut off, so nobody knows whether it went through.
    Ended {
        call: usize,
        outcome: protocol::tools::ToolOutcome,
        duration_ms: u64,
        unknown: bool,
    },
}

struct Runner {
    setting: Setting,
    facts: Facts,
    machine: Turn,
    todo: VecDeque<Effect>,
    jobs: FuturesUnordered<BoxFuture<'static, Outcome>>,
    /// The chat as it is stored.
    record: SessionRecord,
    said: Vec<Said>,
    attached: Vec<Attached>,
    /// The answer being made, or just made.
    round: model::Round,
    /// What the answer being made has said so far; kept when it is stopped.
    partial: model::Partial,
    calls: Vec<RoundCall>,
    /// What the person said in this turn.
    words: Vec<String>,
    /// What of it has not been looked at for standing instructions.
    unchecked: Vec<(MessageId, String)>,
    /// Calls of this turn of which nobody knows whether they went through. They are not made again unless the person
    /// says something more.
    unknown: BTreeSet<u64>,
    /// Whose content the chat had read when this round began; later sources count from the next round on.
    outside_at_round: Option<String>,
    /// Hosts that what was read may have led it to.
    led: Vec<String>,
    usage: Vec<UsageRecord>,
    /// What this turn has used on models outside this computer.
    spent: Spent,
    sources: Vec<AnswerSource>,
    /// Pieces of the person's notes that go with the message.
    noted: Prompted,
    memory_sources: Vec<MemorySource>,
    /// Memories that go with the message.
    recalled: recalled::Recalled,
    steers_wait: bool,
    /// The last steer message that joined.
    steers_upto: u64,
    noticed: bool,
    shrinks: u32,
    /// About how many tokens the messages of the last model call took.
    prompt_tokens: usize,
    /// Which candidate's thinking the prompt holds.
    thinker: usize,
    last_error: Option<ModelError>,
}

/// Runs a helper's turn to its end. A panic in it is for whoever runs the helper.
pub(crate) async fn run_errand(setting: Setting) -> Ended {
    let (_nobody_steers, signals) = mpsc::channel(1);
    match Box::pin(drive(setting, signals)).await {
        Ok(ended) => ended,
        Err(error) if error.kind == ErrorKind::Cancelled => Ended { cancelled: true, ..Ended::default() },
        Err(error) => {
            tracing::error!(%error, "a helper could not go on");
            Ended::failed(error.detail())
        }
    }
}

/// Runs the reply to its end and tells the chat.
pub(crate) async fn run(chat: Address<Chat>, setting: Setting, signals: mpsc::Receiver<Signal>) {
    let (turn, parts) = (setting.turn.clone(), setting.parts.clone());
    let cancel = setting.cancel.clone();
    let world = setting.world.clone();
    let driven = AssertUnwindSafe(drive(setting, signals)).catch_unwind().await;
    let ended = match driven {
        Ok(Ok(ended)) => ended,
        // The chat itself ended the reply (it was deleted, or started again from the store) or could not store its
        // message: nothing to say twice.
        Ok(Err(error)) if error.kind == ErrorKind::Cancelled => return,
        Ok(Err(error)) => {
            tracing::error!(%error, turn = %turn.turn_id, "a reply could not go on");
            Ended::failed(error.detail())
        }
        Err(_) => {
            tracing::error!(turn = %turn.turn_id, "a reply panicked");
            Ended::failed("Something went wrong inside Sentient while writing this reply. Send the message again.")
        }
    };
    let finished = ended.has_answer && !ended.cancelled && parts.background;
    let withdraw = crate::approvals::Withdraw { turn_id: turn.turn_id.clone() };
    if let Err(error) = parts.approvals.tell(&Outside::within(STORE_WAIT), withdraw).await {
        tracing::debug!(%error, "open questions could not be taken back");
    }
    expire_questions(&parts, &turn.channel, &turn.session_id).await;
    if hand_in(&chat, turn, ended).await && finished {
        tokio::select! {
            biased;
            () = cancel.cancelled() => (),
            () = background::after_reply(parts, world, chat) => (),
        }
    }
}

/// Hands the end to the chat until it has taken it in. Answers whether it did; else the chat has ended the turn itself,
/// has begun it again, or is gone, and the store has what is needed to go on.
async fn hand_in(chat: &Address<Chat>, turn: TurnRecord, mut ended: Ended) -> bool {
    for _ in 0..END_TRIES_MAX {
        let close = Close { turn: turn.clone(), ended: ended.clone() };
        let Err(error) = chat.ask(&Outside::within(STORE_WAIT), close).await else { return true };
        match error.kind {
            ErrorKind::Cancelled | ErrorKind::NotFound => return false,
            _ if chat.is_gone() => break,
            ErrorKind::Busy | ErrorKind::Timeout | ErrorKind::Unavailable | ErrorKind::Internal => {
                tracing::debug!(%error, turn = %turn.turn_id, "a reply's end is handed in again");
                sleep(ASK_AGAIN).await;
            }
            _ => ended = Ended::failed(error.detail()), // what it wrote cannot be stored: then at least its end is
        }
    }
    tracing::warn!(turn = %turn.turn_id, "a reply's end could not be stored");
    false
}

async fn drive(setting: Setting, mut signals: mpsc::Receiver<Signal>) -> Result<Ended, Error> {
    let cancel = setting.cancel.clone();
    let mut runner = Runner::prepare(setting).await?;
    let deadline = runner.setting.errand.as_ref().map(|errand| errand.deadline);
    let (mut stopped, mut late) = (false, false);
    loop {
        while let Some(effect) = runner.todo.pop_front() {
            if let Some(ended) = runner.perform(effect).await? {
                return Ok(ended);
            }
        }
        tokio::select! {
            biased;
            () = cancel.cancelled(), if !stopped => {
                runner.setting.safe.wait().await?;
                stopped = true;
                runner.jobs.clear();
                runner.keep_partial();
                runner.feed(Input::Stop);
            }
            () = until(deadline), if deadline.is_some() && !late && !stopped => {
                late = true;
                runner.jobs.clear();
                runner.feed(Input::UsedUp(Budget::Time));
            }
            Some(Signal::Steered(number)) = signals.recv() => {
                // One that came beside another may have joined with it already.
                if number > runner.steers_upto {
                    runner.steers_wait = true;
                    runner.feed(Input::Steered);
                }
            }
            Some(outcome) = runner.jobs.next(), if !runner.jobs.is_empty() => {
                runner.setting.safe.wait().await?;
                runner.take(outcome);
            }
            else => return Err(Error::internal("a reply waited for nothing")),
        }
    }
}

/// Waits for a moment, for ever when there is none.
async fn until(moment: Option<Instant>) {
    match moment {
        Some(moment) => sleep_until(moment).await,
        None => std::future::pending().await,
    }
}

/// Stores a step. A chat that has too much to do is asked again: its own reply waits longest for it.
async fn store(home: &Home, step: Append) -> Result<Appended, Error> {
    let patience = Outside::within(STORE_WAIT);
    loop {
        match home.append(&patience, step.clone()).await {
            Err(error) if error.kind == ErrorKind::Busy && patience.has_time() => sleep(ASK_AGAIN).await,
            answer => return answer,
        }
    }
}

impl Runner {
    /// Gathers what the reply needs and decides how it begins.
    async fn prepare(setting: Setting) -> Result<Self, Error> {
        let facts = Facts::gather(&setting).await?;
        let recalled = known::add(&setting, &facts, recalled::look_up(&setting, &facts).await).await;
        let (said, attached) = prompt::gather(&setting).await?;
        let noted = noted::look_up(&setting, &facts).await;
        let (machine, effects, calls) = call::begin(&setting, &facts);
        let led = hosts::led(&setting.parts.store.snapshot()?, &setting.record)?;
        let unknown = calls.iter().filter(|call| call.unknown).map(RoundCall::fingerprint).collect();
        let mut runner = Self {
            record: setting.record.clone(),
            outside_at_round: setting.record.untrusted.clone(),
            facts,
            machine,
            todo: effects.into(),
            jobs: FuturesUnordered::new(),
            said,
            attached,
            round: model::Round::default(),
            partial: model::Partial::default(),
            calls,
            words: match &setting.errand {
                Some(errand) => errand.words.clone(),
                None => judge::words(&setting.rows).map(|(_, text)| text).collect(),
            },
            unchecked: judge::words(&setting.rows).collect(),
            led,
            unknown,
            usage: Vec::new(),
            spent: Spent::default(),
            sources: Vec::new(),
            noted,
            memory_sources: Vec::new(),
            recalled,
            steers_wait: setting.steers_wait,
            steers_upto: 0,
            noticed: false,
            shrinks: 0,
            prompt_tokens: 0,
            thinker: 0,
            last_error: None,
            setting,
        };
        runner.note_recalled();
        runner.note_stored_sources();
        runner.mark_attachments().await?;
        Ok(runner)
    }

    fn feed(&mut self, input: Input) {
        self.todo.extend(self.machine.on(input));
    }

    fn take(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Model(end) => self.model_ended(end),
            Outcome::Looked { call, warning } => self.looked(call, warning),
            Outcome::Decided { call, decision } => self.decided(call, decision),
            Outcome::Held { call, action } => self.held(call, action),
            Outcome::Ended { call, outcome, duration_ms, unknown } => {
                self.calls[call].duration_ms = duration_ms;
                self.call_ended(call, outcome, unknown);
            }
        }
    }

    async fn perform(&mut self, effect: Effect) -> Result<Option<Ended>, Error> {
        if !matches!(effect, Effect::CallModel { .. }) {
            self.setting.safe.wait().await?;
        }
        match effect {
            Effect::CallModel { candidate, tools, note } => self.call_model(candidate, tools, note).await?,
            Effect::Shrink => self.shrinks += 1,
            Effect::StoreCalls => self.store_calls().await?,
            Effect::KeepAnswer => self.keep_answer().await?,
            Effect::Judge(call) => self.judge(call),
            Effect::Hold(call) => self.hold(call).await?,
            Effect::Ask(call) => self.ask(call).await?,
            Effect::Run(call) => self.run_call(call).await?,
            Effect::Refuse(call) => self.refuse(call),
            Effect::Record(call) => self.record_call(call).await?,
            Effect::Finish(end) => return Ok(Some(self.finish(end).await)),
        }
        Ok(None)
    }

    /// Stores a step with the chat and takes over what the chat says it now is.
    async fn append(&mut self, mut step: Append) -> Result<Appended, Error> {
        step.usage.append(&mut self.usage);
        if self.steers_wait && step.drain == QueueDrain::TakeSteers {
            self.steers_wait = false;
        }
        let appended = store(&self.setting.home, step).await?;
        self.steers_upto = self.steers_upto.max(appended.steers_upto);
        self.record = appended.record.clone();
        if !appended.steers.is_empty() {
            self.unknown.clear();
        }
        for (message, text) in judge::words(&appended.steers) {
            self.words.push(text.clone());
            self.unchecked.push((message, text));
        }
        self.said.extend(appended.steers.iter().chain(&appended.rows).map(prompt::said));
        Ok(appended)
    }

    fn step(&self) -> Append {
        Append::to(&self.setting.turn)
    }

    /// Tells the windows an event of this turn.
    fn tell(&self, event: ChatEvent) {
        let turn_id = Some(self.setting.turn.turn_id.clone());
        let frame = ChatFrame { event, session_id: self.record.id.clone(), turn_id };
        self.setting.home.tell(&self.setting.parts, frame);
    }
}
