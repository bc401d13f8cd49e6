//! Lets go what has run out. The gate does not wait for it: it looks at the clock itself.

use super::Grants;
use protocol::ids::GrantId;
use protocol::{Error, Request};
use runtime::{Ctx, Handles, Outside};
use tokio::time::{Duration, sleep};

/// How long a wake-up waits for a busy role.
const PATIENCE: Duration = Duration::from_secs(30);

/// Something may have run out.
struct Expire;

impl Request for Expire {
    type Reply = ();
    const NAME: &'static str = "grants.expire";
}

impl Handles<Expire> for Grants {
    async fn handle(&mut self, Expire: Expire, ctx: &Ctx<Self>) -> Result<(), Error> {
        self.wakes_at = None;
        let (list, now) = (self.list(), ctx.now());
        let over = list.iter().filter(|grant| grant.expires_at.is_some_and(|end| end <= now));
        let gone: Vec<GrantId> = over.map(|grant| grant.id.clone()).collect();
        if gone.is_empty() {
            self.wake_up(ctx); // the wall clock was put back meanwhile
            return Ok(());
        }
        self.settle(None, &gone, ctx).await
    }
}

impl Grants {
    /// Wakes up when the next grant runs out, unless it will wake up before that anyway.
    pub(super) fn wake_up(&mut self, ctx: &Ctx<Self>) {
        let Some(next) = self.list().iter().filter_map(|grant| grant.expires_at).min() else { return };
        if self.wakes_at.is_some_and(|at| at <= next) {
            return;
        }
        self.wakes_at = Some(next);
        let wait = Duration::from_millis(u64::try_from(next.0.saturating_sub(ctx.now().0)).unwrap_or(0));
        let me = ctx.me.clone();
        ctx.scope.spawn_dropped("a grant runs out", async move {
            sleep(wait).await;
            if let Err(error) = me.tell(&Outside::within(PATIENCE), Expire).await {
                tracing::debug!(%error, "a grant that ran out stays in the list for now");
            }
        });
    }
}
