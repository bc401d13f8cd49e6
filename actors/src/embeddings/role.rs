//! The role that gives every searched text its vectors, in the background.
//!
//! Once a second it looks whether texts lack vectors. The builtin ones are made there and then; the configured model is
//! asked by a job ([`pass`](super::pass)), one at a time, which ends when everything is stopped, when the settings
//! change, and when the model fails. What is left to do is rows, so nothing is forgotten in a restart.

use super::pass::Pass;
use super::{Embeddings, builtin, spaces};
use crate::stop::{Switch, Work};
use protocol::config::Config;
use protocol::model::{ModelName, is_builtin};
use protocol::{Error, ErrorKind, Request};
use runtime::{Ctx, Handles, Outside, Role};
use std::sync::Arc;
use storage::Store;
use storage::memory_index::no_texts;
use storage::records::ModelEmbedJob;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::time::{Duration, sleep};

/// How often the rows are looked at. Looking costs microseconds.
const EVERY: Duration = Duration::from_secs(1);
/// How long one look may take: the builtin vectors of a large import.
const LOOK_TIME_MAX: Duration = Duration::from_secs(600);

/// The role.
pub struct Embedder {
    needs: EmbedderNeeds,
    /// Held by the one job that asks the configured model.
    place: Arc<Semaphore>,
}

/// What it needs.
#[derive(Clone)]
pub struct EmbedderNeeds {
    pub embeddings: Embeddings,
    pub store: Store,
    pub config: watch::Receiver<Arc<Config>>,
    pub stop: Switch,
    /// False asks no model in the background (`SENTIENT_DISABLE_BACKGROUND`); the builtin one is not asked, it is here.
    pub background: bool,
}

/// Sees to the texts that lack vectors. Answers whether a model is being asked now.
pub struct Look;

impl Request for Look {
    type Reply = bool;
    const NAME: &'static str = "embedder.look";
}

impl Role for Embedder {
    const NAME: &'static str = "embedder";
    /// Its jobs wait for the line of the local model.
    const RANK: u8 = 41;
    type Needs = EmbedderNeeds;

    async fn start(needs: EmbedderNeeds, ctx: &Ctx<Self>) -> Result<Self, Error> {
        needs.embeddings.board().spaces = spaces::load(&needs.store.snapshot()?)?;
        let me = ctx.me.clone();
        ctx.scope.spawn_dropped("embedder clock", async move {
            loop {
                sleep(EVERY).await;
                if let Err(error) = me.ask(&Outside::within(LOOK_TIME_MAX), Look).await {
                    tracing::warn!(%error, "texts lack vectors");
                }
            }
        });
        Ok(Self { needs, place: Arc::new(Semaphore::new(1)) })
    }
}

impl Handles<Look> for Embedder {
    async fn handle(&mut self, _: Look, ctx: &Ctx<Self>) -> Result<bool, Error> {
        // A store that fails makes nothing here wrong: what is left is rows, and the next look is a second away. Starting
        // again each second would be more than a supervisor puts up with, and the whole engine would end with the disk.
        self.look(ctx).await.map_err(|error| match error.kind {
            ErrorKind::Internal => Error { kind: ErrorKind::Unavailable, ..error },
            _ => error,
        })
    }
}

impl Embedder {
    async fn look(&mut self, ctx: &Ctx<Self>) -> Result<bool, Error> {
        let EmbedderNeeds { embeddings, store, config, .. } = &mut self.needs;
        if config.has_changed().is_ok_and(|changed| changed) {
            embeddings.board().try_again();
        }
        config.mark_unchanged();
        let config = config.clone();
        let configured = embeddings.configured();
        builtin::catch_up(store, !is_builtin(configured.as_str())).await?;
        if !has_work(&self.needs, &configured)? {
            return Ok(false);
        }
        let EmbedderNeeds { embeddings, store, stop, .. } = &self.needs;
        let Ok(place) = self.place.clone().try_acquire_owned() else { return Ok(true) };
        let pass = Pass { embeddings: embeddings.clone(), store: store.clone(), configured };
        ctx.scope.spawn_dropped("embedding", run(pass, config, (stop.clone(), place)));
        Ok(true)
    }
}

/// Whether a pass would do something.
fn has_work(needs: &EmbedderNeeds, configured: &ModelName) -> Result<bool, Error> {
    let snapshot = needs.store.snapshot()?;
    let waiting = usize::try_from(snapshot.count::<ModelEmbedJob>()?).unwrap_or(usize::MAX);
    let texts = waiting > 0 || !no_texts(&snapshot)?;
    let mut board = needs.embeddings.board();
    board.waiting = waiting;
    if !needs.background || needs.stop.is_stopped() {
        return Ok(false);
    }
    let model = board.spaces.wants_model(configured, waiting, texts) && !board.is_away(configured);
    Ok(model || board.met.is_some() || board.spaces.has_upkeep(configured, waiting))
}

/// One pass, until there is nothing more to do for now.
async fn run(pass: Pass, mut config: watch::Receiver<Arc<Config>>, (stop, place): (Switch, OwnedSemaphorePermit)) {
    let token = tokio_util::sync::CancellationToken::new();
    let Ok(at_work) = stop.enter_by_itself(Work::Background, token.clone()) else { return };
    tokio::select! {
        biased;
        () = token.cancelled() => (),
        // The next look begins anew with what is set then.
        _ = config.changed() => (),
        ended = pass.run() => {
            if let Err(error) = ended {
                tracing::warn!(%error, "vectors of the configured model are behind");
            }
        }
    }
    drop((at_work, place));
}
