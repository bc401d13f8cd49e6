//! Runs simulated lives. `SIM_SEED=17 cargo test -p tests --test it sim` runs that one and, when it fails,
//! prints what happened and what the engine logged.

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use tests::sim::{Trace, run};

fn failure(seed: u64) -> Option<String> {
    let trace = Trace::default();
    let outcome = catch_unwind(AssertUnwindSafe(|| run(seed, &trace)));
    outcome.err().map(|_| {
        let lines = trace.lines();
        format!("SIM_SEED={seed} fails. What happened:\n{}\n", lines.join("\n"))
    })
}

/// Runs the seed named by `SIM_SEED`, or `FROM..TO` for a longer hunt; else `ordinary`.
#[expect(clippy::disallowed_methods, reason = "a test's own switch, not a setting of the engine")]
fn hold(ordinary: Range<u64>) {
    let number = |text: &str| text.parse::<u64>().expect("SIM_SEED is a number or FROM..TO");
    let seeds = match std::env::var("SIM_SEED") {
        Err(_) => ordinary,
        // Whoever names a seed wants it once, not in each part.
        Ok(_) if ordinary.start > 0 => return,
        Ok(text) => {
            let log = tracing_subscriber::fmt().with_max_level(tracing::Level::DEBUG).without_time();
            drop(log.with_ansi(false).with_test_writer().try_init()); // another test may have set it
            text.split_once("..")
                .map_or_else(|| number(&text)..number(&text) + 1, |(from, to)| number(from)..number(to))
        }
    };
    let failures: Vec<String> = seeds.filter_map(failure).collect();
    assert!(failures.is_empty(), "{} seeds failed\n{}", failures.len(), failures.join("\n"));
}

// Parts run beside each other.

#[test]
fn simulated_lives_keep_what_the_engine_promises() {
    hold(0..15);
}

#[test]
fn simulated_lives_keep_it_second_part() {
    hold(15..30);
}

#[test]
fn simulated_lives_keep_it_third_part() {
    hold(30..45);
}

#[test]
fn simulated_lives_keep_it_fourth_part() {
    hold(45..60);
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
