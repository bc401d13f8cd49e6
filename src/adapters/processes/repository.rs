//! Finds the repository git would work in from a folder, and reads what of it could start programs
//! (gitrepository-layout(5)). It reads files and nothing else: git itself is not asked, since it would already do as the
//! settings say.

use rules::commands::Repository;
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

/// Bytes of one file of settings.
const SETTINGS_BYTES_MAX: u64 = 1024 * 1024;
/// Bytes of an index that are looked through.
const INDEX_BYTES_MAX: u64 = 64 * 1024 * 1024;
/// Bytes of a file that only names another place.
const NAME_BYTES_MAX: u64 = 4_096;
/// Names in a repository's folder that are looked at for parts of a shared index.
const NAMES_MAX: usize = 4_096;
/// The mode of an entry that is another repository (`160000`), as an index holds it (gitformat-index(5)).
const LINK_MODE: [u8; 4] = [0, 0, 0xE0, 0];

/// What git would find from this folder upwards: the first whole repository, with all that only looks like one below it,
/// since git may be less particular than this.
pub(super) fn found(folder: &Path) -> Option<Repository> {
    let mut repository = None;
    for level in folder.ancestors() {
        for place in [level.join(".git"), level.to_owned()] {
            let Some(place) = repository_at(&place) else { continue };
            let found = repository.get_or_insert_with(Repository::default);
            read(&place, found);
            if is_whole(&place) {
                return repository;
            }
        }
    }
    repository
}

/// The folder a repository is kept in, when there could be one here. A `.git` may be a file that names it.
fn repository_at(place: &Path) -> Option<PathBuf> {
    if place.is_file() {
        let text = bytes_of(place, NAME_BYTES_MAX).ok()??;
        let named = String::from_utf8_lossy(&text).trim_end_matches(['\n', '\r']).strip_prefix("gitdir: ")?.to_owned();
        return Some(place.parent()?.join(named));
    }
    place.join("HEAD").symlink_metadata().is_ok().then(|| place.to_owned())
}

/// Whether git takes it for a repository for certain.
fn is_whole(place: &Path) -> bool {
    let common = common(place);
    place.join("HEAD").is_file() && common.join("objects").is_dir() && common.join("refs").is_dir()
}

/// Where a linked working tree shares the settings with others.
fn common(place: &Path) -> PathBuf {
    match bytes_of(&place.join("commondir"), NAME_BYTES_MAX) {
        Ok(Some(text)) => place.join(String::from_utf8_lossy(&text).trim_end_matches(['\n', '\r'])),
        Ok(None) | Err(_) => place.to_owned(),
    }
}

fn read(place: &Path, repository: &mut Repository) {
    let common = common(place);
    for file in [common.join("config"), common.join("config.worktree"), place.join("config.worktree")] {
        match bytes_of(&file, SETTINGS_BYTES_MAX) {
            Ok(Some(text)) => repository.settings.push(text),
            Ok(None) => (),
            Err(_) => repository.is_unreadable = true,
        }
    }
    for index in indexes(place) {
        match bytes_of(&index, INDEX_BYTES_MAX) {
            // Anywhere in it: chance makes this number out of others once in a very long time, and then it asks.
            Ok(Some(index)) => repository.holds_others |= index.windows(LINK_MODE.len()).any(|mode| mode == LINK_MODE),
            Ok(None) => (),
            Err(_) => repository.is_unreadable = true,
        }
    }
}

/// The index and what it shares with others.
fn indexes(place: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(place).into_iter().flatten().take(NAMES_MAX).flatten();
    let shared = entries.filter(|entry| entry.file_name().to_string_lossy().starts_with("sharedindex."));
    shared.map(|entry| entry.path()).chain([place.join("index")]).collect()
}

/// The whole of a file; `None` when there is none.
fn bytes_of(path: &Path, bytes_max: u64) -> std::io::Result<Option<Vec<u8>>> {
    match path.metadata() {
        Err(cause) if cause.kind() == ErrorKind::NotFound => return Ok(None),
        Err(cause) => return Err(cause),
        Ok(file) if !file.is_file() => return Err(ErrorKind::InvalidData.into()), // a pipe would be waited for
        Ok(_) => (),
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(bytes_max + 1).read_to_end(&mut bytes)?;
    if u64::try_from(bytes.len()).unwrap_or(u64::MAX) > bytes_max {
        return Err(ErrorKind::FileTooLarge.into());
    }
    Ok(Some(bytes))
}
