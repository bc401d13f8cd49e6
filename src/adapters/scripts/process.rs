//! The `process` backend: this computer's Python behind closed doors.

use super::bridge::Bridge;
use super::folder::RunFolder;
use super::{Inner, keep};
use crate::adapters::processes::{Bounds, Start};
#[cfg(target_os = "linux")]
use crate::confine::Groups;
use crate::confine::{Confinement, Limits};
use actors::ports::{OutputSink, ScriptBackend, ScriptCalls, ScriptEnd, ScriptJob};
use protocol::{Error, ErrorKind};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use tokio::time::{Duration, timeout};
use tokio_util::sync::CancellationToken;

/// How long the last words of a script are waited for, once all of it has ended.
const LAST_WORDS_MAX: Duration = Duration::from_secs(2);

/// What Python and its libraries read on any computer. What is not there is left out.
const SYSTEM_READS: [&str; 22] = [
    "/bin",
    "/lib",
    "/lib32",
    "/lib64",
    "/sbin",
    "/usr",
    "/nix/store",
    "/etc/alternatives",
    "/etc/fonts",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/localtime",
    "/etc/mime.types",
    "/etc/ssl/certs",
    "/etc/timezone",
    "/dev/random",
    "/dev/urandom",
    "/dev/zero",
    "/proc/cpuinfo",
    "/proc/meminfo",
    "/sys/devices/system/cpu",
];
const SYSTEM_WRITES: [&str; 1] = ["/dev/null"];

impl Inner {
    pub(super) async fn run_process(
        &self,
        job: ScriptJob,
        calls: Arc<dyn ScriptCalls>,
        output: OutputSink,
        stop: CancellationToken,
    ) -> Result<ScriptEnd, Error> {
        let python = self.python().await?;
        let folder = RunFolder::make(&self.runs(), &job.run_id, &job.code, job.limits.keep_folder)?;
        let limits = Limits::default();
        #[cfg(target_os = "linux")]
        let groups = Groups::make(&job.run_id, &limits);
        let confinement = Confinement {
            read: reads(&python.reads, &folder.lib(), &self.places.data),
            write: [folder.work(), folder.tmp()].into_iter().chain(SYSTEM_WRITES.map(PathBuf::from)).collect(),
            limits,
            #[cfg(target_os = "linux")]
            groups: groups.folders.clone(),
            #[cfg(not(target_os = "linux"))]
            groups: Vec::new(),
        };
        let bridge = Bridge::new(calls);
        let (stdin, link) = link(&folder, &bridge).map_err(not_started)?;
        let where_to = if cfg!(unix) { String::new() } else { folder.link().display().to_string() };
        let arguments = [folder.start(), folder.lib(), folder.script()].map(|path| path.display().to_string());
        let flags = ["-I", "-u", "-B"].map(str::to_owned);
        let tree = self.launcher.start(Start {
            program: &python.program,
            arguments: flags.into_iter().chain(arguments).chain([where_to]).collect(),
            folder: &folder.work(),
            environment: environment(&folder, &job.run_id),
            confinement: Some(confinement),
            mark: mark(&job.run_id),
            stdin,
        });
        let tree = tree.map_err(not_started)?;
        let bounds = Bounds { time_max: job.limits.time_max, weight: Some((limits.memory_bytes, limits.processes)) };
        let mut link = link;
        let following = tree.follow(bounds, output, stop);
        tokio::pin!(following);
        let mut open = true;
        let followed = loop {
            tokio::select! {
                biased;
                followed = &mut following => break followed,
                () = &mut link, if open => open = false,
            }
        };
        if open && timeout(LAST_WORDS_MAX, link).await.is_err() {
            tracing::debug!("a script's connection stayed open after its end");
        }
        if !cfg!(unix) {
            bridge.rest_of_folder(&folder.link()).await;
        }
        let kept = keep::keep(folder.work(), &job.run_id, &job.limits, &self.files).await;
        let said = bridge.said();
        Ok(ScriptEnd {
            backend: ScriptBackend::Process,
            ending: followed.ending,
            fault: said.fault,
            result: said.result,
            files: kept.names,
            left_out: kept.left_out,
        })
    }
}

