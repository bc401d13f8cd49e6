//! Characters that a provider cut in half.
//!
//! Some servers cut their text between the two `\uXXXX` halves of a character beyond U+FFFF, so one JSON document ends
//! with half a character and the next begins with the other. Such JSON is not readable as it stands. [`parse`] carries
//! lone halves over as marked private characters, and [`Joiner`] puts them together again or, where the other half never
//! came, shows U+FFFD.

use serde_json::Value;

/// Noncharacters (never in real text) that mark a carried half; the half's lower ten bits follow as U+E000 + bits.
const HIGH_MARK: char = '\u{fdd0}';
const LOW_MARK: char = '\u{fdd1}';
const PRIVATE_START: u32 = 0xe000;
const REPLACEMENT: char = char::REPLACEMENT_CHARACTER;

/// Reads one JSON document; halves of characters inside its strings are carried over.
pub(super) fn parse(text: &str) -> Result<Value, serde_json::Error> {
    match serde_json::from_str(text) {
        Err(error) if text.contains("\\ud") || text.contains("\\uD") => {
            serde_json::from_str(&carry_halves(text)).map_err(|_| error)
        }
        result => result,
    }
}

/// Rewrites every lone `\uD8xx`..`\uDFxx` as an escaped mark and private character.
fn carry_halves(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        let (before, escape) = rest.split_at(at);
        out.push_str(before);
        let mut taken = 1 + escape[1..].chars().next().map_or(0, char::len_utf8);
        match unit(escape) {
            Some(high @ 0xd800..0xdc00) if matches!(escape.get(6..).and_then(unit), Some(0xdc00..0xe000)) => {
                taken = 12;
                out.push_str(&escape[..taken]);
                debug_assert!(high >= 0xd800);
            }
            Some(half @ 0xd800..0xe000) => {
                taken = 6;
                let mark = if half < 0xdc00 { "\\ufdd0" } else { "\\ufdd1" };
                out.push_str(&format!("{mark}\\u{:04x}", PRIVATE_START + (half & 0x3ff)));
            }
            _ => out.push_str(&escape[..taken]),
        }
        rest = &escape[taken..];
    }
    out.push_str(rest);
    out
}

/// The code unit of a `\uXXXX` escape at the start of `text`.
fn unit(text: &str) -> Option<u32> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    digits.bytes().all(|byte| byte.is_ascii_hexdigit()).then(|| u32::from_str_radix(digits, 16).ok())?
}

/// Puts halves together across the pieces of one text.
#[derive(Debug, Default)]
pub(super) struct Joiner {
    /// The lower ten bits of a high half that waits for its other half.
    high: Option<u32>,
}

impl Joiner {
    /// The next piece of the text, without marks. A half at its end waits for the next piece.
    pub(super) fn push(&mut self, text: String) -> String {
        if text.is_empty() || (self.high.is_none() && !text.contains([HIGH_MARK, LOW_MARK])) {
            return text;
        }
        let mut out = String::with_capacity(text.len());
        let mut chars = text.chars().peekable();
        while let Some(c) = chars.next() {
            let bits = (c == HIGH_MARK || c == LOW_MARK)
                .then(|| chars.next_if(|next| (PRIVATE_START..PRIVATE_START + 0x400).contains(&u32::from(*next))))
                .flatten()
                .map(|private| u32::from(private) - PRIVATE_START);
            match (self.high.take(), c, bits) {
                (waiting, HIGH_MARK, Some(bits)) => {
                    out.extend(waiting.map(|_| REPLACEMENT));
                    self.high = Some(bits);
                }
                (Some(high), LOW_MARK, Some(low)) => {
                    out.push(char::from_u32(0x1_0000 + (high << 10) + low).unwrap_or(REPLACEMENT));
                }
                (None, LOW_MARK, Some(_)) => out.push(REPLACEMENT),
                (waiting, c, _) => {
                    out.extend(waiting.map(|_| REPLACEMENT));
                    out.push(c);
                }
            }
        }
        out
    }

    /// The text is over: what stands for a half that stayed alone.
    pub(super) fn end(&mut self) -> Option<char> {
        self.high.take().map(|_| REPLACEMENT)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn join(documents: &[&str]) -> String {
        let mut joiner = Joiner::default();
        let mut out = String::new();
        for document in documents {
            let value = parse(document).unwrap_or_else(|error| panic!("{document}: {error}"));
            out.push_str(&joiner.push(value.as_str().unwrap_or_default().to_owned()));
        }
        out.extend(joiner.end());
        out
    }

    #[test]
    fn halves_find_each_other() {
        let cases: [(&str, &[&str], &str); 8] = [
            ("whole", &[r#""a\ud83d\ude00b""#], "a😀b"),
            ("cut", &[r#""a\ud83d""#, r#""\ude00b""#], "a😀b"),
            ("cut, with an empty piece between", &[r#""\uD83D""#, r#""""#, r#""\uDE00""#], "😀"),
            ("the other half never comes", &[r#""a\ud83d""#, r#""b""#], "a\u{fffd}b"),
            ("the stream ends on a half", &[r#""a\ud83d""#], "a\u{fffd}"),
            ("a low half alone", &[r#""\ude00""#], "\u{fffd}"),
            ("two high halves", &[r#""\ud83d\ud83d""#, r#""\ude00""#], "\u{fffd}😀"),
            ("an escaped backslash is no escape", &[r#""\\ud83d \ud83d""#], "\\ud83d \u{fffd}"),
        ];
        for (name, documents, want) in cases {
            assert_eq!(join(documents), want, "{name}");
        }
    }

    #[test]
    fn what_is_not_json_stays_an_error() {
        for text in [r#"{"a":"\ud83d"#, r#""\ud83"#, r#""\ud83d\"#, "\\ud83dé"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
