//! Text from outside, made harmless for a terminal, and shortened.
//!
//! A terminal obeys what it is sent: an escape sequence in a mail could move the cursor, rewrite what was said or set the
//! clipboard. So no control character passes here except a line's end.

/// Text in which nothing is an order to the terminal. Escape becomes the visible `␛`; carriage returns, other control
/// characters and marks that turn the direction of writing round (Unicode TR 36) are dropped; tabs become spaces.
pub(crate) fn neutral(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\n' => out.push('\n'),
            '\t' => out.push_str("    "),
            '\u{1b}' => out.push('␛'),
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}' => (),
            other if other.is_control() => (),
            other => out.push(other),
        }
    }
    out
}

/// One harmless line of at most so many characters; what was left out is shown by `…`.
pub(crate) fn line(text: &str, characters: usize) -> String {
    let one = neutral(text).split_whitespace().collect::<Vec<_>>().join(" ");
    if one.chars().count() <= characters {
        return one;
    }
    let mut cut: String = one.chars().take(characters.saturating_sub(1)).collect();
    cut.push('…');
    cut
}

/// `web_search` as a person reads it.
pub(crate) fn tool_name(name: &str) -> String {
    let words = neutral(name).replace('_', " ");
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn orders_to_the_terminal_become_text() {
        for (name, text, want) in [
            ("plain", "Grüße, 你好 👋", "Grüße, 你好 👋"),
            ("colour", "\u{1b}[31mred\u{1b}[0m", "␛[31mred␛[0m"),
            ("clipboard", "\u{1b}]52;c;aGk=\u{7}", "␛]52;c;aGk="),
            ("one-byte sequence", "\u{9b}2J", "2J"),
            ("rewritten line", "safe\rEVIL", "safeEVIL"),
            ("turned round", "a\u{202e}cod.exe", "acod.exe"),
            ("lines stay", "a\n\tb", "a\n    b"),
        ] {
            assert_eq!(neutral(text), want, "{name}");
        }
    }

    #[test]
    fn lines_are_cut_at_characters() {
        assert_eq!(line("  a\n b  ", 10), "a b");
        assert_eq!(line("äöüäöü", 4), "äöü…");
        assert_eq!(tool_name("web_search"), "Web search");
        assert_eq!(tool_name(""), "");
    }

    proptest! {
        #[test]
        fn nothing_passes_that_a_terminal_obeys(text in any::<String>()) {
            let out = neutral(&text);
            prop_assert!(out.chars().all(|character| character == '\n' || !character.is_control()));
            prop_assert_eq!(neutral(&out), out);
        }
    }
}