type Link = futures::future::BoxFuture<'static, ()>;

/// The script's stdin is its connection: it inherits nothing else, and nobody can find it by a name.
#[cfg(unix)]
fn link(_: &RunFolder, bridge: &Bridge) -> std::io::Result<(Stdio, Link)> {
    use std::os::fd::OwnedFd;
    use std::os::unix::net::UnixStream;
    let (ours, theirs) = UnixStream::pair()?;
    ours.set_nonblocking(true)?;
    let ours = tokio::net::UnixStream::from_std(ours)?;
    let bridge = bridge.clone();
    Ok((Stdio::from(OwnedFd::from(theirs)), Box::pin(async move { bridge.serve(ours).await })))
}

#[cfg(not(unix))]
fn link(folder: &RunFolder, bridge: &Bridge) -> std::io::Result<(Stdio, Link)> {
    let (bridge, folder) = (bridge.clone(), folder.link());
    Ok((Stdio::null(), Box::pin(async move { bridge.serve_folder(folder).await })))
}

fn not_started(cause: std::io::Error) -> Error {
    Error::new(ErrorKind::Unavailable, format!("The script could not be started: {cause}."))
}

fn mark(run_id: &str) -> String {
    format!("SENTIENT_SCRIPT_RUN={run_id}")
}

/// All a script sees of the environment: nothing of the engine's.
fn environment(folder: &RunFolder, run_id: &str) -> Vec<(String, String)> {
    let (work, tmp) = (folder.work().display().to_string(), folder.tmp().display().to_string());
    let mut environment: Vec<(String, String)> = [
        ("PATH", "/usr/local/bin:/usr/bin:/bin"),
        ("LANG", "C.UTF-8"),
        ("LC_ALL", "C.UTF-8"),
        ("USER", "script"),
        ("LOGNAME", "script"),
        // Libraries that start a thread per processor ask for more memory than a script has.
        ("OPENBLAS_NUM_THREADS", "4"),
        ("OMP_NUM_THREADS", "4"),
        ("MKL_NUM_THREADS", "4"),
        ("MPLBACKEND", "Agg"),
    ]
    .map(|(name, value)| (name.to_owned(), value.to_owned()))
    .to_vec();
    for name in ["TMPDIR", "TMP", "TEMP", "XDG_CACHE_HOME", "MPLCONFIGDIR"] {
        environment.push((name.to_owned(), tmp.clone()));
    }
    environment.push(("HOME".into(), work));
    let (name, value) = ("SENTIENT_SCRIPT_RUN".to_owned(), run_id.to_owned());
    environment.push((name, value));
    environment
}

/// What is read, without what would open the data folder: a Python that lives above it is not worth that.
fn reads(python: &[PathBuf], lib: &Path, data: &Path) -> Vec<PathBuf> {
    let data = data.canonicalize().unwrap_or_else(|_| data.to_owned());
    let system = SYSTEM_READS.map(PathBuf::from);
    let apart = |path: &PathBuf| !data.starts_with(path) && !path.starts_with(&data);
    system.into_iter().chain(python.iter().cloned()).filter(apart).chain([lib.to_owned()]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_is_read_holds_the_data_folder() {
        let python = ["/opt/python", "/", "/home/maya"].map(PathBuf::from);
        let reads = reads(&python, Path::new("/home/maya/.sentient/sandbox/r/lib"), Path::new("/home/maya/.sentient"));
        assert!(reads.contains(&PathBuf::from("/opt/python")) && reads.contains(&PathBuf::from("/usr")));
        assert!(!reads.iter().any(|path| Path::new("/home/maya/.sentient").starts_with(path)), "{reads:?}");
        assert_eq!(reads.last(), Some(&PathBuf::from("/home/maya/.sentient/sandbox/r/lib")));
        let inside = super::reads(&[], Path::new("/usr/share/s/sandbox/r/lib"), Path::new("/usr/share/s"));
        assert!(!inside.contains(&PathBuf::from("/usr")), "{inside:?}");
    }
}
