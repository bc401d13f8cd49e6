//! Lists files with what tells whether they changed, without opening one. Links are not followed.

use super::{LISTED_MAX, names};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

/// Folders below each other. Ours.
const DEPTH_MAX: usize = 32;

/// Size and moment of the last change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Stamp {
    pub(super) bytes: u64,
    nanos: u64,
}

impl Stamp {
    fn read(about: &Metadata) -> Self {
        let since = about.modified().ok().and_then(|at| at.duration_since(UNIX_EPOCH).ok());
        let nanos = u64::try_from(since.unwrap_or_default().as_nanos()).unwrap_or(u64::MAX);
        Self { bytes: about.len(), nanos }
    }

    /// `None` for what is no file.
    pub(super) fn of(path: &Path) -> Option<Self> {
        path.symlink_metadata().ok().filter(Metadata::is_file).map(|about| Self::read(&about))
    }
}

/// The files there are.
#[derive(Debug, Default)]
pub(super) struct Listing {
    pub(super) files: BTreeMap<PathBuf, Stamp>,
    /// There are more than [`LISTED_MAX`].
    pub(super) cut: bool,
}

impl Listing {
    /// Files at these paths and below these folders; never what is in one of `own`.
    pub(super) fn of(roots: &[PathBuf], own: &[PathBuf]) -> Self {
        let mut listing = Self::default();
        for root in roots {
            match root.symlink_metadata() {
                Ok(about) if about.is_dir() => listing.below(root, own, 0),
                Ok(about) if about.is_file() => listing.add(root.clone(), &about),
                _ => (), // not there yet, or a link: nothing of it can be kept
            }
        }
        listing
    }

    fn below(&mut self, folder: &Path, own: &[PathBuf], depth: usize) {
        if depth > DEPTH_MAX || own.iter().any(|own| folder == own) {
            return;
        }
        // A folder that cannot be read is passed over: what is in it the call cannot read either.
        let Ok(entries) = fs::read_dir(folder) else { return };
        for entry in entries.filter_map(Result::ok) {
            let path = entry.path();
            let Ok(about) = path.symlink_metadata() else { continue };
            if about.is_dir() && !names::is_skipped(&entry.file_name().to_string_lossy()) {
                self.below(&path, own, depth + 1);
            } else if about.is_file() {
                self.add(path, &about);
            }
            if self.cut {
                return;
            }
        }
    }

    /// A file whose name is not Unicode cannot be named to anybody, and is passed over.
    fn add(&mut self, path: PathBuf, about: &Metadata) {
        if path.to_str().is_none() {
            return;
        }
        if self.files.len() >= LISTED_MAX {
            self.cut = true;
            return;
        }
        self.files.insert(path, Stamp::read(about));
    }
}
