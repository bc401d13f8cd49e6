//! Starts programs so that all of each can be ended: on Linux through the keeper (`crate::confine`), elsewhere in a process
//! group of its own.
//!
//! A [`Tree`] that is dropped is ended first, at once and as a whole: a turn that is stopped drops what it waits for.

mod follow;
mod repository;
mod shells;

pub use follow::{Bounds, Followed};
pub use shells::{ShellPlaces, SystemShells};

use crate::confine::{Confinement, Launch, TEND};
use actors::ports::ProcessTree;
use actors::stop::{ProcessTrees, TreeGuard};
use futures::FutureExt;
use futures::future::BoxFuture;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use tokio::process::{Child, Command};
use tokio_util::sync::CancellationToken;

/// Starts programs.
#[derive(Clone)]
pub struct Launcher {
    /// This program, which has the hidden modes.
    program: PathBuf,
    /// Where all that runs is known, so that "Stop everything" reaches it.
    trees: ProcessTrees,
}

/// One program to start.
pub struct Start<'a> {
    pub program: &'a Path,
    pub arguments: Vec<String>,
    pub folder: &'a Path,
    /// All it sees of the environment.
    pub environment: Vec<(String, String)>,
    pub confinement: Option<Confinement>,
    /// A variable of that environment which only this run has.
    pub mark: String,
    pub stdin: Stdio,
}

impl Launcher {
    /// `program` is this very program, by a path or, on Linux, by `/proc/self/exe`.
    pub fn new(program: PathBuf, trees: ProcessTrees) -> Self {
        Self { program, trees }
    }

    /// The program that runs now, found again even when its file was replaced by a newer one.
    ///
    /// # Errors
    /// A system that does not say where it is.
    pub fn own(trees: ProcessTrees) -> io::Result<Self> {
        let program = if cfg!(target_os = "linux") { "/proc/self/exe".into() } else { std::env::current_exe()? };
        Ok(Self::new(program, trees))
    }

    pub fn program(&self) -> &Path {
        &self.program
    }

    /// Starts it.
    ///
    /// # Errors
    /// The system does not start it.
    pub fn start(&self, start: Start<'_>) -> io::Result<Tree> {
        let Start { program, arguments, folder, environment, confinement, mark, stdin } = start;
        let mut command = if cfg!(target_os = "linux") {
            let launch = Launch { engine: std::process::id(), program: program.to_owned(), arguments, confinement };
            let mut command = Command::new(&self.program);
            command.arg(TEND).arg(serde_json::to_string(&launch)?);
            command
        } else {
            let mut command = Command::new(program);
            command.args(arguments);
            command
        };
        command.env_clear().envs(environment).current_dir(folder);
        command.stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped());
        #[cfg(all(unix, not(target_os = "linux")))]
        command.process_group(0);
        let child = command.spawn()?;
        let signs = Signs::default();
        let id = child.id();
        let mut tree = Tree { id, child, mark: mark.clone(), signs: signs.clone(), known: None };
        // The value of the mark is the run's id. One too many ends right here, as the tree is dropped.
        let names = vec![mark.split_once('=').map_or(mark.as_str(), |(_, run)| run).to_owned()];
        let known = self.trees.add(names, Arc::new(signs));
        tree.known = Some(known.map_err(|error| io::Error::other(error.message))?);
        Ok(tree)
    }
}

/// A started program and all it starts.
pub struct Tree {
    child: Child,
    id: Option<u32>,
    mark: String,
    signs: Signs,
    known: Option<TreeGuard>,
}

/// How a tree is told to end, and how it tells that it has.
#[derive(Clone, Default)]
struct Signs {
    stop: CancellationToken,
    gone: CancellationToken,
}

impl ProcessTree for Signs {
    /// Who follows the tree, or drops it, ends it; this waits for that.
    fn kill(&self) -> BoxFuture<'static, ()> {
        self.stop.cancel();
        let gone = self.gone.clone();
        async move { gone.cancelled().await }.boxed()
    }
}

impl Tree {
    /// Ends all of it now. What carries the mark goes too, so that who left the tree does not get away.
    fn end(&mut self) {
        let Some(id) = self.id.take() else { return };
        end_tree(id, &self.mark, self.child.try_wait().is_ok_and(|status| status.is_none()));
        self.signs.gone.cancel();
        drop(self.known.take());
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        self.end();
    }
}

/// `runs`: whether the keeper itself was not buried yet, so that its number is still its own.
#[cfg(target_os = "linux")]
fn end_tree(id: u32, mark: &str, runs: bool) {
    use crate::confine::sweep;
    use nix::sys::signal::{Signal, kill};
    use nix::unistd::Pid;
    let keeper = Pid::from_raw(i32::try_from(id).unwrap_or(i32::MAX));
    if runs {
        // A program may have stopped its keeper; that one tidies up only when it goes on.
        for signal in [Signal::SIGTERM, Signal::SIGCONT] {
            if let Err(cause) = kill(keeper, signal) {
                tracing::debug!(%cause, "a keeper was gone already");
            }
        }
    }
    if !sweep::all_below(keeper, Some(mark)) {
        tracing::error!("processes of a command or script could not all be ended");
    }
}

/// The process group. What left it gets away on this system.
#[cfg(all(unix, not(target_os = "linux")))]
#[expect(clippy::disallowed_methods, reason = "the system's own program that ends others")]
fn end_tree(id: u32, _: &str, runs: bool) {
    if !runs {
        return;
    }
    if let Err(cause) = std::process::Command::new("/bin/kill").args(["-KILL", "--", &format!("-{id}")]).status() {
        tracing::error!(%cause, "a command or script could not be ended");
    }
}

#[cfg(windows)]
#[expect(clippy::disallowed_methods, reason = "the system's own program that ends others")]
fn end_tree(id: u32, _: &str, runs: bool) {
    if !runs {
        return;
    }
    let ended = std::process::Command::new("taskkill.exe").args(["/T", "/F", "/PID", &id.to_string()]).status();
    if let Err(cause) = ended {
        tracing::error!(%cause, "a command or script could not be ended");
    }
}
