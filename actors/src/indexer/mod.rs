//! Feeds the search indexes from their outboxes, in the background: messages, and what is remembered. What it has not
//! reached yet is found all the same: the searches read the outboxes too.

use protocol::{Error, ErrorKind, Request};
use runtime::{Ctx, Handles, Outside, Role};
use std::sync::Arc;
use storage::search::{MessageIndex, SearchError};
use storage::{MemoryIndex, Store};
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
    pub memory: MemoryIndex,
}

/// Brings the indexes up to date when enough waits to be worth it. Answers how many steps were taken.
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
        let IndexerNeeds { store, index, memory } = self.needs.clone();
        memory.look(&store).map_err(unavailable)?;
        let behind = index.has_work(&store).map_err(unavailable)?;
        let forgetful = memory.has_work(&store).map_err(unavailable)?;
        if !behind && !forgetful {
            return Ok(0); // nearly always: not worth a thread
        }
        let done = tokio::task::spawn_blocking(move || -> Result<usize, SearchError> {
            let messages = if behind { index.keep_up(&store)? } else { 0 };
            let memories = if forgetful { memory.keep_up(&store)?.changes } else { 0 };
            Ok(messages + memories)
        });
        let done = done.await.map_err(|cause| Error::new(ErrorKind::Unavailable, cause.to_string()))?;
        done.map_err(unavailable)
    }
}

fn unavailable(error: SearchError) -> Error {
    Error::new(ErrorKind::Unavailable, error.to_string())
}
