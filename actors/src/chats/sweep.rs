//! What happens by itself: unfinished work goes on after a start, idle chats leave memory, incognito chats are deleted.

use super::{Chats, IDLE_MS, IDLE_WHEN_MANY_MS, OPEN_KEPT};
use crate::chat::{Idle, Leave, Unfinished};
use protocol::ids::SessionId;
use protocol::{Error, ErrorKind, Request};
use runtime::{Address, Ctx, Handles, Outside};
use std::collections::BTreeSet;
use std::sync::atomic::Ordering;
use storage::records::{QueuedInput, SessionRecord, TurnRecord};
use tokio::time::{Duration, sleep};

/// How often is looked (contract section 2: an incognito chat goes within a minute of its time).
const EVERY: Duration = Duration::from_secs(30);

/// Incognito chats of the last run go, and replies that were cut off go on.
struct Recover;

impl Request for Recover {
    type Reply = ();
    const NAME: &'static str = "chats.recover";
}

/// Idle chats leave memory; incognito chats that nobody uses are deleted.
struct Sweep;

impl Request for Sweep {
    type Reply = ();
    const NAME: &'static str = "chats.sweep";
}

/// Every incognito chat is deleted, before the engine ends.
pub(crate) struct CloseIncognito;

impl Request for CloseIncognito {
    type Reply = ();
    const NAME: &'static str = "chats.close_incognito";
}

pub(super) fn begin(ctx: &Ctx<Chats>) {
    let me = ctx.me.clone();
    ctx.scope.spawn_dropped("chats sweep", async move {
        tell(&me, Recover).await;
        loop {
            sleep(EVERY).await;
            tell(&me, Sweep).await;
        }
    });
}

async fn tell<R: Request<Reply = ()>>(chats: &Address<Chats>, request: R)
where
    Chats: Handles<R>,
{
    if let Err(error) = chats.tell(&Outside::within(Duration::from_secs(30)), request).await {
        tracing::debug!(%error, "the directory of chats did not hear");
    }
}

impl Handles<Recover> for Chats {
    async fn handle(&mut self, _: Recover, ctx: &Ctx<Self>) -> Result<(), Error> {
        let this_run = self.needs.recovered.load(Ordering::Relaxed);
        for record in self.needs.parts.store.snapshot()?.all::<SessionRecord>()? {
            let record = record?;
            if record.incognito {
                let those = if this_run { &mut self.incognito } else { &mut self.last_run };
                those.insert(record.id);
            }
        }
        self.forget_last_run(ctx).await;
        self.go_on(ctx).await
    }
}

impl Handles<Sweep> for Chats {
    async fn handle(&mut self, _: Sweep, ctx: &Ctx<Self>) -> Result<(), Error> {
        self.let_idle_go(ctx).await;
        let minutes = self.needs.parts.config().chat.incognito_delete_after_minutes;
        let before = ctx.now().as_millis() - i64::from(minutes) * 60_000;
        self.delete_incognito(before, Unfinished::GoesOn, ctx).await?;
        self.forget_last_run(ctx).await;
        self.go_on(ctx).await
    }
}

impl Handles<CloseIncognito> for Chats {
    async fn handle(&mut self, _: CloseIncognito, ctx: &Ctx<Self>) -> Result<(), Error> {
        self.delete_incognito(i64::MAX, Unfinished::Stays, ctx).await
    }
}

/// Many chats are in memory.
pub(super) struct Crowded;

impl Request for Crowded {
    type Reply = ();
    const NAME: &'static str = "chats.crowded";
}

impl Handles<Crowded> for Chats {
    async fn handle(&mut self, _: Crowded, ctx: &Ctx<Self>) -> Result<(), Error> {
        self.let_idle_go(ctx).await;
        Ok(())
    }
}

impl Chats {
    /// Chats that have had nothing to do for a while leave memory, sooner when there are many.
    async fn let_idle_go(&mut self, ctx: &Ctx<Self>) {
        let for_ms = if self.open.len() > OPEN_KEPT { IDLE_WHEN_MANY_MS } else { IDLE_MS };
        let mut idle = Vec::new();
        for (session, chat) in &self.open {
            match chat.address.ask(ctx, Leave { for_ms }).await {
                Ok(true) => idle.push(session.clone()),
                Ok(false) => (),
                Err(_) if chat.address.is_gone() => idle.push(session.clone()), // it kept failing and was given up
                Err(error) => tracing::debug!(%error, chat = %session, "a chat did not say whether it is idle"),
            }
        }
        for session in idle {
            self.close(&session);
        }
        // Chats at work stay: asking all of them at every new one would cost more than it frees.
        self.crowded_at = 2 * self.open.len().max(OPEN_KEPT);
    }

    /// Opens chats with a reply that has no end or a message that waits, when nobody is at it: after a start, and when
    /// a chat kept failing and was given up. Being started is all it takes: a chat finds its own unfinished work.
    async fn go_on(&mut self, ctx: &Ctx<Self>) -> Result<(), Error> {
        let snapshot = self.needs.parts.store.snapshot()?;
        let mut unfinished: BTreeSet<SessionId> = BTreeSet::new();
        for turn in snapshot.all::<TurnRecord>()? {
            unfinished.insert(turn?.session_id);
        }
        for input in snapshot.all::<QueuedInput>()? {
            unfinished.insert(input?.session_id);
        }
        for session in unfinished {
            if let Err(error) = self.find(session.clone(), Unfinished::GoesOn, ctx).await {
                tracing::warn!(%error, chat = %session, "unfinished work of a chat could not go on");
            }
        }
        Ok(())
    }

    /// Deletes incognito chats of the last run; one that cannot be deleted now is tried again by the next sweep.
    async fn forget_last_run(&mut self, ctx: &Ctx<Self>) {
        for session in self.last_run.clone() {
            match self.delete(session.clone(), Some("incognito".into()), Unfinished::Stays, ctx).await {
                Err(error) if error.kind != ErrorKind::NotFound => {
                    tracing::warn!(%error, chat = %session, "an incognito chat of the last run is not deleted yet");
                }
                _ => {
                    self.last_run.remove(&session);
                }
            }
        }
        self.needs.recovered.fetch_or(self.last_run.is_empty(), Ordering::Relaxed);
    }

    /// Deletes incognito chats without a message since `before`; one whose reply is being written is left alone. One
    /// that cannot be deleted now is tried again by the next sweep.
    async fn delete_incognito(&mut self, before: i64, unfinished: Unfinished, ctx: &Ctx<Self>) -> Result<(), Error> {
        let snapshot = self.needs.parts.store.snapshot()?;
        let mut due = Vec::new();
        for session in self.incognito.clone() {
            match snapshot.get::<SessionRecord>(&session)? {
                Some(record) if record.updated_at.as_millis() < before => due.push(session),
                Some(_) => (),
                None if self.open.contains_key(&session) => (), // its first message has not come
                None => {
                    self.incognito.remove(&session);
                }
            }
        }
        for session in due {
            let busy = match self.open.get(&session) {
                _ if unfinished == Unfinished::Stays => false, // the engine ends: what waits goes with the chat
                Some(chat) => !chat.address.ask(ctx, Idle { for_ms: 0 }).await.unwrap_or(false),
                None => false,
            };
            if !busy {
                let reason = Some("incognito".to_owned());
                if let Err(error) = self.delete(session.clone(), reason, unfinished, ctx).await {
                    tracing::warn!(%error, chat = %session, "an incognito chat is not deleted yet");
                }
            }
        }
        Ok(())
    }
}
