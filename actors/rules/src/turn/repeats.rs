//! The loop breaker: the same tool, the same arguments, the same result, again and again (contract section 10).

use std::collections::BTreeMap;

/// Counts equal results of equal calls within one turn. A different result starts the count again.
#[derive(Clone, Debug)]
pub(super) struct Repeats {
    limit: u32,
    seen: BTreeMap<u64, (u64, u32)>,
    /// The call, by its place in the answer, that reached the limit.
    reached: Option<usize>,
}

impl Repeats {
    pub(super) fn new(limit: u32) -> Self {
        Self { limit, seen: BTreeMap::new(), reached: None }
    }

    pub(super) fn saw(&mut self, call: usize, what: u64, result: u64) {
        if self.limit == 0 {
            return;
        }
        let (last, count) = self.seen.entry(what).or_insert((result, 0));
        if *last != result {
            (*last, *count) = (result, 0);
        }
        *count = count.saturating_add(1);
        if *count >= self.limit {
            self.reached = Some(call);
        }
    }

    pub(super) fn reached_by(&self) -> Option<usize> {
        self.reached
    }

    /// The model was told: the counts stay, so a further repeat of the same step reaches the limit at once.
    pub(super) fn forgive(&mut self) {
        self.reached = None;
    }
}
