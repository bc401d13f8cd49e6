//! What makes a type a row: its table, its key, its version, and how older versions are read.
//!
//! A stored value is one version byte and then postcard. Nothing here touches a database.

use crate::key::{KEY_BYTES_MAX, Key};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Bytes of one stored row. Ours: larger things are files.
pub const RECORD_BYTES_MAX: usize = 16 * 1024 * 1024;

/// A type whose values are rows of one table.
pub trait Record: Serialize + DeserializeOwned + Send + 'static {
    type Key: Key;
    /// The table's name in the file; never changes.
    const TABLE: &'static str;
    /// The version that is written now. From 1; a change of the fields raises it by one.
    const VERSION: u8;
    /// Whether callers may put and delete rows. The log and the outbox are numbered by the store alone.
    const WRITABLE: bool = true;
    /// Further tables that lead to rows of this one; kept by every put and delete.
    const INDEXES: &'static [IndexOf<Self>] = &[];

    fn key(&self) -> Self::Key;

    /// Reads the bytes (without the version byte) of an older version.
    ///
    /// # Errors
    /// A version that never was, or bytes that are not of it.
    fn upgrade(version: u8, _bytes: &[u8]) -> Result<Self, RecordError> {
        Err(RecordError::UnknownVersion { table: Self::TABLE, version })
    }
}

/// One index: its table, and the key under which a record is found there. Its rows hold the record's own key.
#[derive(Debug)]
pub struct IndexOf<R> {
    pub table: &'static str,
    pub key: fn(&R) -> Vec<u8>,
}

/// Bytes that are not a row of the table they are in.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecordError {
    #[error("a row of {table} has version {version}, which this program does not know")]
    UnknownVersion { table: &'static str, version: u8 },
    #[error("a row of {table} cannot be read: {detail}")]
    Damaged { table: &'static str, detail: String },
    #[error("a row of {table} has {bytes} bytes, more than the limit of {RECORD_BYTES_MAX}")]
    TooLarge { table: &'static str, bytes: usize },
    #[error("a key of {table} has {bytes} bytes, more than the limit of {KEY_BYTES_MAX}")]
    KeyTooLong { table: &'static str, bytes: usize },
}

/// The stored form: version byte, then postcard.
///
/// # Errors
/// [`RecordError::TooLarge`], or a type that postcard cannot write.
pub fn encode<R: Record>(record: &R) -> Result<Vec<u8>, RecordError> {
    let damaged = |error: postcard::Error| RecordError::Damaged { table: R::TABLE, detail: error.to_string() };
    let bytes = postcard::to_extend(record, vec![R::VERSION]).map_err(damaged)?;
    if bytes.len() > RECORD_BYTES_MAX {
        return Err(RecordError::TooLarge { table: R::TABLE, bytes: bytes.len() });
    }
    Ok(bytes)
}

/// Reads a stored value of any version up to the present one.
///
/// # Errors
/// See [`RecordError`].
pub fn decode<R: Record>(stored: &[u8]) -> Result<R, RecordError> {
    let empty = || RecordError::Damaged { table: R::TABLE, detail: "it is empty".into() };
    let (&version, bytes) = stored.split_first().ok_or_else(empty)?;
    if version != R::VERSION {
        return R::upgrade(version, bytes);
    }
    whole(R::TABLE, bytes)
}

/// The fields of one version, and nothing behind them.
///
/// # Errors
/// Bytes that are not of it.
pub(crate) fn whole<T: DeserializeOwned>(table: &'static str, bytes: &[u8]) -> Result<T, RecordError> {
    let damaged = |detail: String| RecordError::Damaged { table, detail };
    let (record, rest) = postcard::take_from_bytes(bytes).map_err(|error| damaged(error.to_string()))?;
    if !rest.is_empty() {
        return Err(damaged(format!("{} bytes are left over", rest.len())));
    }
    Ok(record)
}

/// A record type as the write path sees it: names and functions, without the type.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Table {
    pub(crate) name: &'static str,
    pub(crate) version: u8,
    /// The index tables' names.
    pub(crate) indexes: fn() -> Vec<&'static str>,
    /// The index entries that belong to a stored value: table, key.
    pub(crate) entries: fn(&[u8]) -> Result<Vec<IndexEntry>, RecordError>,
    /// A stored value of any version, as the present version writes it.
    pub(crate) upgraded: fn(&[u8]) -> Result<Vec<u8>, RecordError>,
}

pub(crate) type IndexEntry = (&'static str, Vec<u8>);

impl Table {
    pub(crate) const fn of<R: Record>() -> Self {
        Self {
            name: R::TABLE,
            version: R::VERSION,
            indexes: || R::INDEXES.iter().map(|index| index.table).collect(),
            entries: |stored| {
                if R::INDEXES.is_empty() {
                    return Ok(Vec::new());
                }
                Ok(index_entries(&decode::<R>(stored)?))
            },
            upgraded: |stored| encode(&decode::<R>(stored)?),
        }
    }
}

pub(crate) fn index_entries<R: Record>(record: &R) -> Vec<IndexEntry> {
    R::INDEXES.iter().map(|index| (index.table, (index.key)(record))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::records::MetaRecord;

    #[test]
    fn damaged_rows_are_told_apart() {
        let whole = encode(&MetaRecord { name: "a".into(), value: "1".into() }).expect("encodes");
        assert_eq!(decode::<MetaRecord>(&whole).expect("reads back").value, "1");
        let mut longer = whole.clone();
        longer.push(0);
        let mut newer = whole.clone();
        newer[0] = 200;
        for (name, bytes, want) in [
            ("empty", &[][..], "cannot be read: it is empty"),
            ("cut", &whole[..whole.len() - 1], "cannot be read"),
            ("longer", &longer, "1 bytes are left over"),
            ("of the future", &newer, "version 200, which this program does not know"),
        ] {
            let error = decode::<MetaRecord>(bytes).expect_err(name).to_string();
            assert!(error.contains(want), "{name}: {error}");
        }
    }

    #[test]
    fn a_row_has_a_size_limit() {
        let huge = MetaRecord { name: "a".into(), value: "x".repeat(RECORD_BYTES_MAX) };
        assert!(matches!(encode(&huge), Err(RecordError::TooLarge { .. })));
    }
}
