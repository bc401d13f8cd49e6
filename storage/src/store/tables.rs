//! The tables of one write transaction, opened once each, and the few values the store keeps for itself.

use crate::StoreError;
use crate::record::{IndexEntry, Table};
use redb::{ReadableTable, TableDefinition, WriteTransaction};
use std::collections::HashMap;
use std::collections::hash_map::Entry;

pub(super) type Bytes = &'static [u8];
pub(super) type Definition<'a> = TableDefinition<'a, Bytes, Bytes>;
type WriteTable<'t> = redb::Table<'t, Bytes, Bytes>;

/// Numbers that must outlive the rows they were given to, and the format of the file.
pub(super) const COUNTERS: &str = "store.counters";
pub(super) const FORMAT: &str = "format";
pub(crate) const OUTBOX: &str = "index_outbox";
pub(crate) const SEARCHED_OUTBOX: &str = "searched_outbox";

/// Every table is bytes to bytes: the types are ours, not redb's.
pub(super) fn definition(name: &str) -> Definition<'_> {
    TableDefinition::new(name)
}

/// Open tables of one write transaction; redb lets each be opened once.
pub(super) struct Tables<'t> {
    txn: &'t WriteTransaction,
    open: HashMap<&'static str, WriteTable<'t>>,
}

impl<'t> Tables<'t> {
    pub(super) fn of(txn: &'t WriteTransaction) -> Self {
        Self { txn, open: HashMap::new() }
    }

    pub(super) fn table(&mut self, name: &'static str) -> Result<&mut WriteTable<'t>, StoreError> {
        match self.open.entry(name) {
            Entry::Occupied(open) => Ok(open.into_mut()),
            Entry::Vacant(closed) => {
                Ok(closed.insert(self.txn.open_table(definition(name)).map_err(StoreError::failed)?))
            }
        }
    }

    /// Writes a row and keeps its indexes.
    pub(super) fn put(
        &mut self,
        table: Table,
        key: &[u8],
        value: &[u8],
        entries: &[IndexEntry],
    ) -> Result<(), StoreError> {
        let before = {
            let old = self.table(table.name)?.insert(key, value).map_err(StoreError::failed)?;
            old.map(|old| entries_of(table, old.value())).unwrap_or_default()
        };
        for (index, entry) in before.iter().filter(|entry| !entries.contains(entry)) {
            self.table(index)?.remove(entry.as_slice()).map_err(StoreError::failed)?;
        }
        for (index, entry) in entries.iter().filter(|entry| !before.contains(entry)) {
            self.table(index)?.insert(entry.as_slice(), key).map_err(StoreError::failed)?;
        }
        Ok(())
    }

    /// Whether there is a row with this key.
    pub(super) fn has(&mut self, name: &'static str, key: &[u8]) -> Result<bool, StoreError> {
        Ok(self.table(name)?.get(key).map_err(StoreError::failed)?.is_some())
    }

    /// Removes a row, if there is one, and its index entries.
    pub(super) fn delete(&mut self, table: Table, key: &[u8]) -> Result<(), StoreError> {
        let before = {
            let old = self.table(table.name)?.remove(key).map_err(StoreError::failed)?;
            old.map(|old| entries_of(table, old.value())).unwrap_or_default()
        };
        for (index, entry) in before {
            self.table(index)?.remove(entry.as_slice()).map_err(StoreError::failed)?;
        }
        Ok(())
    }

    /// Up to `limit` keys from `from` on, before `end`.
    pub(super) fn keys(
        &mut self,
        name: &'static str,
        from: &[u8],
        end: Option<&[u8]>,
        limit: usize,
    ) -> Result<Vec<Vec<u8>>, StoreError> {
        let table = self.table(name)?;
        let range = match end {
            Some(end) => table.range::<&[u8]>(from..end),
            None => table.range::<&[u8]>(from..),
        };
        let mut keys = Vec::new();
        for row in range.map_err(StoreError::failed)?.take(limit) {
            keys.push(row.map_err(StoreError::failed)?.0.value().to_vec());
        }
        Ok(keys)
    }

    /// A counter's value; zero when it was never set.
    pub(super) fn counter(&mut self, name: &str) -> Result<u64, StoreError> {
        let value = self.table(COUNTERS)?.get(name.as_bytes()).map_err(StoreError::failed)?;
        Ok(value.map_or(0, |value| number(value.value())))
    }

    pub(super) fn set_counter(&mut self, name: &str, value: u64) -> Result<(), StoreError> {
        self.table(COUNTERS)?.insert(name.as_bytes(), value.to_be_bytes().as_slice()).map_err(StoreError::failed)?;
        Ok(())
    }
}

/// The index entries of a row that is being replaced or removed. A row that cannot be read has none that could be
/// found: it must still be possible to get rid of it, and a stale entry is recognised when it is followed.
fn entries_of(table: Table, stored: &[u8]) -> Vec<IndexEntry> {
    (table.entries)(stored).unwrap_or_else(|error| {
        tracing::warn!(table = table.name, %error, "a damaged row was replaced");
        Vec::new()
    })
}

/// Big-endian number; zero when the bytes are not one.
pub(super) fn number(bytes: &[u8]) -> u64 {
    bytes.try_into().map_or(0, u64::from_be_bytes)
}
