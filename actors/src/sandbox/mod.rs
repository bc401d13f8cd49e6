//! Scripts (contract section 11): runs one, answers its tool calls through the one gate, and says what came of it.
//!
//! A script only reads: what changes, sends or runs anything is for the model to call itself, where the person can be
//! asked. It never starts a process; `ports::Scripts` does.

mod calls;
mod run;
mod status;
#[cfg(test)]
mod tests;

pub use run::ScriptRun;

use crate::ports::Scripts;
use crate::terminal::Terminal;
use crate::tools::Registry;
use protocol::config::Config;
use runtime::World;
use std::sync::{Arc, OnceLock, Weak};
use tokio::sync::{Semaphore, watch};

/// Characters of a script. Ours: what a model writes in one call.
pub const CODE_CHARS_MAX: usize = 200_000;
/// Scripts at once, over `sandbox.max_concurrent_runs` of any setting (contract config table).
const RUNS_MAX: usize = 16;

/// Where scripts run from.
pub struct Sandbox {
    scripts: Arc<dyn Scripts>,
    /// Knows which folders a script that nothing holds could change.
    terminal: Arc<Terminal>,
    config: watch::Receiver<Arc<Config>>,
    world: World,
    /// The tools a script may call: those this sandbox's own tool stands among, so only a weak hold on them.
    tools: OnceLock<Weak<Registry>>,
    /// One permit per run; `max_concurrent_runs` of them are handed out.
    runs: Arc<Semaphore>,
}

impl Sandbox {
    pub fn new(
        scripts: Arc<dyn Scripts>,
        terminal: Arc<Terminal>,
        config: watch::Receiver<Arc<Config>>,
        world: World,
    ) -> Self {
        Self { scripts, terminal, config, world, tools: OnceLock::new(), runs: Arc::new(Semaphore::new(RUNS_MAX)) }
    }

    /// Says which tools there are, once they are put together.
    pub fn know_tools(&self, tools: &Arc<Registry>) {
        if self.tools.set(Arc::downgrade(tools)).is_err() {
            tracing::debug!("scripts know their tools already");
        }
    }

    fn config(&self) -> Arc<Config> {
        self.config.borrow().clone()
    }
}
