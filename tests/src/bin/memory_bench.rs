//! `memory_bench ranks FOLDER` and `memory_bench speed FOLDER MEMORIES`: the engine's side of the benches of memory search in
//! `tests/memory_bench`. Prints one line of JSON.

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use tests::bench::{Trouble, memory};

fn main() -> ExitCode {
    match answer() {
        Ok(line) => {
            let mut out = std::io::stdout().lock();
            if writeln!(out, "{line}").is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(trouble) => {
            tracing::error!(%trouble, "no result");
            let mut err = std::io::stderr().lock();
            if writeln!(err, "memory_bench: {trouble}").is_err() {
                tracing::debug!("nobody reads the errors");
            }
            ExitCode::FAILURE
        }
    }
}

fn answer() -> Result<serde_json::Value, Trouble> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["ranks", folder] => memory::ranks(Path::new(folder)),
        ["speed", folder, memories] => memory::speed(Path::new(folder), memories.parse()?),
        _ => Err("how it is called: memory_bench ranks FOLDER, or memory_bench speed FOLDER MEMORIES".into()),
    }
}
