//! Files on disk: what people attach and what the assistant makes (contract section 2, "Files").
//!
//! Names are relative to `<home>/files`, with `/` between folders. No name leads out of that folder, also not through
//! a link, and a name never comes to mean another file (T.195). A file appears with all of its content or not at all.
//! Everything here blocks: call it from `spawn_blocking`.

mod disk;
mod error;
mod names;
mod outputs;
#[cfg(test)]
mod tests;
mod text;

pub use error::FileError;
pub use names::clean_name;
pub use outputs::SavedOutput;
pub use text::{TEXT_COUNTED_BYTES_MAX, TEXT_PART_CHARS_MAX, TextPart};

use disk::Disk;
use names::{check_name, numbered};
use protocol::Timestamp;
use protocol::files::{FileRow, FileSource, StoredFile};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Folders that are always there.
const FOLDERS: [&str; 5] = ["uploads", "screens", "selections", "outputs", "charts"];
/// Files of one listing. Ours: the rest is left out, oldest names last.
pub const FILES_LISTED_MAX: usize = 10_000;
/// Numbers tried for a name that is taken. Ours.
const NUMBERS_MAX: u32 = 10_000;

/// The files folder. Clones are the same folder.
#[derive(Clone, Debug)]
pub struct Files {
    disk: Arc<Disk>,
    /// Held from choosing a name to having it.
    naming: Arc<Mutex<()>>,
}

/// A file that is coming in.
#[derive(Clone, Copy, Debug)]
pub struct NewFile<'a> {
    pub source: FileSource,
    /// What it is called where it comes from; cleaned here.
    pub name: &'a str,
    /// A short random text (`3f9a2c`) that goes into the names of screens and selections.
    pub random: &'a str,
    /// More is refused.
    pub bytes_max: u64,
}

/// A file to be sent.
#[derive(Debug)]
pub struct Content {
    pub file: File,
    pub size: u64,
    pub mime: String,
    pub modified_at: Timestamp,
}

/// What a write left behind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// Its name under `files/`.
    pub name: String,
    /// The full path on this computer, for the person.
    pub path: PathBuf,
    pub bytes: u64,
}

impl Files {
    /// Opens `<home>/files`, makes its folders, and removes what a crash left half written.
    ///
    /// # Errors
    /// The disk.
    pub fn open(home: &Path) -> Result<Self, FileError> {
        let disk = Disk::open(&home.join("files"), &FOLDERS)?;
        Ok(Self { disk: Arc::new(disk), naming: Arc::default() })
    }

    /// Stores a file under a name that nothing has and no message ever had: `attached` answers whether any message has
    /// this name (look it up among the attachment records). Screens and selections always get the random part.
    ///
    /// # Errors
    /// [`FileError::TooLarge`], [`FileError::NoFreeName`], the disk.
    pub fn save(
        &self,
        new: NewFile<'_>,
        content: impl Read,
        attached: impl Fn(&str) -> bool,
    ) -> Result<StoredFile, FileError> {
        let folder = new.source.folder();
        let part = self.disk.write_part(folder, content, new.bytes_max)?;
        let _naming = self.naming.lock().unwrap_or_else(PoisonError::into_inner);
        for number in 0..NUMBERS_MAX {
            let random = match new.source {
                FileSource::Upload => String::new(),
                FileSource::Screen | FileSource::Selection => format!(" {}", clean_random(new.random)),
            };
            let mark = if number == 0 { random } else { format!("{random} ({number})") };
            let name = format!("{folder}/{}", numbered(new.name, &mark));
            if !attached(&name) && !self.disk.is_taken(&name)? {
                let size = part.bytes();
                part.keep(&name)?;
                return Ok(StoredFile { mime: mime(&name), name, size });
            }
        }
        Err(FileError::NoFreeName)
    }

