//! Putting files back, as surfaces ask for it.

use super::keeper::changed;
use super::{About, BeginPutBack, EndPutBack, Keeper, Repair, on_disk};
use crate::Engine;
use crate::small::asking;
use protocol::{Error, ErrorKind};
use std::path::PathBuf;
use storage::file_snapshots::PutBack;
use storage::records::{FileSnapshotRecord, SnapshotSource};
use tokio::sync::oneshot;

impl Engine {
    /// Makes whole what a crash cut short; every start does it by itself.
    ///
    /// # Errors
    /// The disk.
    pub async fn repair_snapshots(&self) -> Result<(), Error> {
        self.effects.keeper.role.ask(&asking(), Repair).await
    }

    /// Puts the copies of one snapshot back where they were, after copying what they replace. Answers how many files.
    /// It goes on to its end whoever stops listening.
    ///
    /// # Errors
    /// `Conflict` with the reason: nothing to put back, done already, or a file that could not be written.
    pub async fn put_files_back(&self, id: String) -> Result<usize, Error> {
        let (keeper, (answer, answered)) = (self.effects.keeper.clone(), oneshot::channel());
        self.effects.keeper.scope.spawn("files are put back", async move {
            let done = put_back(&keeper, id).await;
            if answer.send(done).is_err() {
                tracing::debug!("nobody waits any more for files that were put back");
            }
        });
        answered.await.map_err(|_| Error::new(ErrorKind::Unavailable, "The engine is ending."))?
    }
}

async fn put_back(keeper: &Keeper, id: String) -> Result<usize, Error> {
    let row = keeper.role.ask(&asking(), BeginPutBack { id: id.clone() }).await?;
    let done = replace(keeper, &row).await;
    let whole = done.as_ref().is_ok_and(|done| done.failed.is_empty());
    keeper.role.ask(&asking(), EndPutBack { id, done: whole }).await?;
    let PutBack { restored, failed } = done?;
    match failed.first() {
        None => Ok(restored),
        Some((path, why)) => {
            let message = format!("{path} could not be put back: {why}.");
            Err(Error::new(ErrorKind::Conflict, message).hint("Nothing is half written. Try again."))
        }
    }
}

async fn replace(keeper: &Keeper, row: &FileSnapshotRecord) -> Result<PutBack, Error> {
    let places = row.files.iter().filter(|file| file.copy.is_some()).map(|file| PathBuf::from(&file.path));
    let about = About {
        source: SnapshotSource::PutBack,
        what: row.what.clone(),
        session_id: row.session_id.clone(),
        task_id: row.task_id.clone(),
        call_id: None,
    };
    let kept = keeper.guard(about, places.collect()).await;
    let (id, files) = (row.id.clone(), changed(&row.files));
    let done = on_disk(&keeper.disk, move |disk| Ok(disk.put_back(&id, &files))).await;
    kept.settle().await;
    done
}
