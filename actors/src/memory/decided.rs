//! What a save came to, as the role carries it out.

use rules::memory::Analysis;

/// The outcome of judging a new fact by the memories there were. `seen` are the words it was judged by: when they have
/// changed since, it is judged again.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Decided {
    Add {
        analysis: Analysis,
    },
    Update {
        id: u64,
        seen: String,
        content: String,
        analysis: Analysis,
    },
    /// The new fact says that this one no longer holds.
    Delete {
        id: u64,
        seen: String,
    },
    /// It is known already.
    Skip {
        id: u64,
        seen: String,
    },
}
