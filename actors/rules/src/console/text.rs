//! Bytes to text, in pieces cut anywhere.
//!
//! What is no UTF-8 becomes U+FFFD. `\r\n` and `\r` become `\n`. Escape sequences (ECMA-48: colours, cursor moves, titles,
//! links) and other control characters go, so that no output can move a terminal's cursor or rewrite what stands there.

/// Characters of one escape sequence. A longer one is taken for text again, so that an open one swallows no output.
const SEQUENCE_CHARS_MAX: usize = 4_096;

/// Where in an escape sequence the text is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Place {
    #[default]
    Text,
    /// Behind ESC.
    Escape,
    /// Behind `ESC [`: up to a letter.
    Control,
    /// Behind `ESC ]` and its like: up to BEL or `ESC \`.
    Words,
    /// Behind an ESC within words.
    WordsEscape,
}

/// Reads the output of one program.
#[derive(Debug, Default)]
pub struct Decoder {
    /// The beginning of a character whose end is still to come.
    waiting: Vec<u8>,
    place: Place,
    sequence_chars: usize,
    after_return: bool,
}

impl Decoder {
    /// The text these bytes add.
    pub fn push(&mut self, bytes: &[u8]) -> String {
        let mut out = String::with_capacity(bytes.len());
        let mut all = std::mem::take(&mut self.waiting);
        all.extend_from_slice(bytes);
        let mut rest = all.as_slice();
        while !rest.is_empty() {
            match std::str::from_utf8(rest) {
                Ok(text) => {
                    self.text(text, &mut out);
                    break;
                }
                Err(error) => {
                    let (good, bad) = rest.split_at(error.valid_up_to());
                    self.text(std::str::from_utf8(good).unwrap_or_default(), &mut out);
                    let Some(length) = error.error_len() else {
                        self.waiting = bad.to_vec();
                        break;
                    };
                    self.character('\u{fffd}', &mut out);
                    rest = &bad[length..];
                }
            }
        }
        out
    }

    /// The output is at its end.
    pub fn end(&mut self) -> String {
        let mut out = String::new();
        if !std::mem::take(&mut self.waiting).is_empty() {
            self.character('\u{fffd}', &mut out);
        }
        out
    }

    fn text(&mut self, text: &str, out: &mut String) {
        for c in text.chars() {
            self.character(c, out);
        }
    }

    fn character(&mut self, c: char, out: &mut String) {
        self.sequence_chars = if self.place == Place::Text { 0 } else { self.sequence_chars + 1 };
        if self.sequence_chars > SEQUENCE_CHARS_MAX || (c == '\n' && self.place != Place::Text) {
            self.place = Place::Text;
        }
        self.place = match (self.place, c) {
            (Place::Text, '\u{1b}') => Place::Escape,
            (Place::Text, c) => {
                self.plain(c, out);
                Place::Text
            }
            (Place::Escape | Place::WordsEscape, '[') => Place::Control,
            (Place::Escape | Place::WordsEscape, ']' | 'P' | 'X' | '^' | '_') => Place::Words,
            (Place::Escape, '\u{1b}') => Place::Escape,
            // `ESC ( B` and the like have a sign between.
            (Place::Escape, ' '..='/') => Place::Escape,
            (Place::Escape, _) => Place::Text,
            (Place::Control, '\u{40}'..='\u{7e}') => Place::Text,
            (Place::Control, '\u{1b}') => Place::Escape,
            (Place::Control, _) => Place::Control,
            (Place::Words, '\u{7}' | '\u{9c}') | (Place::WordsEscape, '\\') => Place::Text,
            (Place::Words, '\u{1b}') => Place::WordsEscape,
            (Place::Words | Place::WordsEscape, _) => Place::Words,
        };
    }

    fn plain(&mut self, c: char, out: &mut String) {
        let after_return = std::mem::replace(&mut self.after_return, c == '\r');
        match c {
            '\n' if after_return => (),
            '\n' | '\r' => out.push('\n'),
            '\t' => out.push('\t'),
            c if c.is_control() => (),
            c => out.push(c),
        }
    }
}
