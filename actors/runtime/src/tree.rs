//! A live picture of every actor: where it stands, what waits for it, how it fares. Only numbers; it never steers.

use protocol::Timestamp;
use protocol::engine::{ActorRow, ActorState, RequestStats};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use tokio::sync::Semaphore;
use tokio::time::Duration;

/// All actors of one engine.
#[derive(Clone, Default)]
pub struct Tree {
    cards: Arc<Mutex<BTreeMap<String, Weak<Card>>>>,
}

/// One actor's numbers. The spawner holds it, so it goes when the actor can no longer come back.
pub(crate) struct Card {
    path: String,
    role: &'static str,
    room: Arc<Semaphore>,
    mailbox_max: usize,
    inner: Mutex<Numbers>,
}

struct Numbers {
    state: ActorState,
    starts: u32,
    last_error: Option<String>,
    since: Timestamp,
    requests: BTreeMap<&'static str, RequestStats>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Tree {
    pub(crate) fn card(&self, path: String, role: &'static str, room: Arc<Semaphore>, mailbox_max: usize) -> Arc<Card> {
        let numbers = Numbers {
            state: ActorState::Starting,
            starts: 0,
            last_error: None,
            since: Timestamp::default(),
            requests: BTreeMap::new(),
        };
        let card = Arc::new(Card { path: path.clone(), role, room, mailbox_max, inner: Mutex::new(numbers) });
        lock(&self.cards).insert(path, Arc::downgrade(&card));
        card
    }

    /// Every actor, in the order of its path.
    pub fn rows(&self) -> Vec<ActorRow> {
        let mut cards = lock(&self.cards);
        cards.retain(|_, card| card.strong_count() > 0);
        cards.values().filter_map(Weak::upgrade).map(|card| card.row()).collect()
    }
}

impl Card {
    pub(crate) fn started(&self, now: Timestamp) {
        let mut numbers = lock(&self.inner);
        numbers.starts = numbers.starts.saturating_add(1);
        numbers.state = ActorState::Running;
        numbers.since = now;
    }

    pub(crate) fn set_state(&self, state: ActorState, error: Option<String>) {
        let mut numbers = lock(&self.inner);
        numbers.state = state;
        if error.is_some() {
            numbers.last_error = error;
        }
    }

    pub(crate) fn handled(&self, name: &'static str, took: Duration, failed: bool) {
        let mut numbers = lock(&self.inner);
        let stats =
            numbers.requests.entry(name).or_insert_with(|| RequestStats { name: name.into(), ..Default::default() });
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        stats.count += 1;
        stats.errors += u64::from(failed);
        stats.total_us = stats.total_us.saturating_add(micros);
        stats.max_us = stats.max_us.max(micros);
    }

    fn row(&self) -> ActorRow {
        let numbers = lock(&self.inner);
        ActorRow {
            waits_for: None,
            doing: None,
            path: self.path.clone(),
            role: self.role.into(),
            state: numbers.state,
            mailbox: u32::try_from(self.mailbox_max.saturating_sub(self.room.available_permits())).unwrap_or(u32::MAX),
            mailbox_max: u32::try_from(self.mailbox_max).unwrap_or(u32::MAX),
            restarts: numbers.starts.saturating_sub(1),
            last_error: numbers.last_error.clone(),
            since: numbers.since,
            requests: numbers.requests.values().cloned().collect(),
        }
    }
}
