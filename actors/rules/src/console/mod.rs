//! The output of a program, as text a person and a model can read: bytes that are no text repaired, line ends made one
//! kind, control sequences taken out, and no more of it kept than was asked for (contract sections 11 and 18).
//!
//! However much a program prints, what is held here is bounded.

mod text;

#[cfg(test)]
mod tests;

pub use text::Decoder;

/// Characters of each output of a command that are kept for its file (contract section 18).
pub const FULL_CHARS_MAX: usize = 2_000_000;
/// Bytes a character takes at most.
const CHAR_BYTES_MAX: usize = 4;

/// What is kept of an output that is too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// Its beginning, then a note (scripts).
    Start,
    /// Its beginning and its end, a note between them, and more of it for a file (commands).
    Ends,
}

/// One output of a program, as it comes in.
#[derive(Debug)]
pub struct Console {
    decoder: Decoder,
    keep: Keep,
    shown_max: usize,
    /// The beginning: all of it until the limit.
    full: String,
    full_chars: usize,
    /// The end of what came after the beginning was full.
    tail: Vec<u8>,
    /// Characters after the beginning, about: bytes that begin a character.
    beyond: usize,
}

/// What one piece adds to what a window has seen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fresh {
    pub text: String,
    /// From here on nothing more is shown. Said once.
    pub cut: bool,
}

impl Console {
    /// Keeps `shown_max` characters.
    pub fn new(keep: Keep, shown_max: usize) -> Self {
        let decoder = Decoder::default();
        Self { decoder, keep, shown_max, full: String::new(), full_chars: 0, tail: Vec::new(), beyond: 0 }
    }

    fn full_max(&self) -> usize {
        match self.keep {
            Keep::Start => self.shown_max,
            Keep::Ends => FULL_CHARS_MAX.max(self.shown_max),
        }
    }

    /// Takes bytes in; answers what of them a window is still shown.
    pub fn push(&mut self, bytes: &[u8]) -> Fresh {
        // Once something did not fit, nothing more is shown, and bytes need not be read as text.
        if self.beyond > 0 {
            let was_cut = self.is_cut();
            self.push_beyond(bytes);
            return Fresh { text: String::new(), cut: !was_cut && self.is_cut() };
        }
        let text = self.decoder.push(bytes);
        self.add(&text)
    }

    /// The end of the output: what was waiting for more bytes.
    pub fn end(&mut self) -> Fresh {
        let text = self.decoder.end();
        self.add(&text)
    }

    fn add(&mut self, text: &str) -> Fresh {
        let free = self.full_max().saturating_sub(self.full_chars);
        let at = text.char_indices().nth(free).map_or(text.len(), |(at, _)| at);
        let (taken, beyond) = text.split_at(at);
        let (before, was_cut) = (self.full_chars, self.is_cut());
        self.full.push_str(taken);
        self.full_chars += taken.chars().count();
        self.push_beyond(beyond.as_bytes());
        let shown: String = taken.chars().take(self.shown_max.saturating_sub(before)).collect();
        Fresh { text: shown, cut: !was_cut && self.is_cut() }
    }

    fn push_beyond(&mut self, bytes: &[u8]) {
        self.beyond += bytes.iter().filter(|byte| **byte & 0xC0 != 0x80).count();
        if self.keep == Keep::Start {
            return;
        }
        let kept = self.shown_max.saturating_mul(CHAR_BYTES_MAX);
        self.tail.extend_from_slice(&bytes[bytes.len().saturating_sub(kept)..]);
        if self.tail.len() > kept.saturating_mul(2) {
            self.tail.drain(..self.tail.len() - kept);
        }
    }

    /// Characters so far.
    pub fn total(&self) -> usize {
        self.full_chars + self.beyond
    }

    pub fn is_cut(&self) -> bool {
        self.total() > self.shown_max
    }

    /// What a model reads, within the limit but for the note.
    pub fn shown(&self) -> String {
        if !self.is_cut() {
            return self.full.clone();
        }
        match self.keep {
            Keep::Start => {
                let start: String = self.full.chars().take(self.shown_max).collect();
                format!("{start}\n[output cut after {} characters]", self.shown_max)
            }
            Keep::Ends => {
                let end_chars = self.shown_max / 2;
                let start: String = self.full.chars().take(self.shown_max - end_chars).collect();
                let cut = self.total().saturating_sub(self.shown_max);
                format!("{start}\n[... {cut} characters cut here ...]\n{}", self.last(end_chars))
            }
        }
    }

    /// The last characters of all.
    fn last(&self, chars: usize) -> String {
        let mut decoder = Decoder::default();
        let begins = self.tail.iter().position(|byte| byte & 0xC0 != 0x80).unwrap_or(self.tail.len());
        let tail = decoder.push(&self.tail[begins..]) + &decoder.end();
        let tail_chars = tail.chars().count();
        let from_full = chars.saturating_sub(tail_chars).min(self.full_chars);
        let mut last: String = self.full.chars().skip(self.full_chars - from_full).collect();
        last.extend(tail.chars().skip(tail_chars.saturating_sub(chars)));
        last
    }

    /// Everything that was kept for a file: the beginning, and the end of what did not fit.
    pub fn file_text(&self) -> String {
        if self.beyond == 0 {
            return self.full.clone();
        }
        let end = self.last(self.shown_max.min(self.beyond));
        let cut = self.beyond.saturating_sub(end.chars().count());
        format!("{}\n[... {cut} characters cut here ...]\n{end}", self.full)
    }
}
