//! What somebody looks for, as words. It is never a query language: quotes, colons and brackets are just text.

use super::words::{Cut, Word, words};
use protocol::limits::SNIPPET_CHARS_MAX;
use unicode_segmentation::UnicodeSegmentation;

/// Different words of a question that count (tools.tsv, `memory_search_history`).
pub const QUESTION_WORDS_MAX: usize = 12;
/// Characters of a question that are looked at. Ours.
pub const QUESTION_CHARS_MAX: usize = 2_000;
/// From how many characters on a word also finds longer ones that begin with it (`Haus` finds `Haustür`). Ours.
pub(super) const PREFIX_CHARS_MIN: usize = 3;
/// Characters of a snippet before the first match. Ours.
const LEAD_CHARS: usize = 60;

/// A question: its different words, first ones first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Question {
    pub(super) words: Vec<String>,
}

/// How far a text answers a question.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Match {
    /// How many of the question's words are in it.
    pub(super) words: usize,
    /// Where the first of them begins, in bytes.
    pub(super) first: usize,
}

impl Question {
    pub(super) fn new(text: &str) -> Self {
        let end = text.char_indices().nth(QUESTION_CHARS_MAX).map_or(text.len(), |(at, _)| at);
        let mut distinct = Vec::new();
        for word in words(&text[..end], Cut::Question) {
            if distinct.len() < QUESTION_WORDS_MAX && !distinct.contains(&word.text) {
                distinct.push(word.text);
            }
        }
        Self { words: distinct }
    }

    /// Which of the question's words are in a text; `None` when none is.
    pub(super) fn look_in(&self, text: &str) -> Option<Match> {
        let mut found = vec![false; self.words.len()];
        let mut first = None;
        for word in words(text, Cut::Message) {
            for (asked, found) in self.words.iter().zip(&mut found) {
                if answers(&word, asked) {
                    *found = true;
                    first.get_or_insert(word.start);
                }
            }
        }
        first.map(|first| Match { words: found.iter().filter(|it| **it).count(), first })
    }
}

fn answers(word: &Word, asked: &str) -> bool {
    word.text == asked || (asks_for_beginning(asked) && word.text.starts_with(asked))
}

/// Whether a word of a question also finds longer words.
pub(super) fn asks_for_beginning(asked: &str) -> bool {
    asked.chars().count() >= PREFIX_CHARS_MIN
}

/// The text around byte `at`, in one line, at most [`SNIPPET_CHARS_MAX`] characters, with `…` where it was cut.
pub(super) fn snippet(text: &str, at: usize) -> String {
    let (before, after) = text.split_at(at);
    let mut lead: Vec<&str> = Vec::new();
    let mut chars = 0;
    let mut earlier = before.graphemes(true).rev();
    for piece in earlier.by_ref() {
        chars += piece.chars().count();
        if chars > LEAD_CHARS {
            break;
        }
        lead.push(piece);
    }
    let cut_before = chars > LEAD_CHARS;
    lead.reverse();
    if cut_before && let Some(space) = lead.iter().position(|piece| piece.chars().all(char::is_whitespace)) {
        // Begin with a whole word.
        lead.drain(..=space);
    }

    let mut out = String::from(if cut_before { "…" } else { "" });
    let mut length = out.chars().count();
    let mut pieces = lead.into_iter().chain(after.graphemes(true)).peekable();
    while let Some(piece) = pieces.next() {
        let space = piece.chars().all(char::is_whitespace);
        if space && (out.is_empty() || out.ends_with([' ', '…'])) {
            continue;
        }
        let size = if space { 1 } else { piece.chars().count() };
        let room = SNIPPET_CHARS_MAX - usize::from(pieces.peek().is_some());
        if length + size > room {
            out.push('…');
            break;
        }
        out.push_str(if space { " " } else { piece });
        length += size;
    }
    out.truncate(out.trim_end().len());
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_question_is_just_text() {
        for (text, want) in [
            ("\"red car\"", &["red", "car"][..]),
            ("title:secret OR (a AND b)", &["title", "secret", "or", "a", "and", "b"]),
            ("-not +must ~2 ^4 [1 TO 2} *", &["not", "must", "2", "4", "1", "to"]),
            ("again again AGAIN", &["again"]),
            ("a b c d e f g h i j k l m n", &["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"]),
            ("::\"'(", &[]),
        ] {
            assert_eq!(Question::new(text).words, want, "{text}");
        }
    }

    #[test]
    fn words_and_their_beginnings_match() {
        for (question, text, want) in [
            ("Haus", "Die Haustür klemmt", Some(Match { words: 1, first: 4 })),
            ("kuche", "In der Küche", Some(Match { words: 1, first: 7 })),
            ("ha", "Haus", None),
            ("house door", "a door", Some(Match { words: 1, first: 2 })),
            ("京都", "東京都", Some(Match { words: 1, first: 3 })),
            ("東都", "東京都", None),
            ("missing", "text", None),
        ] {
            assert_eq!(Question::new(question).look_in(text), want, "{question} in {text}");
        }
    }

    #[test]
    fn a_snippet_shows_the_place() {
        let long = format!("{} needle {}", "before ".repeat(40), "after ".repeat(80));
        let at = long.find("needle").expect("there");
        let shown = snippet(&long, at);
        assert!(shown.starts_with("…before") && shown.ends_with('…') && shown.contains("needle"), "{shown}");
        assert_eq!(snippet("a\n\n  needle\tb ", 5), "a needle b");
        assert_eq!(snippet("needle", 0), "needle");
        assert_eq!(snippet(&"x".repeat(240), 0), "x".repeat(240), "as long as allowed");
    }

    proptest! {
        #[test]
        fn a_snippet_is_short_and_in_one_line(text in "(\\PC|[ \n\t]){0,400}", at in 0..400_usize) {
            let at = text.char_indices().nth(at).map_or(text.len(), |(at, _)| at);
            let shown = snippet(&text, at);
            prop_assert!(shown.chars().count() <= SNIPPET_CHARS_MAX);
            prop_assert!(!shown.contains(['\n', '\t']));
        }
    }
}
