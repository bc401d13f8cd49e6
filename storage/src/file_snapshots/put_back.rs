//! Puts copies back where they were. Each file is written next to its place and renamed over it, so that it is the old
//! one or the new one whenever the program is killed; what a kill leaves lying has a name that the next start knows.

use super::{ChangedFile, FileSnapshots, sync_folder};
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// How the file being written is called until it has its name.
const PART: &str = ".sentient-put-back-";

/// What came of putting a snapshot back.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PutBack {
    pub restored: usize,
    /// Files that could not be, each with the reason.
    pub failed: Vec<(String, String)>,
}

impl FileSnapshots {
    /// Puts the copies of these files back. One that fails does not keep the others from it. Doing it again does no
    /// harm.
    pub fn put_back(&self, id: &str, files: &[ChangedFile]) -> PutBack {
        let mut done = PutBack::default();
        for file in files {
            let Some(copy) = &file.copy else { continue };
            match self.folder_of(id).and_then(|folder| put_back(&folder.join(copy), Path::new(&file.path), id)) {
                Ok(()) => done.restored += 1,
                Err(error) => done.failed.push((file.path.clone(), error.to_string())),
            }
        }
        done
    }

    /// Removes what a kill in the middle of putting back left beside the files.
    pub fn sweep_parts(&self, id: &str, files: &[ChangedFile]) {
        for file in files {
            let part = part_of(Path::new(&file.path), id);
            if part.symlink_metadata().is_ok()
                && let Err(error) = fs::remove_file(&part)
            {
                tracing::warn!(path = %part.display(), %error, "a half written file could not be removed");
            }
        }
    }
}

fn put_back(copy: &Path, place: &Path, id: &str) -> io::Result<()> {
    let folder = place.parent().ok_or_else(|| io::Error::other("it has no folder"))?;
    fs::create_dir_all(folder)?;
    // A link in its place would be written through, to wherever it leads.
    if place.symlink_metadata().is_ok_and(|about| !about.is_file()) {
        return Err(io::Error::other("something else is in its place"));
    }
    let part = part_of(place, id);
    let written = write_part(copy, place, &part);
    if written.is_err() && part.symlink_metadata().is_ok() {
        fs::remove_file(&part)?;
    }
    written?;
    sync_folder(folder)
}

fn write_part(copy: &Path, place: &Path, part: &Path) -> io::Result<()> {
    let mut from = File::open(copy)?;
    let mut to = File::create(part)?;
    io::copy(&mut from, &mut to)?;
    to.sync_all()?;
    if let Ok(about) = place.metadata() {
        fs::set_permissions(part, about.permissions())?;
    }
    fs::rename(part, place)
}

fn part_of(place: &Path, id: &str) -> PathBuf {
    let name = place.file_name().unwrap_or_default().to_string_lossy();
    place.with_file_name(format!("{PART}{id}-{name}"))
}

/// Writes a small file of our own whole or not at all.
pub(super) fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let part = path.with_extension("part");
    let mut file = File::create(&part)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(part, path)
}
