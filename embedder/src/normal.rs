//! A text as the model's own tokenizer sees it: cleaned, without accents, in small letters, cut into words.
//!
//! This is the published way of BERT's uncased models (BertNormalizer and BertPreTokenizer). What vanishes, what is space
//! and what stands alone is not decided here: the model's file has it as its own tokenizer does.

use crate::file::u32_at;
use unicode_normalization::UnicodeNormalization;

/// Which code points are treated how: ranges, first and last `u32` each, ascending.
#[derive(Clone, Copy)]
pub(crate) struct Classes<'a> {
    /// Control characters, marks without width.
    pub(crate) vanishing: &'a [u8],
    pub(crate) spacing: &'a [u8],
    /// Punctuation, and characters of scripts without spaces: words of their own.
    pub(crate) alone: &'a [u8],
}

fn is_in(ranges: &[u8], letter: char) -> bool {
    let code = u32::from(letter);
    let (mut low, mut high) = (0, ranges.len() / 8);
    while low < high {
        let middle = usize::midpoint(low, high);
        let (Some(first), Some(last)) = (u32_at(ranges, 8 * middle), u32_at(ranges, 8 * middle + 4)) else {
            return false;
        };
        if code < first {
            high = middle;
        } else if code > last {
            low = middle + 1;
        } else {
            return true;
        }
    }
    false
}

/// Calls `word` with every word of the text, in order; ends early when it answers `false`.
pub(crate) fn words(classes: Classes<'_>, text: &str, mut word: impl FnMut(&str) -> bool) {
    let kept = text.chars().filter(|letter| letter.is_ascii_graphic() || !is_in(classes.vanishing, *letter));
    let plain = kept.nfd().filter(|letter| letter.is_ascii_graphic() || !is_in(classes.vanishing, *letter));
    let mut current = String::new();
    for letter in plain.flat_map(char::to_lowercase) {
        let space = letter == ' ' || is_in(classes.spacing, letter);
        let alone = !space && !letter.is_ascii_alphanumeric() && is_in(classes.alone, letter);
        if (space || alone) && !current.is_empty() {
            if !word(&current) {
                return;
            }
            current.clear();
        }
        if alone {
            if !word(letter.encode_utf8(&mut [0; 4])) {
                return;
            }
        } else if !space {
            current.push(letter);
        }
    }
    if !current.is_empty() {
        word(&current);
    }
}
