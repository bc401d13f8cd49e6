//! After a start: dreams that ran when the program or this role ended are ended honestly. What they had done stays, and the
//! next dream does what is left.

use super::{CUT_OFF, Dreams, shown};
use crate::events::log_line;
use protocol::events::DomainEvent;
use protocol::knowing::DreamStatus;
use protocol::{Error, Request};
use runtime::{Ctx, Handles, Outside};
use storage::Batch;
use storage::records::DreamRecord;
use tokio::time::{Duration, sleep};

/// How long until another try, when the disk does not take it.
const TRY_AGAIN: Duration = Duration::from_secs(30);

/// Looks for what the last run left.
struct EndCutOff;

impl Request for EndCutOff {
    type Reply = ();
    const NAME: &'static str = "dreams.end_cut_off";
}

pub(super) fn begin(ctx: &Ctx<Dreams>) {
    let me = ctx.me.clone();
    ctx.scope.spawn_dropped("dreams of the last run", async move {
        while let Err(error) = me.ask(&Outside::within(TRY_AGAIN), EndCutOff).await {
            tracing::warn!(%error, "dreams of the last run are not ended yet");
            sleep(TRY_AGAIN).await;
        }
    });
}

impl Handles<EndCutOff> for Dreams {
    async fn handle(&mut self, _: EndCutOff, ctx: &Ctx<Self>) -> Result<(), Error> {
        let mut batch = Batch::new();
        for dream in self.needs.store.snapshot()?.all::<DreamRecord>()? {
            let dream = dream?;
            if dream.status != DreamStatus::Running || self.is_running(&dream) {
                continue;
            }
            let (error, finished_at) = (Some(CUT_OFF.to_owned()), Some(ctx.now()));
            let ended = DreamRecord { status: DreamStatus::Error, error, finished_at, ..dream };
            let told = DomainEvent::DreamUpdated(Box::new(shown(ended.clone())));
            batch.put(&ended).event(log_line(&told, ctx.now()));
        }
        if !batch.is_empty() {
            self.needs.store.commit(batch).await?;
        }
        Ok(())
    }
}
