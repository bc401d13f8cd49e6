//! Commands on this computer: what one came to, and what runs now (contract section 18).

use crate::Timestamp;
use serde::Serialize;

/// `TerminalResult`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct TerminalResult {
    pub ok: bool,
    pub command: String,
    pub cwd: String,
    pub shell: Option<String>,
    pub exit_code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
    pub timed_out: bool,
    pub stopped: bool,
    pub duration_ms: u64,
    /// Where the whole output is, below the files folder, when it was cut.
    pub output_file: Option<String>,
    pub error: Option<String>,
}

/// `GET /api/terminal/status`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TerminalStatus {
    pub enabled: bool,
    pub shell: Option<String>,
    pub shell_path: Option<String>,
    pub allowed_folders: Vec<String>,
    pub default_folder: Option<String>,
    /// What is never done, in words.
    pub blocked: Vec<String>,
    pub running: Vec<RunningCommand>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RunningCommand {
    /// Unique per run.
    pub id: String,
    pub call_id: Option<String>,
    pub command: String,
    pub cwd: String,
    pub started_at: Timestamp,
}
