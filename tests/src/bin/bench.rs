//! `cargo run --release -p tests --bin bench -- [names] [--write]`: measures what `docs/ARCHITECTURE.md` promises.
//!
//! Prints the table; `--write` also puts it into `docs/benchmarks.md`. A missed bar is told, it is no failure.

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use tests::bench::{Trouble, names, run};

/// Writes the table there.
const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/benchmarks.md");

#[tokio::main]
async fn main() -> ExitCode {
    match measure().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(trouble) => {
            say(&format!("bench: {trouble}"));
            ExitCode::FAILURE
        }
    }
}

async fn measure() -> Result<(), Trouble> {
    let (flags, chosen): (Vec<String>, Vec<String>) = std::env::args().skip(1).partition(|word| word.starts_with('-'));
    if let Some(unknown) = flags.iter().find(|flag| *flag != "--write") {
        return Err(format!("{unknown} is unknown. Names: {}. Flag: --write", names().join(", ")).into());
    }
    let write = !flags.is_empty();
    if write && !chosen.is_empty() {
        return Err("--write is for a run of all benches, so that the table is of one moment".into());
    }
    let report = run(&chosen, &mut |name| say(&format!("… {name}"))).await?;
    let markdown = report.markdown();
    say(&markdown);
    say(&format!("{} bars missed", report.missed()));
    if write {
        std::fs::write(Path::new(FILE), markdown)?;
    }
    Ok(())
}

/// A reader that has left is no reason to stop measuring.
fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    if writeln!(out, "{line}").and_then(|()| out.flush()).is_err() {
        tracing::debug!("nobody reads the output");
    }
}
