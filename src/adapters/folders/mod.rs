//! Folders the person added, on the disk: listed, opened without following links, read, watched. Nothing here writes.

mod documents;
mod listing;
mod opening;
mod plain_text;
#[cfg(test)]
mod tests;
mod watching;

pub use documents::Reader;

use actors::ports::{
    ChangeHeard, ComputerPlaces, FileText, FolderFiles, FolderWatch, FoundFolder, ListAsk, Listing, NoText, NotListed,
    NotWatched,
};
use futures::FutureExt;
use futures::future::BoxFuture;
use rules::folders::FileKind;
use std::fs::{File, Metadata};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;
use tokio::task::spawn_blocking;

/// Bytes of one file's text that are read. Ours: more than is kept of one (`rules::folders::PIECES_PER_FILE_MAX`).
const TEXT_BYTES_MAX: u64 = 32 * 1024 * 1024;

/// The folders of this computer.
#[derive(Clone)]
pub struct DiskFolders {
    places: ComputerPlaces,
    reader: Reader,
}

impl DiskFolders {
    /// `home` is the person's own folder, `data` where Sentient keeps everything.
    pub fn new(home: Option<&Path>, data: &Path, reader: Reader) -> Self {
        let shown = |path: &Path| shown(&path.canonicalize().unwrap_or_else(|_| path.to_owned()));
        let places = ComputerPlaces {
            home: home.and_then(shown),
            data: shown(data).unwrap_or_default(),
            is_windows: cfg!(windows),
            ignores_case: cfg!(any(windows, target_os = "macos")),
        };
        Self { places, reader }
    }
}

/// A path as it is shown and kept; `None` when it is no text. Windows' own mark in front of long paths is taken off.
fn shown(path: &Path) -> Option<String> {
    let text = path.to_str()?;
    let plain = match text.strip_prefix(r"\\?\UNC\") {
        Some(share) => format!(r"\\{share}"),
        None => text.strip_prefix(r"\\?\").unwrap_or(text).to_owned(),
    };
    Some(plain)
}

/// Work that blocks; work that panicked has found nothing.
async fn off_thread<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static, nothing: T) -> T {
    spawn_blocking(work).await.unwrap_or_else(|cause| {
        tracing::error!(%cause, "work on an added folder failed");
        nothing
    })
}

impl FolderFiles for DiskFolders {
    fn places(&self) -> ComputerPlaces {
        self.places.clone()
    }

    fn found(&self, path: String) -> BoxFuture<'static, Option<FoundFolder>> {
        let look = move || {
            let real = Path::new(path.trim()).canonicalize().ok().filter(|real| real.is_dir())?;
            Some(FoundFolder { path: shown(&real)?, is_vault: real.join(".obsidian").is_dir() })
        };
        off_thread(look, None).boxed()
    }

    fn list(&self, ask: ListAsk) -> BoxFuture<'static, Result<Listing, NotListed>> {
        off_thread(move || listing::list(&ask), Err(NotListed::Missing)).boxed()
    }

    fn text(
        &self,
        root: String,
        path: String,
        kind: FileKind,
        bytes_max: u64,
    ) -> BoxFuture<'static, Result<FileText, NoText>> {
        let reader = self.reader.clone();
        async move {
            let opening = move || opening::open(Path::new(&root), &path).and_then(|file| checked(file, bytes_max));
            let (file, before) = off_thread(opening, Err(NoText::NotOpened)).await?;
            let again = file.try_clone().map_err(|_| NoText::NotOpened)?;
            let (text, is_part) = match kind {
                FileKind::Markdown | FileKind::Text => off_thread(move || plain(file), Err(NoText::Unreadable)).await?,
                FileKind::Pdf | FileKind::Docx => reader.read(file, kind).await?,
            };
            let after = again.metadata().map_err(|_| NoText::NotOpened)?;
            let is_changing = (before.len(), modified_ms(&before)) != (after.len(), modified_ms(&after));
            Ok(FileText { text, is_part, bytes: before.len(), modified_ms: modified_ms(&before), is_changing })
        }
        .boxed()
    }

    fn watch(&self, root: PathBuf, heard: ChangeHeard) -> Result<Box<dyn FolderWatch>, NotWatched> {
        watching::watch(root, heard)
    }
}

/// An opened file with its size and change time, when it is a file and not too big.
fn checked(file: File, bytes_max: u64) -> Result<(File, Metadata), NoText> {
    let metadata = file.metadata().map_err(|_| NoText::NotOpened)?;
    if !metadata.is_file() {
        return Err(NoText::NotOpened);
    }
    if metadata.len() > bytes_max {
        return Err(NoText::TooBig);
    }
    Ok((file, metadata))
}

/// The text of a file that is text, and whether there was more of it.
fn plain(file: File) -> Result<(String, bool), NoText> {
    let mut bytes = Vec::new();
    let read = file.take(TEXT_BYTES_MAX + 1).read_to_end(&mut bytes);
    read.map_err(|_| NoText::Unreadable)?;
    let is_part = bytes.len() as u64 > TEXT_BYTES_MAX;
    plain_text::decoded(&bytes).map(|text| (text, is_part)).ok_or(NoText::Unreadable)
}

/// When a file was changed, in milliseconds since 1970; 0 where the system does not say.
fn modified_ms(metadata: &Metadata) -> i64 {
    let Ok(modified) = metadata.modified() else { return 0 };
    let ms = |time: std::time::Duration| i64::try_from(time.as_millis()).unwrap_or(i64::MAX);
    match modified.duration_since(UNIX_EPOCH) {
        Ok(since) => ms(since),
        Err(before) => -ms(before.duration()),
    }
}
