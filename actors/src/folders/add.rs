//! Adds a folder: checked against what is there, stored, and looked through as soon as can be.

use super::{FOLDERS_MAX, Folders, news};
use crate::ports::FoundFolder;
use protocol::memory::SCOPE_ALWAYS;
use protocol::{Error, ErrorKind, Request};
use rules::folders::{IGNORE_CHARS_MAX, IGNORE_MAX, Places, check_new};
use runtime::{Ctx, Handles};
use storage::Batch;
use storage::records::{FOLDER_NUMBER_MAX, FolderRecord};

/// Adds a folder.
pub(crate) struct Add {
    /// What was asked for.
    pub(crate) typed: String,
    /// Where that leads.
    pub(crate) found: Option<FoundFolder>,
    pub(crate) ignore: Vec<String>,
    pub(crate) scope: String,
}

impl Request for Add {
    type Reply = String;
    const NAME: &'static str = "folders.add";
}

impl Handles<Add> for Folders {
    async fn handle(&mut self, add: Add, ctx: &Ctx<Self>) -> Result<String, Error> {
        let ignore = ignored(add.ignore)?;
        let scope = scope_of(&add.scope)?;
        let places = self.needs.files.places();
        let added: Vec<&str> = self.there().map(|folder| folder.path.as_str()).collect();
        let known = Places {
            home: places.home.as_deref(),
            data: &places.data,
            added: &added,
            is_windows: places.is_windows,
            ignores_case: places.ignores_case,
        };
        let found = add.found.as_ref().map(|found| found.path.as_str());
        let path =
            check_new(&add.typed, found, &known).map_err(|refused| Error::invalid(refused.sentence()))?.to_owned();
        if added.len() >= FOLDERS_MAX {
            return Err(Error::new(
                ErrorKind::Conflict,
                format!("At most {FOLDERS_MAX} folders can be added. Remove one first."),
            ));
        }
        let mut batch = Batch::new();
        let number = self.next_number(&mut batch)?;
        if number > FOLDER_NUMBER_MAX {
            return Err(Error::internal("there are no numbers left for folders"));
        }
        let folder = FolderRecord {
            id: ctx.world.id(),
            number,
            name: name_of(&path),
            path,
            is_vault: add.found.is_some_and(|found| found.is_vault),
            ignore,
            scope,
            added_at: ctx.now(),
            needs_scan: true,
            is_missing: false,
            is_removed: false,
            device: None,
            last_scan_at: None,
            last_scan_ms: None,
            skipped: 0,
            error: None,
            next_piece: 0,
        };
        batch.put(&folder).event(news(&folder.id, false, ctx.now()));
        self.needs.store.commit(batch).await?;
        let id = folder.id.clone();
        self.folders.insert(id.clone(), folder);
        self.wait_for(&id);
        self.publish();
        self.scan_next(ctx);
        Ok(id)
    }
}

impl Folders {
    /// Those that are not being forgotten.
    pub(super) fn there(&self) -> impl Iterator<Item = &FolderRecord> {
        self.folders.values().filter(|folder| !folder.is_removed)
    }
}

/// What a folder is called: the last part of its path.
fn name_of(path: &str) -> String {
    let last = path.rsplit(['/', '\\']).find(|part| !part.is_empty());
    last.unwrap_or(path).to_owned()
}

/// Patterns as they are kept.
///
/// # Errors
/// Too many, or one that is too long.
pub(super) fn ignored(patterns: Vec<String>) -> Result<Vec<String>, Error> {
    let mut kept: Vec<String> = Vec::new();
    for pattern in patterns {
        let pattern = pattern.trim().to_owned();
        if pattern.chars().count() > IGNORE_CHARS_MAX || pattern.chars().any(char::is_control) {
            return Err(Error::invalid(format!("A pattern has at most {IGNORE_CHARS_MAX} characters, on one line.")));
        }
        if !pattern.is_empty() && !kept.contains(&pattern) {
            kept.push(pattern);
        }
    }
    if kept.len() > IGNORE_MAX {
        return Err(Error::invalid(format!("A folder has at most {IGNORE_MAX} patterns. Use broader ones.")));
    }
    Ok(kept)
}

/// A folder's scope; an empty one is for every chat.
///
/// # Errors
/// What is no scope.
pub(super) fn scope_of(scope: &str) -> Result<String, Error> {
    if scope.trim().is_empty() {
        return Ok(SCOPE_ALWAYS.to_owned());
    }
    rules::memory::scope::parse(scope).map_err(|error| Error::invalid(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_patterns_and_scopes() {
        for (path, want) in [("/home/maya/Notes", "Notes"), (r"D:\My vault", "My vault"), ("/x/", "x"), ("/", "/")] {
            assert_eq!(name_of(path), want, "{path}");
        }
        let many: Vec<String> = (0..=IGNORE_MAX).map(|number| number.to_string()).collect();
        assert!(ignored(many).is_err() && ignored(vec!["x".repeat(IGNORE_CHARS_MAX + 1)]).is_err());
        assert_eq!(ignored(vec![" a/ ".into(), "a/".into(), "  ".into()]).unwrap(), ["a/"]);
        for (scope, want) in [("", "always"), (" ", "always"), ("Work", "work"), ("Kitchen", "Kitchen")] {
            assert_eq!(scope_of(scope).unwrap(), want, "{scope}");
        }
        assert!(scope_of(&"x".repeat(200)).is_err());
    }
}
