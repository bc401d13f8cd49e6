//! What happens by itself: a look through every folder after the start and every so often, and removed folders that a
//! crash kept from being forgotten.

use super::Folders;
use super::remove::ForgetSome;
use protocol::{Error, Request, Timestamp};
use runtime::{Address, Ctx, Handles, Outside};
use storage::records::FolderRecord;
use tokio::time::{Duration, sleep};

/// How often it is looked whether a folder is due. Ours.
const EVERY: Duration = Duration::from_secs(60);
const ANSWER_WAIT: Duration = Duration::from_secs(30);
const MINUTE_MS: i64 = 60_000;

/// Looks which folders are due.
pub(super) struct Tick {
    /// All of them are: the program has started, or what is read has changed.
    pub(super) all: bool,
}

impl Request for Tick {
    type Reply = ();
    const NAME: &'static str = "folders.tick";
}

pub(super) fn begin(ctx: &Ctx<Folders>, role: &Folders) {
    let removed: Vec<String> =
        role.folders.values().filter(|folder| folder.is_removed).map(|folder| folder.id.clone()).collect();
    if !removed.is_empty() {
        let me = ctx.me.clone();
        ctx.scope.spawn_dropped("removed folders", async move {
            for id in removed {
                forget_all(&me, &id).await;
            }
        });
    }
    if !role.needs.background {
        return;
    }
    let (me, mut config, mut stop) = (ctx.me.clone(), role.needs.config.clone(), role.needs.stop.follow());
    // Not a job of the role's scope: a stop ends scans, and they are taken up again afterwards.
    ctx.scope.spawn_dropped("folder upkeep", async move {
        tick(&me, true).await;
        let mut read = reads(&config.borrow_and_update().folders);
        loop {
            let all = tokio::select! {
                biased;
                changed = config.changed() => {
                    let now = reads(&config.borrow_and_update().folders);
                    let all = changed.is_ok() && now != read;
                    read = now;
                    if changed.is_err() {
                        return;
                    }
                    all
                }
                changed = stop.changed() => {
                    if changed.is_err() {
                        return;
                    }
                    false
                }
                () = sleep(EVERY) => false,
            };
            tick(&me, all).await;
        }
    });
}

/// The settings that decide what is read and how it is cut.
fn reads(settings: &protocol::config::Folders) -> impl PartialEq + use<> {
    let protocol::config::Folders { max_file_mb, max_files, ignore, chunk_chars, watch, .. } = settings.clone();
    (max_file_mb, max_files, ignore, chunk_chars, watch)
}

async fn tick(role: &Address<Folders>, all: bool) {
    if let Err(error) = role.tell(&Outside::within(ANSWER_WAIT), Tick { all }).await {
        tracing::debug!(%error, "nobody looks which folders are due");
    }
}

/// Forgets all of a removed folder.
pub(super) async fn forget_all(role: &Address<Folders>, id: &str) {
    loop {
        match role.ask(&Outside::within(ANSWER_WAIT), ForgetSome { id: id.to_owned() }).await {
            Ok(false) => (),
            Ok(true) => return,
            Err(error) => {
                tracing::warn!(%error, "the rest of a removed folder is forgotten at the next start");
                return;
            }
        }
    }
}

impl Handles<Tick> for Folders {
    async fn handle(&mut self, tick: Tick, ctx: &Ctx<Self>) -> Result<(), Error> {
        let every_ms = i64::from(self.config().folders.rescan_minutes) * MINUTE_MS;
        let due: Vec<String> = self
            .there()
            .filter(|folder| tick.all || is_due(folder, every_ms, ctx.now()))
            .map(|folder| folder.id.clone())
            .collect();
        for id in due {
            let is_running = self.running.as_ref().is_some_and(|running| running.id == id);
            if !is_running {
                self.wait_for(&id);
            }
        }
        self.scan_next(ctx);
        Ok(())
    }
}

fn is_due(folder: &FolderRecord, every_ms: i64, now: Timestamp) -> bool {
    let since = folder.last_scan_at.map(|at| now.as_millis() - at.as_millis());
    // A clock that was put back makes nothing wait longer.
    folder.needs_scan || folder.is_missing || since.is_none_or(|since| since >= every_ms || since < 0)
}
