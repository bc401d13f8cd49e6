//! Every change of a memory's words leaves work for the searches in the same batch, and nothing else does.

use crate::embeddings;
use protocol::Error;
use storage::records::{FactRecord, FactStatus, Searched, SearchedKind};
use storage::{Batch, Snapshot, vectors as rows};

/// Writes a memory, and has it found by its words and by its meaning when it is in use.
pub(super) fn put(batch: &mut Batch, fact: &FactRecord) {
    batch.put(fact);
    if fact.status == FactStatus::Active {
        embeddings::changed(batch, name(fact.id), &fact.content);
    } else {
        rows::forget(batch, name(fact.id));
    }
}

/// Deletes a memory and all that finds it.
pub(super) fn delete(batch: &mut Batch, id: u64) {
    batch.delete::<FactRecord>(&id);
    rows::forget(batch, name(id));
}

/// The vectors of these memories in one space, of length one. Those that have none yet are left out.
///
/// # Errors
/// A store that cannot be read.
pub(super) fn vectors(snapshot: &Snapshot, space: &str, facts: &[FactRecord]) -> Result<Vec<(u64, Vec<f32>)>, Error> {
    let mut found = Vec::new();
    for fact in facts {
        if let Some(row) = rows::of(snapshot, space, name(fact.id))? {
            found.push((fact.id, rows::from_half(&row.vector)));
        }
    }
    Ok(found)
}

fn name(fact: u64) -> Searched {
    Searched::new(SearchedKind::Fact, fact)
}
