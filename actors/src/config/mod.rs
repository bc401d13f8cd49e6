//! The configuration's one writer: judges changes, saves them, then lets everybody see them.
//!
//! Reading needs no request: [`current`](get) is a `watch` that always holds a configuration that was saved. This role
//! never shows a change that is not on disk.

mod change;
mod get;
mod patch;
mod replace;
#[cfg(test)]
mod tests;

pub use change::ChangeConfig;
pub use get::{ConfigReader, readers};
pub use patch::PatchConfig;
pub use replace::ReplaceConfig;

use crate::ports::ConfigStore;
use protocol::Error;
use protocol::config::{Config, Problem};
use runtime::{Ctx, Role};
use std::sync::Arc;
use tokio::sync::watch;

/// What a change comes to: the configuration now in force, or everything that is wrong with what was asked.
pub type Changed = Result<Arc<Config>, Vec<Problem>>;

/// What the role is handed.
#[derive(Clone)]
pub struct Needs {
    pub file: Arc<dyn ConfigStore>,
    /// The configuration in force. This role alone sends to it.
    pub current: Arc<watch::Sender<Arc<Config>>>,
    /// Told the sections that changed, after they were saved and are in force; it makes `config.updated` of them.
    pub publish: Arc<dyn Fn(Vec<String>) + Send + Sync>,
}

/// Writes the configuration. It keeps no copy: the watch channel is its memory, and outlives a restart.
pub struct ConfigRole {
    needs: Needs,
}

impl Role for ConfigRole {
    const NAME: &'static str = "config";
    const RANK: u8 = 10;
    type Needs = Needs;

    async fn start(needs: Needs, _: &Ctx<Self>) -> Result<Self, Error> {
        Ok(Self { needs })
    }
}

impl ConfigRole {
    fn now(&self) -> Arc<Config> {
        self.needs.current.borrow().clone()
    }

    /// Saves what was judged, then puts it in force, then tells. Nothing changed: nothing is written or told.
    async fn settle(&self, judged: Result<Config, Vec<Problem>>) -> Result<Changed, Error> {
        let old = self.now();
        let new = match judged {
            Ok(new) if new == *old => return Ok(Ok(old)),
            Ok(new) => Arc::new(new),
            Err(problems) => return Ok(Err(problems)),
        };
        let (file, saving) = (self.needs.file.clone(), new.clone());
        tokio::task::spawn_blocking(move || file.save(&saving))
            .await
            .map_err(|cause| Error::internal(format!("saving the settings was cut short: {cause}")))??;
        self.needs.current.send_replace(new.clone());
        (self.needs.publish)(rules::config_patch::changed_sections(&old, &new));
        Ok(Ok(new))
    }
}
