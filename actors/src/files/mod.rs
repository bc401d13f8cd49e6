//! Attachments and what the assistant made, as surfaces see them (contract section 2 "Files").
//!
//! No actor: the folder itself keeps a name from meaning two files (`storage::Files`), and which names messages have is
//! in the store. Everything that touches the disk runs on a blocking thread.

use crate::Engine;
use protocol::Error;
use protocol::files::{FileRow, FileSource, StoredFile};
use protocol::limits::UPLOAD_BYTES_MAX;
use std::fs::File;
use std::io::{Seek, SeekFrom};
use storage::Snapshot;
use storage::files::{Content, FileError, Files, NewFile};
use storage::records::AttachmentRecord;

/// Random bytes in the name of a screen or a selection: six characters (contract, `3f9a2c`).
const RANDOM_BYTES: usize = 3;

impl Engine {
    /// Stores an upload from a file that holds all of it.
    ///
    /// # Errors
    /// `TooLarge` above 50 MB, and what the disk says.
    pub async fn save_upload(&self, source: FileSource, name: String, mut spool: File) -> Result<StoredFile, Error> {
        let mut random = [0; RANDOM_BYTES];
        self.world.entropy.fill(&mut random);
        let random: String = random.iter().map(|byte| format!("{byte:02x}")).collect();
        let store = self.store.clone();
        self.with_folder(move |folder| {
            spool.seek(SeekFrom::Start(0))?;
            let bytes_max = u64::try_from(UPLOAD_BYTES_MAX).unwrap_or(u64::MAX);
            let new = NewFile { source, name: &name, random: &random, bytes_max };
            let snapshot = store.snapshot().map_err(unreadable)?;
            folder.save(new, spool, |name| is_attached(&snapshot, name))
        })
        .await
    }

    /// Every file there is, by name.
    ///
    /// # Errors
    /// What the disk says.
    pub async fn files(&self) -> Result<Vec<FileRow>, Error> {
        self.with_folder(Files::list).await
    }

    /// A file to be sent.
    ///
    /// # Errors
    /// `NotFound` when it is gone, `Invalid` for a name that leads out of the folder.
    pub async fn file_content(&self, name: String) -> Result<Content, Error> {
        self.with_folder(move |folder| folder.open_content(&name)).await
    }

    /// Deletes a file; one that is gone already is fine.
    ///
    /// # Errors
    /// `Invalid` for a name that leads out of the folder.
    pub async fn delete_file(&self, name: String) -> Result<(), Error> {
        self.with_folder(move |folder| folder.delete(&name)).await.map(drop)
    }

    /// At start: removes captures over an hour old that no message has. Answers how many went.
    ///
    /// # Errors
    /// What the disk says.
    pub async fn sweep_captures(&self) -> Result<usize, Error> {
        let (store, now) = (self.store.clone(), self.world.now());
        self.with_folder(move |folder| {
            let snapshot = store.snapshot().map_err(unreadable)?;
            Ok(folder.sweep_captures(now, |name| is_attached(&snapshot, name))?.len())
        })
        .await
    }

    async fn with_folder<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Files) -> Result<T, FileError> + Send + 'static,
    ) -> Result<T, Error> {
        let folder = self.small.folder.clone();
        let done = tokio::task::spawn_blocking(move || work(&folder)).await;
        Ok(done.map_err(|cause| Error::internal(format!("work on a file ended: {cause}")))??)
    }
}

fn unreadable(error: storage::StoreError) -> FileError {
    tracing::error!(%error, "attachments cannot be looked up");
    FileError::Io("what messages have attached cannot be looked up".into())
}

/// Whether any message has this name. When that cannot be read it counts as yes: the name is left alone.
fn is_attached(snapshot: &Snapshot, name: &str) -> bool {
    snapshot.get::<AttachmentRecord>(&name.to_owned()).map_or_else(
        |error| {
            tracing::error!(%error, "an attachment cannot be looked up");
            true
        },
        |found| found.is_some(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use storage::{Batch, Store};

    #[tokio::test]
    async fn a_name_a_message_has_is_known() {
        let store = Store::in_memory();
        let mut batch = Batch::new();
        batch.put(&AttachmentRecord { name: "uploads/a.txt".into(), sessions: vec!["s1".into()] });
        store.commit(batch).await.expect("stored");
        let snapshot = store.snapshot().expect("read");
        assert!(is_attached(&snapshot, "uploads/a.txt"));
        assert!(!is_attached(&snapshot, "uploads/b.txt"));
    }
}
