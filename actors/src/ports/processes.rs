//! Programs on this computer: commands of a person's shell, and scripts behind closed doors.

use futures::future::BoxFuture;
use protocol::Error;
use protocol::sandbox::SandboxDoors;
use rules::commands::Repository;
use serde_json::Value;
use std::sync::Arc;
use tokio::time::Duration;
use tokio_util::sync::CancellationToken;

/// The shell commands run in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shell {
    /// `pwsh`, `powershell`, `bash`, `zsh` or `sh`.
    pub name: String,
    pub path: String,
}

/// One of a program's two outputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    Stdout,
    Stderr,
}

/// Hears what a program prints, in pieces cut anywhere. Never blocks for long.
pub type OutputSink = Arc<dyn Fn(Output, &[u8]) + Send + Sync>;

/// How a program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// By itself, with this code; a signal counts as 128 and its number.
    Exited(i32),
    /// It took longer than it may, and was ended.
    TimedOut,
    /// It was told to end.
    Stopped,
    /// It used more memory or processes than it may, and was ended.
    TooMuch(TooMuch),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TooMuch {
    Memory,
    Processes,
}

/// A command to be run.
#[derive(Clone, Debug)]
pub struct CommandJob {
    /// Marks the processes of this run (`SENTIENT_TERMINAL_RUN`).
    pub run_id: String,
    pub command: String,
    /// Where it starts, with links followed.
    pub folder: String,
    /// All it sees of the environment.
    pub environment: Vec<(String, String)>,
    pub time_max: Duration,
}

/// Runs commands. When a run ends, however it ends, nothing it started goes on; dropping its future ends it too.
pub trait Shells: Send + Sync + 'static {
    /// The shell, when this computer has one.
    fn shell(&self) -> Option<Shell>;

    /// `windows`, `macos`, `linux`.
    fn os(&self) -> &'static str;

    /// An existing folder as an absolute path with links followed; a relative one is taken from `base`, and `~` is the
    /// person's own folder.
    fn folder(&self, name: &str, base: Option<&str>) -> Option<String>;

    /// The repository git would find from this folder, if any. It starts no program.
    fn repository(&self, folder: &str) -> Option<Repository>;

    /// The person's own folder, and where the engine keeps everything.
    fn home(&self) -> Option<String>;
    fn data(&self) -> String;

    /// The engine's own environment, secrets included: never handed to a program as it is.
    fn environment(&self) -> Vec<(String, String)>;

    /// # Errors
    /// A shell that cannot be started.
    fn run(
        &self,
        job: CommandJob,
        output: OutputSink,
        stop: CancellationToken,
    ) -> BoxFuture<'static, Result<Ending, Error>>;
}

/// What a script is run with (`sandbox.*`).
#[derive(Clone, Debug, PartialEq)]
pub struct ScriptLimits {
    pub backend: protocol::config::SandboxBackend,
    pub time_max: Duration,
    pub files_max: usize,
    pub file_bytes_max: u64,
    pub keep_folder: bool,
    pub docker_image: String,
    pub docker_memory_mb: u32,
    pub docker_cpus: f64,
    pub docker_network: bool,
}

/// A script to be run.
#[derive(Clone, Debug)]
pub struct ScriptJob {
    pub run_id: String,
    pub code: String,
    pub limits: ScriptLimits,
}

/// What a tool call of a script came to.
#[derive(Clone, Debug, PartialEq)]
pub enum ScriptAnswer {
    Result(Value),
    /// It may not be made from a script; why, for the script's author.
    Refused(String),
    Failed(String),
}

/// Answers a script's tool calls.
pub trait ScriptCalls: Send + Sync + 'static {
    /// Names a script may call now.
    fn available(&self) -> Vec<String>;
    fn call(&self, name: String, arguments: Value) -> BoxFuture<'static, ScriptAnswer>;
}

/// Why a script did not come to its end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScriptFault {
    /// It could not be read, so nothing of it ran.
    pub is_syntax: bool,
    /// As Python names it, e.g. `ZeroDivisionError`.
    pub kind: String,
    pub message: String,
    pub line: Option<u32>,
    /// The line's text.
    pub text: String,
}

/// What a script came to.
#[derive(Clone, Debug, PartialEq)]
pub struct ScriptEnd {
    pub backend: ScriptBackend,
    pub ending: Ending,
    pub fault: Option<ScriptFault>,
    /// What it called `result` with, the last time.
    pub result: Option<Value>,
    /// Names of copies below the files folder.
    pub files: Vec<String>,
    /// Files it wrote that were not copied, and why, for the model.
    pub left_out: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScriptBackend {
    Process,
    Docker,
}

/// What scripts can run with here, now.
#[derive(Clone, Debug, PartialEq)]
pub struct ScriptsState {
    /// What a run would use now.
    pub backend: ScriptBackend,
    pub docker_available: bool,
    pub python_version: Option<String>,
    /// What holds a script of the process backend, as tried on this computer.
    pub doors: SandboxDoors,
}

/// Runs scripts. As with [`Shells`], nothing a run started goes on after it.
pub trait Scripts: Send + Sync + 'static {
    fn state(&self, backend: protocol::config::SandboxBackend) -> BoxFuture<'static, ScriptsState>;

    /// What is open to a script here, in a sentence, or that it was not tried yet. Answers at once.
    fn warning(&self, backend: protocol::config::SandboxBackend) -> Option<String>;

    /// # Errors
    /// No Python, or a backend that is not there: with what to do.
    fn run(
        &self,
        job: ScriptJob,
        calls: Arc<dyn ScriptCalls>,
        output: OutputSink,
        stop: CancellationToken,
    ) -> BoxFuture<'static, Result<ScriptEnd, Error>>;
}
