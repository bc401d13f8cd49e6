//! Folders of the person's notes, the files in them, and the pieces that are searched (contract section 22).
//!
//! The files themselves are never written. A folder has a number that is never used twice, and the numbers of its pieces
//! begin with it, so that whose piece a hit is can be told from its number alone and all pieces of a folder are one run of
//! keys.

use crate::record::Record;
use protocol::Timestamp;
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;

/// Low bits of a piece's number that count within its folder; the bits above are the folder's number.
const PIECE_BITS: u32 = 40;
/// The largest number a folder may have.
pub const FOLDER_NUMBER_MAX: u64 = (1 << (u64::BITS - PIECE_BITS)) - 1;
/// Bytes of a file's path inside its folder. Ours: it is part of a key; what is longer is left out.
pub const FOLDER_PATH_BYTES_MAX: usize = 1_024;

/// One added folder. Key: its id.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FolderRecord {
    pub id: String,
    /// From 1, never used twice.
    pub number: u64,
    /// The full path, with links followed when it was added.
    pub path: String,
    pub name: String,
    /// It is an Obsidian vault.
    pub is_vault: bool,
    pub ignore: Vec<String>,
    pub scope: String,
    pub added_at: Timestamp,
    /// It is to be looked through as soon as can be.
    pub needs_scan: bool,
    /// The folder could not be found at the last look.
    pub is_missing: bool,
    /// It was removed, and what is kept of it is being forgotten.
    pub is_removed: bool,
    /// The disk it was on at the last look, where the system has numbers for that.
    pub device: Option<u64>,
    pub last_scan_at: Option<Timestamp>,
    pub last_scan_ms: Option<u64>,
    /// Files left out at the last look.
    pub skipped: u64,
    /// A plain sentence: what is wrong with it.
    pub error: Option<String>,
    /// What the number of the next piece ends with.
    pub next_piece: u64,
}

impl FolderRecord {
    /// The numbers its pieces can have.
    pub fn pieces(&self) -> RangeInclusive<u64> {
        let first = self.number << PIECE_BITS;
        first..=first | ((1 << PIECE_BITS) - 1)
    }

    /// The number of the piece that is written next.
    pub fn next_piece_id(&self) -> u64 {
        (self.number << PIECE_BITS) | self.next_piece
    }
}

/// The number of the folder a piece belongs to.
pub fn folder_of_piece(piece: u64) -> u64 {
    piece >> PIECE_BITS
}

/// How far a file could be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FolderFileState {
    Read,
    /// More of it than is kept of one file was left out.
    ReadInPart,
    /// It could not be opened: tried again at every look.
    NotOpened,
    /// What is in it could not be read: tried again when it changes.
    Unreadable,
}

/// One file of a folder. Key: the folder's id, then its path inside it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FolderFileRecord {
    pub folder_id: String,
    /// Inside the folder, with `/` between folders.
    pub path: String,
    pub bytes: u64,
    /// Milliseconds since 1970.
    pub modified_ms: i64,
    /// The first eight bytes of the SHA-256 of its text.
    pub text_hash: u64,
    /// How it was cut: a file cut in another way is cut again.
    pub cut: u64,
    pub title: String,
    pub aliases: Vec<String>,
    pub tags: Vec<String>,
    pub is_clipping: bool,
    /// The address of the web page it was clipped from.
    pub clipped_from: Option<String>,
    pub state: FolderFileState,
    /// The number of its first piece; the others follow.
    pub first_piece: u64,
    pub pieces: u32,
}

impl FolderFileRecord {
    /// The numbers of its pieces.
    pub fn piece_ids(&self) -> std::ops::Range<u64> {
        self.first_piece..self.first_piece + u64::from(self.pieces)
    }
}

/// A piece of a file, as it is searched. Key: its number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FolderPieceRecord {
    pub id: u64,
    pub folder_id: String,
    pub path: String,
    pub title: String,
    /// The file's other names and its tags, with blanks between them.
    pub labels: String,
    /// The headings above it, from the outermost on.
    pub heading: String,
    pub text: String,
}

impl FolderPieceRecord {
    /// What is searched, by words and by meaning: where it stands and what it is called, then what it says.
    pub fn searched(&self) -> String {
        let place =
            if self.heading.is_empty() { self.title.clone() } else { format!("{} > {}", self.title, self.heading) };
        let parts = [place.as_str(), self.labels.as_str(), self.text.as_str()];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
    }
}

impl Record for FolderRecord {
    type Key = String;
    const TABLE: &'static str = "folders";
    const VERSION: u8 = 1;

    fn key(&self) -> String {
        self.id.clone()
    }
}

impl Record for FolderFileRecord {
    type Key = (String, String);
    const TABLE: &'static str = "folder_files";
    const VERSION: u8 = 1;

    fn key(&self) -> (String, String) {
        (self.folder_id.clone(), self.path.clone())
    }
}

impl Record for FolderPieceRecord {
    type Key = u64;
    const TABLE: &'static str = "folder_pieces";
    const VERSION: u8 = 1;

    fn key(&self) -> u64 {
        self.id
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_piece_knows_its_folder() {
        let folder = |number| FolderRecord { number, next_piece: 7, ..super::super::golden_folders::folder() };
        for number in [1, 2, 900, FOLDER_NUMBER_MAX] {
            let folder = folder(number);
            assert!(folder.pieces().contains(&folder.next_piece_id()));
            for piece in [*folder.pieces().start(), folder.next_piece_id(), *folder.pieces().end()] {
                assert_eq!(folder_of_piece(piece), number);
            }
        }
        assert!(!folder(2).pieces().contains(&folder(1).next_piece_id()));
    }

    #[test]
    fn a_piece_is_searched_with_where_it_stands() {
        let piece = super::super::golden_folders::piece();
        let want = "Cabin > Arriving > Keys\nHütte travel/norway\nThe key hangs behind the shutter.";
        assert_eq!(piece.searched(), want);
        let bare = FolderPieceRecord { heading: String::new(), labels: String::new(), ..piece };
        assert_eq!(bare.searched(), "Cabin\nThe key hangs behind the shutter.");
    }
}
