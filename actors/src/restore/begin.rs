//! The rows around bringing something back: that it has begun is stored before the app is asked.

use super::{BeginRestore, EndRestore, Restores};
use protocol::{Error, ErrorKind};
use runtime::{Ctx, Handles};
use storage::Batch;
use storage::records::{EffectRecord, EffectState, RestoreRecord};

impl Handles<BeginRestore> for Restores {
    async fn handle(&mut self, BeginRestore { call_id }: BeginRestore, ctx: &Ctx<Self>) -> Result<EffectRecord, Error> {
        let snapshot = self.store.snapshot()?;
        let effect = snapshot.get::<EffectRecord>(&call_id)?.filter(|effect| effect.state == EffectState::Done);
        let effect = effect.ok_or_else(|| conflict("There is nothing to restore here."))?;
        if self.busy.contains(&call_id) {
            return Err(conflict("This is being put back right now."));
        }
        if snapshot.get::<RestoreRecord>(&call_id)?.is_some_and(|restore| restore.done) {
            return Err(conflict("This was put back already."));
        }
        self.put(RestoreRecord { call_id: call_id.clone(), at: ctx.now(), done: false }).await?;
        self.busy.insert(call_id);
        Ok(effect)
    }
}

impl Handles<EndRestore> for Restores {
    async fn handle(&mut self, EndRestore { call_id, done }: EndRestore, ctx: &Ctx<Self>) -> Result<(), Error> {
        self.busy.remove(&call_id);
        self.put(RestoreRecord { call_id, at: ctx.now(), done }).await
    }
}

impl Restores {
    async fn put(&self, record: RestoreRecord) -> Result<(), Error> {
        let mut batch = Batch::new();
        batch.put(&record);
        Ok(self.store.commit(batch).await.map(drop)?)
    }
}

pub(super) fn conflict(message: &str) -> Error {
    Error::new(ErrorKind::Conflict, message)
}
