//! The ground the tests stand on: a data folder with a secret in it, and the adapters over the built program.

use actors::ports::{
    CommandJob, Ending, FileEntry, FilesPort, Output, OutputSink, ScriptAnswer, ScriptCalls, ScriptEnd, ScriptJob,
    ScriptLimits, Scripts, Shells, TextPart, WrittenFile,
};
use actors::stop::ProcessTrees;
use futures::FutureExt;
use futures::future::{BoxFuture, ready};
use protocol::Error;
use protocol::config::SandboxBackend;
use sentient::adapters::processes::{Launcher, ShellPlaces, SystemShells};
use sentient::adapters::scripts::SystemScripts;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::time::Duration;
use tokio_util::sync::CancellationToken;

/// Long enough for a computer that is busy with other tests.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// Files in memory.
#[derive(Default)]
pub(crate) struct MemoryFiles(pub(crate) Mutex<BTreeMap<String, Vec<u8>>>);

impl FilesPort for MemoryFiles {
    fn list(&self, _: String) -> BoxFuture<'static, Result<Vec<FileEntry>, Error>> {
        ready(Ok(Vec::new())).boxed()
    }

    fn read_text(&self, _: String, _: usize, _: usize) -> BoxFuture<'static, Result<TextPart, Error>> {
        ready(Err(Error::not_found("none"))).boxed()
    }

    fn read(&self, _: String, _: usize) -> BoxFuture<'static, Result<Vec<u8>, Error>> {
        ready(Err(Error::not_found("none"))).boxed()
    }

    fn write(&self, name: String, bytes: Vec<u8>) -> BoxFuture<'static, Result<WrittenFile, Error>> {
        let written = WrittenFile { path: name.clone(), bytes: bytes.len() as u64, name: name.clone() };
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(name, bytes);
        ready(Ok(written)).boxed()
    }
}

/// Answers `echo`, refuses `send`, fails `broken`.
#[derive(Default)]
pub(crate) struct Calls(pub(crate) AtomicU32);

impl ScriptCalls for Calls {
    fn available(&self) -> Vec<String> {
        vec!["echo".into()]
    }

    fn call(&self, name: String, arguments: Value) -> BoxFuture<'static, ScriptAnswer> {
        self.0.fetch_add(1, Ordering::Relaxed);
        ready(match name.as_str() {
            "echo" => ScriptAnswer::Result(json!({ "said": arguments["text"] })),
            "send" => ScriptAnswer::Refused("Call it directly.".into()),
            _ => ScriptAnswer::Failed("It broke.".into()),
        })
        .boxed()
    }
}

/// What came of a script.
pub(crate) struct Came {
    pub(crate) end: ScriptEnd,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) calls: u32,
}

pub(crate) struct Ground {
    pub(crate) home: tempfile::TempDir,
    pub(crate) files: Arc<MemoryFiles>,
    pub(crate) trees: ProcessTrees,
    pub(crate) scripts: SystemScripts,
    pub(crate) shells: SystemShells,
    next: AtomicU32,
}

impl Ground {
    pub(crate) fn new() -> Self {
        Self::with_path(None)
    }

    /// `first` comes first in `PATH`.
    pub(crate) fn with_path(first: Option<&Path>) -> Self {
        let home = tempfile::tempdir().expect("a folder");
        std::fs::write(home.path().join("secrets.enc"), "the secret").expect("written");
        let mut environment: Vec<(String, String)> = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .collect();
        environment.push(("SENTIENT_TEST_TOKEN".into(), "do not show".into()));
        if let Some(first) = first {
            for (_, value) in environment.iter_mut().filter(|(name, _)| name == "PATH") {
                *value = format!("{}:{value}", first.display());
            }
        }
        let trees = ProcessTrees::default();
        let launcher = Launcher::new(PathBuf::from(env!("CARGO_BIN_EXE_sentient")), trees.clone());
        let places = ShellPlaces { environment, data: home.path().to_owned() };
        let files = Arc::new(MemoryFiles::default());
        Self {
            shells: SystemShells::new(launcher.clone(), places.clone()),
            scripts: SystemScripts::new(launcher, places, files.clone()),
            home,
            files,
            trees,
            next: AtomicU32::new(1),
        }
    }

    pub(crate) fn id(&self) -> String {
        format!("t{}n{}", std::process::id(), self.next.fetch_add(1, Ordering::Relaxed))
    }

    pub(crate) fn limits(backend: SandboxBackend, time_max: Duration) -> ScriptLimits {
        ScriptLimits {
            backend,
            time_max,
            files_max: 5,
            file_bytes_max: 1024 * 1024,
            keep_folder: false,
            docker_image: "python:3.12-slim".into(),
            docker_memory_mb: 512,
            docker_cpus: 1.0,
            docker_network: false,
        }
    }

    pub(crate) async fn script(&self, code: &str) -> Came {
        self.script_with(code, Self::limits(SandboxBackend::Process, PATIENCE)).await.expect("it ran")
    }

    pub(crate) async fn script_with(&self, code: &str, limits: ScriptLimits) -> Result<Came, Error> {
        let calls = Arc::new(Calls::default());
        let (output, said) = listen();
        let job = ScriptJob { run_id: self.id(), code: code.into(), limits };
        let end = self.scripts.run(job, calls.clone(), output, CancellationToken::new()).await?;
        let (stdout, stderr) = said.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        Ok(Came { end, stdout: text(stdout), stderr: text(stderr), calls: calls.0.load(Ordering::Relaxed) })
    }

    /// A command, what it printed so far, and its future.
    pub(crate) fn command(
        &self,
        command: &str,
        time_max: Duration,
        stop: &CancellationToken,
    ) -> (BoxFuture<'static, Result<Ending, Error>>, Said) {
        let run_id = self.id();
        let (output, said) = listen();
        let environment =
            vec![("PATH".into(), "/usr/bin:/bin".into()), ("SENTIENT_TERMINAL_RUN".into(), run_id.clone())];
        let folder = self.home.path().display().to_string();
        let job = CommandJob { run_id, command: command.into(), folder, environment, time_max };
        (self.shells.run(job, output, stop.clone()), said)
    }
}

/// What a program printed so far: its output and its errors.
pub(crate) type Said = Arc<Mutex<(Vec<u8>, Vec<u8>)>>;

/// Bytes kept of an output.
const KEPT_MAX: usize = 1024 * 1024;

fn listen() -> (OutputSink, Said) {
    let said = Said::default();
    let kept = said.clone();
    let sink: OutputSink = Arc::new(move |output, bytes| {
        let mut said = kept.lock().unwrap_or_else(PoisonError::into_inner);
        let to = match output {
            Output::Stdout => &mut said.0,
            Output::Stderr => &mut said.1,
        };
        if to.len() < KEPT_MAX {
            to.extend_from_slice(bytes);
        }
    });
    (sink, said)
}

/// Numbers of processes whose command line holds `word`, living ones only.
pub(crate) fn processes_with(word: &str) -> Vec<i32> {
    let entries = std::fs::read_dir("/proc").expect("/proc").flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    pids.filter(|pid| {
        let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        let is_keeper = line.windows(6).any(|part| part == b"__tend");
        !is_keeper && line.windows(word.len()).any(|part| part == word.as_bytes())
    })
    .collect()
}
