//! When a page is written anew.

use protocol::Timestamp;
use protocol::knowing::NarrativeTrigger;

/// New or changed memories after which a page is written anew by itself. Ours.
pub const FACTS_DUE: usize = 8;
/// Memories a scope must have before it gets a page. Ours: less is no story.
pub const FACTS_MIN: usize = 3;
/// Time between two tries that nobody asked for. Ours.
pub const EVERY_MS_MIN: i64 = 6 * 3_600 * 1_000;

/// What decides about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Due {
    pub trigger: NarrativeTrigger,
    /// Memories in the scope that may be used.
    pub facts: usize,
    /// How many of them are new or changed, or gone from under a sentence, since the last version.
    pub learned: usize,
    pub has_version: bool,
    /// The last try, whatever came of it.
    pub tried_at: Option<Timestamp>,
    pub now: Timestamp,
}

/// Whether a page is to be written now. By hand: whenever anything was learned since. After a dream the same, and by
/// itself once enough was learned; both not more often than every [`EVERY_MS_MIN`].
pub fn due(due: &Due) -> bool {
    let has_news = due.learned > 0 || !due.has_version;
    if !has_news || (due.facts < FACTS_MIN && !due.has_version) {
        return false;
    }
    // A clock that was put back must not silence the page for ever.
    let rested = due.tried_at.is_none_or(|tried| {
        let since = due.now.as_millis().saturating_sub(tried.as_millis());
        !(0..EVERY_MS_MIN).contains(&since)
    });
    match due.trigger {
        NarrativeTrigger::Manual => true,
        NarrativeTrigger::Dream => rested,
        NarrativeTrigger::Facts => rested && (due.learned >= FACTS_DUE || !due.has_version),
        NarrativeTrigger::Rollback => false,
    }
}
