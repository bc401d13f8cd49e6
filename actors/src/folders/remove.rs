//! Removes a folder: at once it is searched no more, and then what is kept of it is forgotten, a bounded many at a time.

use super::forget::{FORGET_PIECES_MAX, pieces_gone};
use super::{Folders, news};
use protocol::{Error, Request};
use runtime::{Ctx, Handles};
use storage::Batch;
use storage::records::{FolderFileRecord, FolderPieceRecord, FolderRecord};

/// Removes a folder.
pub(crate) struct Remove {
    pub(crate) id: String,
}

impl Request for Remove {
    type Reply = ();
    const NAME: &'static str = "folders.remove";
}

/// Forgets some more of a removed folder. Answers whether nothing is left of it.
pub(crate) struct ForgetSome {
    pub(crate) id: String,
}

impl Request for ForgetSome {
    type Reply = bool;
    const NAME: &'static str = "folders.forget_some";
}

impl Handles<Remove> for Folders {
    async fn handle(&mut self, remove: Remove, ctx: &Ctx<Self>) -> Result<(), Error> {
        let folder = FolderRecord { is_removed: true, ..self.folder(&remove.id)?.clone() };
        let mut batch = Batch::new();
        batch.put(&folder).event(news(&folder.id, true, ctx.now()));
        self.needs.store.commit(batch).await?;
        self.watched.remove(&remove.id);
        self.waiting.retain(|id| *id != remove.id);
        if let Some(running) = self.running.as_ref().filter(|running| running.id == remove.id) {
            running.cancel.cancel();
        }
        self.folders.insert(remove.id, folder);
        self.publish();
        Ok(())
    }
}

impl Handles<ForgetSome> for Folders {
    async fn handle(&mut self, some: ForgetSome, _: &Ctx<Self>) -> Result<bool, Error> {
        let Some(folder) = self.folders.get(&some.id).filter(|folder| folder.is_removed) else { return Ok(true) };
        let snapshot = self.needs.store.snapshot()?;
        let mut batch = Batch::new();
        let mut rows = snapshot.range::<FolderPieceRecord>(folder.pieces())?;
        let ids: Vec<u64> =
            rows.by_ref().take(FORGET_PIECES_MAX).map(|row| row.map(|row| row.id)).collect::<Result<_, _>>()?;
        let is_last = ids.len() < FORGET_PIECES_MAX;
        pieces_gone(&mut batch, ids);
        if is_last {
            batch.delete_prefix::<FolderFileRecord>(&some.id).delete::<FolderRecord>(&some.id);
        }
        self.needs.store.commit(batch).await?;
        if is_last {
            self.folders.remove(&some.id);
        }
        Ok(is_last)
    }
}
