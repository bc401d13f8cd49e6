//! Turns as stories, and the laws that hold for any story.

use super::*;
use expect_test::{Expect, expect};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

const LIMITS: Limits =
    Limits { rounds_max: 3, repeat_limit: 3, parallel_reads: true, candidates: 1, attended: Attended::Yes };
const UNATTENDED: Limits = Limits { attended: Attended::No, ..LIMITS };

/// One line in, what comes out. `says` text, `empty`, `calls 2`, `fail`, `fail too_long`, `may 0` (a look-up),
/// `run 0` (alone), `ask 0`, `no 0` (refused), `yes 0`, `deny 0`, `end 0`, `steer`, `stop`.
fn parse(line: &str) -> Input {
    let (verb, rest) = line.split_once(' ').unwrap_or((line, ""));
    let call = || rest.parse().expect("a call's place");
    match verb {
        "says" => Input::Answered { has_text: true, calls: 0 },
        "empty" => Input::Answered { has_text: false, calls: 0 },
        "calls" => Input::Answered { has_text: false, calls: call() },
        "fail" if rest == "too_long" => Input::ModelFailed { spoke: false, kind: ModelErrorKind::TooLong },
        "fail" => Input::ModelFailed { spoke: rest == "spoke", kind: ModelErrorKind::Unreachable },
        "may" => Input::Judged { call: call(), ruling: Ruling::Run { beside: true } },
        "run" => Input::Judged { call: call(), ruling: Ruling::Run { beside: false } },
        "ask" => Input::Judged { call: call(), ruling: Ruling::Ask },
        "no" => Input::Judged { call: call(), ruling: Ruling::Refuse },
        "yes" => Input::Decided { call: call(), yes: true },
        "deny" => Input::Decided { call: call(), yes: false },
        "hold" => Input::Judged { call: call(), ruling: Ruling::Hold },
        "goes" => Input::Held { call: call(), goes: true },
        "undone" => Input::Held { call: call(), goes: false },
        "end" => Input::Ended { call: call(), what: call() as u64, result: 7, ran: true },
        "steer" => Input::Steered,
        "stop" => Input::Stop,
        "used" => Input::UsedUp(Budget::Tokens),
        other => panic!("no such line: {other}"),
    }
}

fn show(effects: &[Effect]) -> String {
    let words: Vec<String> = effects
        .iter()
        .map(|effect| match effect {
            Effect::CallModel { candidate, tools, note } => {
                let note = note.map(|note| format!(" {note:?}")).unwrap_or_default();
                format!("model{candidate}{}{note}", if *tools { "" } else { " no tools" })
            }
            Effect::Finish(end) => format!("finish {end:?}"),
            other => format!("{other:?}").replace(['(', ')'], " ").trim().to_lowercase(),
        })
        .collect();
    if words.is_empty() { "nothing".into() } else { words.join(", ") }
}

fn check_with(limits: Limits, story: &str, want: Expect) {
    let (mut turn, effects) = Turn::begin(limits);
    let mut got = format!("-> {}\n", show(&effects));
    for line in story.lines().map(str::trim).filter(|line| !line.is_empty()) {
        got += &format!("{line} -> {}\n", show(&turn.on(parse(line))));
    }
    want.assert_eq(&got);
}

fn check(story: &str, want: Expect) {
    check_with(LIMITS, story, want);
}

