//! Which part of a file a request asks for (RFC 9110, sections 13 and 14): players jump, downloads go on.
//!
//! Pure. It must never answer a part of one file as if it were of another: a condition that does not hold gives the whole.

use http::{HeaderMap, header};
use protocol::Timestamp;

/// What to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asked {
    Whole,
    /// Bytes `first` up to and with `last`.
    Part {
        first: u64,
        last: u64,
    },
    /// No byte of the file is in what was asked for.
    Nothing,
}

/// The name of this state of a file. A file that was changed has another one, as far as its clock and size tell.
pub(super) fn entity_tag(modified_at: Timestamp, size: u64) -> String {
    format!("\"{:x}-{size:x}\"", modified_at.as_millis())
}

/// Reads `Range` and `If-Range`. A range that cannot be read, another unit, or several ranges at once are answered with
/// the whole file, as the RFC allows.
pub(super) fn asked(headers: &HeaderMap, size: u64, entity_tag: &str) -> Asked {
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    let Some(range) = text(header::RANGE) else { return Asked::Whole };
    // Only a tag can say that it is still the same file; a date is too coarse for that.
    if text(header::IF_RANGE).is_some_and(|condition| condition != entity_tag) {
        return Asked::Whole;
    }
    one_range(range, size).unwrap_or(Asked::Whole)
}

/// Whether the one who asks has this state already (`If-None-Match`).
pub(super) fn is_known(headers: &HeaderMap, entity_tag: &str) -> bool {
    let tags = headers.get_all(header::IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
    let mut tags = tags.flat_map(|value| value.split(',')).map(str::trim);
    tags.any(|tag| tag == "*" || tag.strip_prefix("W/").unwrap_or(tag) == entity_tag)
}

fn one_range(range: &str, size: u64) -> Option<Asked> {
    let (unit, ranges) = range.split_once('=')?;
    if !unit.trim().eq_ignore_ascii_case("bytes") || ranges.contains(',') {
        return None;
    }
    let (first, last) = ranges.trim().split_once('-')?;
    let number = |text: &str| -> Option<u64> {
        let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        // More digits than fit mean a place behind every file.
        digits.then(|| text.parse().unwrap_or(u64::MAX))
    };
    let end = size.checked_sub(1);
    let (first, last) = match (number(first), number(last)) {
        (Some(first), Some(last)) if first <= last => (first, last),
        (Some(first), None) if last.is_empty() => (first, u64::MAX),
        (None, Some(count)) if first.is_empty() => {
            // The last `count` bytes.
            return Some(match end {
                Some(end) if count > 0 => Asked::Part { first: size.saturating_sub(count), last: end },
                _ => Asked::Nothing,
            });
        }
        _ => return None,
    };
    Some(match end {
        Some(end) if first <= end => Asked::Part { first, last: last.min(end) },
        _ => Asked::Nothing,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn headers(pairs: &[(http::HeaderName, &str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (name.clone(), value.parse().expect("a value"))).collect()
    }

    #[test]
    fn ranges_of_ten_bytes() {
        let part = |first, last| Asked::Part { first, last };
        for (range, want) in [
            ("bytes=0-3", part(0, 3)),
            ("bytes=4-", part(4, 9)),
            ("bytes=-3", part(7, 9)),
            ("bytes=-30", part(0, 9)),
            ("bytes=8-99999999999999999999999", part(8, 9)),
            ("Bytes= 9-9 ", part(9, 9)),
            ("bytes=10-", Asked::Nothing),
            ("bytes=99999999999999999999999-", Asked::Nothing),
            ("bytes=-0", Asked::Nothing),
            ("bytes=3-2", Asked::Whole),
            ("bytes=0-1,4-5", Asked::Whole),
            ("bytes=", Asked::Whole),
            ("bytes=-", Asked::Whole),
            ("bytes=+1-2", Asked::Whole),
            ("lines=0-1", Asked::Whole),
            ("0-1", Asked::Whole),
        ] {
            assert_eq!(asked(&headers(&[(header::RANGE, range)]), 10, "\"x\""), want, "{range}");
        }
        assert_eq!(asked(&headers(&[(header::RANGE, "bytes=0-")]), 0, "\"x\""), Asked::Nothing, "an empty file");
        assert_eq!(asked(&HeaderMap::new(), 10, "\"x\""), Asked::Whole);
    }

    #[test]
    fn a_part_is_sent_only_of_the_file_it_was_asked_of() {
        let tag = entity_tag(Timestamp(255), 10);
        for (condition, want) in [
            (tag.as_str(), Asked::Part { first: 2, last: 9 }),
            ("\"other\"", Asked::Whole),
            ("W/\"ff-a\"", Asked::Whole),
            ("Mon, 30 Nov 2026 10:00:00 GMT", Asked::Whole),
        ] {
            let headers = headers(&[(header::RANGE, "bytes=2-"), (header::IF_RANGE, condition)]);
            assert_eq!(asked(&headers, 10, &tag), want, "{condition}");
        }
        for (condition, want) in [("\"ff-a\"", true), ("\"b\", W/\"ff-a\"", true), ("*", true), ("\"b\"", false)] {
            assert_eq!(is_known(&headers(&[(header::IF_NONE_MATCH, condition)]), &tag), want, "{condition}");
        }
    }

    proptest! {
        #[test]
        fn a_part_is_always_inside(range in "(bytes=)?[0-9]{0,3}-?[0-9]{0,3}", size in 0u64..300) {
            if let Asked::Part { first, last } = asked(&headers(&[(header::RANGE, range.as_str())]), size, "\"x\"") {
                prop_assert!(first <= last && last < size, "{range} of {size}: {first}-{last}");
            }
        }
    }
}
