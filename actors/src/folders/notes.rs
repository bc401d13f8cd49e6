//! The handle on the added folders for what reads them: searches, tools, prompts, lists. It writes nothing.

use crate::embeddings::Embeddings;
use crate::ports::FolderFiles;
use protocol::config::Config;
use protocol::folders::FolderProgress;
use std::sync::Arc;
use storage::records::FolderRecord;
use storage::{MemoryIndex, Store};
use tokio::sync::watch;

/// The folders at one moment.
#[derive(Clone, Debug, Default)]
pub struct Known {
    pub(crate) folders: Vec<FolderRecord>,
    /// The one that is being looked through, and how far.
    pub(crate) scanning: Option<(String, Option<FolderProgress>)>,
}

/// Reads the added folders. Cheap to clone.
#[derive(Clone)]
pub struct FolderNotes {
    pub(crate) store: Store,
    pub(crate) index: MemoryIndex,
    pub(crate) embeddings: Embeddings,
    pub(crate) config: watch::Receiver<Arc<Config>>,
    pub(crate) files: Arc<dyn FolderFiles>,
    pub(crate) known: Arc<watch::Sender<Known>>,
}

impl FolderNotes {
    pub fn new(
        store: Store,
        (index, embeddings): (MemoryIndex, Embeddings),
        config: watch::Receiver<Arc<Config>>,
        files: Arc<dyn FolderFiles>,
    ) -> Self {
        Self { store, index, embeddings, config, files, known: Arc::new(watch::Sender::new(Known::default())) }
    }

    /// Whether a folder is added: its tools are offered then.
    pub fn any(&self) -> bool {
        !self.known.borrow().folders.is_empty()
    }

    pub(crate) fn folders(&self) -> Vec<FolderRecord> {
        self.known.borrow().folders.clone()
    }

    pub(crate) fn settings(&self) -> protocol::config::Folders {
        self.config.borrow().folders.clone()
    }
}
