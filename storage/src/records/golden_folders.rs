//! The golden files of folders, their files and pieces: see `golden`.

use super::golden::check;
use super::*;
use protocol::Timestamp;

/// A folder, for tests.
pub(super) fn folder() -> FolderRecord {
    FolderRecord {
        id: "f-1".into(),
        number: 3,
        path: "/home/maya/Notes".into(),
        name: "Notes".into(),
        is_vault: true,
        ignore: vec!["Templates/".into()],
        scope: "work".into(),
        added_at: Timestamp(5),
        needs_scan: false,
        is_missing: false,
        is_removed: false,
        device: Some(64_768),
        last_scan_at: Some(Timestamp(9)),
        last_scan_ms: Some(120),
        skipped: 2,
        error: None,
        next_piece: 40,
    }
}

/// A piece of a note, for tests.
pub(super) fn piece() -> FolderPieceRecord {
    FolderPieceRecord {
        id: folder().next_piece_id(),
        folder_id: "f-1".into(),
        path: "Travel/Cabin.md".into(),
        title: "Cabin".into(),
        labels: "Hütte travel/norway".into(),
        heading: "Arriving > Keys".into(),
        text: "The key hangs behind the shutter.".into(),
    }
}

#[test]
fn folders() {
    let full = folder();
    let waiting = FolderRecord {
        is_vault: false,
        needs_scan: true,
        is_missing: true,
        is_removed: true,
        device: None,
        last_scan_at: None,
        last_scan_ms: None,
        error: Some("The folder cannot be found.".into()),
        ..folder()
    };
    check(1, &[full, waiting]);
}

#[test]
fn folder_files() {
    let note = FolderFileRecord {
        folder_id: "f-1".into(),
        path: "Travel/Cabin 🏔.md".into(),
        bytes: 912,
        modified_ms: 1_791_622_800_000,
        text_hash: u64::MAX - 5,
        cut: 1_200,
        title: "Cabin".into(),
        aliases: vec!["Hütte".into()],
        tags: vec!["travel/norway".into()],
        is_clipping: true,
        clipped_from: Some("https://example.org/a".into()),
        state: FolderFileState::Read,
        first_piece: folder().next_piece_id(),
        pieces: 2,
    };
    let states = [FolderFileState::ReadInPart, FolderFileState::NotOpened, FolderFileState::Unreadable];
    let others = states.map(|state| FolderFileRecord { state, is_clipping: false, clipped_from: None, ..note.clone() });
    check(1, &[&[note][..], &others].concat());
}

#[test]
fn folder_pieces() {
    check(1, &[piece()]);
}
