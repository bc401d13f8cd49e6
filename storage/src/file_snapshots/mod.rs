//! Copies of files, made before a command, a script or a tool may change them, and putting them back (contract section
//! 10, "File snapshots before code writes").
//!
//! What is copied is decided from names and sizes alone, without opening a file; either every file that needs a copy
//! gets one or none does. Putting back writes next to each file and renames over it: killed at any moment, a file is the
//! old one or the new one, never half of either. Everything here blocks: call it from `spawn_blocking`.

mod listing;
mod names;
mod put_back;
#[cfg(test)]
mod tests;

use listing::{Listing, Stamp};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

pub use put_back::PutBack;

/// Files that are looked at below the folders of one call (contract section 10).
pub const LISTED_MAX: usize = 10_000;
/// Bytes looked at to see that a file is no text after all (contract section 10).
const HEAD_BYTES: usize = 8 * 1024;
/// What was copied, kept beside the copies, so that a crash while the call runs loses none of it.
const MANIFEST: &str = "taken.json";
/// Said of a call for which nothing could be copied (strings.tsv, too_many_files).
pub const TOO_MANY: &str = "Too many files to keep a copy";

/// How much is copied (config `tools.snapshots`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SnapshotLimits {
    pub file_bytes_max: u64,
    pub total_bytes_max: u64,
    pub files_max: usize,
}

/// The folder of all copies, `<home>/snapshots`. Clones are the same folder.
#[derive(Clone, Debug)]
pub struct FileSnapshots {
    folder: PathBuf,
    /// Sentient's own folders, which are never looked at.
    own: Vec<PathBuf>,
}

/// What a call may change, as it was before. Kept beside its copies.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Taken {
    pub id: String,
    roots: Vec<PathBuf>,
    files: BTreeMap<PathBuf, Before>,
    /// There were too many files, or too much in them: none has a copy.
    too_many: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Before {
    stamp: Stamp,
    /// The name of its copy; `None` with the reason why there is none.
    copy: Option<String>,
    note: Option<String>,
}

/// What a call did to the files, for the row that tells of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settled {
    pub files: Vec<ChangedFile>,
    /// Files it made; they are not put back.
    pub created: Vec<String>,
    pub too_many: bool,
}

/// One file that is not what it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedFile {
    pub path: String,
    pub deleted: bool,
    /// Bytes it had before.
    pub bytes: u64,
    /// The name of its copy.
    pub copy: Option<String>,
    /// Why it has none.
    pub note: Option<String>,
}

impl FileSnapshots {
    /// The folder in this home; made when it is needed. `own` are folders of the engine itself.
    pub fn new(home: &Path, own: Vec<PathBuf>) -> Self {
        let folder = home.join("snapshots");
        let own = own.into_iter().chain([folder.clone()]).map(|own| own.canonicalize().unwrap_or(own)).collect();
        Self { folder, own }
    }

    /// Copies what a call could change below these folders, or these single files, into a folder of this name.
    ///
    /// # Errors
    /// The disk: then nothing is kept, and the call goes on without.
    pub fn take(&self, id: &str, roots: &[PathBuf], limits: SnapshotLimits) -> io::Result<Taken> {
        let listing = Listing::of(roots, &self.own);
        let mut taken =
            Taken { id: id.to_owned(), roots: roots.to_vec(), files: BTreeMap::new(), too_many: listing.cut };
        let (mut bytes, mut count) = (0_u64, 0_usize);
        for (path, stamp) in listing.files {
            let note = names::no_copy(&path, stamp.bytes, limits.file_bytes_max).map(str::to_owned);
            if note.is_none() {
                count += 1;
                bytes = bytes.saturating_add(stamp.bytes);
            }
            taken.files.insert(path, Before { stamp, copy: None, note });
        }
        taken.too_many |= count > limits.files_max || bytes > limits.total_bytes_max;
        let done = self.copy(&mut taken, limits.file_bytes_max);
        if done.is_err() {
            self.remove(id)?;
        }
        done.map(|()| taken)
    }

    /// Makes the copies and writes down what was taken. Nothing is left out in between: who finds the manifest finds
    /// every copy it names.
    fn copy(&self, taken: &mut Taken, bytes_max: u64) -> io::Result<()> {
        let folder = self.folder_of(&taken.id)?;
        make_private(&folder)?;
        for (number, (path, before)) in taken.files.iter_mut().enumerate() {
            if before.note.is_some() {
                continue;
            }
            if taken.too_many {
                before.note = Some(TOO_MANY.to_owned());
                continue;
            }
            let name = format!("{number}.copy");
            match copy_text(path, &folder.join(&name), bytes_max) {
                Ok(true) => before.copy = Some(name),
                Ok(false) => before.note = Some(names::NOT_TEXT.to_owned()),
                // It vanished, or may not be read: then the call cannot be undone for this file, and that is said.
                Err(error) => before.note = Some(format!("It could not be read: {error}.")),
            }
        }
        let json = serde_json::to_vec(taken).map_err(io::Error::other)?;
        put_back::write_whole(&folder.join(MANIFEST), &json)?;
        sync_folder(&folder)
    }

