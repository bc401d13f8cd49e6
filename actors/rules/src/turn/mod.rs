//! The chat turn without the loop: what happened goes in, what to do next comes out.
//!
//! No async, no I/O, no texts. The runner performs the effects and feeds back what came of them; the store keeps every
//! step, so a turn that was running when the engine died goes on or ends honestly. Calls are known by their place in
//! the model's answer: whatever ids a model invents or reuses, they decide nothing here.
//!
//! Three laws hold for any input in any order, and are tested as properties: nothing that needs a yes runs without one
//! and nothing refused runs; every call is recorded exactly once and in the order the model asked; a turn ends once.

mod repeats;
#[cfg(test)]
mod tests;

use protocol::model::ModelErrorKind;
use repeats::Repeats;
use std::collections::BTreeSet;

/// How often a prompt that was too long is made shorter and sent again.
pub const SHRINKS_MAX: u32 = 3;

/// Settings of one turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Answers with tool calls (`models.max_tool_rounds`).
    pub rounds_max: u32,
    /// `tools.repeated_call_limit`; 0 switches the loop breaker off.
    pub repeat_limit: u32,
    /// `chat.parallel_read_tools`.
    pub parallel_reads: bool,
    /// Models that may be tried, the chosen one first.
    pub candidates: usize,
    pub attended: Attended,
}

/// Whether somebody waits for the answer and can go on with half a one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Attended {
    /// A chat: when the rounds are used up the model answers with what it has, and one that repeats a step is told once.
    #[default]
    Yes,
    /// A task, a helper: running into a limit is an error and ends it (contract section 10, "Loop breaker").
    No,
}

/// What a run may use up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Budget {
    Steps,
    Time,
    Tokens,
    Cost,
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// The model finished writing.
    Answered { has_text: bool, calls: usize },
    /// The model call failed. `spoke`: some of its text had been shown.
    ModelFailed { spoke: bool, kind: ModelErrorKind },
    /// What the gate says about a call.
    Judged { call: usize, ruling: Ruling },
    /// What the person says about a call. Nobody answering in time is a no.
    Decided { call: usize, yes: bool },
    /// The undo window of a call has ended. `goes`: it was not undone.
    Held { call: usize, goes: bool },
    /// A call has its result. `what` and `result` are fingerprints of the tool with its arguments and of the result;
    /// `ran` is false for one that was refused or declined.
    Ended { call: usize, what: u64, result: u64, ran: bool },
    /// A steer message waits in the store.
    Steered,
    /// The person stopped the reply, or everything.
    Stop,
    /// A budget is used up: there is no next model call.
    UsedUp(Budget),
}

/// The gate's verdict, as far as the turn needs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ruling {
    /// `beside`: a look-up that may run beside others.
    Run {
        beside: bool,
    },
    /// It runs, but only after a while in which it can be taken back.
    Hold,
    Ask,
    Refuse,
}

/// What to do next, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Store waiting steer messages, then call a model. `candidate` counts in the list of models that may be tried.
    CallModel {
        candidate: usize,
        tools: bool,
        note: Option<Note>,
    },
    /// Leave out more of the old material from now on.
    Shrink,
    /// Store the answer with its calls, before any of them is looked at.
    StoreCalls,
    /// Store the answer as a message of its own: a steer message follows it.
    KeepAnswer,
    /// Put the call to the gate, now.
    Judge(usize),
    /// Open its undo window.
    Hold(usize),
    /// Ask the person.
    Ask(usize),
    /// Run it.
    Run(usize),
    /// Give it a result that says why it did not run.
    Refuse(usize),
    /// Store and show its result.
    Record(usize),
    Finish(End),
}

/// What the model is told with the next call, beside the messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Note {
    /// It keeps repeating a step.
    TrySomethingElse,
    /// No tools any more: answer now.
    FinalAnswer,
}

