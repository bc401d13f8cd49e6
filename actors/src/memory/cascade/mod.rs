//! Forgetting is more than deleting a row: what was made of a memory goes with it. One file per thing that is derived.
//!
//! What is due is written down in the same commit that deletes the memory, so a crash or a failing step only puts it off:
//! [`Upkeep`](super::Upkeep) tries again every hour, for seven days. Nothing here decides whether something is forgotten.

mod chips;
mod events;
mod steps;
#[cfg(test)]
mod tests;

pub(super) use chips::Chips;
pub(super) use events::Events;
pub(super) use steps::{CLEANUP_DAYS_MAX, FACTS_PER_CLEANUP, due, run};

use super::facts::{chat_of, message_of, reference};
use futures::FutureExt;
use futures::future::{BoxFuture, ready};
use protocol::Error;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use storage::records::FactRecord;
use storage::{Batch, Snapshot};

/// Memories that were forgotten together. Their own rows are gone by the time the steps run, unless [`Self::withdrawn`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Forgotten {
    /// At least one.
    pub facts: Vec<ForgottenFact>,
    /// They were not deleted: they became disputed or superseded, or left the personal scope, and only leave what is
    /// written for prompts (USER.md, MEMORY.md).
    pub withdrawn: bool,
}

/// One of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ForgottenFact {
    pub id: u64,
    /// Every wording it had: its own, the one before, and those of copies folded into it. Never empty.
    pub wordings: Vec<String>,
    /// Chats it was said in, each with the message when one is known.
    pub said_in: Vec<(String, Option<String>)>,
}

impl Forgotten {
    pub fn ids(&self) -> BTreeSet<u64> {
        self.facts.iter().map(|fact| fact.id).collect()
    }

    /// Every wording of every one of them.
    pub fn wordings(&self) -> impl Iterator<Item = &str> {
        self.facts.iter().flat_map(|fact| &fact.wordings).map(String::as_str)
    }
}

impl ForgottenFact {
    /// `copies`: what was folded into it.
    pub(super) fn of<'a>(fact: &'a FactRecord, copies: impl Iterator<Item = &'a FactRecord> + Clone) -> Self {
        let rows = std::iter::once(fact).chain(copies);
        let mut wordings: Vec<String> = Vec::new();
        for text in rows.clone().flat_map(|row| std::iter::once(&row.content).chain(&row.previous_content)) {
            if !wordings.contains(text) {
                wordings.push(text.clone());
            }
        }
        let places = rows.flat_map(|row| &row.sources).map(reference);
        let said_in: BTreeSet<(String, Option<String>)> = places
            .filter_map(|place| Some((chat_of(place.as_ref())?.to_string(), message_of(place.as_ref()))))
            .collect();
        Self { id: fact.id, wordings, said_in: said_in.into_iter().collect() }
    }
}

/// Something that is made of memories and has to go with them.
pub trait Derived: Send + Sync + 'static {
    /// Names the step in the queue of what is still to be done; never changes.
    fn name(&self) -> &'static str;

    /// Whether it also leaves when the memory is not deleted ([`Forgotten::withdrawn`]).
    fn follows_withdrawal(&self) -> bool {
        false
    }

    /// Adds to `batch` what removes all that came from them. Called again after a failure: doing it twice does no harm.
    /// May block: it runs on a thread for that.
    ///
    /// # Errors
    /// Rows that cannot be read; it is tried again later.
    fn forget(&self, snapshot: &Snapshot, forgotten: &Forgotten, batch: &mut Batch) -> Result<(), Error>;

    /// Removes what is outside the store, after `batch` was committed: a line of a file. Doing it twice does no harm.
    fn forget_outside(&self, _forgotten: &Forgotten) -> BoxFuture<'static, Result<(), Error>> {
        ready(Ok(())).boxed()
    }
}
