//! Which rows are searched: one entry per kind says where its text stands and whether it may be found.
//!
//! A new kind of searched text is a line in [`KINDS`] and a function below.

use crate::records::{FactRecord, FactStatus, Searched, SearchedKind};
use crate::{Batch, Record, Snapshot, StoreError};

/// Where the texts of one kind are.
struct TextsOf {
    kind: SearchedKind,
    /// The text of one row; `None` when there is no such row or when it may not be found.
    text: fn(&Snapshot, u64) -> Result<Option<String>, StoreError>,
    /// As `text`; and the batch is written only if the row does not change meanwhile.
    guarded: fn(&Snapshot, u64, &mut Batch) -> Result<Option<String>, StoreError>,
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
    guarded: |snapshot, id, batch| Ok(guarded::<FactRecord>(snapshot, &id, batch)?.and_then(fact)),
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

fn guarded<R: Record>(snapshot: &Snapshot, key: &R::Key, batch: &mut Batch) -> Result<Option<R>, StoreError> {
    let row = snapshot.get::<R>(key)?;
    batch.only_if(key, row.as_ref());
    Ok(row)
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

/// [`text`] for work that is derived from it: `batch` is written only if the row has not changed until then. `None` also for
/// a kind whose texts are not here.
///
/// # Errors
/// The records cannot be read.
pub fn text_guarded(snapshot: &Snapshot, searched: Searched, batch: &mut Batch) -> Result<Option<String>, StoreError> {
    of(searched.kind).map_or(Ok(None), |entry| (entry.guarded)(snapshot, searched.id, batch))
}

/// The kinds whose texts are here.
pub fn kinds() -> impl Iterator<Item = SearchedKind> {
    KINDS.iter().map(|entry| entry.kind)
}

/// Shows every text that may be found, kind by kind.
///
/// # Errors
/// The records cannot be read, or what `visit` answers.
pub fn every(snapshot: &Snapshot, visit: &mut Visit<'_>) -> Result<(), StoreError> {
    KINDS.iter().try_for_each(|entry| (entry.all)(snapshot, visit))
}

/// Whether there is no row of any kind.
pub fn none(snapshot: &Snapshot) -> Result<bool, StoreError> {
    for entry in KINDS {
        if (entry.count)(snapshot)? > 0 {
            return Ok(false);
        }
    }
    Ok(true)
}
