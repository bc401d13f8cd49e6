//! What the work beside the roles takes: the store, memory, a model, the switch that stops everything.

use crate::completion::{Ask, Asker, Who};
use crate::memory::MemoryHandle;
use crate::stop::{Switch, Work, stopped};
use protocol::config::Config;
use protocol::engine::ModelJob;
use protocol::model::ModelRole;
use protocol::{Error, ErrorKind};
use rules::marking::MarkKey;
use runtime::World;
use std::sync::Arc;
use storage::Store;
use tokio_util::sync::CancellationToken;

/// The means.
pub(crate) struct Means {
    pub(crate) world: World,
    pub(crate) asker: Asker,
    pub(crate) memories: MemoryHandle,
    pub(crate) stop: Switch,
    /// Marks what others wrote in questions to a model.
    pub(crate) marks: MarkKey,
}

impl Means {
    pub(crate) fn store(&self) -> &Store {
        &self.asker.store
    }

    pub(crate) fn config(&self) -> Arc<Config> {
        self.asker.config.borrow().clone()
    }

    /// The person's time zone.
    pub(crate) fn zone(&self) -> jiff::tz::TimeZone {
        let config = self.config();
        let name = config.assistant.timezone.trim();
        let named = (!name.eq_ignore_ascii_case("auto")).then(|| jiff::tz::TimeZone::get(name).ok()).flatten();
        named.unwrap_or_else(|| self.world.clock.zone())
    }

    /// One question of the engine's own to the model of a role; the answer is one JSON object. A stop ends it.
    ///
    /// # Errors
    /// No model answered, or everything was stopped meanwhile.
    pub(crate) async fn ask(&self, role: ModelRole, question: String, output_tokens_max: u32) -> Result<String, Error> {
        let cancel = CancellationToken::new();
        let _at_work = self.stop.enter(Work::Background, cancel.clone(), self.stop.stops());
        self.ask_until(role, question, output_tokens_max, &cancel).await
    }

    /// The same below a token of the caller's.
    pub(crate) async fn ask_until(
        &self,
        role: ModelRole,
        question: String,
        output_tokens_max: u32,
        cancel: &CancellationToken,
    ) -> Result<String, Error> {
        let who = Who::Knowing { role };
        let ask = Ask { question, job: ModelJob::Memory, output_tokens_max, who, then: Vec::new() };
        tokio::select! {
            biased;
            () = cancel.cancelled() => Err(Error { kind: ErrorKind::Cancelled, ..stopped() }),
            answer = self.asker.complete(&self.world, ask) => answer,
        }
    }
}
