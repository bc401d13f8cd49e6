//! What the user model adds to the review inbox, the export and forgetting. Its one implementation is
//! the user model's.

use futures::future::BoxFuture;
use protocol::Error;
use protocol::memory::ReviewItem;
use std::collections::BTreeSet;
use storage::Snapshot;

/// One line of "About you" in an export.
#[derive(Clone, Debug, PartialEq)]
pub struct AboutYou {
    pub id: String,
    pub dimension: String,
    pub statement: String,
    pub confidence: f64,
    /// `active`, `confirmed`, `disputed` or `pending`; retired ones are left out.
    pub status: String,
    pub source: String,
    pub created_at: protocol::Timestamp,
    pub updated_at: protocol::Timestamp,
    /// JSON of a `ReviewNote`.
    pub came_from: Option<String>,
}

/// What goes when a source is forgotten.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Going {
    pub facts: BTreeSet<u64>,
    pub messages: BTreeSet<String>,
    pub summaries: BTreeSet<u64>,
}

/// What memory asks the user model.
pub trait Insights: Send + Sync + 'static {
    /// What waits for review, newest first, all of it.
    ///
    /// # Errors
    /// A store that cannot be read.
    fn waiting(&self, snapshot: &Snapshot, expire_days: u32) -> Result<Vec<ReviewItem>, Error>;
    /// Takes one in; in the person's words when there are some. `NotFound` when it does not wait.
    fn approve(&self, id: String, content: Option<String>) -> BoxFuture<'static, Result<(), Error>>;
    /// Deletes one that waits. `NotFound` when it does not.
    fn discard(&self, id: String) -> BoxFuture<'static, Result<(), Error>>;
    /// Takes in all with this `from`. Answers how many.
    fn approve_from(&self, from: String) -> BoxFuture<'static, Result<usize, Error>>;
    /// Everything known about the person that is not retired.
    ///
    /// # Errors
    /// A store that cannot be read.
    fn all(&self, snapshot: &Snapshot) -> Result<Vec<AboutYou>, Error>;
    /// How many would go because all their evidence goes.
    ///
    /// # Errors
    /// A store that cannot be read.
    fn counted(&self, snapshot: &Snapshot, going: &Going) -> Result<usize, Error>;
    /// Takes that evidence away. Answers how many went.
    fn forget(&self, going: Going) -> BoxFuture<'static, Result<usize, Error>>;
}
