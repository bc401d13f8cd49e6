//! The real world: the computer's clock, names that sort by time, and the system's randomness.

use runtime::{Entropy, Ids, Scope, SystemClock, World};
use std::sync::Arc;

/// Names of the form of UUID version 7 (RFC 9562): unique, and in the order they were made.
pub struct TimeOrderedIds;

impl Ids for TimeOrderedIds {
    fn next(&self) -> String {
        uuid::Uuid::now_v7().simple().to_string()
    }
}

/// The system's source of unpredictable bytes.
pub struct SystemEntropy;

impl Entropy for SystemEntropy {
    fn fill(&self, bytes: &mut [u8]) {
        getrandom::fill(bytes).expect("an operating system without randomness cannot keep a token secret");
    }
}

/// The world of a program that runs for a person.
pub fn world() -> World {
    World {
        clock: Arc::new(SystemClock),
        ids: Arc::new(TimeOrderedIds),
        entropy: Arc::new(SystemEntropy),
        work: Scope::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_sort_in_the_order_they_were_made() {
        let made: Vec<String> = std::iter::repeat_with(|| TimeOrderedIds.next()).take(1_000).collect();
        let mut sorted = made.clone();
        sorted.sort();
        sorted.dedup();
        assert_eq!(made, sorted);
    }
}
