//! Searching what is remembered: how fast, and how much of what an exact search finds.

mod corpus;
mod filled;
mod ranks;

pub use ranks::ranks;

use super::numbers::{Times, figures, millis, show_millis};
use super::report::{Row, Verdict};
use super::{Measured, Trouble};
use filled::Filled;
use serde_json::{Value, json};
use std::path::Path;
use tempfile::TempDir;

/// Memories of the row in the table.
const MEMORIES: usize = 100_000;
/// Milliseconds that 99 of 100 questions may take there (ARCHITECTURE.md).
const P99_MAX: f64 = 3.0;
/// Of what an exact search finds, the part that must be found (ARCHITECTURE.md).
const RECALL_MIN: f64 = 0.98;
/// Milliseconds until a commit must be found (issue 5).
const FOUND_AFTER_MAX: f64 = 200.0;

/// What one run over generated memories came to.
struct Numbers {
    hybrid: Times,
    meaning: Times,
    words: Times,
    /// Nearest ten of an exact search that were found, 0 to 1.
    recall: f64,
    /// From the beginning of a commit to the answer that has it.
    found_after: Times,
    /// Seconds to index what was written.
    index_seconds: f64,
}

pub(super) async fn recall() -> Measured {
    let numbers = tokio::task::spawn_blocking(|| -> Result<Numbers, Trouble> {
        let home = TempDir::new()?;
        Filled::make(home.path(), MEMORIES, &mut filled::keep_nothing)?.measure()
    });
    let numbers = numbers.await??;
    let how = format!(
        "{MEMORIES} generated memories of 12 words with vectors of 384 components in clusters, in process: the whole of \
         `Finder::find`, ten answers, from the question's words and vector to the memories in order. The peers on the same \
         data are in [memory-benches.md](memory-benches.md)."
    );
    let row = |what: &str, bar: String, ours: String, held: bool| Row {
        what: what.to_owned(),
        bar,
        ours,
        peer: String::new(),
        verdict: Verdict::of(held),
        how: how.clone(),
    };
    let p99 = millis(numbers.hybrid.p99());
    let found = millis(numbers.found_after.p99());
    Ok(vec![
        row(
            "memory search, 100,000 memories, p50 / p99",
            format!("p99 < {}", show_millis(P99_MAX)),
            format!("{} / {}", show_millis(millis(numbers.hybrid.p50())), show_millis(p99)),
            p99 < P99_MAX,
        ),
        row(
            "the same: recall@10 against an exact search",
            format!("≥ {RECALL_MIN}"),
            format!("{:.3}", numbers.recall),
            numbers.recall >= RECALL_MIN,
        ),
        row(
            "the same: from a commit until it is found, p99",
            format!("< {}", show_millis(FOUND_AFTER_MAX)),
            show_millis(found),
            found < FOUND_AFTER_MAX,
        ),
    ])
}

/// Makes `memories` generated memories in `folder`, writes them there for peers in other languages (`texts.txt`,
/// `questions.txt` by line; `texts.f32`, `questions.f32` as little-endian numbers), and measures. Blocks for minutes.
///
/// # Errors
/// The disk or the store fails.
pub fn speed(folder: &Path, memories: usize) -> Result<Value, Trouble> {
    let home = folder.join("home");
    let mut export = filled::Export::new(folder)?;
    let filled = Filled::make(&home, memories, &mut |made| export.memory(made))?;
    export.questions(filled.questions())?;
    let numbers = filled.measure()?;
    let times = |times: &Times| json!({"p50": millis(times.p50()), "p99": millis(times.p99())});
    Ok(json!({
        "memories": memories,
        "hybrid": times(&numbers.hybrid),
        "meaning": times(&numbers.meaning),
        "words": times(&numbers.words),
        "recall": numbers.recall,
        "found_after": times(&numbers.found_after),
        "index_seconds": figures(numbers.index_seconds),
        "memory_mb": filled::resident_mb(),
        "debug_build": cfg!(debug_assertions),
    }))
}
