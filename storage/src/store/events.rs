//! The event log: what happened, in commit order, numbered without gaps.

use super::Store;
use crate::StoreError;
use crate::batch::Batch;
use crate::records::EventRecord;
use std::fmt;
use std::ops::Bound;
use std::sync::Arc;
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;

/// Rows of the log that are kept. Ours: about two years of a busy person's days, some 60 MB.
pub const EVENT_LOG_ROWS_MAX: u64 = 200_000;
/// Events of one read. Ours.
pub const EVENTS_READ_MAX: usize = 1_000;
/// Events a subscriber may be behind before it is told to read the log. Ours.
pub const SUBSCRIPTION_EVENTS_MAX: usize = 1_024;
/// Rows that one transaction of a pruning removes. Ours: others wait that long.
const PRUNE_CHUNK: usize = 2_000;

impl Store {
    /// Events after `seq`, oldest first, at most `limit` (and [`EVENTS_READ_MAX`]). When the first one is not `seq + 1`,
    /// those in between are no longer kept.
    ///
    /// # Errors
    /// [`StoreError::Read`] or [`StoreError::Record`].
    pub fn events_since(&self, seq: u64, limit: usize) -> Result<Vec<EventRecord>, StoreError> {
        let range = (Bound::Excluded(seq), Bound::Unbounded);
        self.snapshot()?.range::<EventRecord>(range)?.take(limit.min(EVENTS_READ_MAX)).collect()
    }

    /// The number of the newest event; zero when there is none yet.
    ///
    /// # Errors
    /// [`StoreError::Read`] or [`StoreError::Record`].
    pub fn last_event_seq(&self) -> Result<u64, StoreError> {
        Ok(self.snapshot()?.all::<EventRecord>()?.next_back().transpose()?.map_or(0, |event| event.seq))
    }

    /// The number of the oldest event still kept; zero when there is none.
    ///
    /// # Errors
    /// [`StoreError::Read`] or [`StoreError::Record`].
    pub fn first_event_seq(&self) -> Result<u64, StoreError> {
        Ok(self.snapshot()?.all::<EventRecord>()?.next().transpose()?.map_or(0, |event| event.seq))
    }

    /// Events committed from now on. What was committed up to [`Subscription::seen`] is in the log.
    pub fn subscribe(&self) -> Subscription {
        let events = self.inner.committed.subscribe();
        // Read after subscribing: an event in between is in both, and `recv` skips it. A subscriber that has seen
        // nothing is told so by the first event, and reads the log itself.
        let seen = self.last_event_seq().unwrap_or_else(|error| {
            tracing::error!(%error, "the event log could not be read");
            0
        });
        Subscription { events, seen, next: None }
    }

    /// Removes the oldest events until `keep` (at least one) are left; [`EVENT_LOG_ROWS_MAX`] is the usual number.
    /// Answers how many went.
    ///
    /// # Errors
    /// As for [`Store::commit`].
    pub async fn prune_events(&self, keep: u64) -> Result<u64, StoreError> {
        let end = self.last_event_seq()?.saturating_sub(keep.max(1)) + 1;
        let (first, mut start) = (self.first_event_seq()?, self.first_event_seq()?);
        while start > 0 && start < end {
            let mut batch = Batch::new();
            batch.delete_below::<EventRecord>(&end, PRUNE_CHUNK);
            self.commit(batch).await?;
            start = self.first_event_seq()?;
        }
        Ok(start - first)
    }
}

/// Events in commit order, as they are committed. It holds a bounded number; who is slower is told.
pub struct Subscription {
    events: broadcast::Receiver<Arc<EventRecord>>,
    seen: u64,
    /// Received, but events before it are missing.
    next: Option<Arc<EventRecord>>,
}

/// Events were missed: read the log from `since` and go on with [`Subscription::skip_to`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("events after {since} were missed; they are in the log")]
pub struct Lagged {
    /// The last event this subscriber has seen.
    pub since: u64,
}

impl Subscription {
    /// The number of the last event seen: given by [`Subscription::recv`], skipped to, or the newest at the start.
    pub fn seen(&self) -> u64 {
        self.seen
    }

    /// Says that everything up to `seq` has been read from the log.
    pub fn skip_to(&mut self, seq: u64) {
        self.seen = self.seen.max(seq);
    }

    /// The next event; `None` when the store is gone. Safe to use in a `select`: nothing is lost when it is dropped.
    ///
    /// # Errors
    /// [`Lagged`] when events in between were missed. Without a [`Subscription::skip_to`] the next call goes on after
    /// the gap.
    pub async fn recv(&mut self) -> Result<Option<Arc<EventRecord>>, Lagged> {
        loop {
            let event = match self.next.take() {
                Some(event) => event,
                None => match self.events.recv().await {
                    Ok(event) => event,
                    // What the channel dropped shows as a gap before the next event.
                    Err(RecvError::Lagged(_)) => continue,
                    Err(RecvError::Closed) => return Ok(None),
                },
            };
            if event.seq <= self.seen {
                continue;
            }
            if event.seq > self.seen + 1 {
                let since = self.seen;
                self.seen = event.seq - 1;
                self.next = Some(event);
                return Err(Lagged { since });
            }
            self.seen = event.seq;
            return Ok(Some(event));
        }
    }
}

impl fmt::Debug for Subscription {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Subscription").field("seen", &self.seen).finish_non_exhaustive()
    }
}
