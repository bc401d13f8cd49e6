//! Folders as surfaces see them.

use super::add::Add;
use super::change::Change;
use super::remove::Remove;
use super::rescan::Rescan;
use super::search::FindAsk;
use super::upkeep::forget_all;
use crate::Engine;
use crate::small::asking;
use protocol::Error;
use protocol::folders::{Folder, FolderAnswer, FolderList, FolderPatch, FolderQuery, NewFolder};
use protocol::memory::ForgetCounts;
use tokio::time::{Duration, timeout};

/// How long a path may take to be looked at. Ours: a drive of another computer may not answer at all.
const LOOK_MAX: Duration = Duration::from_secs(10);

impl Engine {
    /// `GET /api/folders`.
    ///
    /// # Errors
    /// A store that cannot be read.
    pub async fn folders(&self) -> Result<FolderList, Error> {
        self.notes.list().await
    }

    /// Adds a folder; a look through it begins.
    ///
    /// # Errors
    /// `Invalid` with the reason why it is not added.
    pub async fn add_folder(&self, new: NewFolder) -> Result<Folder, Error> {
        let NewFolder { path, ignore, scope } = new;
        let found = timeout(LOOK_MAX, self.notes.files.found(path.clone())).await.unwrap_or_default();
        let add = Add { typed: path, found, ignore, scope: scope.unwrap_or_default() };
        let id = self.folders.ask(&asking(), add).await?;
        self.notes.shown(&id).await
    }

    /// Changes what is left out of a folder, or which chats use it.
    ///
    /// # Errors
    /// `NotFound` for one that is not there, `Invalid` for patterns or a scope that are none.
    pub async fn change_folder(&self, id: String, patch: FolderPatch) -> Result<Folder, Error> {
        self.folders.ask(&asking(), Change { id: id.clone(), patch }).await?;
        self.notes.shown(&id).await
    }

    /// Removes a folder and forgets all that is known of what is in it; with `learned` the memories from its notes too,
    /// and what that deleted is counted. The folder itself is not touched.
    ///
    /// # Errors
    /// `NotFound` for one that is not there; memories that cannot be forgotten: then the folder stays.
    pub async fn remove_folder(&self, id: String, learned: bool) -> Result<Option<ForgetCounts>, Error> {
        // The memories first: were they last and could not be forgotten, there would be no folder left to ask it of.
        self.notes.shown(&id).await?;
        let forgotten = if learned { Some(self.forget_learned(format!("folder:{id}")).await?) } else { None };
        self.folders.ask(&asking(), Remove { id: id.clone() }).await?;
        forget_all(&self.folders, &id).await;
        Ok(forgotten)
    }

    /// Looks through a folder as soon as can be.
    ///
    /// # Errors
    /// `NotFound` for one that is not there.
    pub async fn rescan_folder(&self, id: String) -> Result<(), Error> {
        self.folders.ask(&asking(), Rescan { id }).await
    }

    /// Searches every folder.
    ///
    /// # Errors
    /// A store that cannot be read.
    pub async fn search_folders(&self, query: FolderQuery) -> Result<FolderAnswer, Error> {
        let FolderQuery { query, folder, limit } = query;
        let ask = FindAsk {
            query,
            folder: folder.unwrap_or_default(),
            limit: limit.unwrap_or_default() as usize,
            scope: None,
            everywhere: true,
        };
        self.notes.find(ask).await
    }
}
