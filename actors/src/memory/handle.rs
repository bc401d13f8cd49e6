//! How the rest of the engine reaches memory. Cheap to clone; it holds no memory of its own.

use super::notice::{self, NoModel};
use super::{Memory, Recall, Recalled, unknown};
use crate::completion::Asker;
use crate::embeddings::Embeddings;
use crate::notifications::Notifications;
use crate::stop::Switch;
use crate::summaries::SummarySearch;
use protocol::Error;
use protocol::config::Config;
use runtime::{Address, Outside, World};
use std::sync::Arc;
use storage::records::FactRecord;
use storage::search::MessageIndex;
use storage::{MemoryIndex, Snapshot, Store};
use tokio::sync::Semaphore;
use tokio::time::Duration;

/// How long a caller waits for the role. Ours: forgetting a whole scope takes longest.
const PATIENCE: Duration = Duration::from_secs(60);

/// Memory, as others use it.
#[derive(Clone)]
pub struct MemoryHandle {
    /// The one writer of facts.
    pub memory: Address<Memory>,
    /// Finds facts by what they mean and say.
    pub recall: Recall,
    pub embeddings: Embeddings,
    pub(super) saving: Arc<Saving>,
    /// Finds messages by their words.
    pub(crate) messages: Arc<MessageIndex>,
    /// Finds summaries of chats.
    pub(crate) summaries: SummarySearch,
}

/// What saving takes beside the role.
pub(super) struct Saving {
    pub(super) asker: Asker,
    pub(super) world: World,
    pub(super) stop: Switch,
    /// One save is judged at a time, so that each sees what the one before it kept.
    pub(super) line: Semaphore,
    notifications: Address<Notifications>,
}

impl Saving {
    pub(super) fn new(asker: Asker, world: &World, stop: Switch, notifications: Address<Notifications>) -> Self {
        Self { asker, world: world.clone(), stop, line: Semaphore::new(1), notifications }
    }
}

/// A caller of the role.
pub(super) fn asking() -> Outside {
    Outside::within(PATIENCE)
}

impl MemoryHandle {
    pub(super) fn new(
        memory: Address<Memory>,
        recall: Recall,
        embeddings: Embeddings,
        (saving, messages, index): (Saving, Arc<MessageIndex>, MemoryIndex),
    ) -> Self {
        let store = saving.asker.store.clone();
        let summaries = SummarySearch { store, index, embeddings: embeddings.clone() };
        Self { memory, recall, embeddings, saving: Arc::new(saving), messages, summaries }
    }

    /// What the store holds now.
    ///
    /// # Errors
    /// A store that cannot be read.
    pub fn snapshot(&self) -> Result<Snapshot, Error> {
        Ok(self.saving.asker.store.snapshot()?)
    }

    pub(crate) fn store(&self) -> &Store {
        &self.saving.asker.store
    }

    pub(crate) fn config(&self) -> Arc<Config> {
        self.saving.asker.config.borrow().clone()
    }

    /// One memory as it is stored, whatever its status and state.
    ///
    /// # Errors
    /// `NotFound` when it is gone.
    pub fn fact(&self, id: u64) -> Result<FactRecord, Error> {
        self.snapshot()?.get::<FactRecord>(&id)?.ok_or_else(unknown)
    }

    /// Counts memories that were recalled, without waiting for it. What is lost in a crash is a count.
    pub async fn recalled(&self, ids: Vec<u64>) {
        if ids.is_empty() {
            return;
        }
        if let Err(error) = self.memory.tell(&asking(), Recalled { ids }).await {
            tracing::debug!(%error, "recalled memories were not counted");
        }
    }

    /// No model could do this: the log says why every time, the person hears it once.
    pub async fn no_model(&self, what: NoModel, why: &Error) {
        match what {
            NoModel::Check => tracing::warn!(
                "no model could check a new memory, so only the checks made in code decide whether it is new: {why}"
            ),
            NoModel::Extract => tracing::warn!("no model could read a chat for memories: {why}"),
        }
        if let Err(error) = notice::tell(self.store(), &self.saving.notifications, what).await {
            tracing::warn!(%error, "the person was not told of it");
        }
    }

    /// A model did it: the next failure is news again.
    pub async fn model_works(&self, what: NoModel) {
        if let Err(error) = notice::works(self.store(), what).await {
            tracing::warn!(%error, "it is not noted that a model works again");
        }
    }
}
