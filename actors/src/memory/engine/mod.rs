//! Memory as surfaces see it: each method reads a snapshot or hands a request to the role. Nothing is decided here that the
//! role or a rule could decide.

mod change;
mod export;
mod forget_learned;
mod graph;
mod list;
mod review;
mod scopes;

pub(crate) use forget_learned::label_of;

use crate::Engine;
use crate::memory::MemoryHandle;
use protocol::{Error, ErrorKind};
use storage::Snapshot;

impl Engine {
    /// How the parts of the engine that learn, dream and recall reach memory.
    pub fn memory_handle(&self) -> &MemoryHandle {
        &self.memories
    }

    /// Reads what may be a lot, on a thread for that.
    async fn reading<T: Send + 'static>(
        &self,
        read: impl FnOnce(&Snapshot) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let store = self.store.clone();
        let done = tokio::task::spawn_blocking(move || read(&store.snapshot()?)).await;
        done.map_err(|cause| Error::new(ErrorKind::Unavailable, format!("memories could not be read: {cause}")))?
    }
}
