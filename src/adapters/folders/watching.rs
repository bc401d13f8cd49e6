//! Hears of changes in a folder through the system (`notify`). Only folders that are looked into are watched, one by one,
//! so that a hidden one with thousands of folders in it takes no place; where the system watches whole trees cheaply, the
//! tree is watched.

use actors::ports::{ChangeHeard, FolderWatch, NotWatched};
use notify::{Config, ErrorKind, Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use rules::folders::is_hidden_path;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Whether the system watches a tree as a whole.
const WATCHES_TREES: bool = cfg!(any(windows, target_os = "macos"));

struct Watch {
    root: PathBuf,
    inner: Mutex<Inner>,
}

struct Inner {
    watcher: RecommendedWatcher,
    folders: BTreeSet<String>,
}

/// Begins to watch `root`.
///
/// # Errors
/// The system gives no watch.
pub(super) fn watch(root: PathBuf, heard: ChangeHeard) -> Result<Box<dyn FolderWatch>, NotWatched> {
    let top = root.clone();
    let hears = move |event: Result<Event, notify::Error>| match event {
        Ok(event) if counts(&event, &top) => heard(),
        Ok(_) => (),
        // What was missed may have been a change.
        Err(cause) => {
            tracing::debug!(%cause, "a watch on a folder missed something");
            heard();
        }
    };
    let config = Config::default().with_follow_symlinks(false);
    let watcher = RecommendedWatcher::new(hears, config).map_err(|cause| refused(&cause))?;
    let watch = Watch { root, inner: Mutex::new(Inner { watcher, folders: BTreeSet::new() }) };
    watch.follow(&[String::new()])?;
    Ok(Box::new(watch))
}

impl FolderWatch for Watch {
    fn follow(&self, folders: &[String]) -> Result<(), NotWatched> {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        if WATCHES_TREES {
            if inner.folders.insert(String::new()) {
                return inner.watcher.watch(&self.root, RecursiveMode::Recursive).map_err(|cause| refused(&cause));
            }
            return Ok(());
        }
        let wanted: BTreeSet<String> = folders.iter().cloned().collect();
        let gone: Vec<String> = inner.folders.difference(&wanted).cloned().collect();
        for folder in gone {
            if let Err(cause) = inner.watcher.unwatch(&self.root.join(&folder)) {
                tracing::debug!(%cause, "a folder was gone before its watch");
            }
            inner.folders.remove(&folder);
        }
        for folder in wanted {
            // A folder that is gone and came back has lost its watch, so all are asked for again: that costs nothing.
            match inner.watcher.watch(&self.root.join(&folder), RecursiveMode::NonRecursive) {
                Ok(()) => drop(inner.folders.insert(folder)),
                // It went away meanwhile: a change above it was heard.
                Err(cause) if matches!(cause.kind, ErrorKind::PathNotFound) => (),
                Err(cause) if is_not_found(&cause) => (),
                Err(cause) => return Err(refused(&cause)),
            }
        }
        Ok(())
    }
}

fn is_not_found(cause: &notify::Error) -> bool {
    matches!(&cause.kind, ErrorKind::Io(inner) if inner.kind() == std::io::ErrorKind::NotFound)
}

/// Whether something changed that is looked at. Reading a file, as a scan does, is no change.
fn counts(event: &Event, root: &Path) -> bool {
    let is_hidden = |path: &PathBuf| {
        let inner = path.strip_prefix(root).ok().and_then(Path::to_str);
        inner.is_some_and(|inner| is_hidden_path(&inner.replace('\\', "/")))
    };
    !matches!(event.kind, EventKind::Access(_)) && (event.paths.is_empty() || !event.paths.iter().all(is_hidden))
}

fn refused(cause: &notify::Error) -> NotWatched {
    let full = match &cause.kind {
        ErrorKind::MaxFilesWatch => true,
        // ENOSPC and EMFILE of `inotify_init(2)`.
        ErrorKind::Io(inner) => matches!(inner.raw_os_error(), Some(24 | 28)),
        _ => false,
    };
    tracing::debug!(%cause, "a folder is not watched");
    NotWatched(match full {
        true => "The system has no more watches for folders, so changes are found at the next regular look.".to_owned(),
        false => {
            "The system does not tell of changes in this folder, so they are found at the next regular look.".to_owned()
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use notify::event::{AccessKind, CreateKind, ModifyKind};

    #[test]
    fn what_counts_as_a_change() {
        let event =
            |kind, paths: &[&str]| Event { kind, paths: paths.iter().map(PathBuf::from).collect(), ..Event::default() };
        let changed = EventKind::Modify(ModifyKind::Any);
        for (name, event, want) in [
            ("a note", event(changed, &["/n/a.md"]), true),
            ("a new folder", event(EventKind::Create(CreateKind::Folder), &["/n/x"]), true),
            ("Obsidian's own files", event(changed, &["/n/.obsidian/workspace.json"]), false),
            ("hidden and not", event(changed, &["/n/.a", "/n/a"]), true),
            ("reading", event(EventKind::Access(AccessKind::Any), &["/n/a.md"]), false),
            ("an overflow", event(EventKind::Other, &[]), true),
            ("a hidden folder above the root", event(changed, &["/n/a"]), true),
        ] {
            assert_eq!(counts(&event, Path::new("/n")), want, "{name}");
        }
        assert!(counts(&event(changed, &["/.x/n/a.md"]), Path::new("/.x/n")));
    }

    #[test]
    fn a_system_without_watches_is_said_plainly() {
        for cause in
            [notify::Error::new(ErrorKind::MaxFilesWatch), notify::Error::io(std::io::Error::from_raw_os_error(28))]
        {
            assert!(refused(&cause).0.starts_with("The system has no more watches"));
        }
        assert!(refused(&notify::Error::generic("x")).0.contains("next regular look"));
    }
}
