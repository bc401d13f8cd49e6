//! Words into the pieces the model knows: the longest known beginning, then the longest known beginning of what is left
//! (WordPiece; Wu et al. 2016, as BERT uses it).

use crate::file::Model;
use crate::normal;

/// Characters of a word that is still looked at; a longer one is unknown (the tokenizer's own limit).
pub const PIECE_CHARS_MAX: usize = 100;
/// Pieces of a text that count: what comes after does not change what a long text is about. Ours: a memory has about
/// twenty, a piece of a note three hundred.
pub const TEXT_PIECES_MAX: usize = 2_048;

pub(crate) fn cut(model: &Model<'_>, text: &str, unknown: u32) -> Vec<u32> {
    let mut pieces = Vec::new();
    normal::words(model.classes, text, |word| {
        cut_word(model, word, unknown, &mut pieces);
        pieces.len() < TEXT_PIECES_MAX
    });
    pieces.truncate(TEXT_PIECES_MAX);
    pieces
}

fn cut_word(model: &Model<'_>, word: &str, unknown: u32, pieces: &mut Vec<u32>) {
    let before = pieces.len();
    let known = word.chars().count() <= PIECE_CHARS_MAX && cut_known(model, word, pieces).is_some();
    if !known {
        pieces.truncate(before);
        pieces.push(unknown);
    }
}

/// `None` when some part of the word is unknown.
fn cut_known(model: &Model<'_>, word: &str, pieces: &mut Vec<u32>) -> Option<()> {
    let mut rest = word;
    while !rest.is_empty() {
        let inner = rest.len() < word.len();
        let ends = rest.char_indices().map(|(at, letter)| at + letter.len_utf8()).rev();
        let (end, piece) = ends.filter_map(|end| Some((end, model.find(inner, rest.get(..end)?)?))).next()?;
        pieces.push(piece);
        rest = rest.get(end..)?;
    }
    Some(())
}
