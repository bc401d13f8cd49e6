//! What "Stop everything" means for what waits behind a reply: it is dropped, never sent, and that is said (contract
//! section 17).

use super::Chat;
use protocol::Error;
use protocol::chat::{ChatEvent, Done};
use storage::Batch;
use storage::records::{QueuedInput, QueuedKind};

/// Fixed by the contract (strings.tsv, stop_dropped).
const DROPPED: &str = "Stopped. Your queued message wasn't sent.";

impl Chat {
    /// Looks whether everything was stopped meanwhile: then what waits now is dropped.
    pub(super) fn look_for_a_stop(&mut self) {
        let stops = self.parts.stop.stops();
        if stops != self.stops_seen {
            self.stops_seen = stops;
            self.dropped_upto = self.queue.back().map_or(self.dropped_upto, |input| input.number);
        }
    }

    /// What a stop has dropped and is still among what waits.
    pub(super) fn dropped(&self) -> Vec<QueuedInput> {
        self.queue.iter().filter(|input| input.number <= self.dropped_upto).cloned().collect()
    }

    /// Takes what was dropped out of what waits, once that is stored, and says so. What would have joined the reply is
    /// named by the reply's own `done`.
    pub(super) fn forget_dropped(&mut self, dropped: &[QueuedInput]) {
        let upto = self.dropped_upto;
        self.queue.retain(|input| input.number > upto);
        for input in dropped.iter().filter(|input| input.kind == QueuedKind::Turn) {
            let client_id = input.client_id.clone();
            let (message, code, recoverable) = (DROPPED.to_owned(), None, true);
            self.tell(
                ChatEvent::Error { message, recoverable, code, dropped: true, client_id: client_id.clone() },
                None,
            );
            let (cancelled, dropped) = (true, vec![input.text.clone()]);
            self.tell(ChatEvent::Done(Box::new(Done { cancelled, dropped, client_id, ..Done::default() })), None);
        }
    }

    /// Drops what waits although no reply ends: found after a crash.
    pub(super) async fn drop_stopped(&mut self) -> Result<(), Error> {
        self.look_for_a_stop();
        let dropped = self.dropped();
        if dropped.is_empty() {
            return Ok(());
        }
        let mut batch = Batch::new();
        for input in &dropped {
            batch.delete::<QueuedInput>(&(input.session_id.clone(), input.number));
        }
        self.commit(batch).await?;
        self.forget_dropped(&dropped);
        Ok(())
    }
}
