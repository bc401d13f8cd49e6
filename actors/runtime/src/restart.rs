//! When a failed actor is started again, as a function of what happened and when (OTP's restart intensity). Pure.

use std::collections::VecDeque;
use std::time::Duration;

/// Which ends of an actor are followed by a new start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Restart {
    Always,
    OnFailure,
    Never,
}

/// How an actor ended. A kill counts as a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    Normal,
    Failed,
    Killed,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Leave,
    RestartIn(Duration),
    /// Too many failures in too short a time: the level above decides.
    GiveUp,
}

/// `restarts_max` restarts within `window`; each waits twice as long as the one before, at most `backoff_max`.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    pub restarts_max: usize,
    pub window: Duration,
    pub backoff_max: Duration,
}

/// `now` is the time since the supervisor started; `history` holds the recent restarts.
pub fn decide(history: &mut VecDeque<Duration>, policy: Restart, exit: Exit, limits: Limits, now: Duration) -> Verdict {
    let wanted = match (policy, exit) {
        (Restart::Always, _) | (Restart::OnFailure, Exit::Failed | Exit::Killed) => true,
        (Restart::OnFailure, Exit::Normal) | (Restart::Never, _) => false,
    };
    if !wanted {
        return Verdict::Leave;
    }
    while history.front().is_some_and(|at| *at + limits.window <= now) {
        history.pop_front();
    }
    if limits.restarts_max <= history.len() {
        return Verdict::GiveUp;
    }
    history.push_back(now);
    let doubled = Duration::from_millis(50).saturating_mul(1 << (history.len() - 1).min(16));
    Verdict::RestartIn(doubled.min(limits.backoff_max))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn restart_cases() {
        const S: fn(u64) -> Duration = Duration::from_secs;
        let limits = Limits { restarts_max: 3, window: S(5), backoff_max: S(1) };
        for (name, policy, crashes, want) in [
            ("a normal exit is left alone", Restart::OnFailure, vec![(0, Exit::Normal)], Verdict::Leave),
            (
                "a kill counts as a failure",
                Restart::OnFailure,
                vec![(0, Exit::Killed)],
                Verdict::RestartIn(Duration::from_millis(50)),
            ),
            (
                "the fourth crash in five seconds gives up",
                Restart::Always,
                vec![(0, Exit::Failed), (1, Exit::Failed), (2, Exit::Failed), (3, Exit::Failed)],
                Verdict::GiveUp,
            ),
            (
                "old crashes are forgotten",
                Restart::Always,
                vec![(0, Exit::Failed), (1, Exit::Failed), (2, Exit::Failed), (9, Exit::Failed)],
                Verdict::RestartIn(Duration::from_millis(50)),
            ),
        ] {
            let mut history = VecDeque::new();
            let got = crashes.iter().map(|(at, exit)| decide(&mut history, policy, *exit, limits, S(*at))).last();
            assert_eq!(got, Some(want), "{name}");
        }
    }
}