/// How a turn ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// With the model's answer.
    Answered,
    /// By the person.
    Stopped,
    /// The model could not answer.
    Failed,
    /// It kept repeating the same step: in a chat after it was told to try something else.
    Repeated,
    /// A budget of unattended work is used up.
    UsedUp(Budget),
    /// No final answer came, but calls found something.
    Findings,
    /// No answer came and nothing was found.
    Empty,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Call {
    /// Not looked at yet, or to be looked at again.
    Waiting,
    Judging,
    Holding,
    Asking,
    Running {
        beside: bool,
    },
    Ended,
    Recorded,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Phase {
    Calling { tools: bool },
    Working { calls: Vec<Call> },
    Over,
}

/// A turn in progress.
#[derive(Clone, Debug)]
pub struct Turn {
    limits: Limits,
    phase: Phase,
    rounds: u32,
    candidate: usize,
    shrinks: u32,
    found: bool,
    steered: bool,
    final_asked: bool,
    nudged: bool,
    note: Option<Note>,
    approved: BTreeSet<usize>,
    /// Calls whose undo window has ended.
    held: BTreeSet<usize>,
    repeats: Repeats,
}

impl Turn {
    /// A new turn, and its first effect.
    pub fn begin(limits: Limits) -> (Self, Vec<Effect>) {
        Self::resume(limits, 0, Vec::new())
    }

    /// A turn found in the store: `rounds` answers with calls are stored, and of the last one's calls those marked true
    /// have their result.
    pub fn resume(limits: Limits, rounds: u32, recorded: Vec<bool>) -> (Self, Vec<Effect>) {
        let mut turn = Self {
            limits,
            phase: Phase::Over,
            rounds,
            candidate: 0,
            shrinks: 0,
            found: rounds > 0,
            steered: false,
            final_asked: false,
            nudged: false,
            note: None,
            approved: BTreeSet::new(),
            held: BTreeSet::new(),
            repeats: Repeats::new(limits.repeat_limit),
        };
        let calls: Vec<Call> =
            recorded.into_iter().map(|done| if done { Call::Recorded } else { Call::Waiting }).collect();
        let effects = if calls.contains(&Call::Waiting) {
            turn.phase = Phase::Working { calls };
            turn.advance()
        } else {
            turn.next_round()
        };
        (turn, effects)
    }

    pub fn is_over(&self) -> bool {
        self.phase == Phase::Over
    }

    /// Which model of the list is answering.
    pub fn candidate(&self) -> usize {
        self.candidate
    }

    /// The call of the last answer that had the same result too often.
    pub fn repeated_call(&self) -> Option<usize> {
        self.repeats.reached_by()
    }

    /// Takes in what happened. Anything late, doubled or out of place changes nothing.
    pub fn on(&mut self, input: Input) -> Vec<Effect> {
        match (input, &self.phase) {
            (_, Phase::Over) => Vec::new(),
            (Input::Stop, _) => self.finish(End::Stopped),
            (Input::UsedUp(budget), _) => self.finish(End::UsedUp(budget)),
            (Input::Steered, _) => {
                self.steered = true;
                Vec::new()
            }
            (Input::Answered { has_text, calls }, Phase::Calling { tools }) => {
                let calls = if *tools { calls } else { 0 };
                self.answered(has_text, calls)
            }
            (Input::ModelFailed { spoke, kind }, Phase::Calling { .. }) => self.model_failed(spoke, kind),
            (Input::Judged { call, ruling }, Phase::Working { .. }) => self.judged(call, ruling),
            (Input::Decided { call, yes }, Phase::Working { .. }) => self.decided(call, yes),
            (Input::Held { call, goes }, Phase::Working { .. }) => self.held(call, goes),
            (Input::Ended { call, what, result, ran }, Phase::Working { .. }) => {
                if ran && self.state(call).is_some_and(|state| matches!(state, Call::Running { .. })) {
                    self.found = true;
                    self.repeats.saw(call, what, result);
                }
                self.ended(call)
            }
            _ => Vec::new(),
        }
    }

    fn state(&self, call: usize) -> Option<Call> {
        match &self.phase {
            Phase::Working { calls } => calls.get(call).copied(),
            _ => None,
        }
    }

    fn set(&mut self, call: usize, state: Call) {
        if let Phase::Working { calls } = &mut self.phase {
            calls[call] = state;
        }
    }

    fn answered(&mut self, has_text: bool, calls: usize) -> Vec<Effect> {
        if calls > 0 {
            self.rounds += 1;
            self.approved.clear();
            self.held.clear();
            self.phase = Phase::Working { calls: vec![Call::Waiting; calls] };
            let mut effects = vec![Effect::StoreCalls];
            effects.extend(self.advance());
            return effects;
        }
        if !has_text {
            if !self.final_asked {
                self.final_asked = true;
                self.note = Some(Note::FinalAnswer);
                return self.call_model();
            }
            return self.finish(if self.found { End::Findings } else { End::Empty });
        }
        if self.steered && self.rounds < self.limits.rounds_max {
            let mut effects = vec![Effect::KeepAnswer];
            effects.extend(self.next_round());
            return effects;
        }
        self.finish(End::Answered)
    }

    fn model_failed(&mut self, spoke: bool, kind: ModelErrorKind) -> Vec<Effect> {
        if kind == ModelErrorKind::TooLong && !spoke && self.shrinks < SHRINKS_MAX {
            self.shrinks += 1;
            let mut effects = vec![Effect::Shrink];
            effects.extend(self.call_model());
            return effects;
        }
        if !spoke && self.candidate + 1 < self.limits.candidates && kind != ModelErrorKind::Cancelled {
            self.candidate += 1;
            return self.call_model();
        }
        self.finish(End::Failed)
    }

    fn judged(&mut self, call: usize, ruling: Ruling) -> Vec<Effect> {
        if self.state(call) != Some(Call::Judging) {
            return Vec::new();
        }
        let beside = self.limits.parallel_reads && ruling == Ruling::Run { beside: true };
        if !beside && self.any_running() {
            self.set(call, Call::Waiting); // its turn comes when those before it have ended; it is judged again then
            return Vec::new();
        }
        match ruling {
            Ruling::Run { .. } => {
                self.set(call, Call::Running { beside });
                let mut effects = vec![Effect::Run(call)];
                effects.extend(self.advance());
                effects
            }
            Ruling::Hold if self.held.contains(&call) => self.refuse(call), // it waits once
            Ruling::Hold => {
                self.set(call, Call::Holding);
                vec![Effect::Hold(call)]
            }
            Ruling::Ask if self.approved.contains(&call) => self.refuse(call), // a yes that no longer covers it
            Ruling::Ask => {
                self.set(call, Call::Asking);
                vec![Effect::Ask(call)]
            }
            Ruling::Refuse => self.refuse(call),
        }
    }

    fn refuse(&mut self, call: usize) -> Vec<Effect> {
        self.set(call, Call::Running { beside: false });
        vec![Effect::Refuse(call)]
    }

    fn held(&mut self, call: usize, goes: bool) -> Vec<Effect> {
        if self.state(call) != Some(Call::Holding) {
            return Vec::new(); // answered twice, or it never waited
        }
        if !goes {
            return self.refuse(call);
        }
        self.held.insert(call);
        self.set(call, Call::Judging); // rules are read again when the window ends
        vec![Effect::Judge(call)]
    }

    fn decided(&mut self, call: usize, yes: bool) -> Vec<Effect> {
        if self.state(call) != Some(Call::Asking) {
            return Vec::new(); // answered twice, or never asked
        }
        if !yes {
            return self.refuse(call);
        }
        self.approved.insert(call);
        self.set(call, Call::Judging); // rules are read again right before it runs
        vec![Effect::Judge(call)]
    }

    fn ended(&mut self, call: usize) -> Vec<Effect> {
        if !matches!(self.state(call), Some(Call::Running { .. })) {
            return Vec::new();
        }
        self.set(call, Call::Ended);
        let mut effects = Vec::new();
        if let Phase::Working { calls } = &mut self.phase {
            for (index, state) in calls.iter_mut().enumerate() {
                match state {
                    Call::Recorded => (),
                    Call::Ended => {
                        *state = Call::Recorded;
                        effects.push(Effect::Record(index));
                    }
                    _ => break,
                }
            }
        }
        effects.extend(self.advance());
        effects
    }

    fn any_running(&self) -> bool {
        matches!(&self.phase, Phase::Working { calls } if calls.iter().any(|call| matches!(call, Call::Running { .. })))
    }

    /// Puts the next call to the gate when it may be looked at, or goes on to the next round.
    fn advance(&mut self) -> Vec<Effect> {
        let Phase::Working { calls } = &self.phase else { return Vec::new() };
        if calls.iter().all(|call| *call == Call::Recorded) {
            return self.after_calls();
        }
        let alone = calls
            .iter()
            .any(|call| matches!(call, Call::Running { beside: false } | Call::Asking | Call::Holding | Call::Judging));
        match calls.iter().position(|call| *call == Call::Waiting) {
            Some(next) if !alone => {
                self.set(next, Call::Judging);
                vec![Effect::Judge(next)]
            }
            _ => Vec::new(),
        }
    }

    fn after_calls(&mut self) -> Vec<Effect> {
        if self.repeats.reached_by().is_some() {
            if self.nudged || self.limits.attended == Attended::No {
                return self.finish(End::Repeated);
            }
            self.nudged = true;
            self.repeats.forgive();
            self.note = Some(Note::TrySomethingElse);
        }
        self.next_round()
    }

    fn next_round(&mut self) -> Vec<Effect> {
        if self.rounds >= self.limits.rounds_max {
            if self.limits.attended == Attended::No {
                return self.finish(End::UsedUp(Budget::Steps));
            }
            self.final_asked = true;
            self.note = Some(Note::FinalAnswer);
        }
        self.call_model()
    }

    fn call_model(&mut self) -> Vec<Effect> {
        self.steered = false;
        let note = self.note.take();
        if note.is_some() {
            self.note = note.filter(|note| *note == Note::FinalAnswer); // stays for a retry of the same call
        }
        let tools = note != Some(Note::FinalAnswer);
        self.phase = Phase::Calling { tools };
        vec![Effect::CallModel { candidate: self.candidate, tools, note }]
    }

    fn finish(&mut self, end: End) -> Vec<Effect> {
        self.phase = Phase::Over;
        vec![Effect::Finish(end)]
    }
}
