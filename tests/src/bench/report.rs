//! What was measured, as the table of `docs/benchmarks.md`.

use super::engine::root;
use runtime::{Clock, SystemClock};
use std::fmt::{self, Write};
use tokio::process::Command;

/// Whether a bar was held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Held,
    Missed,
}

impl Verdict {
    pub(super) fn of(held: bool) -> Self {
        if held { Self::Held } else { Self::Missed }
    }
}

/// One line of the table.
pub(super) struct Row {
    pub(super) what: String,
    pub(super) bar: String,
    pub(super) ours: String,
    /// The peer of the same run and the ratio to it; empty when there is none.
    pub(super) peer: String,
    pub(super) verdict: Verdict,
    pub(super) how: String,
}

/// One run.
pub struct Report {
    machine: String,
    day: String,
    commit: String,
    load: String,
    pub(super) rows: Vec<Row>,
}

impl Report {
    pub(super) async fn begin() -> Self {
        let now = SystemClock.now().to_string();
        Self {
            machine: machine(),
            day: now.split('T').next().unwrap_or_default().to_owned(),
            commit: commit().await,
            load: load(),
            rows: Vec::new(),
        }
    }

    pub(super) async fn end(&mut self) {
        self.load = format!("{} when it began, {} when it ended", self.load, load());
    }

    /// Bars that were missed.
    pub fn missed(&self) -> usize {
        self.rows.iter().filter(|row| row.verdict == Verdict::Missed).count()
    }

    /// The whole of `docs/benchmarks.md`.
    pub fn markdown(&self) -> String {
        let mut out = String::from(HEAD);
        if cfg!(debug_assertions) {
            out.push_str("**Of a debug build: these numbers mean nothing.**\n\n");
        }
        let facts = [("Machine", &self.machine), ("Day", &self.day), ("Commit", &self.commit), ("Load", &self.load)];
        for (name, value) in facts {
            push(&mut out, format_args!("- {name}: {value}\n"));
        }
        out.push_str("\n| what | bar | ours | peer in the same run | held |\n|---|---|---|---|---|\n");
        for Row { what, bar, ours, peer, verdict, .. } in &self.rows {
            let peer = if peer.is_empty() { "–" } else { peer };
            let held = if *verdict == Verdict::Held { "yes" } else { "**no**" };
            push(&mut out, format_args!("| {what} | {bar} | {ours} | {peer} | {held} |\n"));
        }
        out.push_str("\n## How each was measured\n\n");
        for Row { what, how, .. } in &self.rows {
            push(&mut out, format_args!("- **{what}**: {how}\n"));
        }
        out
    }
}

const HEAD: &str = "# Benchmarks\n\nWritten by `cargo run --release -p tests --bin bench -- --write`; the bars are those of \
[ARCHITECTURE.md](ARCHITECTURE.md). Why a bar is missed, and what was tried, is in \
[decisions/0100-what-the-benches-showed.md](decisions/0100-what-the-benches-showed.md).\n\n";

/// Writing to memory does not fail.
fn push(out: &mut String, line: fmt::Arguments<'_>) {
    out.write_fmt(line).expect("memory takes every line");
}

/// What kind of computer it is; never its name.
fn machine() -> String {
    let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
    let field = |text: &str, name: &str| {
        let line = text.lines().find(|line| line.starts_with(name));
        line.and_then(|line| line.split_once(':')).map(|(_, value)| value.trim().to_owned())
    };
    let processor = field(&read("/proc/cpuinfo"), "model name").unwrap_or_else(|| std::env::consts::ARCH.to_owned());
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let kib = field(&read("/proc/meminfo"), "MemTotal").and_then(|kib| kib.split(' ').next()?.parse::<u64>().ok());
    let memory = kib.map_or_else(String::new, |kib| format!(", {} GB of memory", kib / 1_000_000));
    format!("{processor}, {cores} cores{memory}, {}", std::env::consts::OS)
}

/// Programs that wanted to run, over the last minute.
fn load() -> String {
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    load.split(' ').next().filter(|load| !load.is_empty()).unwrap_or("unknown").to_owned()
}

async fn commit() -> String {
    let git = async |arguments: &[&str]| {
        let out = Command::new("git").args(arguments).current_dir(root()).output().await.ok()?;
        out.status.success().then(|| String::from_utf8_lossy(&out.stdout).trim().to_owned())
    };
    let Some(commit) = git(&["rev-parse", "--short=12", "HEAD"]).await else { return "unknown".to_owned() };
    match git(&["status", "--porcelain", "--untracked-files=no"]).await {
        Some(changes) if !changes.is_empty() => format!("{commit} with changes"),
        _ => commit,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missed_bar_is_seen() {
        let row = |what: &str, held| Row {
            what: what.into(),
            bar: "< 1 ms".into(),
            ours: "2 ms".into(),
            peer: String::new(),
            verdict: Verdict::of(held),
            how: "With a clock.".into(),
        };
        let text = || "x".to_owned();
        let rows = vec![row("one", true), row("two", false)];
        let report = Report { machine: text(), day: text(), commit: text(), load: text(), rows };
        assert_eq!(report.missed(), 1);
        let markdown = report.markdown();
        assert!(markdown.contains("| one | < 1 ms | 2 ms | – | yes |\n"), "{markdown}");
        assert!(markdown.contains("| two | < 1 ms | 2 ms | – | **no** |\n"), "{markdown}");
        assert!(markdown.ends_with("- **two**: With a clock.\n"), "{markdown}");
    }
}
