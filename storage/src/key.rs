//! Keys of rows as bytes whose order is the order of the values they stand for.
//!
//! A table is one sorted run of bytes, so "the messages of this chat, in order" is one range only if the bytes sort as
//! the values do and no text can run into its neighbour. Keys never change their encoding: they are part of the file.

use protocol::Timestamp;
use protocol::ids::{
    ApprovalId, CallId, ClientId, GrantId, MessageId, NotificationId, ProposalId, SessionId, SubagentId, TurnId,
};

/// Bytes of one encoded key. Ours: redb copies keys into its inner pages, long ones make every look-up slower.
pub const KEY_BYTES_MAX: usize = 2 * 1024;

/// A value that can be (part of) a key.
///
/// The law, held by a property test: `a < b` exactly when `a`'s bytes sort before `b`'s, and no encoding is the
/// beginning of another value's encoding of the same type.
pub trait Key: Sized {
    /// Appends this value's bytes.
    fn encode_to(&self, out: &mut Vec<u8>);

    /// Takes this value off the front of `bytes`; `None` when they are not its encoding.
    fn decode_from(bytes: &mut &[u8]) -> Option<Self>;

    /// This value's bytes alone.
    fn encoded(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(48);
        self.encode_to(&mut out);
        out
    }

    /// Reads a whole key; `None` when anything is left over.
    fn decoded(mut bytes: &[u8]) -> Option<Self> {
        let value = Self::decode_from(&mut bytes)?;
        bytes.is_empty().then_some(value)
    }
}

/// Something whose bytes begin the bytes of some keys of type `K`: the first part of a pair, or [`TextPrefix`].
pub trait Prefix<K> {
    /// The bytes that the keys begin with.
    fn prefix_bytes(&self) -> Vec<u8>;
}

impl<A: Key, B: Key> Prefix<(A, B)> for A {
    fn prefix_bytes(&self) -> Vec<u8> {
        self.encoded()
    }
}

/// The first characters of a text key: `TextPrefix("stop.")` finds `stop.state` and `stop.since`.
#[derive(Clone, Copy, Debug)]
pub struct TextPrefix<'a>(pub &'a str);

impl Prefix<String> for TextPrefix<'_> {
    fn prefix_bytes(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.0.len());
        escape(self.0, &mut out);
        out
    }
}

/// The smallest bytes that sort after every key beginning with `prefix`; `None` when there are none.
pub(crate) fn after_prefix(prefix: &[u8]) -> Option<Vec<u8>> {
    let last = prefix.iter().rposition(|&byte| byte != 0xFF)?;
    let mut end = prefix[..=last].to_vec();
    end[last] += 1;
    Some(end)
}

/// Ends a text. A zero inside a text is written `00 FF`, so `00 00` can only be the end, and it sorts first.
const TEXT_END: [u8; 2] = [0, 0];
const ESCAPED_ZERO: [u8; 2] = [0, 0xFF];

fn escape(text: &str, out: &mut Vec<u8>) {
    for &byte in text.as_bytes() {
        match byte {
            0 => out.extend_from_slice(&ESCAPED_ZERO),
            other => out.push(other),
        }
    }
}

impl Key for String {
    fn encode_to(&self, out: &mut Vec<u8>) {
        escape(self, out);
        out.extend_from_slice(&TEXT_END);
    }

    fn decode_from(bytes: &mut &[u8]) -> Option<Self> {
        let mut text = Vec::new();
        loop {
            let zero = bytes.iter().position(|&byte| byte == 0)?;
            text.extend_from_slice(&bytes[..zero]);
            let mark = *bytes.get(zero + 1)?;
            *bytes = &bytes[zero + 2..];
            match mark {
                0 => return String::from_utf8(text).ok(),
                0xFF => text.push(0),
                _ => return None,
            }
        }
    }
}

impl Key for u64 {
    fn encode_to(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.to_be_bytes());
    }

    fn decode_from(bytes: &mut &[u8]) -> Option<Self> {
        let (head, tail) = bytes.split_first_chunk::<8>()?;
        *bytes = tail;
        Some(Self::from_be_bytes(*head))
    }
}

