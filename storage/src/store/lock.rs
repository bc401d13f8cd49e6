//! The lock on a data folder: one engine at a time, and the next one is told who has it.
//!
//! The lock is the operating system's, so it is gone with its process however that ends. The text in the file only
//! tells who; it is never trusted to mean that somebody is there, and the file is never deleted (a deleted lock file
//! can be locked by two).

use crate::OpenError;
use protocol::Timestamp;
use serde::{Deserialize, Serialize};
use std::fs::{File, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;

pub(crate) const LOCK_FILE: &str = "engine.lock";
/// Bytes of a lock file that are read. Ours.
const HOLDER_BYTES_MAX: u64 = 4 * 1024;

/// Who holds the folder.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Holder {
    pid: u32,
    started: Timestamp,
    version: String,
}

/// Held as long as the value lives.
#[derive(Debug)]
pub(crate) struct FolderLock {
    _file: File,
}

impl FolderLock {
    pub(crate) fn take(folder: &Path, now: Timestamp, version: &str) -> Result<Self, OpenError> {
        let path = folder.join(LOCK_FILE);
        let failed = |error: std::io::Error| OpenError::from_io(&path, &error);
        let mut file =
            File::options().read(true).write(true).create(true).truncate(false).open(&path).map_err(failed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let holder = holder(&mut file);
                return Err(OpenError::InUse {
                    pid: holder.as_ref().map(|it| it.pid),
                    started: holder.as_ref().map(|it| it.started).filter(|at| at.0 > 0),
                });
            }
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        let mine = Holder { pid: std::process::id(), started: now, version: version.to_owned() };
        let text = serde_json::to_vec(&mine).map_err(|error| failed(error.into()))?;
        file.set_len(0).and_then(|()| file.seek(SeekFrom::Start(0))).map_err(failed)?;
        file.write_all(&text).and_then(|()| file.sync_data()).map_err(failed)?;
        Ok(Self { _file: file })
    }
}

/// What the lock file says; `None` when it says nothing readable (it is just being written, or the system forbids it).
fn holder(file: &mut File) -> Option<Holder> {
    let mut text = String::new();
    file.take(HOLDER_BYTES_MAX).read_to_string(&mut text).ok()?;
    serde_json::from_str(&text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_engine_is_told_who_has_the_folder() {
        let home = tempfile::tempdir().expect("a folder");
        let first = FolderLock::take(home.path(), Timestamp(5_000), "1").expect("free");
        let error = FolderLock::take(home.path(), Timestamp(6_000), "1").expect_err("taken");
        let OpenError::InUse { pid, started } = error else { panic!("{error}") };
        assert_eq!((pid, started), (Some(std::process::id()), Some(Timestamp(5_000))));
        drop(first);
        FolderLock::take(home.path(), Timestamp(7_000), "1").expect("free again");
    }

    #[test]
    fn a_lock_file_that_nobody_holds_is_taken_over() {
        let home = tempfile::tempdir().expect("a folder");
        for left in ["", "not json", r#"{"pid":1,"started":"2026-01-01T00:00:00Z","version":"0"}, and a longer tail"#] {
            std::fs::write(home.path().join(LOCK_FILE), left).expect("written");
            let lock = FolderLock::take(home.path(), Timestamp(1), "1").expect("taken over");
            let text = std::fs::read_to_string(home.path().join(LOCK_FILE)).expect("read");
            let holder: Holder = serde_json::from_str(&text).expect("only the new holder is in it");
            assert_eq!(holder.pid, std::process::id());
            drop(lock);
        }
    }
}
