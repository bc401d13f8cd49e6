//! Feeds the search index from the outbox, in the background. What it has not reached yet is found all the same: the
//! search reads the outbox too.

use protocol::{Error, ErrorKind, Request};
use runtime::{Ctx, Handles, Outside, Role};
use std::sync::Arc;
use storage::Store;
use storage::search::MessageIndex;
use tokio::time::{Duration, sleep};

/// How often the outbox is looked at (ARCHITECTURE.md section 4: a commit of the index costs over 100 ms).
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

/// Brings the index up to date now. Answers how many steps were taken.
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
        let done = tokio::task::spawn_blocking(move || index.catch_up(&store)).await;
        done.map_err(|cause| Error::new(ErrorKind::Unavailable, cause.to_string()))?
            .map_err(|error| Error::new(ErrorKind::Unavailable, error.to_string()))
    }
}
