//! A copy of a store in use. The raw file must never be copied (it does not open again): rows are read through one
//! snapshot and written into a new file.

use super::open::builder;
use super::tables::{Bytes, definition};
use crate::OpenError;
use redb::{Database, Durability, ReadOnlyTable, ReadTransaction, ReadableDatabase, ReadableTable, TableHandle};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

/// Rows of one transaction of the copy (measured: one transaction for all holds the whole copy in memory).
const COPY_ROWS: usize = 10_000;

/// Copies everything, tables this program does not know included. Answers the number of rows.
pub(super) fn copy(from: &Database, to: &Path) -> Result<u64, OpenError> {
    let failed = |error: io::Error| OpenError::from_io(to, &error);
    if to.try_exists().map_err(failed)? {
        return Err(failed(io::Error::from(io::ErrorKind::AlreadyExists)));
    }
    let partial = partial(to);
    if let Some(folder) = to.parent() {
        std::fs::create_dir_all(folder).map_err(failed)?;
    }
    remove(&partial).map_err(failed)?;
    let copied = copy_rows(from, &partial).map_err(|error| OpenError::from_redb(to, error));
    let done = copied.and_then(|rows| {
        std::fs::rename(&partial, to).map_err(failed)?;
        sync_folder(to).map_err(failed)?;
        Ok(rows)
    });
    if done.is_err() && remove(&partial).is_err() {
        tracing::warn!(path = %partial.display(), "an unfinished copy could not be removed");
    }
    done
}

/// Where a copy is made before it gets its name, so that a file with the name is always whole.
fn partial(to: &Path) -> PathBuf {
    let mut name = to.file_name().unwrap_or_default().to_owned();
    name.push(".partial");
    to.with_file_name(name)
}

fn remove(path: &Path) -> io::Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Makes a rename in `path`'s folder last. Folders cannot be synced on every system; then the rename is all there is.
fn sync_folder(path: &Path) -> io::Result<()> {
    match path.parent() {
        Some(folder) if cfg!(unix) => File::open(folder)?.sync_all(),
        _ => Ok(()),
    }
}

fn copy_rows(from: &Database, to: &Path) -> Result<u64, redb::Error> {
    let read = from.begin_read()?;
    let copy = builder().create(to)?;
    let mut rows = 0;
    for table in read.list_tables()? {
        rows += copy_table(&read, &copy, table.name())?;
    }
    // One last commit makes all the earlier ones durable.
    copy.begin_write()?.commit()?;
    Ok(rows)
}

fn copy_table(read: &ReadTransaction, copy: &Database, name: &str) -> Result<u64, redb::Error> {
    let source: ReadOnlyTable<Bytes, Bytes> = read.open_table(definition(name))?;
    let mut rows = source.iter()?.peekable();
    let mut copied = 0;
    loop {
        let mut write = copy.begin_write()?;
        write.set_durability(Durability::None)?;
        {
            let mut target = write.open_table(definition(name))?;
            for row in rows.by_ref().take(COPY_ROWS) {
                let (key, value) = row?;
                target.insert(key.value(), value.value())?;
                copied += 1;
            }
        }
        write.commit()?;
        if rows.peek().is_none() {
            return Ok(copied);
        }
    }
}
