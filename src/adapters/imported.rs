//! The text of documents the person imports, read by the same closed-in process that reads documents in added folders:
//! whatever a file does to its reader, the engine goes on.

use super::folders::Reader;
use actors::ports::{Documents, NoText, WebError};
use futures::future::{BoxFuture, FutureExt};
use rules::folders::FileKind;
use std::fs::{self, File};
use std::io::{Seek, SeekFrom, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Reads imported documents. Cheap to clone.
#[derive(Clone)]
pub struct ImportedDocuments {
    reader: Reader,
    /// Where a document lies until its reader has it open.
    folder: PathBuf,
    next: Arc<AtomicU64>,
}

impl ImportedDocuments {
    pub fn new(reader: Reader, folder: PathBuf) -> Self {
        Self { reader, folder, next: Arc::default() }
    }

    async fn text(self, bytes: Vec<u8>, kind: FileKind) -> Result<String, WebError> {
        let reader = self.reader.clone();
        let handed = tokio::task::spawn_blocking(move || self.handed(&bytes)).await;
        let file = handed.map_err(|cause| WebError(format!("The file could not be read: {cause}.")))?;
        let file = file.map_err(|cause| {
            tracing::error!(%cause, "an imported document cannot be written");
            WebError("The file could not be written. Check that the disk has room.".to_owned())
        })?;
        match reader.read(file, kind).await {
            Ok((text, _)) if text.trim().is_empty() => {
                Err(WebError("This file holds pictures only and no text; it may be a scan.".to_owned()))
            }
            Ok((text, _)) => Ok(text),
            Err(NoText::TooBig) => Err(WebError("This file is too large to be read.".to_owned())),
            Err(NoText::Gone | NoText::NotOpened) => {
                Err(WebError("Documents cannot be read right now. Try again in a moment.".to_owned()))
            }
            Err(NoText::Unreadable) => Err(WebError(
                "This file is damaged, locked with a password, or not of the kind its name says, so it cannot be read."
                    .to_owned(),
            )),
        }
    }

    /// The document as an open file that has no name any more.
    fn handed(&self, bytes: &[u8]) -> std::io::Result<File> {
        fs::create_dir_all(&self.folder)?;
        let name = format!("import-{}-{}", std::process::id(), self.next.fetch_add(1, Ordering::Relaxed));
        let path = self.folder.join(name);
        let mut file = File::options().read(true).write(true).create_new(true).open(&path)?;
        let written = file.write_all(bytes).and_then(|()| file.seek(SeekFrom::Start(0)).map(drop));
        // Where an open file keeps its name, the folder is emptied at the next start.
        if let Err(cause) = fs::remove_file(&path) {
            tracing::debug!(%cause, "an imported document keeps its name for now");
        }
        written.map(|()| file)
    }
}

impl Documents for ImportedDocuments {
    fn pdf_text(&self, bytes: Vec<u8>) -> BoxFuture<'static, Result<String, WebError>> {
        self.clone().text(bytes, FileKind::Pdf).boxed()
    }

    fn docx_text(&self, bytes: Vec<u8>) -> BoxFuture<'static, Result<String, WebError>> {
        self.clone().text(bytes, FileKind::Docx).boxed()
    }
}