impl Key for Timestamp {
    /// The sign bit turned over, so that moments before 1970 sort before those after.
    fn encode_to(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&(self.0 ^ i64::MIN).to_be_bytes());
    }

    fn decode_from(bytes: &mut &[u8]) -> Option<Self> {
        let (head, tail) = bytes.split_first_chunk::<8>()?;
        *bytes = tail;
        Some(Self(i64::from_be_bytes(*head) ^ i64::MIN))
    }
}

impl<A: Key, B: Key> Key for (A, B) {
    fn encode_to(&self, out: &mut Vec<u8>) {
        self.0.encode_to(out);
        self.1.encode_to(out);
    }

    fn decode_from(bytes: &mut &[u8]) -> Option<Self> {
        Some((A::decode_from(bytes)?, B::decode_from(bytes)?))
    }
}

macro_rules! text_ids {
    ($($name:ident),+ $(,)?) => {$(
        impl Key for $name {
            fn encode_to(&self, out: &mut Vec<u8>) {
                self.0.encode_to(out);
            }

            fn decode_from(bytes: &mut &[u8]) -> Option<Self> {
                String::decode_from(bytes).map(Self)
            }
        }
    )+};
}

text_ids!(ApprovalId, CallId, ClientId, GrantId, MessageId, NotificationId, ProposalId, SessionId, SubagentId, TurnId);

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Texts full of the bytes that could confuse the encoding.
    fn text() -> impl Strategy<Value = String> {
        proptest::collection::vec(prop_oneof![Just('\0'), Just('\u{1}'), Just('ÿ'), any::<char>()], 0..6)
            .prop_map(|chars| chars.into_iter().collect())
    }

    proptest! {
        #[test]
        fn bytes_sort_as_the_values_do(a in (text(), any::<u64>()), b in (text(), any::<u64>())) {
            prop_assert_eq!(a.encoded().cmp(&b.encoded()), a.cmp(&b));
            prop_assert_eq!(a.0.encoded().cmp(&b.0.encoded()), a.0.cmp(&b.0));
        }

        #[test]
        fn moments_sort_across_1970(a in any::<i64>(), b in any::<i64>(), x in text(), y in text()) {
            let (one, two) = ((Timestamp(a), x), (Timestamp(b), y));
            prop_assert_eq!(one.encoded().cmp(&two.encoded()), one.cmp(&two));
        }

        #[test]
        fn keys_read_back(key in (text(), any::<u64>()), moment in any::<i64>()) {
            prop_assert_eq!(<(String, u64)>::decoded(&key.encoded()), Some(key.clone()));
            prop_assert_eq!(Timestamp::decoded(&Timestamp(moment).encoded()), Some(Timestamp(moment)));
        }

        #[test]
        fn a_prefix_finds_its_own_rows_only(a in text(), b in text(), n in any::<u64>()) {
            let prefix = Prefix::<(String, u64)>::prefix_bytes(&a);
            let key = (b.clone(), n).encoded();
            let inside = key >= prefix && after_prefix(&prefix).is_none_or(|end| key < end);
            prop_assert_eq!(inside, a == b);
        }

        #[test]
        fn a_text_prefix_finds_what_begins_with_it(a in text(), b in text()) {
            let prefix = TextPrefix(&a).prefix_bytes();
            prop_assert_eq!(b.encoded().starts_with(&prefix), b.starts_with(&a));
        }

        #[test]
        fn any_bytes_are_read_without_panic(bytes in proptest::collection::vec(any::<u8>(), 0..24)) {
            if let Some(key) = <(String, u64)>::decoded(&bytes) {
                prop_assert_eq!(key.encoded(), bytes);
            }
        }
    }

    #[test]
    fn the_end_of_a_prefix() {
        for (prefix, want) in
            [(&[1_u8, 2][..], Some(vec![1_u8, 3])), (&[1, 0xFF], Some(vec![2])), (&[0xFF, 0xFF], None), (&[], None)]
        {
            assert_eq!(after_prefix(prefix), want, "{prefix:?}");
        }
    }
}
