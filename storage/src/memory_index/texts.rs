//! Which rows are searched: one entry per kind says where its text stands and whether it may be found.
//!
//! A new kind of searched text is a line in [`KINDS`] and a function below.

use crate::records::{FactRecord, FactStatus, Searched, SearchedKind};
use crate::{Record, Snapshot, StoreError};

/// Where the texts of one kind are.
struct TextsOf {
    kind: SearchedKind,
    /// The text of one row; `None` when there is no such row or when it may not be found.
    text: fn(&Snapshot, u64) -> Result<Option<String>, StoreError>,
    /// Shows the text of every row that may be found.
    all: fn(&Snapshot, &mut Visit<'_>) -> Result<(), StoreError>,
    count: fn(&Snapshot) -> Result<u64, StoreError>,
}

/// Is shown each text that may be found.
type Visit<'a> = dyn FnMut(Searched, &str) -> Result<(), StoreError> + 'a;

/// The kinds whose records are here. A kind without an entry is never found by words; its vectors are.
const KINDS: &[TextsOf] = &[TextsOf {
    kind: SearchedKind::Fact,
    text: |snapshot, id| Ok(snapshot.get::<FactRecord>(&id)?.and_then(fact)),
    all: |snapshot, visit| {
        each::<FactRecord>(snapshot, |row| (Searched::new(SearchedKind::Fact, row.id), fact(row)), visit)
    },
    count: Snapshot::count::<FactRecord>,
}];

/// A memory that waits for review or was folded into another one is never found.
fn fact(fact: FactRecord) -> Option<String> {
    (fact.status == FactStatus::Active).then_some(fact.content)
}

fn each<R: Record>(
    snapshot: &Snapshot,
    read: impl Fn(R) -> (Searched, Option<String>),
    visit: &mut Visit<'_>,
) -> Result<(), StoreError> {
    for row in snapshot.all::<R>()? {
        if let (searched, Some(text)) = read(row?) {
            visit(searched, &text)?;
        }
    }
    Ok(())
}

fn of(kind: SearchedKind) -> Option<&'static TextsOf> {
    KINDS.iter().find(|entry| entry.kind == kind)
}

/// The text of a row as it may be found now; `None` when it is gone or may not be found.
///
/// # Errors
/// The records cannot be read.
pub fn text(snapshot: &Snapshot, searched: Searched) -> Result<Option<String>, StoreError> {
    of(searched.kind).map_or(Ok(None), |entry| (entry.text)(snapshot, searched.id))
}

/// Shows every text that may be found, kind by kind.
///
/// # Errors
/// The records cannot be read, or what `visit` answers.
pub(super) fn every(snapshot: &Snapshot, visit: &mut Visit<'_>) -> Result<(), StoreError> {
    KINDS.iter().try_for_each(|entry| (entry.all)(snapshot, visit))
}

/// Whether there is no row of any kind.
pub(super) fn none(snapshot: &Snapshot) -> Result<bool, StoreError> {
    for entry in KINDS {
        if (entry.count)(snapshot)? > 0 {
            return Ok(false);
        }
    }
    Ok(true)
}
