//! What every chat is handed: the store, the live channel, models, tools, and settings that change while it runs.

use crate::approvals::Approvals;
use crate::approvals::proposals::Proposals;
use crate::completion::Asker;
use crate::folders::FolderNotes;
use crate::gate::Gate;
use crate::knowing::Knowing;
use crate::learning::LearningParts;
use crate::live::Hub;
use crate::memory::MemoryHandle;
use crate::model_queue::ModelQueue;
use crate::notifications::Notifications;
use crate::ports::{FilesPort, Models, Workspace};
use crate::snapshots::Keeper;
use crate::stop::Switch;
use crate::subagents::Subagents;
use crate::tools::Registry;
use crate::undo::Undo;
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
    pub subagents: Address<Subagents>,
    /// Rules proposed from what the person said.
    pub proposals: Address<Proposals>,
    pub undo: Address<Undo>,
    pub notifications: Address<Notifications>,
    /// What every call goes through.
    pub gate: Gate,
    /// Folders of the person's notes.
    pub notes: FolderNotes,
    pub workspace: Arc<dyn Workspace>,
    pub marks: MarkKey,
    /// Whether the month's budget forbids a paid call now, with the sentence that says so.
    pub budget: Arc<dyn Fn() -> Option<String> + Send + Sync>,
    /// False: replies cut off by a restart are ended and not resumed, and nothing is done after a reply.
    pub background: bool,
    /// Copies of files before tools change them.
    pub keeper: Keeper,
    /// Whether everything is stopped; replies are where a stop finds them.
    pub stop: Switch,
    /// What is remembered, and how something is.
    pub memories: MemoryHandle,
    /// What was worked out about the person.
    pub knowing: Knowing,
    /// What is learned from chats.
    pub(crate) learning: LearningParts,
}

impl ChatParts {
    pub fn config(&self) -> Arc<Config> {
        self.config.borrow().clone()
    }

    /// For questions to the fast model.
    pub(crate) fn asker(&self) -> Asker {
        Asker {
            store: self.store.clone(),
            config: self.config.clone(),
            models: self.models.clone(),
            queue: self.queue.clone(),
            budget: self.budget.clone(),
        }
    }
}
