//! What happens by itself: after a start what a crash cut short is made whole, and every six hours old copies go.

use super::keeper::changed;
use super::{About, Prune, ROWS_MAX, Repair, Snapshots, keeper, on_disk};
use protocol::{Error, Request};
use runtime::{Address, Ctx, Handles, Outside};
use std::collections::BTreeSet;
use storage::Batch;
use storage::records::{FileSnapshotRecord, SnapshotSource};
use tokio::time::{Duration, sleep};

/// How often old copies are looked for (contract section 10).
const EVERY: Duration = Duration::from_secs(6 * 3_600);
const DAY_MS: i64 = 24 * 3_600 * 1_000;
const MEGABYTE: u64 = 1024 * 1024;

pub(super) fn begin(ctx: &Ctx<Snapshots>) {
    let me = ctx.me.clone();
    ctx.scope.spawn_dropped("snapshots upkeep", async move {
        tell(&me, Repair).await;
        loop {
            tell(&me, Prune).await;
            sleep(EVERY).await;
        }
    });
}

async fn tell<R: Request<Reply = ()>>(role: &Address<Snapshots>, request: R)
where
    Snapshots: Handles<R>,
{
    if let Err(error) = role.tell(&Outside::within(Duration::from_secs(30)), request).await {
        tracing::debug!(%error, "the keeper of copies did not hear");
    }
}

impl Handles<Repair> for Snapshots {
    async fn handle(&mut self, _: Repair, ctx: &Ctx<Self>) -> Result<(), Error> {
        let rows = self.rows()?;
        let mut batch = Batch::new();
        for row in rows.iter().filter(|row| row.restoring_at.is_some() && !self.busy.contains(&row.id)) {
            let (id, files) = (row.id.clone(), changed(&row.files));
            on_disk(&self.needs.disk, move |disk| {
                disk.sweep_parts(&id, &files);
                Ok(())
            })
            .await?;
            batch.put(&FileSnapshotRecord { restoring_at: None, ..row.clone() });
        }
        let known: BTreeSet<&str> = rows.iter().filter(|row| !row.copies_gone).map(|row| row.id.as_str()).collect();
        for id in on_disk(&self.needs.disk, |disk| disk.list()).await? {
            let is_open = self.needs.open.lock().contains(&id);
            if !known.contains(id.as_str()) && !is_open {
                self.found(id, &mut batch, ctx).await?;
            }
        }
        self.commit(batch).await
    }
}

impl Handles<Prune> for Snapshots {
    async fn handle(&mut self, _: Prune, ctx: &Ctx<Self>) -> Result<(), Error> {
        let settings = self.needs.config.borrow().tools.snapshots.clone();
        let oldest = ctx.now().as_millis() - i64::from(settings.keep_days) * DAY_MS;
        let bytes_max = u64::from(settings.max_kept_mb) * MEGABYTE;
        let (mut bytes, mut batch, mut gone) = (0_u64, Batch::new(), Vec::new());
        for (place, row) in self.rows()?.into_iter().rev().enumerate() {
            if self.busy.contains(&row.id) {
                continue;
            }
            bytes = bytes.saturating_add(if row.copies_gone { 0 } else { row.bytes });
            if !row.copies_gone && (row.at.as_millis() < oldest || bytes > bytes_max || place >= ROWS_MAX) {
                gone.push(row.id.clone());
                batch.put(&FileSnapshotRecord { copies_gone: true, ..row.clone() });
            }
            if place >= ROWS_MAX {
                batch.delete::<FileSnapshotRecord>(&row.id);
            }
        }
        // The rows first: copies without a row are found at the next start, a row without copies never promises any.
        self.commit(batch).await?;
        for id in gone {
            if let Err(error) = on_disk(&self.needs.disk, move |disk| disk.remove(&id)).await {
                tracing::warn!(%error, "old copies of files stay until the next start");
            }
        }
        Ok(())
    }
}

impl Snapshots {
    /// A look that found nothing to do writes nothing.
    async fn commit(&self, batch: Batch) -> Result<(), Error> {
        if batch.is_empty() { Ok(()) } else { Ok(self.needs.store.commit(batch).await.map(drop)?) }
    }

    /// Oldest first.
    fn rows(&self) -> Result<Vec<FileSnapshotRecord>, Error> {
        Ok(self.needs.store.snapshot()?.all::<FileSnapshotRecord>()?.collect::<Result<_, _>>()?)
    }

    /// A folder of copies without a row: the program ended while the call ran. What it had changed by then is written
    /// down; what cannot be read goes.
    async fn found(&self, id: String, batch: &mut Batch, ctx: &Ctx<Self>) -> Result<(), Error> {
        let taken = {
            let id = id.clone();
            on_disk(&self.needs.disk, move |disk| Ok(disk.unsettled(&id))).await?
        };
        let settled = match taken {
            Some(taken) => on_disk(&self.needs.disk, move |disk| disk.settle(&taken)).await.unwrap_or(None),
            None => None,
        };
        let Some(settled) = settled.filter(|settled| !settled.files.is_empty()) else {
            return on_disk(&self.needs.disk, move |disk| disk.remove(&id)).await.or_else(|error| {
                tracing::warn!(%error, "a folder of copies that nobody knows cannot be removed");
                Ok(())
            });
        };
        let about = About {
            source: SnapshotSource::Code,
            what: "Sentient stopped while this ran".into(),
            session_id: None,
            task_id: None,
            call_id: None,
        };
        let bytes = {
            let id = id.clone();
            on_disk(&self.needs.disk, move |disk| Ok(disk.bytes(&id))).await?
        };
        batch.put(&keeper::row(id, about, settled, bytes, ctx.now()));
        Ok(())
    }
}
