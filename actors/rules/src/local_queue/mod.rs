//! Who may use the local model next: one call at a time, the most urgent first, upkeep only when nobody is chatting
//! (contract section 3, `GET /api/models/busy`; rules 125 and 126). A running call is never cut off.

mod power;
#[cfg(test)]
mod tests;

pub use power::{Power, PowerLimits};

use power::{Bursts, Wanted};
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
    /// When it got in line.
    pub since: Timestamp,
}

impl Ticket {
    /// The engine's own upkeep, which the battery may hold back.
    fn is_upkeep(&self) -> bool {
        self.job > ModelJob::Task
    }
}

/// What decides about the next call, beside the calls themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conditions {
    /// `models.background_quiet_s`.
    pub quiet_s: u32,
    /// `None` while it is being read: upkeep waits for that.
    pub power: Option<Power>,
    pub limits: PowerLimits,
}

/// The queue of one computer's local models.
#[derive(Clone, Debug, Default)]
pub struct LocalQueue {
    waiting: Vec<Ticket>,
    running: Option<(Ticket, Timestamp)>,
    /// When the last call of a chat reply ended.
    chat_ended: Option<Timestamp>,
    bursts: Bursts,
}

impl LocalQueue {
    /// A queue that starts while a call of an earlier one still runs.
    pub fn with_running(running: Option<(Ticket, Timestamp)>) -> Self {
        Self { running, ..Self::default() }
    }

    pub fn len(&self) -> usize {
        self.waiting.len()
    }

    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Whether upkeep waits: then the battery matters.
    pub fn has_upkeep(&self) -> bool {
        self.waiting.iter().any(Ticket::is_upkeep)
    }

    /// The call that has the model, and since when.
    pub fn running(&self) -> Option<&(Ticket, Timestamp)> {
        self.running.as_ref()
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
        if ticket.is_upkeep() {
            self.bursts.ended(now);
        }
    }

    /// The next call to let go, if one may.
    pub fn next(&mut self, now: Timestamp, conditions: &Conditions) -> Option<u64> {
        if self.running.is_some() {
            return None;
        }
        let best = self
            .waiting
            .iter()
            .enumerate()
            .filter(|(_, ticket)| self.may_go(ticket, now, conditions))
            .min_by_key(|(index, ticket)| (ticket.job, *index))
            .map(|(index, _)| index)?;
        let ticket = self.waiting.remove(best);
        if let Some(power) = conditions.power.filter(|_| ticket.is_upkeep()) {
            self.bursts.began(power, &conditions.limits, self.wanted(&ticket, now));
        }
        let id = ticket.id;
        self.running = Some((ticket, now));
        Some(id)
    }

    fn may_go(&self, ticket: &Ticket, now: Timestamp, conditions: &Conditions) -> bool {
        let power_known = conditions.power.is_some() || !ticket.is_upkeep();
        power_known && self.held_by(ticket, now, conditions).is_none()
    }

    fn wanted(&self, ticket: &Ticket, now: Timestamp) -> Wanted {
        Wanted { since: ticket.since, now, chat_ended: self.chat_ended }
    }

    /// Why a background call is held back although the model may be free, the most telling reason first.
    fn held_by(&self, ticket: &Ticket, now: Timestamp, conditions: &Conditions) -> Option<DeferredReason> {
        let power = conditions.power.filter(|_| ticket.is_upkeep());
        let battery = power.and_then(|power| self.bursts.holds(power, &conditions.limits, self.wanted(ticket, now)));
        let chat = ticket.job >= ModelJob::Task && !self.is_quiet(now, conditions.quiet_s);
        battery.or(chat.then_some(DeferredReason::Chat))
    }

    /// Background calls go only when no chat reply uses or wants the model and the last one is a while ago.
    fn is_quiet(&self, now: Timestamp, quiet_s: u32) -> bool {
        let chat = |ticket: &Ticket| ticket.job == ModelJob::Chat;
        let wanted = self.waiting.iter().chain(self.running.iter().map(|(ticket, _)| ticket)).any(chat);
        !wanted && self.quiet_in(now, quiet_s) == 0
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
    pub fn busy(&self, now: Timestamp, conditions: &Conditions) -> ModelBusy {
        let held: Vec<DeferredReason> =
            self.waiting.iter().filter_map(|ticket| self.held_by(ticket, now, conditions)).collect();
        let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        ModelBusy {
            busy: self.running.is_some(),
            job: self.running.as_ref().map(|(ticket, _)| ticket.job),
            model: self.running.as_ref().map(|(ticket, _)| ticket.model.clone()),
            since: self.running.as_ref().map(|(_, since)| *since),
            waiting: count(self.waiting.len() - held.len()),
            deferred: count(held.len()),
            deferred_reason: held.into_iter().min(),
        }
    }
}
