//! Who may use the local model next: one call at a time, the most urgent first, upkeep only when nobody is chatting
//! (contract section 3, `GET /api/models/busy`; rule 125). A running call is never cut off.
//!
//! Battery holds of that section are not decided here yet: there is no battery reading in the engine so far.

use protocol::Timestamp;
use protocol::engine::{DeferredReason, ModelBusy, ModelJob};
use protocol::model::ModelName;

/// Calls that may wait. Ours.
pub const WAITING_MAX: usize = 2_000;

/// Whether calls of this model wait in line (contract section 3: `ollama/` and `ollama_chat/`).
pub fn is_queued(model: &ModelName) -> bool {
    matches!(model.provider(), "ollama" | "ollama_chat")
}

/// A call that waits or runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ticket {
    pub id: u64,
    pub job: ModelJob,
    pub model: String,
}

/// The queue of one computer's local models.
#[derive(Clone, Debug, Default)]
pub struct LocalQueue {
    waiting: Vec<Ticket>,
    running: Option<(Ticket, Timestamp)>,
    /// When the last call of a chat reply ended.
    chat_ended: Option<Timestamp>,
}

impl LocalQueue {
    pub fn len(&self) -> usize {
        self.waiting.len()
    }

    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    pub fn add(&mut self, ticket: Ticket) {
        self.waiting.push(ticket);
    }

    /// A call that waited was given up, or the running one ended.
    pub fn remove(&mut self, id: u64, now: Timestamp) {
        self.waiting.retain(|ticket| ticket.id != id);
        let Some((ticket, _)) = self.running.take_if(|(ticket, _)| ticket.id == id) else { return };
        if ticket.job == ModelJob::Chat {
            self.chat_ended = Some(now);
        }
    }

    /// The next call to let go, if one may.
    pub fn next(&mut self, now: Timestamp, quiet_s: u32) -> Option<u64> {
        if self.running.is_some() {
            return None;
        }
        let quiet = self.is_quiet(now, quiet_s);
        let best = self
            .waiting
            .iter()
            .enumerate()
            .filter(|(_, ticket)| quiet || ticket.job < ModelJob::Task)
            .min_by_key(|(index, ticket)| (ticket.job, *index))
            .map(|(index, _)| index)?;
        let ticket = self.waiting.remove(best);
        let id = ticket.id;
        self.running = Some((ticket, now));
        Some(id)
    }

    /// Background calls go only when no chat reply uses or wants the model and the last one is a while ago.
    fn is_quiet(&self, now: Timestamp, quiet_s: u32) -> bool {
        let waiting = self.waiting.iter().any(|ticket| ticket.job == ModelJob::Chat);
        !waiting && self.quiet_in(now, quiet_s) == 0
    }

    /// Milliseconds until the quiet time after the last chat reply is over. When the clock was put back nobody knows how
    /// long ago that was, and it counts as over: upkeep must not wait for hours.
    pub fn quiet_in(&self, now: Timestamp, quiet_s: u32) -> i64 {
        let quiet = i64::from(quiet_s) * 1_000;
        match self.chat_ended.map(|ended| now.as_millis().saturating_sub(ended.as_millis())) {
            Some(since @ 0..) => quiet.saturating_sub(since).max(0),
            _ => 0,
        }
    }

    /// The state windows are told.
    pub fn busy(&self, now: Timestamp, quiet_s: u32) -> ModelBusy {
        let quiet = self.is_quiet(now, quiet_s);
        let deferred = self.waiting.iter().filter(|ticket| !quiet && ticket.job >= ModelJob::Task).count();
        ModelBusy {
            busy: self.running.is_some(),
            job: self.running.as_ref().map(|(ticket, _)| ticket.job),
            model: self.running.as_ref().map(|(ticket, _)| ticket.model.clone()),
            since: self.running.as_ref().map(|(_, since)| *since),
            waiting: u32::try_from(self.waiting.len() - deferred).unwrap_or(u32::MAX),
            deferred: u32::try_from(deferred).unwrap_or(u32::MAX),
            deferred_reason: (deferred > 0).then_some(DeferredReason::Chat),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ticket(id: u64, job: ModelJob) -> Ticket {
        Ticket { id, job, model: "ollama_chat/m".into() }
    }

    #[test]
    fn the_most_urgent_goes_first_and_equals_in_order() {
        let mut queue = LocalQueue::default();
        for (id, job) in [(1, ModelJob::Titles), (2, ModelJob::Interactive), (3, ModelJob::Chat), (4, ModelJob::Chat)] {
            queue.add(ticket(id, job));
        }
        let mut order = Vec::new();
        let mut now = Timestamp(0);
        while let Some(id) = queue.next(now, 30) {
            assert_eq!(queue.next(now, 30), None, "one at a time");
            order.push(id);
            queue.remove(id, now);
            now = now.plus_millis(31_000);
        }
        assert_eq!(order, [3, 4, 2, 1]);
    }

    #[test]
    fn upkeep_waits_until_a_while_after_the_chat() {
        let mut queue = LocalQueue::default();
        queue.add(ticket(1, ModelJob::Chat));
        assert_eq!(queue.next(Timestamp(0), 30), Some(1));
        queue.add(ticket(2, ModelJob::Memory));
        queue.remove(1, Timestamp(1_000));
        assert_eq!(queue.next(Timestamp(30_999), 30), None);
        let busy = queue.busy(Timestamp(30_999), 30);
        assert_eq!((busy.waiting, busy.deferred, busy.deferred_reason), (0, 1, Some(DeferredReason::Chat)));
        assert_eq!(queue.next(Timestamp(31_000), 30), Some(2));
    }

    #[test]
    fn a_clock_that_was_put_back_does_not_hold_upkeep_up() {
        let mut queue = LocalQueue::default();
        queue.add(ticket(1, ModelJob::Chat));
        assert_eq!(queue.next(Timestamp(86_400_000), 30), Some(1));
        queue.remove(1, Timestamp(86_400_000));
        queue.add(ticket(2, ModelJob::Titles));
        assert_eq!(queue.next(Timestamp(0), 30), Some(2));
    }

    #[test]
    fn a_call_that_gave_up_is_forgotten() {
        let mut queue = LocalQueue::default();
        queue.add(ticket(1, ModelJob::Chat));
        queue.remove(1, Timestamp(0));
        assert_eq!(queue.next(Timestamp(0), 30), None);
    }
}
