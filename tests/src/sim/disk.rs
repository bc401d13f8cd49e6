//! A disk that is slow, fails, or does not say whether it wrote.

use crate::sim::Chance;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{ThreadId, current};
use storage::{FaultPoint, Faults};
use tokio::time::Duration;

/// How the disk is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mood {
    #[default]
    Good,
    /// Writes take up to seconds, now and then half a minute.
    Slow,
    /// One write in eight fails, before or after it is on the disk.
    Shaky,
    /// Nothing can be written.
    Dead,
}

/// One planned write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Write {
    Good,
    /// Certainly not written.
    Fails,
    /// Written, but nobody is told so.
    Unsure,
    Takes(Duration),
}

/// The disk under [`storage::Store::simulated`]. Clones are the same disk.
#[derive(Clone)]
pub struct SimDisk(Arc<Mutex<Inner>>);

struct Inner {
    chance: Chance,
    mood: Mood,
    planned: VecDeque<Write>,
    now: Write,
    /// Only writes of this thread fail: those of the search index come when the machine likes.
    thread: ThreadId,
    failed: usize,
}

impl SimDisk {
    pub fn new(seed: u64) -> Self {
        Self(Arc::new(Mutex::new(Inner {
            chance: Chance::new(seed),
            mood: Mood::Good,
            planned: VecDeque::new(),
            now: Write::Good,
            thread: current().id(),
            failed: 0,
        })))
    }

    pub fn set(&self, mood: Mood) {
        self.lock().mood = mood;
    }

    /// What happens to the next writes, before the mood decides again.
    pub fn plan(&self, writes: &[Write]) {
        self.lock().planned = writes.iter().copied().collect();
    }

    /// Writes that failed or were not sure.
    pub fn failed(&self) -> usize {
        self.lock().failed
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    fn next(&mut self) -> Write {
        if let Some(planned) = self.planned.pop_front() {
            return planned;
        }
        match self.mood {
            Mood::Good => Write::Good,
            Mood::Dead => Write::Fails,
            Mood::Slow if self.chance.one_in(30) => Write::Takes(Duration::from_secs(20 + self.chance.below(25))),
            Mood::Slow => Write::Takes(Duration::from_millis(self.chance.below(3_000))),
            Mood::Shaky => match self.chance.below(16) {
                0 => Write::Fails,
                1 => Write::Unsure,
                _ => Write::Takes(Duration::from_millis(self.chance.below(20))),
            },
        }
    }
}

impl Faults for SimDisk {
    fn pause(&self) -> Option<Duration> {
        let mut inner = self.lock();
        inner.now = inner.next();
        match inner.now {
            Write::Takes(time) => Some(time),
            _ => None,
        }
    }

    fn at(&self, point: FaultPoint) -> Result<(), String> {
        let mut inner = self.lock();
        if current().id() != inner.thread {
            return Ok(());
        }
        let fails = match point {
            FaultPoint::BeforeCommit => inner.now == Write::Fails,
            FaultPoint::AfterCommit => inner.now == Write::Unsure,
        };
        if fails {
            inner.now = Write::Good;
            inner.failed += 1;
            return Err("the simulated disk failed".into());
        }
        Ok(())
    }
}
