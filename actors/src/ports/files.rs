//! The files folder, as the tools use it. Names are relative to `files/`, with `/` between folders.
//!
//! An implementation refuses names that would leave the folder (absolute, `..`, links, device names); tools never see
//! a path they could open themselves.

use futures::future::BoxFuture;
use protocol::Error;
use std::path::PathBuf;

type Answer<T> = BoxFuture<'static, Result<T, Error>>;

/// Reading and writing under `files/`.
pub trait FilesPort: Send + Sync + 'static {
    /// Where a file of this name is on this computer, or would be written; `None` when the folder is on no disk.
    fn place(&self, _name: String) -> Answer<Option<PathBuf>> {
        Box::pin(std::future::ready(Ok(None)))
    }

    /// All files at and below `folder` (`""` is the top), by name. `NotFound` when there is no such folder.
    fn list(&self, folder: String) -> Answer<Vec<FileEntry>>;

    /// Up to `limit` characters of a text file from character `offset` on, without reading a big file whole.
    /// `NotFound` when it is gone; `Unprocessable` when it is not text.
    fn read_text(&self, name: String, offset: usize, limit: usize) -> Answer<TextPart>;

    /// The bytes of a file. `TooLarge` above `bytes_max`.
    fn read(&self, name: String, bytes_max: usize) -> Answer<Vec<u8>>;

    /// Writes a whole file in one step, making folders on the way: afterwards it holds all of `bytes` or what it held
    /// before.
    fn write(&self, name: String, bytes: Vec<u8>) -> Answer<WrittenFile>;
}

/// One file of a listing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileEntry {
    pub name: String,
    pub bytes: u64,
}

/// A part of a text file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextPart {
    pub content: String,
    /// Characters of the whole text; `None` when only this part was read.
    pub total: Option<u64>,
    /// Whether there is text after this part.
    pub more: bool,
}

/// What a write left behind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WrittenFile {
    /// The name it has under `files/`.
    pub name: String,
    /// The full path on this computer, for the person.
    pub path: String,
    pub bytes: u64,
}
