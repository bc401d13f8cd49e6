//! A long text in pieces that a model reads one after another.

/// Characters of a document that are read (`memory.md` section 4).
pub const DOCUMENT_CHARS_MAX: usize = 200_000;
/// The smallest piece. Ours: a setting below it would make thousands of calls.
const PIECE_CHARS_MIN: usize = 200;

/// The pieces of a text, each of at most `chars` characters, cut at the end of a paragraph, a sentence or a word where one
/// is near. What is beyond [`DOCUMENT_CHARS_MAX`] is left out.
pub fn of(text: &str, chars: usize) -> Vec<String> {
    let chars = chars.max(PIECE_CHARS_MIN);
    let text: String = text.chars().filter(|c| *c != '\0' && *c != '\u{feff}').take(DOCUMENT_CHARS_MAX).collect();
    let mut left = text.trim();
    let mut pieces = Vec::new();
    while !left.is_empty() {
        let end = left.char_indices().nth(chars).map_or(left.len(), |(at, _)| at);
        let at = if end == left.len() { end } else { good_end(&left[..end]) };
        let piece = left[..at].trim();
        if piece.chars().any(char::is_alphanumeric) {
            pieces.push(piece.to_owned());
        }
        left = left[at..].trim_start();
    }
    pieces
}

/// The last good place to cut, in the second half.
fn good_end(piece: &str) -> usize {
    let all = piece.chars().count();
    let late = |at: usize| piece[..at].chars().count() * 2 > all;
    ["\n\n", "\n", "। ", ". ", "。", " "]
        .iter()
        .find_map(|mark| piece.rfind(mark).map(|at| at + mark.len()).filter(|at| late(*at)))
        .unwrap_or(piece.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_text_is_cut_where_it_pauses() {
        let text = format!("{}\n\n{}", "one two. ".repeat(15), "माया पुणे में रहती है। ".repeat(15));
        let pieces = of(&text, 200);
        assert!(pieces.len() >= 3 && pieces.iter().all(|piece| piece.chars().count() <= 200), "{pieces:?}");
        assert!(pieces[0].ends_with("two.") && pieces[1].ends_with('।'), "{pieces:?}");
        for nothing in ["", " \n\u{feff}", "--- ***"] {
            assert_eq!(of(nothing, 4_000), Vec::<String>::new(), "{nothing:?}");
        }
        assert_eq!(of(&"x".repeat(300_000), 20_000).len(), 10);
    }

    proptest! {
        #[test]
        fn no_word_is_lost(text in "[a-zक-ह \n.]{0,900}", chars in 0..500_usize) {
            let words = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).collect::<String>();
            prop_assert_eq!(words(&of(&text, chars).concat()), words(&text));
        }
    }
}
