//! Asks for a look through a folder, because the person did or because something changed in it.

use super::Folders;
use protocol::{Error, Request};
use runtime::{Ctx, Handles};
use storage::records::FolderRecord;

/// Looks through a folder as soon as can be.
pub(crate) struct Rescan {
    pub(crate) id: String,
}

impl Request for Rescan {
    type Reply = ();
    const NAME: &'static str = "folders.rescan";
}

impl Handles<Rescan> for Folders {
    async fn handle(&mut self, rescan: Rescan, ctx: &Ctx<Self>) -> Result<(), Error> {
        let folder = self.folder(&rescan.id)?.clone();
        if let Some(running) = self.running.as_mut().filter(|running| running.id == rescan.id) {
            running.again = true;
            return Ok(());
        }
        if !folder.needs_scan {
            self.put(FolderRecord { needs_scan: true, ..folder }, ctx.now()).await?;
        }
        self.wait_for(&rescan.id);
        self.scan_next(ctx);
        Ok(())
    }
}
