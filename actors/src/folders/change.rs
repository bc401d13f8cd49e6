//! Changes what is left out of a folder, or which chats use it.

use super::Folders;
use super::add::{ignored, scope_of};
use protocol::folders::FolderPatch;
use protocol::{Error, Request};
use runtime::{Ctx, Handles};
use storage::records::FolderRecord;

/// Changes a folder.
pub(crate) struct Change {
    pub(crate) id: String,
    pub(crate) patch: FolderPatch,
}

impl Request for Change {
    type Reply = ();
    const NAME: &'static str = "folders.change";
}

impl Handles<Change> for Folders {
    async fn handle(&mut self, change: Change, ctx: &Ctx<Self>) -> Result<(), Error> {
        let Change { id, patch } = change;
        let old = self.folder(&id)?.clone();
        let mut folder = old.clone();
        if let Some(ignore) = patch.ignore {
            folder.ignore = ignored(ignore)?;
        }
        if let Some(scope) = patch.scope {
            folder.scope = scope_of(&scope)?;
        }
        let looks_again = folder.ignore != old.ignore;
        if folder == old {
            return Ok(());
        }
        self.put(FolderRecord { needs_scan: old.needs_scan || looks_again, ..folder }, ctx.now()).await?;
        if looks_again {
            self.look_again(&id, ctx);
        }
        Ok(())
    }
}

impl Folders {
    /// A folder is to be looked through with what holds now; a scan that goes on with what held before ends.
    pub(super) fn look_again(&mut self, id: &str, ctx: &Ctx<Self>) {
        match self.running.as_mut().filter(|running| running.id == id) {
            Some(running) => {
                running.again = true;
                running.cancel.cancel();
            }
            None => {
                self.wait_for(id);
                self.scan_next(ctx);
            }
        }
    }
}
