//! The switch itself: shared by everything that works, so that a stop reaches all of it at once and needs nobody's
//! mailbox.
//!
//! It writes nothing to the disk; the role [`Stop`](super::Stop) keeps it in the store.

use protocol::engine::StopState;
use protocol::ids::{SessionId, TurnId};
use protocol::{Error, ErrorKind, Timestamp};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use storage::records::QueuedInput;
use tokio::sync::watch;
use tokio_util::sync::{CancellationToken, DropGuard};

/// Kinds of work, in the order in which a stop ends them (contract section 17).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Work {
    /// A chat's reply on any surface.
    Reply,
    TaskRun,
    /// A task's planning, a check script.
    Planning,
    /// A subagent.
    Helper,
    Dream,
    /// Memory notes, reviews, suggestions.
    Background,
}

/// What of the switch outlives the program (meta `stop.state`).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Kept {
    #[serde(flatten)]
    pub(crate) state: StopState,
    #[serde(default)]
    pub(crate) leftovers: Leftovers,
}

/// What the last stop found under way. A crash may keep it from ending: found in the store then, it does not go on.
/// Names and not times say what it is, since clocks are put forward and back.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Leftovers {
    pub(crate) turns: BTreeSet<TurnId>,
    /// Waiting messages: chat, number, and when each was taken in, since numbers begin again.
    pub(crate) inputs: BTreeSet<(SessionId, u64, Timestamp)>,
}

/// Clones are the same switch.
#[derive(Clone)]
pub struct Switch(Arc<Inner>);

struct Inner {
    jobs: Mutex<Jobs>,
    told: watch::Sender<StopState>,
}

#[derive(Default)]
struct Jobs {
    state: StopState,
    leftovers: Leftovers,
    /// How often it was pressed since the program began.
    stops: u64,
    next: u64,
    running: BTreeMap<(Work, u64), Job>,
}

struct Job {
    cancel: CancellationToken,
    ended: CancellationToken,
}

/// Keeps a job where a stop finds it, until it has ended.
pub struct AtWork {
    switch: Switch,
    key: (Work, u64),
    _ended: DropGuard,
}

/// What a press of the switch came to.
pub(crate) struct Pulled {
    pub(crate) cancelled: usize,
    /// Cancelled when each of the jobs has ended.
    pub(crate) ends: Vec<CancellationToken>,
}

impl Default for Switch {
    fn default() -> Self {
        Self::new(Kept::default())
    }
}

impl Switch {
    pub(crate) fn new(kept: Kept) -> Self {
        let Kept { state, leftovers } = kept;
        let (told, _) = watch::channel(state.clone());
        Self(Arc::new(Inner { jobs: Mutex::new(Jobs { state, leftovers, ..Jobs::default() }), told }))
    }

    pub fn state(&self) -> StopState {
        self.lock().state.clone()
    }

    pub fn is_stopped(&self) -> bool {
        self.lock().state.stopped
    }

    /// Follows the state: for what pauses while everything is stopped and goes on by itself afterwards.
    pub fn follow(&self) -> watch::Receiver<StopState> {
        self.0.told.subscribe()
    }

    /// How often everything was stopped since the program began. What was waiting at an earlier number is dropped.
    pub fn stops(&self) -> u64 {
        self.lock().stops
    }

    /// Work the person started directly: it may begin while everything is stopped, and the next stop ends it. `since`
    /// is [`Switch::stops`] as it was when the person asked for it: a stop in between ends it before it has begun.
    pub fn enter(&self, work: Work, cancel: CancellationToken, since: u64) -> AtWork {
        let mut jobs = self.lock();
        if jobs.stops != since {
            cancel.cancel();
        }
        self.add(&mut jobs, work, cancel)
    }

    /// Work that begins by itself: a due task, a feed, a suggestion, a dream.
    ///
    /// # Errors
    /// `Conflict` while everything is stopped.
    pub fn enter_by_itself(&self, work: Work, cancel: CancellationToken) -> Result<AtWork, Error> {
        let mut jobs = self.lock();
        if jobs.state.stopped {
            return Err(stopped());
        }
        Ok(self.add(&mut jobs, work, cancel))
    }

    fn add(&self, jobs: &mut Jobs, work: Work, cancel: CancellationToken) -> AtWork {
        jobs.next += 1;
        let key = (work, jobs.next);
        let ended = CancellationToken::new();
        jobs.running.insert(key, Job { cancel, ended: ended.clone() });
        AtWork { switch: self.clone(), key, _ended: ended.drop_guard() }
    }

    /// Whether a turn that is found in the store was stopped, and did not end before a crash.
    pub(crate) fn has_stopped(&self, turn: &TurnId) -> bool {
        self.lock().leftovers.turns.contains(turn)
    }

    /// Whether a message that is found waiting in the store was dropped by a stop.
    pub(crate) fn has_dropped(&self, input: &QueuedInput) -> bool {
        self.lock().leftovers.inputs.contains(&named(input))
    }

    /// What the last stop found under way, now that it is stored.
    pub(crate) fn leave(&self, leftovers: Leftovers) {
        self.lock().leftovers = leftovers;
    }

