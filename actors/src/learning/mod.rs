//! What is learned from chats without anybody asking: facts after a reply, facts before older messages are compressed,
//! summaries of older stretches, and the personal files that are kept from them.
//!
//! All of it happens behind the replies and never delays one. What is left to do is a row, so a crash loses nothing and
//! nothing is learned twice. Nothing is learned from incognito chats, and nothing while everything is stopped. It writes no
//! memory itself: [`MemoryHandle::save`](crate::memory::MemoryHandle::save) does.

mod after_turn;
mod engine;
mod flush;
mod forget;
mod import;
mod learned;
mod profile;
mod said;

pub use forget::ForgetLines;

use crate::completion::{Ask, Asker, Who};
use crate::memory::{MemoryHandle, NoModel};
use crate::ports::Workspace;
use crate::stop::{Switch, Work};
use futures::FutureExt;
use protocol::config::Config;
use protocol::engine::ModelJob;
use protocol::{Error, ErrorKind};
use runtime::{Ctx, Role, World};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use storage::Store;
use tokio::sync::{Notify, watch};
use tokio::time::{Duration, sleep};
use tokio_util::sync::CancellationToken;

/// How long after a failure learning is tried again without anything new. Ours.
const AGAIN_AFTER: Duration = Duration::from_secs(300);
/// Tokens of a model's answer with facts. Ours.
const ANSWER_TOKENS_MAX: u32 = 1_500;

/// The role that learns.
pub struct Learning;

/// What learning takes. Cheap to clone: chats have it too.
#[derive(Clone)]
pub struct LearningParts {
    pub(crate) store: Store,
    pub(crate) config: watch::Receiver<Arc<Config>>,
    pub(crate) asker: Asker,
    pub(crate) memories: MemoryHandle,
    pub(crate) workspace: Arc<dyn Workspace>,
    pub(crate) stop: Switch,
    pub(crate) world: World,
    /// False: nothing is done by the clock.
    pub(crate) background: bool,
    wake: Arc<Notify>,
}

/// What the parts are made from.
pub(crate) struct LearningSetup<'a> {
    pub(crate) store: &'a Store,
    pub(crate) config: &'a watch::Receiver<Arc<Config>>,
    pub(crate) asker: Asker,
    pub(crate) memories: MemoryHandle,
    pub(crate) workspace: Arc<dyn Workspace>,
    pub(crate) stop: Switch,
    pub(crate) world: &'a World,
    pub(crate) background: bool,
}

impl LearningParts {
    pub(crate) fn new(setup: LearningSetup<'_>) -> Self {
        let LearningSetup { store, config, asker, memories, workspace, stop, world, background } = setup;
        Self {
            store: store.clone(),
            config: config.clone(),
            asker,
            memories,
            workspace,
            stop,
            world: world.clone(),
            background,
            wake: Arc::default(),
        }
    }

    pub(crate) fn config(&self) -> Arc<Config> {
        self.config.borrow().clone()
    }

    /// There is something new to learn.
    pub(crate) fn wake(&self) {
        self.wake.notify_one();
    }

    /// Asks the fast model by itself.
    ///
    /// # Errors
    /// `Conflict` while everything is stopped, `Cancelled` when it was stopped meanwhile, the last model's error.
    pub(crate) async fn ask(&self, question: String) -> Result<String, Error> {
        let cancel = CancellationToken::new();
        let _at_work = self.stop.enter_by_itself(Work::Background, cancel.clone())?;
        let ask = Ask {
            question,
            job: ModelJob::Memory,
            output_tokens_max: ANSWER_TOKENS_MAX,
            who: Who::Upkeep,
            then: Vec::new(),
        };
        tokio::select! {
            biased;
            () = cancel.cancelled() => Err(Error::new(ErrorKind::Cancelled, "Everything was stopped.")),
            answer = self.asker.complete(&self.world, ask) => answer,
        }
    }

    /// As [`Self::ask`], for facts: the person hears once when no model can read chats for them, until one can again.
    async fn ask_for_facts(&self, question: String) -> Result<String, Error> {
        let answer = self.ask(question).await;
        match &answer {
            Ok(_) => self.memories.model_works(NoModel::Extract).await,
            // A stop is no news of the models.
            Err(error) if matches!(error.kind, ErrorKind::Conflict | ErrorKind::Cancelled) => (),
            Err(error) => self.memories.no_model(NoModel::Extract, error).await,
        }
        answer
    }
}

impl Role for Learning {
    const NAME: &'static str = "learning";
    const RANK: u8 = 26;
    type Needs = LearningParts;

    async fn start(parts: LearningParts, ctx: &Ctx<Self>) -> Result<Self, Error> {
        if parts.background {
            let learner = parts.clone();
            ctx.scope.spawn_dropped("learning from chats", async move {
                loop {
                    guarded("learning from chats", after_turn::work_through(&learner)).await;
                    tokio::select! {
                        biased;
                        () = learner.wake.notified() => (),
                        () = sleep(AGAIN_AFTER) => (),
                    }
                }
            });
            ctx.scope.spawn_dropped("summing up chats", async move {
                loop {
                    let minutes = parts.config().memory.summarize_interval_minutes.max(1);
                    sleep(Duration::from_secs(u64::from(minutes) * 60)).await;
                    guarded("summing up chats", crate::summaries::look(&parts)).await;
                    guarded("keeping the personal files", profile::keep(&parts)).await;
                }
            });
        }
        Ok(Self)
    }
}

/// What goes wrong in one round ends that round only.
async fn guarded(what: &'static str, round: impl Future<Output = Result<(), Error>>) {
    match AssertUnwindSafe(round).catch_unwind().await {
        Ok(Ok(())) => (),
        Ok(Err(error)) => tracing::info!(%error, what, "it is tried again later"),
        Err(_) => tracing::error!(what, "it panicked and is tried again later"),
    }
}
