//! The numbers of `docs/ARCHITECTURE.md`, section "Numbers to hold", measured against a peer in the same run.
//!
//! Time is looked at here and nowhere else: no test fails because a machine was busy. The engine under measurement is
//! the program a person starts, as a process of its own; the model behind it is the scripted one, on loopback. Every
//! number that has a peer is taken in turns with it, by the same client, so that a busy moment meets both.

mod actors;
mod chats;
mod client;
mod commits;
mod engine;
mod gate;
mod idle;
mod load;
pub mod memory;
mod numbers;
mod report;
mod start;
mod turns;

pub use report::{Report, Verdict};

use futures::FutureExt;
use futures::future::BoxFuture;
use report::Row;

/// Why a number could not be taken.
pub type Trouble = Box<dyn std::error::Error + Send + Sync>;
type Measured = Result<Vec<Row>, Trouble>;

/// One bench: its name on the command line, and what it does.
type Bench = (&'static str, fn() -> BoxFuture<'static, Measured>);

/// All of them, in the order of the table.
const BENCHES: [Bench; 11] = [
    ("start", || start::empty().boxed()),
    ("start-100k", || start::full().boxed()),
    ("idle", || idle::idle().boxed()),
    ("first-token", || turns::one_by_one().boxed()),
    ("many", || load::many().boxed()),
    ("forwarding", || load::forwarding().boxed()),
    ("commits", || commits::grouped().boxed()),
    ("actors", || actors::round_trip().boxed()),
    ("gate", || gate::judging().boxed()),
    ("memory", || memory::recall().boxed()),
    ("chats", || chats::memory().boxed()),
];

/// The names there are.
pub fn names() -> Vec<&'static str> {
    BENCHES.iter().map(|(name, _)| *name).collect()
}

/// Runs the benches with these names, all when there are none, and says on `progress` which one is running.
///
/// # Errors
/// A name that does not exist, or a bench that could not be run to its end.
pub async fn run(chosen: &[String], progress: &mut impl FnMut(&str)) -> Result<Report, Trouble> {
    if let Some(unknown) = chosen.iter().find(|name| !names().contains(&name.as_str())) {
        return Err(format!("there is no bench {unknown}; there are: {}", names().join(", ")).into());
    }
    progress("building the program");
    engine::build().await?;
    let mut report = Report::begin().await;
    for (name, bench) in BENCHES {
        if chosen.is_empty() || chosen.iter().any(|wanted| wanted == name) {
            progress(name);
            report.rows.extend(bench().await.map_err(|cause| format!("{name}: {cause}"))?);
        }
    }
    report.end().await;
    Ok(report)
}
