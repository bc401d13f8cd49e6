//! Vectors of texts as rows: made, written and deleted so that the index always hears of it.
//!
//! It never compares vectors of two spaces, and knows nothing of models.

mod half;

pub use half::{from_half, to_half};

use crate::records::{Change, EmbedJob, IndexJob, Searched, SearchedKind, VectorRecord};
use crate::{Batch, Snapshot, Store, StoreError};
use std::ops::Bound;

/// Components of a vector at most. Ours: the largest known text models make 4,096.
pub const DIMENSIONS_MAX: usize = 8_192;
/// Vectors that one step of [`forget_space`] looks at. Ours: keeps other commits' wait short.
pub const FORGET_STEP: usize = 1_000;

/// A number that tells two texts apart: FNV-1a over the UTF-8 bytes, 64 bit. Never changes: it is stored.
pub fn text_hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
}

/// Stretches a vector to length one. `None` when it has no direction (all zero, not finite, empty or too long).
pub fn unit(vector: &[f32]) -> Option<Vec<f32>> {
    if vector.is_empty() || vector.len() > DIMENSIONS_MAX {
        return None;
    }
    let length = vector.iter().map(|&it| f64::from(it) * f64::from(it)).sum::<f64>().sqrt();
    if !length.is_finite() || length < 1e-12 {
        return None;
    }
    #[expect(clippy::cast_possible_truncation, reason = "a component of a unit vector is at most one")]
    let scaled = vector.iter().map(|&it| (f64::from(it) / length) as f32).collect();
    Some(scaled)
}

/// The row for the vector of a text. `None` when the vector has no direction.
pub fn record(space: &str, searched: Searched, text: &str, vector: &[f32]) -> Option<VectorRecord> {
    Some(VectorRecord {
        space: space.to_owned(),
        kind: searched.kind,
        id: searched.id,
        text_hash: text_hash(text),
        vector: to_half(&unit(vector)?),
    })
}

/// Writes a vector over an older one of the same text and space.
pub fn put(batch: &mut Batch, vector: &VectorRecord) {
    let searched = Searched::new(vector.kind, vector.id);
    batch.put(vector).change(Change::Vector { space: vector.space.clone(), searched });
}

/// For whoever writes or changes a searched text, in the same batch: leaves the work of its words and of its vectors. Its
/// vectors until now answer no longer.
pub fn changed(batch: &mut Batch, searched: Searched) {
    batch.delete_prefix::<VectorRecord>(&searched).change(Change::NoVectors(searched));
    batch.put(&EmbedJob::of(searched)).index(IndexJob::Searched(searched));
}

/// For whoever deletes a searched text, in the same batch: its vectors of all spaces, its jobs and its words go.
pub fn forget(batch: &mut Batch, searched: Searched) {
    batch.delete_prefix::<VectorRecord>(&searched).change(Change::NoVectors(searched));
    batch.delete::<EmbedJob>(&searched).index(IndexJob::Searched(searched));
}

/// The vector of a text in a space.
///
/// # Errors
/// The records cannot be read.
pub fn of(snapshot: &Snapshot, space: &str, searched: Searched) -> Result<Option<VectorRecord>, StoreError> {
    snapshot.get(&(searched, space.to_owned()))
}

/// The cosine of a stored vector and a unit vector of the same space; `None` when they have different lengths.
pub fn cosine(row: &VectorRecord, unit: &[f32]) -> Option<f32> {
    let stored = from_half(&row.vector);
    let same = stored.len() == unit.len();
    same.then(|| stored.iter().zip(unit).map(|(a, b)| a * b).sum::<f32>().clamp(-1.0, 1.0))
}

/// Every vector of a kind in a space, in the order of the texts' numbers.
///
/// # Errors
/// The records cannot be read; each row may fail on its own too.
pub fn all(
    snapshot: &Snapshot,
    space: &str,
    kind: SearchedKind,
) -> Result<impl Iterator<Item = Result<VectorRecord, StoreError>>, StoreError> {
    let space = space.to_owned();
    let rows = snapshot.prefix::<VectorRecord>(&kind)?;
    Ok(rows.filter(move |row| row.as_ref().map_or(true, |row| row.space == space)))
}

/// Deletes the vectors of a space that no model answers for any more, a bounded many at a time: looks at up to
/// [`FORGET_STEP`] rows from `after` on and answers where to go on, `None` at the end. May be begun again at any time.
/// Blocks.
///
/// # Errors
/// The records cannot be read or written. What was deleted stays deleted.
pub fn forget_space(store: &Store, space: &str, after: Option<Searched>) -> Result<Option<Searched>, StoreError> {
    let snapshot = store.snapshot()?;
    let start = match after {
        // The last space of a text sorts before the next text.
        Some(Searched { kind, id }) if id < u64::MAX => Bound::Included((Searched::new(kind, id + 1), String::new())),
        Some(Searched { kind, .. }) => {
            let next = SearchedKind::ALL.into_iter().find(|next| *next > kind);
            let Some(next) = next else { return Ok(None) };
            Bound::Included((Searched::new(next, 0), String::new()))
        }
        None => Bound::Unbounded,
    };
    let mut batch = Batch::new();
    let mut last = None;
    for (looked_at, row) in snapshot.range::<VectorRecord>((start, Bound::Unbounded))?.enumerate() {
        let row = row?;
        let searched = Searched::new(row.kind, row.id);
        // A text's vectors are looked at together, so that `after` never stands between them.
        if looked_at >= FORGET_STEP && last != Some(searched) {
            store.commit_now(batch)?;
            return Ok(last);
        }
        last = Some(searched);
        if row.space == space {
            batch.delete::<VectorRecord>(&(searched, row.space.clone()));
            batch.change(Change::Vector { space: row.space, searched });
        }
    }
    store.commit_now(batch)?;
    Ok(None)
}

/// The spaces that any vector of a kind is in, among the first [`FORGET_STEP`] rows of the kind.
///
/// # Errors
/// The records cannot be read.
pub fn spaces(snapshot: &Snapshot, kind: SearchedKind) -> Result<Vec<String>, StoreError> {
    let mut spaces = Vec::new();
    for row in snapshot.prefix::<VectorRecord>(&kind)?.take(FORGET_STEP) {
        let row = row?;
        if !spaces.contains(&row.space) {
            spaces.push(row.space);
        }
    }
    Ok(spaces)
}

#[cfg(test)]
mod tests;
