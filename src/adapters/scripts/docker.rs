//! The `docker` backend: a container per run, over Docker's own command line (docs.docker.com/reference/cli).
//!
//! The container has no capabilities, no new privileges, a root file system it cannot write to, and, unless the person
//! allows it, no network. It reaches tools through files in a folder it shares with the engine.

use super::bridge::Bridge;
use super::folder::RunFolder;
use super::{Inner, keep, not_running};
use crate::adapters::processes::{Bounds, Start};
use crate::confine::Limits;
use actors::ports::{Ending, OutputSink, ScriptBackend, ScriptCalls, ScriptEnd, ScriptJob, ScriptLimits};
use protocol::{Error, ErrorKind};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use tokio::time::{Duration, timeout};
use tokio_util::sync::CancellationToken;

/// How long Docker may take to say whether it runs.
const ANSWER_MAX: Duration = Duration::from_secs(5);
/// Where the folders of a run are in the container.
const WORK: &str = "/sentient/work";
const LIB: &str = "/sentient/lib";
const LINK: &str = "/sentient/link";
/// The exit code of `docker run` when Docker itself failed.
const DOCKER_FAILED: i32 = 125;

/// Docker's program.
#[derive(Clone, Debug)]
pub(super) struct Docker(PathBuf);

impl Docker {
    pub(super) fn new(program: PathBuf) -> Self {
        Self(program)
    }

    /// Whether `docker info` succeeds.
    pub(super) async fn answers(&self) -> bool {
        let mut command = tokio::process::Command::new(&self.0);
        command.args(["info", "--format", "{{.ServerVersion}}"]);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).kill_on_drop(true);
        timeout(ANSWER_MAX, command.status()).await.is_ok_and(|ended| ended.is_ok_and(|status| status.success()))
    }
}

/// The container of one run: gone when this is dropped, whatever became of the program that started it.
struct Container {
    docker: PathBuf,
    name: String,
}

impl Drop for Container {
    #[expect(clippy::disallowed_methods, reason = "the container has to go even when nothing waits for it any more")]
    fn drop(&mut self) {
        let mut command = std::process::Command::new(&self.docker);
        command.args(["rm", "--force", "--volumes", &self.name]);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        if let Err(cause) = command.status() {
            tracing::warn!(%cause, container = %self.name, "a container could not be taken away");
        }
    }
}

impl Inner {
    pub(super) async fn run_docker(
        &self,
        job: ScriptJob,
        calls: Arc<dyn ScriptCalls>,
        output: OutputSink,
        stop: CancellationToken,
    ) -> Result<ScriptEnd, Error> {
        let docker = self.docker().ok_or_else(not_running)?;
        let folder = RunFolder::make(&self.runs(), &job.run_id, &job.code, job.limits.keep_folder)?;
        let container = Container { docker: docker.0.clone(), name: format!("sentient-{}", job.run_id) };
        let bridge = Bridge::new(calls);
        // Docker's program finds its server by these; they hold no secret of ours.
        let needed = |name: &str| name.starts_with("DOCKER_") || matches!(name, "PATH" | "HOME" | "XDG_RUNTIME_DIR");
        let mark = format!("SENTIENT_SCRIPT_RUN={}", job.run_id);
        let own = self.places.environment.iter().filter(|(name, _)| needed(name)).cloned();
        let tree = self.launcher.start(Start {
            program: &docker.0,
            arguments: arguments(&container.name, &folder, &job.limits),
            folder: &folder.work(),
            environment: own.chain([("SENTIENT_SCRIPT_RUN".to_owned(), job.run_id.clone())]).collect(),
            confinement: None,
            mark,
            stdin: Stdio::null(),
        });
        let tree =
            tree.map_err(|cause| Error::new(ErrorKind::Unavailable, format!("Docker could not be started: {cause}.")))?;
        let bounds = Bounds { time_max: job.limits.time_max, weight: None };
        let followed = tokio::select! {
            biased;
            followed = tree.follow(bounds, output, stop) => followed,
            () = bridge.serve_folder(folder.link()) => return Err(Error::internal("a script's folder was given up")),
        };
        let container_gone = tokio::task::spawn_blocking(move || drop(container)).await;
        if container_gone.is_err() {
            tracing::warn!("a container may still be there");
        }
        if followed.ending == Ending::Exited(DOCKER_FAILED) {
            let message = format!("Docker could not run a container of {}.", job.limits.docker_image);
            return Err(Error::new(ErrorKind::Unavailable, message)
                .hint("Pull the image, or choose another in Settings > Scripts."));
        }
        bridge.rest_of_folder(&folder.link()).await;
        let kept = keep::keep(folder.work(), &job.run_id, &job.limits, &self.files).await;
        let said = bridge.said();
        Ok(ScriptEnd {
            backend: ScriptBackend::Docker,
            ending: followed.ending,
            fault: said.fault,
            result: said.result,
            files: kept.names,
            left_out: kept.left_out,
        })
    }
}

