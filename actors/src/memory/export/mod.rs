//! Memories as files a person can keep: Markdown to read, and an SQLite file for other programs. Pure: rows in, text or
//! bytes out.

mod markdown;
mod tables;

pub(super) use markdown::markdown;
pub(super) use tables::sqlite;

use super::AboutYou;
use storage::records::{FactRecord, FactStatus};

/// What is exported. Retired insights, merged copies and vectors are not in it.
pub(super) struct Rows {
    pub(super) facts: Vec<FactRecord>,
    pub(super) about: Vec<AboutYou>,
}

/// `status` of what waits for review.
const PENDING: &str = "pending";

impl Rows {
    /// Active memories, active insights, and what waits of both.
    pub(super) fn counts(&self) -> (usize, usize, usize) {
        let memories = self.facts.iter().filter(|fact| fact.status == FactStatus::Active).count();
        let about = self.about.iter().filter(|about| about.status != PENDING).count();
        let waiting = self.facts.iter().filter(|fact| fact.status == FactStatus::Pending).count();
        (memories, about, waiting + self.about.len() - about)
    }
}
