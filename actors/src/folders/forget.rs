//! What goes with a piece: its row, its words and its vectors, in one batch.

use storage::records::{FolderPieceRecord, Searched, SearchedKind};
use storage::{Batch, vectors};

/// Pieces forgotten in one batch. Ours: at five steps each, a quarter of what a batch may have.
pub(super) const FORGET_PIECES_MAX: usize = 1_000;

/// Forgets pieces.
pub(super) fn pieces_gone(batch: &mut Batch, ids: impl IntoIterator<Item = u64>) {
    for id in ids {
        batch.delete::<FolderPieceRecord>(&id);
        vectors::forget(batch, Searched::new(SearchedKind::NotePiece, id));
    }
}
