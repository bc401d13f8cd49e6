//! The folder itself: every path is checked against links before it is used, every write is a rename.
//!
//! Callers have checked the names; this file checks where they really lead.

use super::FileError;
use super::names::PART_PREFIX;
use protocol::Timestamp;
use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::UNIX_EPOCH;
use unicode_normalization::UnicodeNormalization;

/// Folders below each other in one listing. Ours.
const LIST_DEPTH_MAX: usize = 16;

#[derive(Debug)]
pub(super) struct Disk {
    /// Without links in it.
    root: PathBuf,
    /// Numbers the files being written.
    parts: AtomicU64,
}

impl Disk {
    pub(super) fn open(root: &Path, folders: &[&str]) -> Result<Self, FileError> {
        fs::create_dir_all(root)?;
        let disk = Self { root: root.canonicalize()?, parts: AtomicU64::new(0) };
        for folder in folders {
            disk.make_folder(folder)?;
        }
        disk.remove_parts(&disk.root, 0)?;
        Ok(disk)
    }

    /// The path with all links followed; it must exist and be inside.
    fn inside(&self, path: &Path) -> Result<PathBuf, FileError> {
        let real = path.canonicalize()?;
        if real.starts_with(&self.root) { Ok(real) } else { Err(FileError::BadName) }
    }

    /// Where a name leads. Some systems write names decomposed, so the composed form is tried too.
    fn find(&self, name: &str) -> Result<PathBuf, FileError> {
        match self.inside(&self.root.join(name)) {
            Err(FileError::NotFound) => {
                let composed: String = name.nfc().collect();
                self.inside(&self.root.join(composed))
            }
            found => found,
        }
    }

    /// Where a name leads, or will lead once it is written.
    pub(super) fn place(&self, name: &str) -> Result<PathBuf, FileError> {
        match self.find(name) {
            Err(FileError::NotFound) => Ok(self.root.join(name)),
            found => found,
        }
    }

    pub(super) fn open_file(&self, name: &str) -> Result<File, FileError> {
        let path = self.find(name)?;
        // Asked before opening: opening a pipe would wait for somebody to write into it.
        if !path.metadata()?.is_file() {
            return Err(FileError::NotFound);
        }
        Ok(File::open(path)?)
    }

