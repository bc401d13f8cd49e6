//! A bounded, numbered sequence with any number of readers.

use super::lock;
use protocol::ids::{SessionId, TurnId};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use tokio::sync::Notify;
use tokio::sync::futures::Notified;

/// One frame: a delta kept as text so that it can be joined, or anything else as finished JSON.
#[derive(Clone, Debug, Default)]
pub(super) struct Entry {
    pub(super) session: Option<SessionId>,
    pub(super) turn: Option<TurnId>,
    pub(super) is_done: bool,
    pub(super) thinking: bool,
    pub(super) text: String,
    pub(super) json: Option<Arc<str>>,
}

impl Entry {
    pub(super) fn is_delta(&self) -> bool {
        self.json.is_none()
    }

    pub(super) fn joins(&self, next: &Self) -> bool {
        next.is_delta() && self.thinking == next.thinking && self.turn == next.turn && self.session == next.session
    }

    fn size(&self) -> usize {
        self.text.len() + self.json.as_ref().map_or(0, |json| json.len()) + size_of::<Self>()
    }
}

pub(super) struct Ring {
    inner: Mutex<Inner>,
    fresh: Notify,
    frames_max: usize,
    bytes_max: usize,
}

struct Inner {
    entries: VecDeque<Entry>,
    /// The number of the newest entry; the oldest is `last - len + 1`.
    last: u64,
    bytes: usize,
}

impl Ring {
    pub(super) fn new(first: u64, frames_max: usize, bytes_max: usize) -> Self {
        let inner = Inner { entries: VecDeque::new(), last: first, bytes: 0 };
        Self { inner: Mutex::new(inner), fresh: Notify::new(), frames_max, bytes_max }
    }

    pub(super) fn push(&self, entry: Entry) {
        let mut inner = lock(&self.inner);
        inner.last += 1;
        inner.bytes += entry.size();
        inner.entries.push_back(entry);
        while inner.entries.len() > self.frames_max || (inner.bytes > self.bytes_max && inner.entries.len() > 1) {
            let gone = inner.entries.pop_front().map_or(0, |entry| entry.size());
            inner.bytes -= gone;
        }
        drop(inner);
        self.fresh.notify_waiters();
    }

    /// The number before the oldest entry, and the number of the newest.
    pub(super) fn bounds(&self) -> (u64, u64) {
        let inner = lock(&self.inner);
        (inner.last - inner.entries.len() as u64, inner.last)
    }

    /// Up to `max` entries after number `after`; the newest number when some of them are gone.
    pub(super) fn read(&self, after: u64, max: usize) -> Result<Vec<Entry>, u64> {
        let inner = lock(&self.inner);
        let before_first = inner.last - inner.entries.len() as u64;
        let skip = after.checked_sub(before_first).ok_or(inner.last)?;
        let skip = usize::try_from(skip).unwrap_or(usize::MAX);
        Ok(inner.entries.iter().skip(skip).take(max).cloned().collect())
    }

    pub(super) fn changed(&self) -> Notified<'_> {
        self.fresh.notified()
    }
}
