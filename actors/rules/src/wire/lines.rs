//! Cuts a byte stream into text lines, whatever the chunking.
//!
//! Lines end with LF, CRLF or a lone CR (the event-stream format allows all three; NDJSON uses LF). It must never keep
//! more than one line's limit in memory and never fail on bytes that are not UTF-8: those become U+FFFD.

/// Bytes of one line. A line of a model stream is one event; the largest are whole unstreamed answers with a picture.
pub const LINE_BYTES_MAX: usize = 8 * 1024 * 1024;

/// A line was longer than the limit. The stream cannot be read any further.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineTooLong;

/// Collects bytes until a line is whole.
#[derive(Debug)]
pub struct LineDecoder {
    line: Vec<u8>,
    bytes_max: usize,
    /// The last byte was a CR: an LF right after it belongs to the same line end.
    after_carriage_return: bool,
    /// The byte order mark is only looked for in front of the first line.
    first: bool,
    broken: bool,
}

impl Default for LineDecoder {
    fn default() -> Self {
        Self::new(LINE_BYTES_MAX)
    }
}

impl LineDecoder {
    /// A decoder whose lines may hold `bytes_max` bytes, line end not counted.
    pub fn new(bytes_max: usize) -> Self {
        Self { line: Vec::new(), bytes_max, after_carriage_return: false, first: true, broken: false }
    }

    /// Takes the next bytes and gives out the lines they completed. After an error it stays silent.
    pub fn push(&mut self, mut bytes: &[u8]) -> Vec<Result<String, LineTooLong>> {
        let mut lines = Vec::new();
        while !self.broken && !bytes.is_empty() {
            if self.after_carriage_return {
                self.after_carriage_return = false;
                if let Some(rest) = bytes.strip_prefix(b"\n") {
                    bytes = rest;
                    continue;
                }
            }
            let end = bytes.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
            let (part, rest) = bytes.split_at(end.unwrap_or(bytes.len()));
            if self.line.len() + part.len() > self.bytes_max {
                self.broken = true;
                self.line = Vec::new();
                lines.push(Err(LineTooLong));
                break;
            }
            self.line.extend_from_slice(part);
            bytes = rest;
            if let Some((end_mark, rest)) = rest.split_first() {
                self.after_carriage_return = *end_mark == b'\r';
                bytes = rest;
                lines.push(Ok(self.take_line()));
            }
        }
        lines
    }

    /// The last line, when the stream ended without a line end.
    pub fn end(&mut self) -> Option<String> {
        (!self.line.is_empty()).then(|| self.take_line())
    }

    fn take_line(&mut self) -> String {
        let bytes = std::mem::take(&mut self.line);
        let without_mark = if self.first { bytes.strip_prefix(b"\xef\xbb\xbf") } else { None };
        self.first = false;
        match without_mark {
            Some(rest) => String::from_utf8_lossy(rest).into_owned(),
            None => match String::from_utf8(bytes) {
                Ok(line) => line,
                Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn whole(bytes: &[u8], bytes_max: usize) -> Vec<Result<String, LineTooLong>> {
        let mut decoder = LineDecoder::new(bytes_max);
        let mut lines = decoder.push(bytes);
        lines.extend(decoder.end().map(Ok));
        lines
    }

    #[test]
    fn line_ends_and_odd_bytes() {
        let cases: [(&str, &[u8], &[&str]); 10] = [
            ("nothing", b"", &[]),
            ("LF", b"a\nb\n", &["a", "b"]),
            ("CRLF", b"a\r\nb\r\n", &["a", "b"]),
            ("lone CR", b"a\rb\r", &["a", "b"]),
            ("mixed with empty lines", b"a\r\n\r\n\n\rb", &["a", "", "", "", "b"]),
            ("no line end at the end", b"a\nb", &["a", "b"]),
            ("byte order mark once", b"\xef\xbb\xbfa\n\xef\xbb\xbfb\n", &["a", "\u{feff}b"]),
            ("not UTF-8", b"a\xffb\n", &["a\u{fffd}b"]),
            ("cut character", b"\xe2\x82\n", &["\u{fffd}"]),
            ("text beyond ASCII", "नमस्ते €\n".as_bytes(), &["नमस्ते €"]),
        ];
        for (name, bytes, want) in cases {
            let want: Vec<_> = want.iter().map(|line| Ok((*line).to_owned())).collect();
            assert_eq!(whole(bytes, 100), want, "{name}");
        }
    }

    #[test]
    fn a_line_over_the_limit_ends_the_stream_with_an_error() {
        assert_eq!(whole(b"12345\n123456\nok\n", 5), [Ok("12345".to_owned()), Err(LineTooLong)]);
        let mut decoder = LineDecoder::new(5);
        assert_eq!(decoder.push(b"123"), []);
        assert_eq!(decoder.push(b"456"), [Err(LineTooLong)]);
        assert_eq!(decoder.push(b"\nok\n"), []);
        assert_eq!(decoder.end(), None);
    }

    proptest! {
        #[test]
        fn chunking_does_not_matter(
            bytes in prop::collection::vec(prop_oneof![Just(b'\n'), Just(b'\r'), Just(b'a'), any::<u8>()], 0..60),
            cuts in prop::collection::vec(0usize..60, 0..6),
            bytes_max in 1usize..20,
        ) {
            let mut decoder = LineDecoder::new(bytes_max);
            let mut lines = Vec::new();
            for chunk in crate::oracles::chunks(&bytes, &cuts) {
                lines.extend(decoder.push(chunk));
            }
            lines.extend(decoder.end().map(Ok));
            prop_assert_eq!(lines, whole(&bytes, bytes_max));
        }
    }
}