    /// Writes a whole file, making folders on the way: afterwards it holds all of `bytes` or what it held before.
    ///
    /// # Errors
    /// [`FileError::BadName`], the disk.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<Written, FileError> {
        check_name(name)?;
        let folder = name.rsplit_once('/').map_or("", |(folder, _)| folder);
        let part = self.disk.write_part(folder, bytes, u64::MAX)?;
        let path = part.keep(name)?;
        Ok(Written { name: name.to_owned(), path, bytes: bytes.len() as u64 })
    }

    /// Where a file of this name is, or would be written.
    ///
    /// # Errors
    /// [`FileError::BadName`].
    pub fn place(&self, name: &str) -> Result<PathBuf, FileError> {
        check_name(name)?;
        self.disk.place(name)
    }

    /// The bytes of a file.
    ///
    /// # Errors
    /// [`FileError::NotFound`], [`FileError::TooLarge`], [`FileError::BadName`], the disk.
    pub fn read(&self, name: &str, bytes_max: u64) -> Result<Vec<u8>, FileError> {
        let content = self.open_content(name)?;
        let too_large = FileError::TooLarge { bytes_max };
        if content.size > bytes_max {
            return Err(too_large);
        }
        // It may be growing.
        let mut bytes = Vec::new();
        content.file.take(bytes_max.saturating_add(1)).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > bytes_max { Err(too_large) } else { Ok(bytes) }
    }

    /// Up to `limit` characters from character `offset` on; see [`TextPart`].
    ///
    /// # Errors
    /// [`FileError::NotText`], [`FileError::NotFound`], [`FileError::BadName`], the disk.
    pub fn read_text(&self, name: &str, offset: u64, limit: usize) -> Result<TextPart, FileError> {
        let content = self.open_content(name)?;
        text::part(content.file, content.size, offset, limit)
    }

    /// Opens a file for sending. A name without a folder that the top does not have is looked for in `uploads/`.
    ///
    /// # Errors
    /// [`FileError::NotFound`], [`FileError::BadName`], the disk.
    pub fn open_content(&self, name: &str) -> Result<Content, FileError> {
        check_name(name)?;
        let file = match self.disk.open_file(name) {
            Err(FileError::NotFound) if !name.contains('/') => self.disk.open_file(&format!("uploads/{name}")),
            other => other,
        }?;
        let about = file.metadata()?;
        Ok(Content { size: about.len(), mime: mime(name), modified_at: disk::modified_at(&about), file })
    }

    /// All files, by name; at most [`FILES_LISTED_MAX`].
    ///
    /// # Errors
    /// The disk.
    pub fn list(&self) -> Result<Vec<FileRow>, FileError> {
        self.list_in("")
    }

    /// All files at and below a folder (`""` is the top), by name. Links are left out.
    ///
    /// # Errors
    /// [`FileError::NotFound`] when there is no such folder, [`FileError::BadName`], the disk.
    pub fn list_in(&self, folder: &str) -> Result<Vec<FileRow>, FileError> {
        if !folder.is_empty() {
            check_name(folder)?;
        }
        let found = self.disk.list(folder, FILES_LISTED_MAX)?;
        let row = |(name, size, modified_at): (String, u64, Timestamp)| FileRow {
            mime: mime(&name),
            name,
            size,
            modified_at,
        };
        Ok(found.into_iter().map(row).collect())
    }

    /// Deletes a file; `false` when there was none (client.md section 7: that is fine).
    ///
    /// # Errors
    /// [`FileError::BadName`], the disk.
    pub fn delete(&self, name: &str) -> Result<bool, FileError> {
        check_name(name)?;
        self.disk.delete(name)
    }
}

/// Letters and digits of the random part, at most 12; never empty.
fn clean_random(random: &str) -> String {
    let clean: String = random.chars().filter(char::is_ascii_alphanumeric).take(12).collect();
    if clean.is_empty() { "0".to_owned() } else { clean }
}

/// The kind of a file by its ending.
fn mime(name: &str) -> String {
    mime_guess::from_path(name).first_or_octet_stream().essence_str().to_owned()
}
