//! The rows around putting files back: that it has begun is stored before the first file is touched, and that it is done
//! only when every file is back.

use super::{BeginPutBack, EndPutBack, Snapshots};
use protocol::{Error, ErrorKind};
use runtime::{Ctx, Handles};
use storage::Batch;
use storage::file_snapshots::TOO_MANY;
use storage::records::FileSnapshotRecord;

impl Handles<BeginPutBack> for Snapshots {
    async fn handle(
        &mut self,
        BeginPutBack { id }: BeginPutBack,
        ctx: &Ctx<Self>,
    ) -> Result<FileSnapshotRecord, Error> {
        let found = self.needs.store.snapshot()?.get::<FileSnapshotRecord>(&id)?;
        let row = found.ok_or_else(|| conflict("There is nothing to put back here."))?;
        if let Some(why) = why_not(&row, self.busy.contains(&id)) {
            return Err(conflict(why));
        }
        let begun = FileSnapshotRecord { restoring_at: Some(ctx.now()), ..row };
        let mut batch = Batch::new();
        batch.put(&begun);
        self.needs.store.commit(batch).await?;
        self.busy.insert(id);
        Ok(begun)
    }
}

impl Handles<EndPutBack> for Snapshots {
    async fn handle(&mut self, EndPutBack { id, done }: EndPutBack, ctx: &Ctx<Self>) -> Result<(), Error> {
        if let Some(row) = self.needs.store.snapshot()?.get::<FileSnapshotRecord>(&id)? {
            let restored_at = done.then(|| ctx.now());
            let mut batch = Batch::new();
            batch.put(&FileSnapshotRecord { restoring_at: None, restored_at, ..row });
            self.needs.store.commit(batch).await?;
        }
        self.busy.remove(&id);
        Ok(())
    }
}

fn why_not(row: &FileSnapshotRecord, busy: bool) -> Option<&'static str> {
    if busy {
        return Some("This is being put back right now.");
    }
    if row.restored_at.is_some() {
        return Some("This was put back already.");
    }
    if row.too_many {
        return Some(TOO_MANY);
    }
    if row.copies_gone {
        return Some("The copies are gone: they are kept for some days only.");
    }
    row.files.iter().all(|file| file.copy.is_none()).then_some("There is nothing to put back here.")
}

fn conflict(message: &str) -> Error {
    Error::new(ErrorKind::Conflict, message)
}
