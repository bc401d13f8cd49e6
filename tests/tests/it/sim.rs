//! Runs simulated lives. `SIM_SEED=17 cargo test -p tests --test it sim` runs that one and prints what happened.

use std::panic::{AssertUnwindSafe, catch_unwind};
use tests::sim::{Trace, run};

/// Seeds of an ordinary run.
const SEEDS: std::ops::Range<u64> = 0..60;

fn failure(seed: u64) -> Option<String> {
    let trace = Trace::default();
    let outcome = catch_unwind(AssertUnwindSafe(|| run(seed, &trace)));
    outcome.err().map(|_| {
        let lines = trace.lines();
        format!("SIM_SEED={seed} fails. What happened:\n{}\n", lines.join("\n"))
    })
}

/// The seed named by `SIM_SEED`, for one that failed, or `from..to` for a longer hunt.
#[expect(clippy::disallowed_methods, reason = "a test's own switch, not a setting of the engine")]
fn seeds() -> std::ops::Range<u64> {
    let Ok(text) = std::env::var("SIM_SEED") else { return SEEDS };
    let number = |text: &str| text.parse::<u64>().expect("SIM_SEED is a number or FROM..TO");
    match text.split_once("..") {
        Some((from, to)) => number(from)..number(to),
        None => number(&text)..number(&text) + 1,
    }
}

#[test]
fn simulated_lives_keep_what_the_engine_promises() {
    let failures: Vec<String> = seeds().filter_map(failure).collect();
    assert!(failures.is_empty(), "{} seeds failed\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn a_seed_gives_the_same_run_every_time() {
    for seed in [3, 11] {
        let traces = [Trace::default(), Trace::default()];
        for trace in &traces {
            drop(catch_unwind(AssertUnwindSafe(|| run(seed, trace))));
        }
        let [first, second] = traces.map(|trace| trace.lines());
        assert!(!first.is_empty(), "seed {seed} did nothing");
        let differs = first.iter().zip(&second).find(|(one, other)| one != other);
        assert!(differs.is_none() && first.len() == second.len(), "seed {seed} went two ways: {differs:#?}");
    }
}
