//! Laws of notes: pieces cover a text, and front matter of any kind stays within its limits.

use crate::folders::{FileKind, PIECES_PER_FILE_MAX, cut, cut_note, excerpt, front_matter, meaningful, readable, tags};

/// Whatever a file holds: its pieces follow one another without gaps between two characters, none is much longer than asked
/// for, and nothing of its front matter is without a limit.
pub fn check_note(text: &str) {
    let (front, from) = front_matter(text);
    assert!(text.is_char_boundary(from), "the text begins within a letter");
    assert!(front.tags.len() <= 64 && front.aliases.len() <= 64, "too many labels");
    for chars in [1, 40, 1_200] {
        let mut at = from;
        for piece in cut(text, from, chars, true) {
            assert_eq!(piece.range.start, at, "a gap between pieces");
            assert!(text.is_char_boundary(piece.range.end) && piece.range.end > at, "a piece ends within a letter");
            let most = chars.max(16);
            assert!(text[piece.range.clone()].chars().count() <= most + most / 5, "a piece is too long");
            at = piece.range.end;
        }
        assert_eq!(at, text.len(), "the end is left out");
    }
    assert!(readable(text).len() <= text.len(), "a text grows by being read");
    assert!(tags(text).iter().all(|tag| tag.chars().count() <= 100), "a tag is too long");
    let note = cut_note("a.md", FileKind::Markdown, text, 200);
    assert!(note.pieces.len() <= PIECES_PER_FILE_MAX && !note.title.is_empty());
    assert!(excerpt(text, &meaningful(text), 80).chars().count() <= 80, "an excerpt is too long");
}
