//! Stores what a call did to files.

use super::{Keep, Snapshots};
use protocol::Error;
use runtime::{Ctx, Handles};
use storage::Batch;

impl Handles<Keep> for Snapshots {
    async fn handle(&mut self, Keep(record): Keep, _: &Ctx<Self>) -> Result<(), Error> {
        let mut batch = Batch::new();
        batch.put(&*record);
        Ok(self.needs.store.commit(batch).await.map(drop)?)
    }
}
