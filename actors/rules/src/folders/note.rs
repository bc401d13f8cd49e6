//! A whole file as what is kept of it: title, labels, and pieces.

use super::clipping::is_clipping;
use super::cut::cut;
use super::files::{FileKind, stem};
use super::front_matter::{FrontMatter, front_matter, labels};
use super::inline::{readable, tags};
use sha2::{Digest, Sha256};

/// Pieces kept of one file. Ours: nearly two million characters; they are written in one step.
pub const PIECES_PER_FILE_MAX: usize = 1_500;
/// Bytes of their texts together. Ours: one file's change is one commit, and that has a size.
pub const PIECES_BYTES_MAX: usize = 8 * 1024 * 1024;
/// Raised when files are cut in another way, so that they are cut again.
pub const CUTTER: u64 = 1;

/// What is kept of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CutNote {
    pub title: String,
    pub aliases: Vec<String>,
    pub tags: Vec<String>,
    pub is_clipping: bool,
    pub clipped_from: Option<String>,
    /// The first eight bytes of the SHA-256 of the text.
    pub hash: u64,
    /// Headings and text of each piece, as they are read.
    pub pieces: Vec<(String, String)>,
    /// It had more pieces than are kept.
    pub is_part: bool,
}

/// Reads a file's text: the front matter and tags of Markdown, and its pieces of about `chars` characters.
pub fn cut_note(path: &str, kind: FileKind, text: &str, chars: usize) -> CutNote {
    let is_markdown = kind == FileKind::Markdown;
    let (front, from) = if is_markdown { front_matter(text) } else { (FrontMatter::default(), 0) };
    let in_text = if is_markdown { tags(&text[from..]) } else { Vec::new() };
    let tags = labels(front.tags.iter().cloned().chain(in_text));
    let mut pieces = Vec::new();
    let (mut is_part, mut bytes) = (false, 0);
    for piece in cut(text, from, chars, is_markdown) {
        let part = &text[piece.range];
        let part = if is_markdown { readable(part) } else { part.to_owned() };
        let part = part.trim();
        // A line of dashes or a page number says nothing.
        if !part.chars().any(char::is_alphanumeric) {
            continue;
        }
        bytes += part.len();
        if pieces.len() == PIECES_PER_FILE_MAX || bytes > PIECES_BYTES_MAX {
            is_part = true;
            break;
        }
        pieces.push((piece.heading, part.to_owned()));
    }
    CutNote {
        title: front.title.clone().unwrap_or_else(|| stem(path).to_owned()),
        is_clipping: is_clipping(path, &front, &tags),
        aliases: front.aliases,
        tags,
        clipped_from: front.address,
        hash: hash(text),
        pieces,
        is_part,
    }
}

fn hash(text: &str) -> u64 {
    Sha256::digest(text.as_bytes()).iter().take(8).fold(0, |hash, byte| (hash << 8) | u64::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_becomes_its_pieces() {
        let text = "---\ntitle: The cabin\ntags: travel\n---\n# Keys\nBehind the [[Shutter|left shutter]] #cabin\n\n---\n\n## Spare\nAt Jo's.";
        let note = cut_note("Travel/Cabin.md", FileKind::Markdown, text, 1_200);
        assert_eq!(
            (note.title.as_str(), note.tags.join(" "), note.is_clipping),
            ("The cabin", "travel cabin".into(), false)
        );
        let pieces: Vec<_> = note.pieces.iter().map(|(heading, text)| (heading.as_str(), text.as_str())).collect();
        let want = [("Keys", "# Keys\nBehind the left shutter #cabin\n\n---"), ("Keys > Spare", "## Spare\nAt Jo's.")];
        assert_eq!(pieces, want);
        let other = cut_note("Travel/Cabin.md", FileKind::Markdown, &text.replace("Jo", "Sam"), 1_200);
        assert_ne!(note.hash, other.hash);
    }

    #[test]
    fn plain_text_has_no_markdown_in_it() {
        let note = cut_note("log.txt", FileKind::Text, "---\na: b\n---\n# not a heading #no [[x|y]]", 1_200);
        assert_eq!((note.title.as_str(), note.tags.len(), note.pieces.len()), ("log", 0, 1));
        assert_eq!(note.pieces[0].1, "---\na: b\n---\n# not a heading #no [[x|y]]");
    }

    #[test]
    fn there_is_a_limit_and_it_is_told() {
        let note = cut_note("a.md", FileKind::Markdown, &"# A\nsome words\n".repeat(PIECES_PER_FILE_MAX + 3), 1_200);
        assert!(note.is_part && note.pieces.len() == PIECES_PER_FILE_MAX);
        let empty = cut_note("a.md", FileKind::Markdown, "---\n---\n***\n", 1_200);
        assert!(empty.pieces.is_empty() && !empty.is_part);
    }

    #[test]
    fn a_clipped_page_is_known() {
        let text = "---\nsource: https://example.org/a\n---\nWords of others.";
        let note = cut_note("a.md", FileKind::Markdown, text, 1_200);
        assert_eq!((note.is_clipping, note.clipped_from.as_deref()), (true, Some("https://example.org/a")));
        assert!(cut_note("Clippings/a.pdf", FileKind::Pdf, "Words", 1_200).is_clipping);
    }
}
