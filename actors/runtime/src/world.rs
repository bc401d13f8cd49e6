//! What the engine takes from outside itself: the time, names, chance, and the token under which all work runs.
//!
//! There are no statics. Two engines in one process share nothing, and a test hands in a world it owns.

use crate::scope::Scope;
use protocol::Timestamp;
use std::sync::Arc;

/// The wall clock and the person's time zone.
pub trait Clock: Send + Sync + 'static {
    fn now(&self) -> Timestamp;
    /// The computer's own zone, for "today" and for the times people say.
    fn zone(&self) -> jiff::tz::TimeZone {
        jiff::tz::TimeZone::UTC
    }
}

/// Makes names that are unique in one data folder and sort by when they were made.
pub trait Ids: Send + Sync + 'static {
    fn next(&self) -> String;
}

/// Unpredictable bytes for tokens and codes.
pub trait Entropy: Send + Sync + 'static {
    fn fill(&self, bytes: &mut [u8]);
}

/// Everything from outside that any actor may use.
#[derive(Clone)]
pub struct World {
    pub clock: Arc<dyn Clock>,
    pub ids: Arc<dyn Ids>,
    pub entropy: Arc<dyn Entropy>,
    /// All jobs run below it; the end of the engine cancels it.
    pub work: Scope,
}

impl World {
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    pub fn id(&self) -> String {
        self.ids.next()
    }
}

/// The computer's clock.
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this is the one place where the wall clock enters the engine")]
    fn now(&self) -> Timestamp {
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        Timestamp(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
    }

    fn zone(&self) -> jiff::tz::TimeZone {
        jiff::tz::TimeZone::system()
    }
}
