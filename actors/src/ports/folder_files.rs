//! Folders the person added, as they are on the disk. Nothing here writes, and nothing follows a link: what is a link, or
//! leads out of its folder by the time it is opened, is not read.

use futures::future::BoxFuture;
use rules::folders::{FileKind, ListedFile};
use std::path::PathBuf;
use std::sync::Arc;
use tokio::time::Duration;
use tokio_util::sync::CancellationToken;

/// Where things are on this computer; see [`rules::folders::Places`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ComputerPlaces {
    pub home: Option<String>,
    pub data: String,
    pub is_windows: bool,
    pub ignores_case: bool,
}

/// A folder that is there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FoundFolder {
    /// The full path, with links followed.
    pub path: String,
    /// It is an Obsidian vault.
    pub is_vault: bool,
}

/// What is looked for in a folder.
#[derive(Clone)]
pub struct ListAsk {
    /// The folder, as [`FolderFiles::found`] answered it.
    pub root: String,
    /// Patterns of the settings and of the folder itself.
    pub ignore: Arc<[String]>,
    /// Files that are listed at most.
    pub files_max: usize,
    /// Bigger ones are left out.
    pub bytes_max: u64,
    pub cancel: CancellationToken,
}

/// What was found in a folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    pub files: Vec<ListedFile>,
    /// The folders that were looked into, the top as an empty text: what a change is waited for in.
    pub folders: Vec<String>,
    /// Files of a kind that is read, left out because they are too big, or more than are listed.
    pub skipped: u64,
    /// A folder could not be opened.
    pub has_closed: bool,
    /// There are more files than are listed.
    pub has_more: bool,
    /// There was nothing in it at all, not even what is left out.
    pub is_empty: bool,
    pub is_vault: bool,
    /// What an Obsidian vault leaves out by its own settings.
    pub vault_ignores: Vec<String>,
    /// The disk it is on, where the system has numbers for that.
    pub device: Option<u64>,
}

/// Why a folder was not listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotListed {
    /// There is no such folder now.
    Missing,
    Cancelled,
}

/// A file's text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileText {
    pub text: String,
    /// There was more than is read of one file.
    pub is_part: bool,
    /// Size and change time of what was read.
    pub bytes: u64,
    pub modified_ms: i64,
    /// It changed while it was read.
    pub is_changing: bool,
}

/// Why a file has no text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoText {
    /// It is gone.
    Gone,
    /// It is a link, leads out of the folder, is no file, or may not be opened.
    NotOpened,
    /// It is bigger than what is read.
    TooBig,
    /// What is in it cannot be read: it is damaged, locked, no text, or made to use this computer up.
    Unreadable,
}

/// Waits for changes below a folder. Dropping it ends that.
pub trait FolderWatch: Send + Sync {
    /// Looks into these folders from now on, and no others.
    ///
    /// # Errors
    /// [`NotWatched`]: changes are found at the next look only.
    fn follow(&self, folders: &[String]) -> Result<(), NotWatched>;
}

/// Why changes are not seen at once, for the person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotWatched(pub String);

/// Hears that something may have changed in a folder. Never blocks.
pub type ChangeHeard = Arc<dyn Fn() + Send + Sync>;

/// Added folders.
pub trait FolderFiles: Send + Sync + 'static {
    fn places(&self) -> ComputerPlaces;

    /// Where a path leads, when it is a folder that is there.
    fn found(&self, path: String) -> BoxFuture<'static, Option<FoundFolder>>;

    /// Every file of a kind that is read, not those that are left out.
    fn list(&self, ask: ListAsk) -> BoxFuture<'static, Result<Listing, NotListed>>;

    /// The text of one file. It is opened without following a link in any part of its path, and within a bounded time.
    fn text(
        &self,
        root: String,
        path: String,
        kind: FileKind,
        bytes_max: u64,
    ) -> BoxFuture<'static, Result<FileText, NoText>>;

    /// Waits for changes of files.
    ///
    /// # Errors
    /// [`NotWatched`].
    fn watch(&self, root: PathBuf, heard: ChangeHeard) -> Result<Box<dyn FolderWatch>, NotWatched>;

    /// How long after a change a folder is looked through: many changes come together.
    fn settle(&self) -> Duration {
        Duration::from_secs(2)
    }
}