/// `docker run` for one script.
fn arguments(name: &str, folder: &RunFolder, limits: &ScriptLimits) -> Vec<String> {
    let memory = format!("{}m", limits.docker_memory_mb);
    let mut arguments: Vec<String> = ["run", "--rm", "--init", "--name", name].map(str::to_owned).to_vec();
    let mut add = |option: &str, value: String| arguments.extend([option.to_owned(), value]);
    add("--network", if limits.docker_network { "bridge".into() } else { "none".into() });
    if limits.docker_network {
        add("--add-host", "host.docker.internal:host-gateway".into());
    }
    add("--memory", memory.clone());
    add("--memory-swap", memory);
    add("--cpus", limits.docker_cpus.to_string());
    add("--pids-limit", Limits::default().processes.to_string());
    add("--ulimit", format!("fsize={}", Limits::default().file_bytes));
    add("--cap-drop", "ALL".into());
    add("--security-opt", "no-new-privileges".into());
    add("--tmpfs", "/tmp:size=128m,mode=1777".into());
    if let Some(user) = owner(&folder.work()) {
        add("--user", user);
    }
    for (from, to) in
        [(folder.work(), WORK.to_owned()), (folder.link(), LINK.to_owned()), (folder.lib(), format!("{LIB}:ro"))]
    {
        add("--volume", format!("{}:{to}", from.display()));
    }
    for variable in
        ["HOME=/sentient/work", "LANG=C.UTF-8", "MPLBACKEND=Agg", "MPLCONFIGDIR=/tmp", "XDG_CACHE_HOME=/tmp"]
    {
        add("--env", variable.into());
    }
    add("--workdir", WORK.into());
    arguments.push("--read-only".into());
    arguments.push(limits.docker_image.clone());
    let script = ["python3", "-I", "-u", "-B", "/sentient/lib/start.py", LIB, "/sentient/lib/script.py", LINK];
    arguments.extend(script.map(str::to_owned));
    arguments
}

/// Who owns the folder, so that files a container writes there are the person's.
fn owner(folder: &Path) -> Option<String> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let owner = folder.metadata().ok()?;
        Some(format!("{}:{}", owner.uid(), owner.gid()))
    }
    #[cfg(not(unix))]
    {
        drop(folder);
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::config::SandboxBackend;

    #[test]
    fn a_container_is_closed_unless_the_person_opens_it() {
        let home = tempfile::tempdir().expect("a folder");
        let folder = RunFolder::make(home.path(), "r1", "print(1)", false).expect("made");
        let limits = |docker_network| ScriptLimits {
            backend: SandboxBackend::Docker,
            time_max: Duration::from_secs(5),
            files_max: 1,
            file_bytes_max: 1,
            keep_folder: false,
            docker_image: "python:3.12-slim".into(),
            docker_memory_mb: 512,
            docker_cpus: 1.0,
            docker_network,
        };
        let line = arguments("sentient-r1", &folder, &limits(false)).join(" ");
        for part in [
            "--network none",
            "--memory 512m --memory-swap 512m",
            "--cpus 1 ",
            "--pids-limit 64",
            "--cap-drop ALL",
            "--security-opt no-new-privileges",
            "--read-only python:3.12-slim python3",
            "/lib:/sentient/lib:ro",
        ] {
            assert!(line.contains(part), "{part} in {line}");
        }
        let line = arguments("sentient-r1", &folder, &limits(true)).join(" ");
        assert!(line.contains("--network bridge --add-host host.docker.internal:host-gateway"), "{line}");
    }
}