#[test]
fn look_ups_run_beside_each_other_and_are_recorded_in_order() {
    check(
        "calls 3\nmay 0\nmay 1\nrun 2\nend 1\nend 0\nrun 2\nend 2\nsays",
        expect![[r#"
            -> model0
            calls 3 -> storecalls, judge 0
            may 0 -> run 0, judge 1
            may 1 -> run 1, judge 2
            run 2 -> nothing
            end 1 -> judge 2
            end 0 -> record 0, record 1
            run 2 -> run 2
            end 2 -> record 2, model0
            says -> finish Answered
        "#]],
    );
}

#[test]
fn a_yes_is_followed_by_one_more_look_at_the_rules() {
    check(
        "calls 2\nask 0\nyes 0\nrun 0\nend 0\nask 1\ndeny 1\nend 1\nsays",
        expect![[r#"
            -> model0
            calls 2 -> storecalls, judge 0
            ask 0 -> ask 0
            yes 0 -> judge 0
            run 0 -> run 0
            end 0 -> record 0, judge 1
            ask 1 -> ask 1
            deny 1 -> refuse 1
            end 1 -> record 1, model0
            says -> finish Answered
        "#]],
    );
}

#[test]
fn a_call_that_waits_is_looked_at_once_more_and_waits_once() {
    check(
        "calls 2\nhold 0\ngoes 0\nrun 0\nend 0\nhold 1\ngoes 1\nhold 1\nend 1\nsays",
        expect![[r#"
            -> model0
            calls 2 -> storecalls, judge 0
            hold 0 -> hold 0
            goes 0 -> judge 0
            run 0 -> run 0
            end 0 -> record 0, judge 1
            hold 1 -> hold 1
            goes 1 -> judge 1
            hold 1 -> refuse 1
            end 1 -> record 1, model0
            says -> finish Answered
        "#]],
    );
}

#[test]
fn a_call_that_was_undone_never_runs_whatever_comes_late() {
    check(
        "calls 1\nhold 0\nundone 0\ngoes 0\nrun 0\nend 0\nsays",
        expect![[r#"
            -> model0
            calls 1 -> storecalls, judge 0
            hold 0 -> hold 0
            undone 0 -> refuse 0
            goes 0 -> nothing
            run 0 -> nothing
            end 0 -> record 0, model0
            says -> finish Answered
        "#]],
    );
}

#[test]
fn a_rule_set_while_the_question_was_open_wins() {
    check(
        "calls 1\nask 0\nyes 0\nno 0\nend 0\nsays",
        expect![[r#"
            -> model0
            calls 1 -> storecalls, judge 0
            ask 0 -> ask 0
            yes 0 -> judge 0
            no 0 -> refuse 0
            end 0 -> record 0, model0
            says -> finish Answered
        "#]],
    );
}

#[test]
fn stop_wins_over_a_late_yes() {
    check(
        "calls 1\nask 0\nstop\nyes 0\nrun 0\nend 0",
        expect![[r#"
            -> model0
            calls 1 -> storecalls, judge 0
            ask 0 -> ask 0
            stop -> finish Stopped
            yes 0 -> nothing
            run 0 -> nothing
            end 0 -> nothing
        "#]],
    );
}

#[test]
fn a_steer_in_the_last_answer_goes_on_in_the_same_turn() {
    check(
        "steer\nsays\nsays",
        expect![[r#"
            -> model0
            steer -> nothing
            says -> keepanswer, model0
            says -> finish Answered
        "#]],
    );
}

#[test]
fn when_no_rounds_are_left_a_steer_waits_for_a_new_turn() {
    let limits = Limits { rounds_max: 1, ..LIMITS };
    check_with(
        limits,
        "calls 1\nrun 0\nend 0\nsteer\nsays",
        expect![[r#"
            -> model0
            calls 1 -> storecalls, judge 0
            run 0 -> run 0
            end 0 -> record 0, model0 no tools FinalAnswer
            steer -> nothing
            says -> finish Answered
        "#]],
    );
}

#[test]
fn an_empty_answer_is_asked_for_once_more() {
    check(
        "empty\nempty",
        expect![[r#"
            -> model0
            empty -> model0 no tools FinalAnswer
            empty -> finish Empty
        "#]],
    );
    check(
        "calls 1\nrun 0\nend 0\nempty\nempty",
        expect![[r#"
            -> model0
            calls 1 -> storecalls, judge 0
            run 0 -> run 0
            end 0 -> record 0, model0
            empty -> model0 no tools FinalAnswer
            empty -> finish Findings
        "#]],
    );
}

#[test]
fn the_loop_breaker_says_it_once_and_then_ends() {
    check_with(
        Limits { rounds_max: 9, ..LIMITS },
        "calls 1\nrun 0\nend 0\ncalls 1\nrun 0\nend 0\ncalls 1\nrun 0\nend 0\ncalls 1\nrun 0\nend 0",
        expect![[r#"
            -> model0
            calls 1 -> storecalls, judge 0
            run 0 -> run 0
            end 0 -> record 0, model0
            calls 1 -> storecalls, judge 0
            run 0 -> run 0
            end 0 -> record 0, model0
            calls 1 -> storecalls, judge 0
            run 0 -> run 0
            end 0 -> record 0, model0 TrySomethingElse
            calls 1 -> storecalls, judge 0
            run 0 -> run 0
            end 0 -> record 0, finish Repeated
        "#]],
    );
}

#[test]
fn a_model_that_cannot_answer_is_replaced_before_it_spoke_only() {
    let limits = Limits { candidates: 2, ..LIMITS };
    check_with(
        limits,
        "fail\nsays",
        expect![[r#"
            -> model0
            fail -> model1
            says -> finish Answered
        "#]],
    );
    check_with(
        limits,
        "fail spoke",
        expect![[r#"
            -> model0
            fail spoke -> finish Failed
        "#]],
    );
}

#[test]
fn a_prompt_that_is_too_long_is_made_shorter_a_few_times() {
    check(
        "fail too_long\nfail too_long\nfail too_long\nfail too_long",
        expect![[r#"
            -> model0
            fail too_long -> shrink, model0
            fail too_long -> shrink, model0
            fail too_long -> shrink, model0
            fail too_long -> finish Failed
        "#]],
    );
}

#[test]
fn a_turn_found_in_the_store_goes_on_with_what_has_no_result() {
    let (mut turn, effects) = Turn::resume(LIMITS, 1, vec![true, false]);
    assert_eq!(show(&effects), "judge 1");
    assert_eq!(show(&turn.on(parse("run 1"))), "run 1");
    assert_eq!(show(&turn.on(parse("end 1"))), "record 1, model0");
    let (_, effects) = Turn::resume(LIMITS, 2, vec![true]);
    assert_eq!(show(&effects), "model0");
}

/// The end of calls that do the same thing again and again.
const SAME_STEP: &str = "calls 1\nmay 0\nend 0";

#[test]
fn unattended_work_ends_at_the_first_limit() {
    check_with(
        UNATTENDED,
        &[SAME_STEP; 3].join("\n"),
        expect![[r#"
            -> model0
            calls 1 -> storecalls, judge 0
            may 0 -> run 0
            end 0 -> record 0, model0
            calls 1 -> storecalls, judge 0
            may 0 -> run 0
            end 0 -> record 0, model0
            calls 1 -> storecalls, judge 0
            may 0 -> run 0
            end 0 -> record 0, finish Repeated
        "#]],
    );
    check_with(
        Limits { rounds_max: 1, ..UNATTENDED },
        SAME_STEP,
        expect![[r#"
            -> model0
            calls 1 -> storecalls, judge 0
            may 0 -> run 0
            end 0 -> record 0, finish UsedUp(Steps)
        "#]],
    );
    check_with(
        UNATTENDED,
        "calls 1\nused\nmay 0\nsays",
        expect![[r#"
            -> model0
            calls 1 -> storecalls, judge 0
            used -> finish UsedUp(Tokens)
            may 0 -> nothing
            says -> nothing
        "#]],
    );
}

#[test]
fn the_call_that_repeats_is_named() {
    let (mut turn, _) = Turn::begin(UNATTENDED);
    for (round, what) in [(0, 4), (1, 4), (2, 4)] {
        turn.on(Input::Answered { has_text: false, calls: 2 });
        for (call, what) in [(0, 10 + round), (1, what)] {
            turn.on(Input::Judged { call, ruling: Ruling::Run { beside: true } });
            turn.on(Input::Ended { call, what, result: 1, ran: true });
        }
        assert_eq!(turn.repeated_call(), (round == 2).then_some(1), "round {round}");
    }
}

fn any_input() -> impl Strategy<Value = Input> {
    let call = 0usize..4;
    let ruling = prop_oneof![
        Just(Ruling::Run { beside: true }),
        Just(Ruling::Run { beside: false }),
        Just(Ruling::Hold),
        Just(Ruling::Ask),
        Just(Ruling::Refuse)
    ];
    prop_oneof![
        3 => (any::<bool>(), 0usize..4).prop_map(|(has_text, calls)| Input::Answered { has_text, calls }),
        1 => any::<bool>().prop_map(|spoke| Input::ModelFailed { spoke, kind: ModelErrorKind::Other }),
        6 => (call.clone(), ruling).prop_map(|(call, ruling)| Input::Judged { call, ruling }),
        4 => (call.clone(), any::<bool>()).prop_map(|(call, yes)| Input::Decided { call, yes }),
        3 => (call.clone(), any::<bool>()).prop_map(|(call, goes)| Input::Held { call, goes }),
        5 => (call, 0u64..2, 0u64..2, any::<bool>()).prop_map(|(call, what, result, ran)| Input::Ended { call, what, result, ran }),
        1 => Just(Input::UsedUp(Budget::Time)),
        1 => Just(Input::Steered),
    ]
}

/// What an observer who knows only inputs and effects can hold against a turn.
#[derive(Default)]
struct Observer {
    judging: Option<usize>,
    may_run: BTreeSet<usize>,
    asked: BTreeSet<usize>,
    yes: BTreeSet<usize>,
    held: BTreeSet<usize>,
    released: BTreeSet<usize>,
    undone: BTreeSet<usize>,
    running: BTreeSet<usize>,
    recorded: BTreeMap<usize, u32>,
    ends: u32,
}

impl Observer {
    fn before(&mut self, input: &Input) {
        match input {
            Input::Judged { call, ruling } if self.judging == Some(*call) => {
                self.may_run.remove(call);
                if matches!(ruling, Ruling::Run { .. }) {
                    self.may_run.insert(*call); // the latest word of the gate counts
                }
            }
            Input::Decided { call, yes: true } if self.asked.contains(call) => {
                self.yes.insert(*call);
            }
            Input::Held { call, goes: true } if self.held.contains(call) && !self.undone.contains(call) => {
                self.released.insert(*call);
            }
            // Undone while it waited; later words about it count for nothing.
            Input::Held { call, goes: false } if self.held.contains(call) && !self.released.contains(call) => {
                self.undone.insert(*call);
            }
            _ => (),
        }
    }

    fn after(&mut self, effects: &[Effect]) {
        for effect in effects {
            match *effect {
                Effect::StoreCalls => *self = Self { ends: self.ends, ..Self::default() },
                Effect::Judge(call) => self.judging = Some(call),
                Effect::Ask(call) => {
                    self.asked.insert(call);
                }
                Effect::Hold(call) => assert!(self.held.insert(call), "call {call} waits twice"),
                Effect::Run(call) => {
                    let waits = self.held.contains(&call) && !self.released.contains(&call);
                    assert!(!waits, "call {call} ran while it waited, or after it was undone");
                    assert!(self.may_run.contains(&call), "call {call} ran without the gate's word");
                    assert!(!self.asked.contains(&call) || self.yes.contains(&call), "call {call} ran without a yes");
                    assert!(self.running.insert(call), "call {call} ran twice");
                }
                Effect::Record(call) => {
                    *self.recorded.entry(call).or_default() += 1;
                    assert!(self.recorded.keys().copied().eq(0..=call), "call {call} was recorded out of order");
                }
                Effect::Finish(_) => self.ends += 1,
                _ => (),
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]
    #[test]
    fn the_laws_hold_for_any_story(inputs in proptest::collection::vec(any_input(), 0..80), parallel_reads: bool, candidates in 1usize..3) {
        let (mut turn, effects) = Turn::begin(Limits { parallel_reads, candidates, ..LIMITS });
        let mut observer = Observer::default();
        observer.after(&effects);
        for input in inputs {
            observer.before(&input);
            let effects = turn.on(input);
            observer.after(&effects);
        }
        observer.after(&turn.on(Input::Stop));
        prop_assert_eq!(observer.ends, 1);
        prop_assert!(observer.recorded.values().all(|times| *times == 1));
        prop_assert!(turn.is_over());
    }

    /// A runner that answers every effect always gets to an end.
    #[test]
    fn a_turn_whose_effects_are_answered_ends(answers in proptest::collection::vec((0usize..3, any::<bool>(), 0u8..5), 60)) {
        let (mut turn, mut todo) = Turn::begin(LIMITS);
        let mut answers = answers.into_iter().cycle();
        for _ in 0..400 {
            let Some(effect) = todo.first().copied() else { break };
            todo.remove(0);
            let (calls, yes, kind) = answers.next().expect("cycles");
            let input = match effect {
                Effect::CallModel { .. } => Input::Answered { has_text: calls == 0 && yes, calls },
                Effect::Judge(call) => {
                    let ruling = match kind {
                        0 => Ruling::Run { beside: true },
                        1 => Ruling::Run { beside: false },
                        2 => Ruling::Ask,
                        3 => Ruling::Hold,
                        _ => Ruling::Refuse,
                    };
                    Input::Judged { call, ruling }
                }
                Effect::Ask(call) => Input::Decided { call, yes },
                Effect::Hold(call) => Input::Held { call, goes: yes },
                Effect::Run(call) | Effect::Refuse(call) => Input::Ended { call, what: u64::from(kind), result: 1, ran: yes },
                _ => continue,
            };
            todo.extend(turn.on(input));
        }
        prop_assert!(turn.is_over(), "still open: {:?}", turn);
    }
}