    /// Looks what the call has done and drops the copies nobody needs. `None`: nothing changed, and nothing is kept.
    ///
    /// # Errors
    /// The disk; the copies stay.
    pub fn settle(&self, taken: &Taken) -> io::Result<Option<Settled>> {
        let folder = self.folder_of(&taken.id)?;
        let now = Listing::of(&taken.roots, &self.own);
        let mut settled = Settled { too_many: taken.too_many, ..Settled::default() };
        for (path, before) in &taken.files {
            let deleted = !now.files.contains_key(path) && path.symlink_metadata().is_err();
            let stamp = now.files.get(path).copied().or_else(|| Stamp::of(path));
            let copy = before.copy.as_ref().map(|copy| folder.join(copy));
            // Times of files are too coarse to trust where there is something to compare with.
            let same = !deleted
                && match &copy {
                    Some(copy) => same_bytes(copy, path),
                    None => stamp == Some(before.stamp),
                };
            if same {
                if let Some(copy) = copy {
                    fs::remove_file(copy)?;
                }
                continue;
            }
            settled.files.push(ChangedFile {
                path: path.display().to_string(),
                deleted,
                bytes: before.stamp.bytes,
                copy: before.copy.clone(),
                note: before.note.clone(),
            });
        }
        // What lies beyond what was listed before is not known to be new.
        if !taken.too_many && !now.cut {
            let made = now.files.keys().filter(|path| !taken.files.contains_key(*path));
            settled.created = made.map(|path| path.display().to_string()).collect();
        }
        if settled.files.is_empty() && settled.created.is_empty() {
            self.remove(&taken.id)?;
            return Ok(None);
        }
        Ok(Some(settled))
    }

    /// What a call that was cut off by a crash had taken.
    pub fn unsettled(&self, id: &str) -> Option<Taken> {
        let folder = self.folder_of(id).ok()?;
        serde_json::from_slice(&fs::read(folder.join(MANIFEST)).ok()?).ok()
    }

    /// Names of all snapshots on the disk, oldest names first.
    ///
    /// # Errors
    /// The disk.
    pub fn list(&self) -> io::Result<Vec<String>> {
        let entries = match fs::read_dir(&self.folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries?,
        };
        let mut ids = Vec::new();
        for entry in entries {
            ids.extend(entry?.file_name().into_string().ok());
        }
        ids.sort();
        Ok(ids)
    }

    /// Bytes of the copies of one snapshot.
    pub fn bytes(&self, id: &str) -> u64 {
        let entries = self.folder_of(id).and_then(fs::read_dir);
        let sizes = entries.into_iter().flatten().filter_map(|entry| Some(entry.ok()?.metadata().ok()?.len()));
        sizes.sum()
    }

    /// Removes a snapshot's copies; one that is gone is fine.
    ///
    /// # Errors
    /// The disk.
    pub fn remove(&self, id: &str) -> io::Result<()> {
        match fs::remove_dir_all(self.folder_of(id)?) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    fn folder_of(&self, id: &str) -> io::Result<PathBuf> {
        let plain = !id.is_empty() && id.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '-');
        if plain { Ok(self.folder.join(id)) } else { Err(io::Error::other("not a snapshot's name")) }
    }
}

/// Makes a folder for its owner only.
fn make_private(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Copies a file all the way to the disk. Answers whether it is text; what is none is not kept.
fn copy_text(from: &Path, to: &Path, bytes_max: u64) -> io::Result<bool> {
    let mut file = File::open(from)?;
    let mut head = Vec::new();
    (&mut file).take(HEAD_BYTES as u64).read_to_end(&mut head)?;
    if head.contains(&0) {
        return Ok(false);
    }
    let mut copy = File::options().write(true).create_new(true).open(to)?;
    let rest = bytes_max.saturating_sub(head.len() as u64);
    io::copy(&mut head.as_slice().chain(file.take(rest)), &mut copy)?;
    copy.sync_all()?;
    Ok(true)
}

fn same_bytes(one: &Path, other: &Path) -> bool {
    let size = |path: &Path| path.metadata().map(|about| about.len());
    let sizes = (size(one), size(other));
    matches!(sizes, (Ok(one), Ok(other)) if one == other)
        && matches!((fs::read(one), fs::read(other)), (Ok(one), Ok(other)) if one == other)
}

/// Makes renames in a folder durable, where the system can.
fn sync_folder(folder: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}
