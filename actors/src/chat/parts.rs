//! What every chat is handed: the store, the live channel, models, tools, and settings that change while it runs.

use crate::approvals::Approvals;
use crate::live::Hub;
use crate::model_queue::ModelQueue;
use crate::ports::{FilesPort, Models};
use crate::tools::Registry;
use protocol::config::Config;
use rules::marking::MarkKey;
use runtime::Address;
use std::sync::Arc;
use storage::Store;
use tokio::sync::watch;

/// Shared by all chats of one engine.
pub struct ChatParts {
    pub store: Store,
    pub live: Hub,
    pub config: watch::Receiver<Arc<Config>>,
    pub models: Arc<dyn Models>,
    pub queue: Address<ModelQueue>,
    pub tools: Arc<Registry>,
    pub files: Arc<dyn FilesPort>,
    pub approvals: Address<Approvals>,
    pub persona: Arc<dyn PersonaSource>,
    pub marks: MarkKey,
    /// Whether the month's budget forbids a paid call now, with the sentence that says so.
    pub budget: Arc<dyn Fn() -> Option<String> + Send + Sync>,
}

/// How the assistant should be and what it should know of the person: the workspace files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Persona {
    pub soul: String,
    pub user: String,
}

/// Reads the workspace files; a file that cannot be read counts as empty.
pub trait PersonaSource: Send + Sync + 'static {
    fn read(&self) -> Persona;
}

impl ChatParts {
    pub fn config(&self) -> Arc<Config> {
        self.config.borrow().clone()
    }
}
