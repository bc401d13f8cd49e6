//! Folders as clients see them, counted from their rows.

use super::notes::FolderNotes;
use protocol::Error;
use protocol::folders::{Folder, FolderKind, FolderList, FolderStatus};
use rules::folders::Unfinished;
use std::collections::BTreeMap;
use storage::records::{EmbedJob, FolderFileRecord, FolderFileState, FolderRecord, SearchedKind, folder_of_piece};
use tokio::task::spawn_blocking;

impl FolderNotes {
    /// `GET /api/folders`, in the order they were added.
    ///
    /// # Errors
    /// The store cannot be read.
    pub async fn list(&self) -> Result<FolderList, Error> {
        let notes = self.clone();
        let state = self.embeddings.state();
        let counted = spawn_blocking(move || notes.counted());
        let folders =
            counted.await.map_err(|cause| Error::internal(format!("folders were not counted: {cause}")))??;
        Ok(FolderList { folders, searching_by_meaning: state.searching_by_meaning, embedding_error: state.error })
    }

    /// One of them.
    ///
    /// # Errors
    /// There is none of this id, or the store cannot be read.
    pub async fn shown(&self, id: &str) -> Result<Folder, Error> {
        let found = self.list().await?.folders.into_iter().find(|folder| folder.id == id);
        found.ok_or_else(super::unknown)
    }

    fn counted(&self) -> Result<Vec<Folder>, Error> {
        let known = self.known.borrow().clone();
        let snapshot = self.store.snapshot()?;
        // Pieces that have no vectors yet, by the number of their folder.
        let mut lacking: BTreeMap<u64, u64> = BTreeMap::new();
        for job in snapshot.prefix::<EmbedJob>(&SearchedKind::NotePiece)? {
            *lacking.entry(folder_of_piece(job?.id)).or_default() += 1;
        }
        let by_meaning = self.embeddings.state().searching_by_meaning;
        let mut folders = Vec::new();
        for record in known.folders {
            let scanning = known.scanning.as_ref().filter(|(id, _)| *id == record.id);
            let mut folder = bare(&record);
            if let Some((_, progress)) = scanning {
                folder.status = FolderStatus::Scanning;
                folder.progress = *progress;
            }
            for file in snapshot.prefix::<FolderFileRecord>(&record.id)? {
                let file = file?;
                match file.state {
                    FolderFileState::Read | FolderFileState::ReadInPart => folder.files += 1,
                    FolderFileState::NotOpened | FolderFileState::Unreadable => folder.unreadable += 1,
                }
                folder.chunks += u64::from(file.pieces);
                folder.clippings += u64::from(file.is_clipping);
                if file.state == FolderFileState::ReadInPart && folder.error.is_none() {
                    folder.error = Some(Unfinished::TooLong.sentence(0));
                }
            }
            let lacking = lacking.get(&record.number).copied().unwrap_or_default();
            folder.embedded = if by_meaning { folder.chunks.saturating_sub(lacking) } else { 0 };
            folders.push(folder);
        }
        folders.sort_by(|one, other| (one.added_at, &one.id).cmp(&(other.added_at, &other.id)));
        Ok(folders)
    }
}

/// What the folder's own row says.
fn bare(record: &FolderRecord) -> Folder {
    let record = record.clone();
    Folder {
        kind: if record.is_vault { FolderKind::Obsidian } else { FolderKind::Folder },
        status: match (record.is_missing, record.needs_scan) {
            (true, _) => FolderStatus::Missing,
            (_, true) => FolderStatus::Waiting,
            _ => FolderStatus::Ready,
        },
        id: record.id,
        path: record.path,
        name: record.name,
        ignore: record.ignore,
        scope: record.scope,
        added_at: record.added_at,
        last_scan_at: record.last_scan_at,
        last_scan_ms: record.last_scan_ms,
        skipped: record.skipped,
        error: record.error,
        ..Folder::default()
    }
}
