//! A folder whose changes are heard: after a change things settle for a moment, then it is looked through.

use super::rescan::Rescan;
use super::{Folders, FoldersNeeds};
use crate::ports::{ChangeHeard, FolderWatch};
use runtime::{Ctx, Outside};
use std::sync::Arc;
use tokio::sync::Notify;
use tokio::time::{Duration, sleep};
use tokio_util::sync::{CancellationToken, DropGuard};

/// How much longer than a look took the next change is waited for: a folder that changes all the time must not be looked
/// through all the time. Ours.
const REST_FACTOR: u32 = 4;
const REST_MAX: Duration = Duration::from_secs(300);
/// How long the role may take to hear of it.
const TELL_WAIT: Duration = Duration::from_secs(30);

/// One folder's watch.
#[derive(Default)]
pub(super) struct Watched {
    pub(super) watch: Option<Arc<dyn FolderWatch>>,
    changed: Arc<Notify>,
    ends: Option<DropGuard>,
}

impl Watched {
    /// What is called at a change.
    pub(super) fn heard(&self) -> ChangeHeard {
        let changed = self.changed.clone();
        Arc::new(move || changed.notify_one())
    }

    /// Keeps the watch, and waits for changes when that is not done yet.
    pub(super) fn begin(&mut self, watch: Arc<dyn FolderWatch>, id: &str, needs: &FoldersNeeds, ctx: &Ctx<Folders>) {
        self.watch = Some(watch);
        if self.ends.is_some() {
            return;
        }
        let end = CancellationToken::new();
        self.ends = Some(end.clone().drop_guard());
        let (changed, role, id) = (self.changed.clone(), ctx.me.clone(), id.to_owned());
        let (settle, known) = (needs.files.settle(), needs.known.subscribe());
        ctx.scope.spawn_dropped("folder watch", async move {
            let hearing = async {
                loop {
                    changed.notified().await;
                    let took =
                        known.borrow().folders.iter().find(|folder| folder.id == id).and_then(|it| it.last_scan_ms);
                    let rest = Duration::from_millis(took.unwrap_or_default()).saturating_mul(REST_FACTOR);
                    sleep(settle.max(rest.min(REST_MAX))).await;
                    if let Err(error) = role.tell(&Outside::within(TELL_WAIT), Rescan { id: id.clone() }).await {
                        tracing::debug!(%error, "a change in a folder was not heard");
                    }
                }
            };
            tokio::select! {
                biased;
                () = end.cancelled() => (),
                () = hearing => (),
            }
        });
    }
}
