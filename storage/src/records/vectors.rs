//! What is searched by meaning and by words: names of searched texts, their vectors, and the work that is left to do.

use crate::key::{Key, Prefix};
use serde::{Deserialize, Serialize};

/// What kind of text is searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum SearchedKind {
    /// A memory.
    Fact,
    /// The summary of a stretch of a chat.
    Summary,
    /// A piece of a note in an added folder.
    NotePiece,
    /// Something understood about the person.
    Insight,
}

impl SearchedKind {
    /// All of them, in the order of their keys.
    pub const ALL: [Self; 4] = [Self::Fact, Self::Summary, Self::NotePiece, Self::Insight];

    /// The number that stands for it in keys and in the index of words; never changes.
    pub(crate) fn number(self) -> u8 {
        match self {
            Self::Fact => 0,
            Self::Summary => 1,
            Self::NotePiece => 2,
            Self::Insight => 3,
        }
    }
}

/// The name of one searched text: what it is, and its number among its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Searched {
    pub kind: SearchedKind,
    pub id: u64,
}

impl Searched {
    pub fn new(kind: SearchedKind, id: u64) -> Self {
        Self { kind, id }
    }
}

/// The vector of one text, made by one model. Key: the text, then the space, so that a text and all its vectors go
/// together. Made and written through [`crate::vectors`], which also tells the index.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct VectorRecord {
    /// The name of the model, e.g. `builtin` or `ollama/nomic-embed-text`: vectors of two spaces cannot be compared.
    pub space: String,
    pub kind: SearchedKind,
    pub id: u64,
    /// [`crate::vectors::text_hash`] of the text it was made of.
    pub text_hash: u64,
    /// Components as half-precision numbers, little endian, of length one.
    pub vector: Vec<u8>,
}

/// "This text lacks vectors." Key: the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EmbedJob {
    pub kind: SearchedKind,
    pub id: u64,
}

impl EmbedJob {
    pub fn of(searched: Searched) -> Self {
        Self { kind: searched.kind, id: searched.id }
    }

    pub fn searched(&self) -> Searched {
        Searched::new(self.kind, self.id)
    }
}

/// "This text lacks the vector of the model that the person set." Made when [`EmbedJob`] is done, since a model in another
/// program may be away for long. Key: the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelEmbedJob {
    pub kind: SearchedKind,
    pub id: u64,
}

impl ModelEmbedJob {
    pub fn of(searched: Searched) -> Self {
        Self { kind: searched.kind, id: searched.id }
    }

    pub fn searched(&self) -> Searched {
        Searched::new(self.kind, self.id)
    }
}

/// One row of the outbox of what is searched. Key: its number, given by the store in commit order, without gaps, never
/// used twice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchedChange {
    pub number: u64,
    pub change: Change,
}

/// What an index of memories has to look at again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Change {
    /// A text was written, changed or deleted.
    Text(Searched),
    /// The vector of a text in one space was written or deleted.
    Vector { space: String, searched: Searched },
    /// All vectors of a text are gone.
    NoVectors(Searched),
}

impl Change {
    /// The text it is about.
    pub fn searched(&self) -> Searched {
        match self {
            Self::Text(searched) | Self::Vector { searched, .. } | Self::NoVectors(searched) => *searched,
        }
    }
}

impl Key for SearchedKind {
    fn encode_to(&self, out: &mut Vec<u8>) {
        out.push(self.number());
    }

    fn decode_from(bytes: &mut &[u8]) -> Option<Self> {
        let (number, tail) = bytes.split_first()?;
        let kind = Self::ALL.into_iter().find(|kind| kind.number() == *number)?;
        *bytes = tail;
        Some(kind)
    }
}

impl Key for Searched {
    fn encode_to(&self, out: &mut Vec<u8>) {
        self.kind.encode_to(out);
        self.id.encode_to(out);
    }

    fn decode_from(bytes: &mut &[u8]) -> Option<Self> {
        Some(Self { kind: SearchedKind::decode_from(bytes)?, id: u64::decode_from(bytes)? })
    }
}

/// A kind begins the keys of all its vectors.
impl Prefix<(Searched, String)> for SearchedKind {
    fn prefix_bytes(&self) -> Vec<u8> {
        self.encoded()
    }
}

/// A kind begins the keys of all its jobs.
impl Prefix<Searched> for SearchedKind {
    fn prefix_bytes(&self) -> Vec<u8> {
        self.encoded()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key::after_prefix;
    use proptest::prelude::*;

    fn searched() -> impl Strategy<Value = Searched> {
        (0..4_usize, any::<u64>()).prop_map(|(kind, id)| Searched::new(SearchedKind::ALL[kind], id))
    }

    proptest! {
        #[test]
        fn names_sort_as_they_are_declared_and_read_back(a in searched(), b in searched()) {
            prop_assert_eq!(a.encoded().cmp(&b.encoded()), a.cmp(&b));
            prop_assert_eq!(Searched::decoded(&a.encoded()), Some(a));
        }

        #[test]
        fn a_kind_finds_its_own_vectors_only(kind in 0..4_usize, name in searched(), space in "\\PC{0,6}") {
            let kind = SearchedKind::ALL[kind];
            let prefix = Prefix::<(Searched, String)>::prefix_bytes(&kind);
            let key = (name, space).encoded();
            let inside = key >= prefix && after_prefix(&prefix).is_none_or(|end| key < end);
            prop_assert_eq!(inside, name.kind == kind);
        }
    }
}
