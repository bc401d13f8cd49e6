//! Who has the local model, kept outside the queue's actor so that a restart of the queue forgets nobody.

use protocol::Timestamp;
use rules::local_queue::Ticket;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The one place at the local model.
#[derive(Clone, Debug)]
pub struct AtTheModel {
    place: Arc<Semaphore>,
    last: Arc<Mutex<Option<(Ticket, Timestamp)>>>,
}

impl Default for AtTheModel {
    fn default() -> Self {
        Self { place: Arc::new(Semaphore::new(1)), last: Arc::default() }
    }
}

/// The right to call the local model; ends when it is dropped.
#[derive(Debug)]
pub struct Permit {
    _place: OwnedSemaphorePermit,
}

impl AtTheModel {
    /// Takes the place; `None` while somebody has it.
    pub(super) fn take(&self, running: (Ticket, Timestamp)) -> Option<Permit> {
        let place = self.place.clone().try_acquire_owned().ok()?;
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Some(running);
        Some(Permit { _place: place })
    }

    /// Whose call runs, and since when.
    pub(super) fn running(&self) -> Option<(Ticket, Timestamp)> {
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner).clone();
        last.filter(|_| self.place.available_permits() == 0)
    }

    /// Returns once nobody has the place any more.
    pub(super) async fn free(&self) {
        drop(self.place.acquire().await);
    }
}
