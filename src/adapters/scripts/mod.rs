//! Scripts in Python, behind the engine's port: as a confined process of this computer, or in a Docker container.
//!
//! Each run has a folder of its own below the data folder, gone afterwards: `work` is where the script writes, `lib` what
//! it is started with, `tmp` for its libraries. It is handed no variable of the engine's environment, and it reaches
//! tools over the one connection (or folder) it was started with, which is its token: nobody else has it.

mod bridge;
mod docker;
mod doors;
mod folder;
mod keep;
mod process;
mod python;

use crate::adapters::processes::{Launcher, ShellPlaces};
use actors::ports::{FilesPort, OutputSink, ScriptBackend, ScriptCalls, ScriptEnd, ScriptJob, Scripts, ScriptsState};
use docker::Docker;
use futures::FutureExt;
use futures::future::BoxFuture;
use protocol::config::SandboxBackend;
use protocol::sandbox::SandboxDoors;
use protocol::{Error, ErrorKind};
use python::Python;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use tokio::sync::OnceCell;
use tokio_util::sync::CancellationToken;

/// What is said before the doors were tried: nothing is assumed of them.
const UNTRIED: &str = "It has not been found out yet what holds a script on this computer.";

/// What scripts are run with.
#[derive(Clone)]
pub struct SystemScripts {
    inner: Arc<Inner>,
}

struct Inner {
    launcher: Launcher,
    places: ShellPlaces,
    files: Arc<dyn FilesPort>,
    python: Mutex<Option<Python>>,
    /// What holds a script here; tried once, by whoever asks first.
    doors: OnceCell<SandboxDoors>,
    /// What an engine before this one left lying was taken away.
    tidied: OnceLock<()>,
}

impl SystemScripts {
    pub fn new(launcher: Launcher, places: ShellPlaces, files: Arc<dyn FilesPort>) -> Self {
        let (python, doors, tidied) = (Mutex::default(), OnceCell::new(), OnceLock::new());
        let inner = Inner { launcher, places, files, python, doors, tidied };
        Self { inner: Arc::new(inner) }
    }
}

impl Inner {
    fn known_python(&self) -> MutexGuard<'_, Option<Python>> {
        self.python.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Where runs have their folders.
    fn runs(&self) -> PathBuf {
        self.places.data.join("sandbox")
    }

    /// Takes away what an engine before this one left, once, before anything of this one is there.
    fn tidy(&self) {
        self.tidied.get_or_init(|| folder::tidy(&self.runs()));
    }

    fn docker(&self) -> Option<Docker> {
        self.places.program(if cfg!(windows) { "docker.exe" } else { "docker" }).map(Docker::new)
    }

    async fn docker_answers(&self) -> bool {
        match self.docker() {
            Some(docker) => docker.answers().await,
            None => false,
        }
    }

    /// What a run would use now.
    async fn backend(&self, wanted: SandboxBackend) -> (ScriptBackend, bool) {
        let docker = wanted != SandboxBackend::Process && self.docker_answers().await;
        match wanted {
            SandboxBackend::Process => (ScriptBackend::Process, false),
            SandboxBackend::Docker => (ScriptBackend::Docker, docker),
            SandboxBackend::Auto if docker => (ScriptBackend::Docker, true),
            SandboxBackend::Auto => (ScriptBackend::Process, false),
        }
    }

    async fn python(&self) -> Result<Python, Error> {
        let known = self.known_python().clone();
        if let Some(python) = known {
            return Ok(python);
        }
        let found = python::find(&self.places).await?;
        *self.known_python() = Some(found.clone());
        Ok(found)
    }

    async fn doors(&self) -> SandboxDoors {
        let doors = self.doors.get_or_init(|| async {
            self.tidy();
            let doors = doors::tried(&self.launcher, &self.runs()).await;
            if let Some(warning) = &doors.warning {
                tracing::warn!(%warning, "scripts are not confined in every way");
            }
            doors
        });
        doors.await.clone()
    }

    async fn run(
        &self,
        job: ScriptJob,
        calls: Arc<dyn ScriptCalls>,
        output: OutputSink,
        stop: CancellationToken,
    ) -> Result<ScriptEnd, Error> {
        self.tidy();
        let (backend, docker_answers) = self.backend(job.limits.backend).await;
        match backend {
            ScriptBackend::Process => self.run_process(job, calls, output, stop).await,
            ScriptBackend::Docker => {
                if !docker_answers {
                    return Err(not_running());
                }
                self.run_docker(job, calls, output, stop).await
            }
        }
    }
}

fn not_running() -> Error {
    Error::new(ErrorKind::Unavailable, "Docker is not running.")
        .hint("Start Docker, or choose another backend in Settings > Scripts.")
}

impl Scripts for SystemScripts {
    fn state(&self, wanted: SandboxBackend) -> BoxFuture<'static, ScriptsState> {
        let inner = self.inner.clone();
        async move {
            let docker_available = inner.docker_answers().await;
            let (backend, _) = inner.backend(wanted).await;
            let python_version = inner.python().await.ok().map(|python| python.version);
            ScriptsState { backend, docker_available, python_version, doors: inner.doors().await }
        }
        .boxed()
    }

    fn warning(&self, wanted: SandboxBackend) -> Option<String> {
        // Docker's own walls stand whatever the doors of this computer are; `auto` may still come to the process.
        let doors = self.inner.doors.get();
        let warning = doors.map_or_else(|| Some(UNTRIED.to_owned()), |doors| doors.warning.clone());
        warning.filter(|_| wanted != SandboxBackend::Docker)
    }

    fn run(
        &self,
        job: ScriptJob,
        calls: Arc<dyn ScriptCalls>,
        output: OutputSink,
        stop: CancellationToken,
    ) -> BoxFuture<'static, Result<ScriptEnd, Error>> {
        let inner = self.inner.clone();
        async move { inner.run(job, calls, output, stop).await }.boxed()
    }
}
