//! The files folder behind the engine's ports. Everything that touches the disk runs on a blocking thread.

use actors::ports::{ChatFiles, FileEntry, FilesPort, TextPart, WrittenFile};
use futures::FutureExt;
use futures::future::BoxFuture;
use protocol::Error;
use protocol::ids::SessionId;
use std::path::PathBuf;
use storage::files::{FileError, Files};

/// [`Files`] for tools and chats.
#[derive(Clone)]
pub(super) struct FolderFiles(pub(super) Files);

impl FolderFiles {
    fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Files) -> Result<T, FileError> + Send + 'static,
    ) -> BoxFuture<'static, Result<T, Error>> {
        let files = self.0.clone();
        async move {
            let done = tokio::task::spawn_blocking(move || work(&files)).await;
            Ok(done.map_err(|cause| Error::internal(format!("work on a file ended: {cause}")))??)
        }
        .boxed()
    }
}

impl FilesPort for FolderFiles {
    fn place(&self, name: String) -> BoxFuture<'static, Result<Option<PathBuf>, Error>> {
        self.run(move |files| files.place(&name).map(Some))
    }

    fn list(&self, folder: String) -> BoxFuture<'static, Result<Vec<FileEntry>, Error>> {
        self.run(move |files| {
            let rows = files.list_in(&folder)?;
            Ok(rows.into_iter().map(|row| FileEntry { name: row.name, bytes: row.size }).collect())
        })
    }

    fn read_text(&self, name: String, offset: usize, limit: usize) -> BoxFuture<'static, Result<TextPart, Error>> {
        self.run(move |files| {
            let part = files.read_text(&name, u64::try_from(offset).unwrap_or(u64::MAX), limit)?;
            Ok(TextPart { content: part.content, total: part.total, more: part.more })
        })
    }

    fn read(&self, name: String, bytes_max: usize) -> BoxFuture<'static, Result<Vec<u8>, Error>> {
        self.run(move |files| files.read(&name, u64::try_from(bytes_max).unwrap_or(u64::MAX)))
    }

    fn write(&self, name: String, bytes: Vec<u8>) -> BoxFuture<'static, Result<WrittenFile, Error>> {
        self.run(move |files| {
            let written = files.write(&name, &bytes)?;
            let path = written.path.display().to_string();
            Ok(WrittenFile { name: written.name, path, bytes: written.bytes })
        })
    }
}

impl ChatFiles for FolderFiles {
    fn forget(&self, names: Vec<String>, incognito: Option<SessionId>) -> BoxFuture<'static, ()> {
        let gone = self.run(move |files| {
            for name in names {
                files.delete(&name)?;
            }
            if let Some(session) = incognito {
                files.delete_incognito(&session)?;
            }
            Ok(())
        });
        async move {
            if let Err(error) = gone.await {
                tracing::warn!(%error, "files of a deleted chat stay until the next start");
            }
        }
        .boxed()
    }
}
