//! Which rows are searched: one entry per kind says where its text stands and whether it may be found.
//!
//! A new kind of searched text is a line in [`KINDS`] and a function below.

use crate::records::{FactRecord, FactStatus, FolderPieceRecord, InsightRecord, Searched, SearchedKind, SummaryRecord};
use crate::search::SearchError;
use crate::search::error::Trouble;
use crate::{Batch, Record, Snapshot, StoreError};
use protocol::knowing::InsightStatus;

/// Where the texts of one kind are.
struct TextsOf {
    kind: SearchedKind,
    /// The text of one row; `None` when there is no such row or when it may not be found.
    text: fn(&Snapshot, u64) -> Result<Option<String>, StoreError>,
    /// As `text`; and the batch is written only if the row does not change meanwhile.
    guarded: fn(&Snapshot, u64, &mut Batch) -> Result<Option<String>, StoreError>,
    /// Shows the text of every row that may be found.
    all: fn(&Snapshot, &mut Visit<'_>) -> Result<(), Trouble>,
    count: fn(&Snapshot) -> Result<u64, StoreError>,
}

/// Is shown each text that may be found.
type Visit<'a> = dyn FnMut(u64, &str) -> Result<(), Trouble> + 'a;

/// The kinds whose records are here. A kind without an entry is never found by words; its vectors are.
const KINDS: &[TextsOf] = &[
    TextsOf {
        kind: SearchedKind::Fact,
        text: |snapshot, id| Ok(snapshot.get::<FactRecord>(&id)?.and_then(fact)),
        guarded: |snapshot, id, batch| Ok(guarded::<FactRecord>(snapshot, &id, batch)?.and_then(fact)),
        all: |snapshot, visit| each::<FactRecord>(snapshot, |row| (row.id, fact(row)), visit),
        count: Snapshot::count::<FactRecord>,
    },
    TextsOf {
        kind: SearchedKind::Insight,
        text: |snapshot, id| Ok(snapshot.get::<InsightRecord>(&id)?.and_then(insight)),
        guarded: |snapshot, id, batch| Ok(guarded::<InsightRecord>(snapshot, &id, batch)?.and_then(insight)),
        all: |snapshot, visit| each::<InsightRecord>(snapshot, |row| (row.id, insight(row)), visit),
        count: Snapshot::count::<InsightRecord>,
    },
    TextsOf {
        kind: SearchedKind::Summary,
        text: |snapshot, id| Ok(snapshot.get::<SummaryRecord>(&id)?.and_then(summary)),
        guarded: |snapshot, id, batch| Ok(guarded::<SummaryRecord>(snapshot, &id, batch)?.and_then(summary)),
        all: |snapshot, visit| each::<SummaryRecord>(snapshot, |row| (row.id, summary(row)), visit),
        count: Snapshot::count::<SummaryRecord>,
    },
    TextsOf {
        kind: SearchedKind::NotePiece,
        text: |snapshot, id| Ok(snapshot.get::<FolderPieceRecord>(&id)?.map(|piece| piece.searched())),
        guarded: |snapshot, id, batch| {
            Ok(guarded::<FolderPieceRecord>(snapshot, &id, batch)?.map(|piece| piece.searched()))
        },
        all: |snapshot, visit| each::<FolderPieceRecord>(snapshot, |row| (row.id, Some(row.searched())), visit),
        count: Snapshot::count::<FolderPieceRecord>,
    },
];

/// A memory that waits for review or was folded into another one is never found.
fn fact(fact: FactRecord) -> Option<String> {
    (fact.status == FactStatus::Active).then_some(fact.content)
}

/// An insight that waits for review, is in doubt or was retired is never found.
fn insight(insight: InsightRecord) -> Option<String> {
    matches!(insight.status, InsightStatus::Active | InsightStatus::Confirmed).then_some(insight.statement)
}

/// The summary of a chat that had read outside content is never found.
fn summary(summary: SummaryRecord) -> Option<String> {
    summary.untrusted.is_empty().then_some(summary.content)
}

fn each<R: Record>(
    snapshot: &Snapshot,
    read: impl Fn(R) -> (u64, Option<String>),
    visit: &mut Visit<'_>,
) -> Result<(), Trouble> {
    for row in snapshot.all::<R>()? {
        if let (id, Some(text)) = read(row?) {
            visit(id, &text)?;
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

/// [`text`] for work that is derived from it: `batch` is written only if the row has not changed until then.
///
/// # Errors
/// The records cannot be read.
pub fn text_guarded(snapshot: &Snapshot, searched: Searched, batch: &mut Batch) -> Result<Option<String>, StoreError> {
    of(searched.kind).map_or(Ok(None), |entry| (entry.guarded)(snapshot, searched.id, batch))
}

/// Shows every text that may be found, kind by kind.
///
/// # Errors
/// The records cannot be read, or what `visit` answers.
pub fn every_text(
    snapshot: &Snapshot,
    visit: &mut dyn FnMut(Searched, &str) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    for entry in KINDS {
        let mut shown = |id: u64, text: &str| Ok(visit(Searched::new(entry.kind, id), text)?);
        (entry.all)(snapshot, &mut shown).map_err(|trouble| match trouble {
            Trouble::Other(SearchError::Store(error)) => error,
            Trouble::Other(SearchError::Index(reason)) | Trouble::Damaged(reason) => StoreError::Read { reason },
        })?;
    }
    Ok(())
}

/// Whether there is no row of any kind.
///
/// # Errors
/// The records cannot be read.
pub fn no_texts(snapshot: &Snapshot) -> Result<bool, StoreError> {
    for entry in KINDS {
        if (entry.count)(snapshot)? > 0 {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether a text may be found. Of a kind without an entry everything may.
pub(super) fn may_be_found(snapshot: &Snapshot, searched: Searched) -> Result<bool, StoreError> {
    of(searched.kind).map_or(Ok(true), |entry| Ok((entry.text)(snapshot, searched.id)?.is_some()))
}

/// Shows every text of a kind that may be found.
pub(super) fn every(snapshot: &Snapshot, kind: SearchedKind, visit: &mut Visit<'_>) -> Result<(), Trouble> {
    of(kind).map_or(Ok(()), |entry| (entry.all)(snapshot, visit))
}

/// Whether there is no row of a kind.
pub(super) fn none(snapshot: &Snapshot, kind: SearchedKind) -> Result<bool, StoreError> {
    of(kind).map_or(Ok(true), |entry| Ok((entry.count)(snapshot)? == 0))
}