    /// Stops everything, at once: from here on nothing begins by itself, and all that runs is told to end.
    pub(crate) fn pull(&self, source: &str, now: Timestamp) -> Pulled {
        let mut jobs = self.lock();
        if !jobs.state.stopped {
            jobs.state = StopState { stopped: true, stopped_at: Some(now), source: Some(source.to_owned()) };
        }
        let state = jobs.state.clone();
        jobs.stops += 1;
        let mut ends = Vec::new();
        for job in jobs.running.values().filter(|job| !job.cancel.is_cancelled()) {
            job.cancel.cancel();
            ends.push(job.ended.clone());
        }
        drop(jobs);
        self.0.told.send_if_modified(|told| std::mem::replace(told, state.clone()) != state);
        Pulled { cancelled: ends.len(), ends }
    }

    /// What to keep in the store, and at which number of stops that is so.
    pub(crate) fn now(&self) -> (StopState, u64) {
        let jobs = self.lock();
        (jobs.state.clone(), jobs.stops)
    }

    /// Lets work begin again, unless everything was stopped once more since `stops`. Answers whether it does.
    pub(crate) fn release(&self, state: StopState, stops: u64) -> bool {
        let mut jobs = self.lock();
        if jobs.stops != stops {
            return false;
        }
        jobs.state = state.clone();
        drop(jobs);
        self.0.told.send_replace(state);
        true
    }

    fn lock(&self) -> MutexGuard<'_, Jobs> {
        self.0.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for AtWork {
    fn drop(&mut self) {
        self.switch.lock().running.remove(&self.key);
    }
}

pub(super) fn named(input: &QueuedInput) -> (SessionId, u64, Timestamp) {
    (input.session_id.clone(), input.number, input.created_at)
}

/// What work that begins by itself is told while everything is stopped.
pub fn stopped() -> Error {
    Error::new(ErrorKind::Conflict, "Sentient is stopped.").hint("Press Resume first.")
}

#[cfg(test)]
mod tests {
    use super::*;

    const T: fn(i64) -> Timestamp = Timestamp;

    #[test]
    fn a_stop_ends_all_that_runs_in_the_contracts_order_and_counts_it_once() {
        let switch = Switch::default();
        let tokens: Vec<_> = (0..3).map(|_| CancellationToken::new()).collect();
        let dream = switch.enter_by_itself(Work::Dream, tokens[0].clone()).expect("not stopped");
        let reply = switch.enter(Work::Reply, tokens[1].clone(), 0);
        drop(switch.enter(Work::Helper, tokens[2].clone(), 0));
        let order: Vec<Work> = switch.lock().running.keys().map(|(work, _)| *work).collect();
        assert_eq!(order, [Work::Reply, Work::Dream]);
        let pulled = switch.pull("tray", T(5));
        assert_eq!(pulled.cancelled, 2);
        assert!(tokens[0].is_cancelled() && tokens[1].is_cancelled() && !tokens[2].is_cancelled());
        assert!(pulled.ends.iter().all(|end| !end.is_cancelled()));
        assert_eq!(switch.pull("hotkey", T(6)).cancelled, 0, "those are ending already");
        drop((dream, reply));
        assert!(pulled.ends.iter().all(CancellationToken::is_cancelled));
    }

    #[test]
    fn a_second_stop_keeps_when_and_where_the_first_was_and_ends_what_began_since() {
        let switch = Switch::default();
        let follow = switch.follow();
        drop(switch.pull("tray", T(5)));
        let state = StopState { stopped: true, stopped_at: Some(T(5)), source: Some("tray".into()) };
        assert_eq!((switch.state(), switch.stops(), switch.is_stopped()), (state.clone(), 1, true));
        assert_eq!(*follow.borrow(), state);
        assert!(switch.enter_by_itself(Work::TaskRun, CancellationToken::new()).is_err());
        let direct = switch.enter(Work::Reply, CancellationToken::new(), 1);
        assert_eq!(switch.pull("desktop", T(9)).cancelled, 1);
        assert_eq!((switch.state(), switch.stops()), (state, 2));
        let late = CancellationToken::new();
        drop((direct, switch.enter(Work::Reply, late.clone(), 1)));
        assert!(late.is_cancelled(), "it was asked for before the second stop");
    }

    #[test]
    fn a_stop_that_comes_beside_a_resume_wins() {
        let switch = Switch::default();
        drop(switch.pull("desktop", T(5)));
        let (_, seen) = switch.now();
        drop(switch.pull("desktop", T(6)));
        assert!(!switch.release(StopState::default(), seen) && switch.is_stopped());
        assert!(switch.release(StopState::default(), seen + 1) && !switch.is_stopped());
        assert!(switch.enter_by_itself(Work::Dream, CancellationToken::new()).is_ok());
    }

    #[test]
    fn what_a_crash_left_is_known_by_its_name() {
        let input = |number, created_at| QueuedInput {
            session_id: "s".into(),
            number,
            kind: storage::records::QueuedKind::Turn,
            text: String::new(),
            attachments: Vec::new(),
            model: None,
            client_id: None,
            channel: String::new(),
            created_at: T(created_at),
        };
        let leftovers =
            Leftovers { turns: BTreeSet::from(["t1".into()]), inputs: BTreeSet::from([named(&input(1, 5))]) };
        let json = serde_json::to_string(&Kept { state: StopState::default(), leftovers }).expect("written");
        let again = Switch::new(serde_json::from_str(&json).expect("read"));
        assert!(again.has_stopped(&"t1".into()) && !again.has_stopped(&"t2".into()));
        for (name, input, want) in [
            ("the same", input(1, 5), true),
            ("another", input(2, 5), false),
            ("a later one with its number", input(1, 6), false),
        ] {
            assert_eq!(again.has_dropped(&input), want, "{name}");
        }
        again.leave(Leftovers::default());
        assert!(!again.has_stopped(&"t1".into()));
    }
}
