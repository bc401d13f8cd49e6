//! Bringing a store of an older format up to date: first a copy, then every row, in one transaction.
//!
//! The format number goes up by one with every record version that does, so nobody can forget it. Either all rows are
//! of the new versions or none is: a crash in between leaves the old store.

use super::tables::{COUNTERS, FORMAT, Tables, definition, number};
use super::{OpenReport, SNAPSHOTS_FOLDER, copy};
use crate::OpenError;
use crate::StoreError;
use crate::record::Table;
use protocol::Timestamp;
use redb::{Database, ReadableDatabase, ReadableTable, TableError, WriteTransaction};
use std::path::{Path, PathBuf};

/// Rows read at once.
const CHUNK: usize = 1_000;

/// One table that was brought up to date.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UpgradedTable {
    pub table: &'static str,
    /// Rows of older versions.
    pub rows: u64,
}

/// The format number of a program with these tables; 1 when all are at their first version.
pub(super) fn format(tables: &[Table]) -> u32 {
    1 + tables.iter().map(|table| u32::from(table.version) - 1).sum::<u32>()
}

/// Looks at the format of an opened file and upgrades it where it is older.
pub(super) fn bring_up_to_date(
    db: &Database,
    folder: &Path,
    now: Timestamp,
    tables: &[Table],
) -> Result<OpenReport, OpenError> {
    let path = folder.join(super::DATA_FILE);
    let known = format(tables);
    match stored_format(db).map_err(|error| OpenError::from_redb(&path, error))? {
        None => {
            write_format(db, tables).map_err(|detail| OpenError::Unusable { path, detail })?;
            Ok(OpenReport::default())
        }
        Some(found) if found == known => Ok(OpenReport::default()),
        Some(found) if found > known => Err(OpenError::Newer { path, found, known }),
        Some(found) => {
            let snapshot = copy_before(db, folder, now, found)?;
            let upgraded = upgrade(db, tables)
                .map_err(|detail| OpenError::Upgrade { detail, snapshot: Some(snapshot.clone()) })?;
            tracing::info!(from = found, to = known, copy = %snapshot.display(), "the data was brought up to date");
            Ok(OpenReport { upgraded, snapshot: Some(snapshot) })
        }
    }
}

/// `None` for a file that has just been made.
fn stored_format(db: &Database) -> Result<Option<u32>, redb::Error> {
    let read = db.begin_read()?;
    let table = match read.open_table(definition(COUNTERS)) {
        Ok(table) => table,
        Err(TableError::TableDoesNotExist(_)) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let value = table.get(FORMAT.as_bytes())?;
    Ok(value.map(|value| u32::try_from(number(value.value())).unwrap_or(u32::MAX)))
}

pub(super) fn write_format(db: &Database, tables: &[Table]) -> Result<(), String> {
    let write = db.begin_write().map_err(|error| error.to_string())?;
    set_format(&write, tables).map_err(|error| error.to_string())?;
    write.commit().map_err(|error| error.to_string())
}

fn set_format(write: &WriteTransaction, tables: &[Table]) -> Result<(), StoreError> {
    Tables::of(write).set_counter(FORMAT, u64::from(format(tables)))
}

fn copy_before(db: &Database, folder: &Path, now: Timestamp, found: u32) -> Result<PathBuf, OpenError> {
    let moment = now.to_jiff().strftime("%Y%m%dT%H%M%SZ").to_string();
    let folder = folder.join(SNAPSHOTS_FOLDER);
    // A crash during an earlier upgrade may have left a copy made in the same second.
    let path = (0..100)
        .map(|n| match n {
            0 => folder.join(format!("format-{found}-{moment}.redb")),
            n => folder.join(format!("format-{found}-{moment}-{n}.redb")),
        })
        .find(|path| !path.exists())
        .ok_or_else(|| OpenError::Unusable { path: folder.clone(), detail: "it has too many copies".into() })?;
    copy::copy(db, &path)?;
    Ok(path)
}

fn upgrade(db: &Database, tables: &[Table]) -> Result<Vec<UpgradedTable>, String> {
    let write = db.begin_write().map_err(|error| error.to_string())?;
    let mut upgraded = Vec::new();
    for table in tables {
        let rows = upgrade_table(&write, *table).map_err(|error| error.to_string())?;
        if rows > 0 {
            upgraded.push(UpgradedTable { table: table.name, rows });
        }
    }
    set_format(&write, tables).map_err(|error| error.to_string())?;
    write.commit().map_err(|error| error.to_string())?;
    Ok(upgraded)
}

/// Rewrites the rows of older versions. When there were any, the indexes are made anew: what leads to a row may have
/// changed with it.
fn upgrade_table(write: &WriteTransaction, table: Table) -> Result<u64, StoreError> {
    let mut tables = Tables::of(write);
    let mut rewritten = 0;
    each_row(&mut tables, table, |tables, key, value| {
        if value.first() != Some(&table.version) {
            let value = (table.upgraded)(&value)?;
            tables.table(table.name)?.insert(key.as_slice(), value.as_slice()).map_err(StoreError::failed)?;
            rewritten += 1;
        }
        Ok(())
    })?;
    if rewritten > 0 {
        for index in (table.indexes)() {
            tables.table(index)?.retain(|_, _| false).map_err(StoreError::failed)?;
        }
        each_row(&mut tables, table, |tables, key, value| {
            for (index, entry) in (table.entries)(&value)? {
                tables.table(index)?.insert(entry.as_slice(), key.as_slice()).map_err(StoreError::failed)?;
            }
            Ok(())
        })?;
    }
    Ok(rewritten)
}

fn each_row(
    tables: &mut Tables<'_>,
    table: Table,
    mut visit: impl FnMut(&mut Tables<'_>, Vec<u8>, Vec<u8>) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    let mut from = Vec::new();
    loop {
        let rows: Vec<(Vec<u8>, Vec<u8>)> = {
            let rows = tables.table(table.name)?.range::<&[u8]>(from.as_slice()..).map_err(StoreError::failed)?;
            let rows =
                rows.take(CHUNK).map(|row| row.map(|(key, value)| (key.value().to_vec(), value.value().to_vec())));
            rows.collect::<Result<_, _>>().map_err(StoreError::failed)?
        };
        let Some((last, _)) = rows.last() else { return Ok(()) };
        // The key right after the last one.
        from = last.clone();
        from.push(0);
        for (key, value) in rows {
            visit(tables, key, value)?;
        }
    }
}
