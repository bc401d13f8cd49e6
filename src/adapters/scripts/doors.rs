//! Finds out what holds a script on this computer, by trying every door from inside.

use crate::adapters::processes::{Bounds, Launcher, Start};
use crate::confine::probe::Targets;
use crate::confine::{Confinement, Doors, Limits, PROBE};
use actors::ports::{Ending, Output, OutputSink, TooMuch};
use protocol::sandbox::SandboxDoors;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::net::TcpListener;
use tokio::time::Duration;
use tokio_util::sync::CancellationToken;

/// How long a try may take.
const TRY_MAX: Duration = Duration::from_secs(20);
/// Bytes of the answer that are kept.
const ANSWER_BYTES_MAX: usize = 4_096;

/// Tries them. What cannot be tried counts as open.
pub(super) async fn tried(launcher: &Launcher, runs: &Path) -> SandboxDoors {
    let doors = match try_all(launcher, runs).await {
        Ok(doors) => doors,
        Err(cause) => {
            tracing::warn!(%cause, "it could not be tried what holds a script");
            Doors::default()
        }
    };
    told(doors)
}

async fn try_all(launcher: &Launcher, runs: &Path) -> std::io::Result<Doors> {
    super::folder::private_folder(runs)?;
    let name = own_name(runs);
    let ground = Ground(runs.join(&name));
    let inside = ground.0.join("inside");
    super::folder::private_folder(&inside)?;
    let file = ground.0.join("outside.txt");
    std::fs::write(&file, "not for scripts")?;
    let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
    let limits = Limits::default();
    #[cfg(target_os = "linux")]
    let groups = crate::confine::Groups::make(&name, &limits);
    #[cfg(target_os = "linux")]
    let folders = groups.folders.clone();
    #[cfg(not(target_os = "linux"))]
    let folders = Vec::new();
    let targets = Targets {
        file,
        new_file: ground.0.join("written.txt"),
        port: listener.local_addr()?.port(),
        engine: std::process::id(),
        processes: limits.processes,
        memory_bytes: limits.memory_bytes,
    };
    let program = launcher.program().canonicalize()?;
    let libraries = ["/usr", "/lib", "/lib64", "/nix/store", "/etc/ld.so.cache"].map(Into::into);
    let confinement = Confinement {
        read: [program.clone()].into_iter().chain(libraries).collect(),
        write: vec![inside.clone()],
        limits,
        groups: folders,
    };
    let said = Arc::new(Mutex::new(Vec::new()));
    let sink: OutputSink = {
        let said = said.clone();
        Arc::new(move |output, bytes| {
            let mut said = said.lock().unwrap_or_else(PoisonError::into_inner);
            if output == Output::Stdout && said.len() < ANSWER_BYTES_MAX {
                said.extend_from_slice(bytes);
            }
        })
    };
    let tree = launcher.start(Start {
        program: &program,
        arguments: vec![PROBE.to_owned(), serde_json::to_string(&targets)?],
        folder: &inside,
        // Each thread's own heap would fill the address space before the threads are too many.
        environment: vec![("MALLOC_ARENA_MAX".to_owned(), "1".to_owned())],
        confinement: Some(confinement),
        mark: format!("SENTIENT_SCRIPT_RUN={name}"),
        stdin: Stdio::null(),
    })?;
    // Looked at as a script is, so that this limit is tried too.
    let bounds = Bounds { time_max: TRY_MAX, weight: Some((limits.memory_bytes, limits.processes)) };
    let followed = tree.follow(bounds, sink, CancellationToken::new()).await;
    let said = said.lock().unwrap_or_else(PoisonError::into_inner).clone();
    match followed.ending {
        Ending::Exited(0) => Ok(serde_json::from_slice(&said)?),
        // The kernel let it have too many, and the look did not.
        Ending::TooMuch(TooMuch::Processes) => Ok(Doors { count: true, ..serde_json::from_slice(&said)? }),
        other => Err(std::io::Error::other(format!("the try ended with {other:?}"))),
    }
}

/// A name no other try on this computer has: control groups have one name for all engines.
fn own_name(runs: &Path) -> String {
    let mut hasher = DefaultHasher::new();
    runs.hash(&mut hasher);
    format!("doors-{}-{:016x}", std::process::id(), hasher.finish())
}

/// The ground of one try, gone afterwards.
struct Ground(std::path::PathBuf);

impl Drop for Ground {
    fn drop(&mut self) {
        if let Err(cause) = std::fs::remove_dir_all(&self.0) {
            tracing::debug!(%cause, "the ground of a try stays");
        }
    }
}

/// The doors as Settings shows them.
fn told(doors: Doors) -> SandboxDoors {
    let Doors { reads, writes, network, processes, privileges, memory, count } = doors;
    let limits = memory && count;
    let open: Vec<&str> = [
        (reads, "read your files"),
        (writes, "change your files"),
        (network, "use the network"),
        (processes, "reach other programs"),
        (privileges, "use all calls of the system"),
        (memory, "use all memory"),
        (count, "start any number of processes"),
    ]
    .into_iter()
    .filter(|(closed, _)| !closed)
    .map(|(_, words)| words)
    .collect();
    let warning = (!open.is_empty())
        .then(|| format!("On this computer a script is not fully confined: it could {}.", list(&open)));
    SandboxDoors { confined: open.is_empty(), reads, writes, network, processes, privileges, limits, warning }
}

fn list(words: &[&str]) -> String {
    match words {
        [] => String::new(),
        [only] => (*only).to_owned(),
        [front @ .., last] => format!("{} and {last}", front.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use actors::stop::ProcessTrees;

    #[test]
    fn what_is_open_is_told() {
        let closed = Doors {
            reads: true,
            writes: true,
            network: true,
            processes: true,
            privileges: true,
            memory: true,
            count: true,
        };
        assert_eq!(told(closed.clone()).warning, None);
        assert!(told(closed.clone()).confined);
        for one in [Doors { memory: false, ..closed.clone() }, Doors { count: false, ..closed.clone() }] {
            let one = told(one);
            assert!(!one.limits && !one.confined && one.warning.is_some());
        }
        let one = told(Doors { network: false, ..closed });
        let want = "On this computer a script is not fully confined: it could use the network.";
        assert_eq!((one.confined, one.warning.as_deref()), (false, Some(want)));
        let all = told(Doors::default()).warning.expect("told");
        assert!(all.contains("read your files, change your files") && all.ends_with("number of processes."), "{all}");
    }

    #[tokio::test]
    async fn a_launcher_that_is_none_leaves_all_doors_open() {
        let home = tempfile::tempdir().expect("a folder");
        let doors = tried(&Launcher::new("/nowhere/sentient".into(), ProcessTrees::default()), home.path()).await;
        assert!(!doors.confined && doors.warning.is_some());
    }
}
