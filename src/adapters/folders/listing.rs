//! Lists a folder: files of a kind that is read, with size and change time. Links are never followed, so that no cycle and
//! no other place is looked into; what is hidden or left out is not entered.

use super::modified_ms;
use actors::ports::{ListAsk, Listing, NotListed};
use rules::folders::{FileKind, ListedFile, Patterns, is_hidden, vault_ignores};
use std::fs;
use std::path::Path;
use storage::records::FOLDER_PATH_BYTES_MAX;

/// Names looked at in one folder with all below it. Ours: beyond it the folder is looked at in part.
const NAMES_MAX: usize = 5_000_000;
/// Folders within folders. Ours.
const DEPTH_MAX: usize = 64;
/// Bytes of a vault's own settings. Ours.
const VAULT_SETTINGS_BYTES_MAX: u64 = 1024 * 1024;

/// Lists.
///
/// # Errors
/// There is no such folder, or it was told to stop.
pub(super) fn list(ask: &ListAsk) -> Result<Listing, NotListed> {
    let root = Path::new(&ask.root);
    // Links in the path were followed when it was added: where one is there now, this is not that folder any more.
    let is_there = root.canonicalize().is_ok_and(|real| super::shown(&real).as_deref() == Some(ask.root.as_str()));
    if !is_there || !root.is_dir() {
        return Err(NotListed::Missing);
    }
    let vault = vault(root);
    let vault_ignores = vault.clone().unwrap_or_default();
    let mut look = Look {
        ask,
        patterns: Patterns::new(ask.ignore.iter().map(String::as_str))
            .with_vault(vault_ignores.iter().map(String::as_str)),
        listing: Listing { is_vault: vault.is_some(), vault_ignores, device: device(root), ..Listing::default() },
        names: 0,
    };
    let mut open = vec![(String::new(), 0)];
    while let Some((folder, depth)) = open.pop() {
        if ask.cancel.is_cancelled() {
            return Err(NotListed::Cancelled);
        }
        let inner = look.folder(&root.join(&folder), &folder).map_err(|()| NotListed::Missing);
        match inner {
            Ok(_) if depth >= DEPTH_MAX => look.listing.has_closed = true,
            Ok(inner) => open.extend(inner.into_iter().map(|folder| (folder, depth + 1))),
            // The top itself went away.
            Err(missing) if folder.is_empty() => return Err(missing),
            Err(_) => look.listing.has_closed = true,
        }
        if look.names > NAMES_MAX {
            look.listing.has_more = true;
            break;
        }
    }
    let mut listing = look.listing;
    listing.files.sort_by(|one, other| one.path.cmp(&other.path));
    Ok(listing)
}

struct Look<'a> {
    ask: &'a ListAsk,
    patterns: Patterns,
    listing: Listing,
    names: usize,
}

impl Look<'_> {
    /// Looks into one folder. Answers the folders in it.
    fn folder(&mut self, place: &Path, folder: &str) -> Result<Vec<String>, ()> {
        let entries = fs::read_dir(place).map_err(|_| ())?;
        let mut inner = Vec::new();
        let before = self.names;
        for entry in entries {
            let Ok(entry) = entry else {
                self.listing.has_closed = true;
                continue;
            };
            self.names += 1;
            // A name that is no text cannot be kept, so it is not read.
            let Ok(name) = entry.file_name().into_string() else { continue };
            // Of the entry itself, not of what a link leads to.
            let Ok(kind) = entry.file_type() else { continue };
            let path = if folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
            if is_hidden(&name) || path.len() > FOLDER_PATH_BYTES_MAX {
                continue;
            }
            if kind.is_dir() && self.patterns.keeps_folder(&path) {
                inner.push(path);
            } else if kind.is_file() {
                self.file(&entry, path);
            }
        }
        if folder.is_empty() {
            self.listing.is_empty = self.names == before;
        }
        self.listing.folders.push(folder.to_owned());
        Ok(inner)
    }

    fn file(&mut self, entry: &fs::DirEntry, path: String) {
        if FileKind::of(&path).is_none() || !self.patterns.keeps_file(&path) {
            return;
        }
        // It may be gone already; then it is not there.
        let Ok(metadata) = entry.metadata() else { return };
        if metadata.len() > self.ask.bytes_max {
            self.listing.skipped += 1;
            return;
        }
        if self.listing.files.len() == self.ask.files_max {
            self.listing.has_more = true;
            self.listing.skipped += 1;
            return;
        }
        let modified_ms = modified_ms(&metadata);
        self.listing.files.push(ListedFile { path, bytes: metadata.len(), modified_ms });
    }
}

/// What a vault leaves out; `None` when the folder is none.
fn vault(root: &Path) -> Option<Vec<String>> {
    let settings = root.join(".obsidian");
    if !fs::symlink_metadata(&settings).is_ok_and(|settings| settings.is_dir()) {
        return None;
    }
    let file = super::opening::open(root, ".obsidian/app.json")
        .and_then(|file| super::checked(file, VAULT_SETTINGS_BYTES_MAX));
    let text = file.and_then(|(file, _)| super::plain(file)).map(|(text, _)| text);
    Some(text.map(|text| vault_ignores(&text)).unwrap_or_default())
}

#[cfg(unix)]
fn device(root: &Path) -> Option<u64> {
    use std::os::unix::fs::MetadataExt;
    fs::metadata(root).ok().map(|metadata| metadata.dev())
}

#[cfg(not(unix))]
fn device(_: &Path) -> Option<u64> {
    None
}
