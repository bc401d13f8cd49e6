//! Feeds the search index from the outbox, in the background. What it has not reached yet is found all the same: the
//! search reads the outbox too.

use protocol::{Error, ErrorKind, Request};
use runtime::{Ctx, Handles, Outside, Role};
use std::sync::Arc;
use storage::Store;
use storage::search::MessageIndex;
use tokio::time::{Duration, sleep};

/// How often the outbox is looked at. Looking costs microseconds; a commit of the index over 100 ms and 20 MB, so it is
/// made when many rows wait, and the search looks through the rest.
const EVERY: Duration = Duration::from_secs(1);

/// The indexer.
pub struct Indexer {
    needs: IndexerNeeds,
}

/// What the indexer needs.
#[derive(Clone)]
pub struct IndexerNeeds {
    pub store: Store,
    pub index: Arc<MessageIndex>,
}

/// Brings the index up to date when enough waits to be worth it. Answers how many steps were taken.
pub struct CatchUp;

impl Request for CatchUp {
    type Reply = usize;
    const NAME: &'static str = "indexer.catch_up";
}

impl Role for Indexer {
    const NAME: &'static str = "indexer";
    const RANK: u8 = 20;
    type Needs = IndexerNeeds;

    async fn start(needs: IndexerNeeds, ctx: &Ctx<Self>) -> Result<Self, Error> {
        let me = ctx.me.clone();
        ctx.scope.spawn_dropped("indexer clock", async move {
            loop {
                sleep(EVERY).await;
                if let Err(error) = me.ask(&Outside::within(Duration::from_secs(60)), CatchUp).await {
                    tracing::warn!(%error, "the search index is behind");
                }
            }
        });
        Ok(Self { needs })
    }
}

impl Handles<CatchUp> for Indexer {
    async fn handle(&mut self, _: CatchUp, _: &Ctx<Self>) -> Result<usize, Error> {
        let IndexerNeeds { store, index } = self.needs.clone();
        let behind = index.has_work(&store).map_err(|error| Error::new(ErrorKind::Unavailable, error.to_string()))?;
        if !behind {
            return Ok(0); // nearly always: not worth a thread
        }
        let done = tokio::task::spawn_blocking(move || index.keep_up(&store)).await;
        done.map_err(|cause| Error::new(ErrorKind::Unavailable, cause.to_string()))?
            .map_err(|error| Error::new(ErrorKind::Unavailable, error.to_string()))
    }
}
