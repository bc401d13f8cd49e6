//! Commands on this computer (contract section 18): checks each one, runs it, and knows what runs now.
//!
//! The checks here come after the gate and never in its place: they hold whatever a rule or an answer said. It never
//! starts a process itself; `ports::Shells` does.

mod check;
mod run;
#[cfg(test)]
mod tests;

pub use check::Checked;

use crate::ports::{FilesPort, Shells};
use protocol::Timestamp;
use protocol::config::Config;
use protocol::terminal::{RunningCommand, TerminalStatus};
use rules::commands::{Blocked, System};
use runtime::World;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// Commands at once. Ours: more than a person can follow.
pub const RUNNING_MAX: usize = 16;

/// What the terminal works with.
pub struct Terminal {
    shells: Arc<dyn Shells>,
    files: Arc<dyn FilesPort>,
    config: watch::Receiver<Arc<Config>>,
    world: World,
    running: Mutex<BTreeMap<String, Running>>,
}

/// One command that runs.
struct Running {
    call_id: Option<String>,
    command: String,
    folder: String,
    began: Timestamp,
    stop: CancellationToken,
}

impl Terminal {
    pub fn new(
        shells: Arc<dyn Shells>,
        files: Arc<dyn FilesPort>,
        config: watch::Receiver<Arc<Config>>,
        world: World,
    ) -> Self {
        Self { shells, files, config, world, running: Mutex::default() }
    }

    fn config(&self) -> Arc<Config> {
        self.config.borrow().clone()
    }

    fn system(&self) -> System {
        System::named(self.shells.os())
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Running>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// `GET /api/terminal/status`.
    pub fn status(&self) -> TerminalStatus {
        let config = self.config();
        let shell = self.shells.shell();
        let row = |(id, running): (&String, &Running)| RunningCommand {
            id: id.clone(),
            call_id: running.call_id.clone(),
            command: running.command.clone(),
            cwd: running.folder.clone(),
            started_at: running.began,
        };
        let running = self.lock().iter().map(row).collect();
        TerminalStatus {
            enabled: config.terminal.enabled,
            shell: shell.as_ref().map(|shell| shell.name.clone()),
            shell_path: shell.map(|shell| shell.path),
            allowed_folders: config.terminal.allowed_folders.clone(),
            default_folder: self.default_folder(&config.terminal),
            blocked: Blocked::ALL.map(|blocked| blocked.words().to_owned()).to_vec(),
            running,
        }
    }

    /// Ends the command with this run id or call id. Answers whether there was one.
    pub fn stop(&self, id: &str) -> bool {
        let running = self.lock();
        let found = running.iter().find(|(run, row)| *run == id || row.call_id.as_deref() == Some(id));
        found.map(|(_, row)| row.stop.cancel()).is_some()
    }
}
