//! A part of a text file, in characters, without reading a big file whole (contract section 10, `file_read`).

use super::FileError;
use std::io::Read;

/// Files up to this size are always counted to their end (contract section 10).
pub const TEXT_COUNTED_BYTES_MAX: u64 = 4 * 1024 * 1024;
/// Characters of one part. Ours.
pub const TEXT_PART_CHARS_MAX: usize = 400_000;
/// Bytes read at once.
const CHUNK_BYTES: usize = 64 * 1024;

/// A part of a text file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextPart {
    pub content: String,
    /// Characters of the whole file; `None` when a big file was only read as far as this part.
    pub total: Option<u64>,
    /// Whether there is text after this part.
    pub more: bool,
    /// Where it goes on, in characters; `None` when there is no more.
    pub next_offset: Option<u64>,
}

/// Reads up to `limit` characters (and [`TEXT_PART_CHARS_MAX`]; that many when zero) from character `offset` on. Bytes
/// that are not UTF-8 read as `U+FFFD`; a byte order mark at the beginning does not count.
pub(super) fn part(mut file: impl Read, size: u64, offset: u64, limit: usize) -> Result<TextPart, FileError> {
    let limit = if limit == 0 { TEXT_PART_CHARS_MAX } else { limit.min(TEXT_PART_CHARS_MAX) };
    let mut part = Part { offset, limit, at: 0, taken: 0, content: String::new(), more: false };
    let mut buffer = Vec::with_capacity(CHUNK_BYTES + 4);
    let mut first = true;
    loop {
        let kept = buffer.len();
        let read = file.by_ref().take(CHUNK_BYTES as u64).read_to_end(&mut buffer)?;
        if first {
            if buffer.contains(&0) {
                return Err(FileError::NotText);
            }
            if buffer.starts_with(BYTE_ORDER_MARK) {
                buffer.drain(..BYTE_ORDER_MARK.len());
            }
            first = false;
        }
        let end = read == 0;
        let used = if end { buffer.len() } else { whole_characters(&buffer) };
        part.take(&String::from_utf8_lossy(&buffer[..used]));
        buffer.drain(..used);
        debug_assert!(buffer.len() < 4 && kept < 4, "only a cut character is kept");
        if end {
            return Ok(part.finish(true));
        }
        if part.more && size > TEXT_COUNTED_BYTES_MAX {
            return Ok(part.finish(false));
        }
    }
}

const BYTE_ORDER_MARK: &[u8] = &[0xEF, 0xBB, 0xBF];

/// How many bytes can be read without the ones that come next: all but a character cut at the end.
fn whole_characters(bytes: &[u8]) -> usize {
    let last = bytes.utf8_chunks().last().map(|chunk| chunk.invalid()).unwrap_or_default();
    match std::str::from_utf8(last) {
        // No length: it is cut off rather than wrong.
        Err(error) if error.error_len().is_none() => bytes.len() - last.len(),
        _ => bytes.len(),
    }
}

struct Part {
    offset: u64,
    limit: usize,
    /// Characters seen so far.
    at: u64,
    /// Characters in `content`.
    taken: usize,
    content: String,
    more: bool,
}

impl Part {
    fn take(&mut self, text: &str) {
        for c in text.chars() {
            if self.at >= self.offset {
                if self.taken < self.limit {
                    self.content.push(c);
                    self.taken += 1;
                } else {
                    self.more = true;
                }
            }
            self.at += 1;
        }
    }

    fn finish(self, counted: bool) -> TextPart {
        TextPart {
            total: counted.then_some(self.at),
            next_offset: self.more.then_some(self.offset + self.taken as u64),
            content: self.content,
            more: self.more,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(bytes: &[u8], offset: u64, limit: usize) -> TextPart {
        part(bytes, bytes.len() as u64, offset, limit).expect("text")
    }

    #[test]
    fn parts_of_a_small_file() {
        let part = |content: &str, more: bool, next: Option<u64>| TextPart {
            content: content.into(),
            total: Some(5),
            more,
            next_offset: next,
        };
        for (offset, limit, want) in [
            (0, 3, part("aß漢", true, Some(3))),
            (3, 2, part("😀z", false, None)),
            (3, 9, part("😀z", false, None)),
            (5, 9, part("", false, None)),
            (u64::MAX, 9, part("", false, None)),
            (0, 0, part("aß漢😀z", false, None)),
        ] {
            assert_eq!(read("aß漢😀z".as_bytes(), offset, limit), want, "{offset} {limit}");
        }
        assert_eq!(read(b"", 0, 5), TextPart { total: Some(0), ..TextPart::default() });
    }

    #[test]
    fn a_big_file_is_read_only_as_far_as_needed() {
        struct Counting<'a>(&'a [u8], &'a std::cell::Cell<usize>);
        impl Read for Counting<'_> {
            fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
                let read = self.0.read(buffer)?;
                self.1.set(self.1.get() + read);
                Ok(read)
            }
        }
        let text = "ä".repeat(3 * 1024 * 1024);
        let read_bytes = std::cell::Cell::new(0);
        let found = part(Counting(text.as_bytes(), &read_bytes), text.len() as u64, 10, 1_000).expect("text");
        assert_eq!((found.total, found.more, found.next_offset), (None, true, Some(1_010)));
        assert!(read_bytes.get() <= 2 * CHUNK_BYTES, "{} bytes", read_bytes.get());
        let last = read(text.as_bytes(), 3 * 1024 * 1024 - 1, 10);
        assert_eq!((last.content.as_str(), last.total), ("ä", Some(3 * 1024 * 1024)));
    }

    #[test]
    fn what_is_not_text_is_told() {
        assert_eq!(part(&b"PNG\0\x01"[..], 5, 0, 10), Err(FileError::NotText));
        assert_eq!(read(b"\xEF\xBB\xBFa\xFFb", 0, 10).content, "a\u{FFFD}b");
        assert_eq!(read(b"cut \xE6\xBC", 0, 10).content, "cut \u{FFFD}");
    }

    proptest! {
        #[test]
        fn parts_concatenate_to_the_file(text in "[^\0]{0,300}", limit in 1..50_usize) {
            let text = text.trim_start_matches('\u{FEFF}');
            let (mut all, mut offset) = (String::new(), 0);
            loop {
                let part = read(text.as_bytes(), offset, limit);
                prop_assert_eq!(part.total, Some(text.chars().count() as u64));
                prop_assert!(part.content.chars().count() <= limit);
                all.push_str(&part.content);
                let Some(next) = part.next_offset else { break };
                prop_assert!(next > offset && part.more);
                offset = next;
            }
            prop_assert_eq!(all, text);
        }

        #[test]
        fn any_bytes_read_the_same_in_any_chunks(bytes in prop::collection::vec(1..=255_u8, 0..40), fill in 0..8_usize) {
            // Pushes the bytes across the border between two chunks.
            let mut file = vec![b'.'; CHUNK_BYTES - 4 + fill];
            file.extend(&bytes);
            prop_assert_eq!(read(&file, 0, 0).content, String::from_utf8_lossy(&file));
        }
    }
}