    /// Makes a folder and those above it, and answers its path. A link in the way that leads out is refused.
    pub(super) fn make_folder(&self, folder: &str) -> Result<PathBuf, FileError> {
        let mut path = self.root.clone();
        for part in folder.split('/').filter(|part| !part.is_empty()) {
            path.push(part);
            match fs::create_dir(&path) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error.into()),
                _ => path = self.inside(&path)?,
            }
        }
        if path.is_dir() { Ok(path) } else { Err(FileError::BadName) }
    }

    /// Whether anything has the name, also a link that leads nowhere.
    pub(super) fn is_taken(&self, name: &str) -> Result<bool, FileError> {
        match self.root.join(name).symlink_metadata() {
            Ok(_) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Writes content next to where it will be kept, all the way to the disk.
    pub(super) fn write_part(&self, folder: &str, content: impl Read, bytes_max: u64) -> Result<Part<'_>, FileError> {
        let folder = self.make_folder(folder)?;
        let number = self.parts.fetch_add(1, Ordering::Relaxed);
        let path = folder.join(format!("{PART_PREFIX}{}-{number}", std::process::id()));
        let mut file = File::options().write(true).create_new(true).open(&path)?;
        let mut part = Part { disk: self, path: Some(path), bytes: 0 };
        part.bytes = io::copy(&mut content.take(bytes_max.saturating_add(1)), &mut file)?;
        if part.bytes > bytes_max {
            return Err(FileError::TooLarge { bytes_max });
        }
        file.sync_all()?;
        Ok(part)
    }

    /// Name, bytes and age of every file below a folder, by name.
    pub(super) fn list(&self, folder: &str, limit: usize) -> Result<Vec<(String, u64, Timestamp)>, FileError> {
        let path = self.find(folder)?;
        if !path.is_dir() {
            return Err(FileError::NotFound);
        }
        let mut found = Vec::new();
        self.list_below(&path, 0, &mut found)?;
        found.sort();
        found.truncate(limit);
        Ok(found)
    }

    fn list_below(
        &self,
        folder: &Path,
        depth: usize,
        found: &mut Vec<(String, u64, Timestamp)>,
    ) -> Result<(), FileError> {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            // Links are not followed; what vanishes while it is listed is not there.
            let Ok(about) = path.symlink_metadata() else { continue };
            if about.is_dir() && depth < LIST_DEPTH_MAX {
                self.list_below(&path, depth + 1, found)?;
            } else if about.is_file()
                && let Some(name) = self.name_of(&path)
            {
                found.push((name, about.len(), modified_at(&about)));
            }
        }
        Ok(())
    }

    /// The name of a path inside; `None` for what cannot be named: not Unicode, or still being written.
    fn name_of(&self, path: &Path) -> Option<String> {
        let parts = path.strip_prefix(&self.root).ok()?.iter().map(|part| part.to_str());
        let name = parts.collect::<Option<Vec<&str>>>()?.join("/");
        super::names::check_name(&name).is_ok().then_some(name)
    }

    pub(super) fn delete(&self, name: &str) -> Result<bool, FileError> {
        let (folder, last) = name.rsplit_once('/').unwrap_or(("", name));
        let folder = match self.find(folder) {
            Err(FileError::NotFound) => return Ok(false),
            folder => folder?,
        };
        // A link is removed itself, not what it leads to.
        let path = folder.join(last);
        match path.symlink_metadata() {
            Ok(about) if about.is_dir() => Err(FileError::BadName),
            Ok(_) => {
                fs::remove_file(&path)?;
                Ok(true)
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Deletes a folder and all in it; `false` when there was none. A link in its place is removed, not followed.
    pub(super) fn delete_folder(&self, folder: &str) -> Result<bool, FileError> {
        let path = self.root.join(folder);
        match path.symlink_metadata() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
            Err(error) => return Err(error.into()),
            Ok(about) if about.is_dir() => fs::remove_dir_all(self.inside(&path)?)?,
            Ok(_) => fs::remove_file(&path)?,
        }
        Ok(true)
    }

    /// Names of the folders right inside a folder.
    pub(super) fn folders_in(&self, folder: &str) -> Result<Vec<String>, FileError> {
        let mut names = Vec::new();
        for entry in fs::read_dir(self.find(folder)?)? {
            let entry = entry?;
            if entry.file_type()?.is_dir() {
                names.extend(entry.file_name().into_string().ok());
            }
        }
        Ok(names)
    }

    /// What was being written when the engine ended.
    fn remove_parts(&self, folder: &Path, depth: usize) -> Result<(), FileError> {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let kind = entry.file_type()?;
            if kind.is_dir() && depth < LIST_DEPTH_MAX {
                self.remove_parts(&entry.path(), depth + 1)?;
            } else if kind.is_file() && entry.file_name().to_string_lossy().starts_with(PART_PREFIX) {
                fs::remove_file(entry.path())?;
            }
        }
        Ok(())
    }
}

/// A written file that has no name yet. Dropped, it is removed.
#[derive(Debug)]
pub(super) struct Part<'a> {
    disk: &'a Disk,
    path: Option<PathBuf>,
    bytes: u64,
}

impl Part<'_> {
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Gives it its name in the folder it was written in, over a file that has it.
    pub(super) fn keep(mut self, name: &str) -> Result<PathBuf, FileError> {
        let last = name.rsplit('/').next().unwrap_or(name);
        let Some(part) = self.path.take() else { return Err(FileError::NotFound) };
        let folder = part.parent().unwrap_or(&self.disk.root);
        let path = folder.join(last);
        let folder = folder.to_owned();
        if let Err(error) = fs::rename(&part, &path) {
            self.path = Some(part);
            return Err(error.into());
        }
        if cfg!(unix) {
            File::open(folder)?.sync_all()?;
        }
        Ok(path)
    }
}

impl Drop for Part<'_> {
    fn drop(&mut self) {
        if let Some(path) = &self.path
            && let Err(error) = fs::remove_file(path)
        {
            tracing::warn!(path = %path.display(), %error, "a half written file could not be removed");
        }
    }
}

/// When a file was last changed; 1970 where the system does not know.
pub(super) fn modified_at(about: &Metadata) -> Timestamp {
    let since = about.modified().ok().and_then(|at| at.duration_since(UNIX_EPOCH).ok());
    Timestamp(since.and_then(|since| i64::try_from(since.as_millis()).ok()).unwrap_or(0))
}
