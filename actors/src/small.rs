//! The small roles and the ports that surfaces reach through them, as one part of the engine's handle.

use crate::config::{ConfigReader, ConfigRole};
use crate::notifications::Notifications;
use crate::ports::{MachineProbe, Models, SecretStore, Workspace};
use crate::presence::Presence;
use crate::tools::Registry;
use protocol::config::Config;
use runtime::{Address, Outside};
use std::sync::Arc;
use storage::Store;
use tokio::time::Duration;

/// How long a surface waits for a small role. Ours: they only commit a row.
const PATIENCE: Duration = Duration::from_secs(10);

/// What is behind the engine's methods for notifications, files, usage, models and secrets. Cheap to clone.
#[derive(Clone)]
pub struct SmallRoles {
    pub store: Store,
    /// The configuration as it is now.
    pub config: ConfigReader,
    /// The configuration's one writer.
    pub settings: Address<ConfigRole>,
    pub notifications: Address<Notifications>,
    pub presence: Address<Presence>,
    pub models: Arc<dyn Models>,
    pub secrets: Arc<dyn SecretStore>,
    pub machine: Arc<dyn MachineProbe>,
    pub workspace: Arc<dyn Workspace>,
    pub tools: Registry,
    /// The data folder, as the person sees it.
    pub home: String,
}

impl SmallRoles {
    pub fn config(&self) -> Arc<Config> {
        self.config.borrow().clone()
    }
}

/// A surface that asks.
pub(crate) fn asking() -> Outside {
    Outside::within(PATIENCE)
}
