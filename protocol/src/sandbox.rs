//! Scripts: what one came to, and what holds it (contract section 11).

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// `SandboxResult`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SandboxResult {
    pub ok: bool,
    /// `process` or `docker`.
    pub backend: String,
    pub stdout: String,
    pub stderr: String,
    /// What the script set with `result`; null when it set nothing.
    pub result: Value,
    /// Names relative to the files folder.
    pub files_created: Vec<String>,
    /// Calls that ran.
    pub tool_calls: u32,
    pub duration_ms: u64,
    pub error: Option<String>,
}

/// `GET /api/sandbox/status`. `doors` is ours.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SandboxStatus {
    pub enabled: bool,
    pub backend: String,
    pub docker_available: bool,
    pub python_version: Option<String>,
    pub doors: SandboxDoors,
}

/// What holds a script of the process backend on this computer. Each was tried, none is assumed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SandboxDoors {
    /// Every door below is closed.
    pub confined: bool,
    /// It reads only the system's programs and its own folder.
    pub reads: bool,
    /// It writes only into its own folder.
    pub writes: bool,
    /// It reaches no network, this computer's own services included.
    pub network: bool,
    /// It can neither see nor stop other programs.
    pub processes: bool,
    /// It cannot become another user, and the system's calls it does not need are closed.
    pub privileges: bool,
    /// Its memory and its processes are limited.
    pub limits: bool,
    /// What is open, in a sentence for the person; null when nothing is.
    pub warning: Option<String>,
}
