//! Finds the Python that scripts run in, and what it needs to read.

use crate::adapters::processes::ShellPlaces;
use protocol::{Error, ErrorKind};
use serde::Deserialize;
use std::path::PathBuf;
use std::process::Stdio;
use tokio::time::{Duration, timeout};

/// How long Python may take to say what it is.
const ANSWER_MAX: Duration = Duration::from_secs(10);
/// Names it goes by, best first.
const NAMES: [&str; 2] = if cfg!(windows) { ["python.exe", "python3.exe"] } else { ["python3", "python"] };

const QUESTION: &str = "import json, os, sys
print(json.dumps({'version': sys.version.split()[0], 'program': os.path.realpath(sys.executable),
 'reads': sorted({os.path.realpath(p) for p in [sys.prefix, sys.base_prefix, sys.exec_prefix, *sys.path] if p})}))";

/// A Python 3.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct Python {
    pub(super) version: String,
    /// Behind all links and stand-ins (`pyenv`).
    pub(super) program: PathBuf,
    /// Its own folders and those of its libraries.
    pub(super) reads: Vec<PathBuf>,
}

/// Asks the first Python 3 of `PATH`.
///
/// # Errors
/// There is none.
pub(super) async fn find(places: &ShellPlaces) -> Result<Python, Error> {
    for program in NAMES.iter().filter_map(|name| places.program(name)) {
        if let Some(python) = ask(&program, places).await.filter(|python| python.version.starts_with("3.")) {
            return Ok(python);
        }
    }
    Err(Error::new(ErrorKind::Unavailable, "Scripts need Python 3, and there is none on this computer.")
        .hint("Install it from python.org or with the system's packages."))
}

async fn ask(program: &std::path::Path, places: &ShellPlaces) -> Option<Python> {
    let needed = |name: &str| matches!(name, "PATH" | "Path" | "HOME" | "SYSTEMROOT" | "SystemRoot" | "PYENV_ROOT");
    let environment = places.environment.iter().filter(|(name, _)| needed(name)).cloned();
    let mut command = tokio::process::Command::new(program);
    command.args(["-I", "-c", QUESTION]).env_clear().envs(environment);
    command.stdin(Stdio::null()).stderr(Stdio::null()).kill_on_drop(true);
    let output = timeout(ANSWER_MAX, command.output()).await.ok()?.ok()?;
    serde_json::from_slice(&output.stdout).ok()
}
