//! The steps of a dream, one after the other. Each notes what it did as soon as it is done, so that a dream that is cut off
//! says how far it came; a step that fails does not keep the others from being done.

use super::{Dreams, DreamsNeeds, End, Progress};
use crate::knowing::Means;
use crate::memory::{Promote, Upkeep};
use crate::user_model::RefreshReason;
use protocol::config::Config;
use protocol::knowing::{DreamStatus, NarrativeOutcome, NarrativeTrigger};
use protocol::{Error, ErrorKind};
use rules::dreams::{Calls, Journal};
use runtime::{Address, Outside};
use std::sync::Arc;
use storage::records::{DreamRecord, DreamStep, FactRecord, MetaRecord};
use tokio::time::{Duration, sleep};
use tokio_util::sync::CancellationToken;

/// How long one change of memories may take. Ours: the clean-up of what ran out takes longest.
const PATIENCE: Duration = Duration::from_secs(300);
/// How long until the end of a dream is tried to be stored again. Ours.
const TRY_AGAIN: Duration = Duration::from_secs(30);
/// Memories kept for good in one dream. Ours.
const PROMOTED_MAX: usize = 200;
/// Lines a journal keeps; it shows the first few. Ours.
const LINES_MAX: usize = 60;
/// The steps in their order (contract section 15).
const STEPS: [DreamStep; 7] = [
    DreamStep::Merge,
    DreamStep::Languages,
    DreamStep::Contradictions,
    DreamStep::Promote,
    DreamStep::Expire,
    DreamStep::UserModel,
    DreamStep::Narrative,
];

/// A dream at work.
pub(super) struct Work {
    pub(super) needs: DreamsNeeds,
    role: Address<Dreams>,
    pub(super) record: DreamRecord,
    pub(super) calls: Calls,
    pub(super) journal: Journal,
    failed: Vec<String>,
    pub(super) token: CancellationToken,
}

/// Someone who waits for a change of memories.
pub(super) fn asking() -> Outside {
    Outside::within(PATIENCE)
}

/// Dreams to the end, whatever happens, and says what came of it.
pub(super) async fn dream(mut work: Work, token: CancellationToken) {
    work.token = token.clone();
    let stopped = tokio::select! {
        biased;
        () = token.cancelled() => true,
        () = work.all_steps() => false,
    };
    let record = work.ended(stopped);
    let (role, closing) = (work.role.clone(), work.needs.means.world.work.token());
    while let Err(error) = role.ask(&asking(), End { record: record.clone() }).await {
        tracing::warn!(%error, "the end of a dream is not stored yet");
        tokio::select! {
            biased;
            () = closing.cancelled() => return, // the next start says that it was cut off
            () = sleep(TRY_AGAIN) => (),
        }
    }
}

impl Work {
    pub(super) fn new(needs: DreamsNeeds, role: Address<Dreams>, record: DreamRecord) -> Self {
        let calls = Calls::new(needs.config.borrow().dreaming.max_model_calls);
        let token = CancellationToken::new();
        Self { needs, role, record, calls, journal: Journal::default(), failed: Vec::new(), token }
    }

    pub(super) fn config(&self) -> Arc<Config> {
        self.needs.config.borrow().clone()
    }

    pub(super) fn means(&self) -> &Means {
        &self.needs.means
    }

    fn ended(&self, stopped: bool) -> DreamRecord {
        let record = self.noted();
        match (stopped, self.needs.means.stop.is_stopped()) {
            // The sentence is fixed by the contract (strings.tsv).
            (true, true) => failed(record, "Stopped by Stop everything."),
            (true, false) => failed(record, super::CUT_OFF),
            (false, _) => {
                let error = (!self.failed.is_empty()).then(|| self.failed.join(" "));
                DreamRecord { status: DreamStatus::Completed, error, ..record }
            }
        }
    }

    /// The row as it stands now.
    fn noted(&self) -> DreamRecord {
        let journal = self.journal.lines().iter().take(LINES_MAX).cloned().collect();
        DreamRecord { journal, calls: self.calls.used(), ..self.record.clone() }
    }

    async fn all_steps(&mut self) {
        for step in STEPS {
            if let Err(error) = self.step(step).await {
                tracing::warn!(%error, ?step, "a step of a dream failed");
                self.failed.push(format!("{}: {}", name(step), error.message));
            }
            self.record.done.push(step);
            self.progress(None).await;
        }
    }

    async fn step(&mut self, step: DreamStep) -> Result<(), Error> {
        match step {
            DreamStep::Merge => self.merge().await,
            DreamStep::Languages => self.languages().await,
            DreamStep::Contradictions => self.contradictions().await,
            DreamStep::Promote => self.promote().await,
            DreamStep::Expire => self.expire().await,
            DreamStep::UserModel => self.user_model().await,
            DreamStep::Narrative => self.narrative().await,
        }
    }

    /// Stores how far it came. A disk that does not take it now takes the next one.
    pub(super) async fn progress(&self, pairs: Option<MetaRecord>) {
        if let Err(error) = self.role.ask(&asking(), Progress { record: self.noted(), pairs }).await {
            tracing::warn!(%error, "how far a dream has come was not stored");
        }
    }

    /// One question to the dream's model. `None`: no call is left.
    pub(super) async fn ask(&mut self, question: String, for_languages: bool) -> Result<Option<String>, Error> {
        let has_call = if for_languages { self.calls.take_for_languages() } else { self.calls.take() };
        if !has_call {
            return Ok(None);
        }
        let role = self.config().dreaming.role;
        self.needs.means.ask_until(role, question, ANSWER_TOKENS_MAX, &self.token).await.map(Some)
    }

    async fn promote(&mut self) -> Result<(), Error> {
        let min = u64::from(self.config().dreaming.promote_min_recalls);
        let due = self.facts_where(move |fact| fact.short_term && fact.recall_count >= min).await?;
        for fact in due.into_iter().take(PROMOTED_MAX) {
            match self.means().memories.memory.ask(&asking(), Promote { id: fact.id }).await {
                Ok(fact) => {
                    self.record.stats.promoted += 1;
                    self.journal.promoted(&fact.content);
                }
                Err(error) if error.kind == ErrorKind::NotFound => (), // forgotten meanwhile
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    async fn expire(&mut self) -> Result<(), Error> {
        let (store, now) = (self.needs.store.clone(), self.means().world.now());
        let counted = tokio::task::spawn_blocking(move || -> Result<u32, Error> {
            let mut count = 0;
            for fact in store.snapshot()?.all::<FactRecord>()? {
                count += u32::from(fact?.expires_at.is_some_and(|end| end <= now));
            }
            Ok(count)
        });
        let count = counted.await.map_err(|cause| Error::internal(format!("memories were not counted: {cause}")))??;
        if count > 0 {
            self.means().memories.memory.ask(&asking(), Upkeep {}).await?;
            self.record.stats.expired += count;
            self.journal.expired(count);
        }
        Ok(())
    }

    async fn user_model(&mut self) -> Result<(), Error> {
        let config = self.config();
        if !config.dreaming.refresh_user_model || !config.user_model.enabled {
            return Ok(());
        }
        let refreshed = self.needs.user_model.refresh(RefreshReason::Dream).await?;
        let changed = refreshed.added + refreshed.updated + refreshed.disputed;
        let changed = u32::try_from(changed).unwrap_or(u32::MAX);
        self.record.stats.insights_updated = changed;
        self.journal.insights(changed);
        Ok(())
    }

    async fn narrative(&mut self) -> Result<(), Error> {
        if !self.config().user_model.enabled {
            return Ok(());
        }
        let (store, now) = (self.needs.store.clone(), self.means().world.now());
        let scopes =
            tokio::task::spawn_blocking(move || crate::narrative::scopes_with_pages(&store.snapshot()?, now)).await;
        let scopes = scopes.map_err(|cause| Error::internal(format!("scopes were not read: {cause}")))??;
        let (mut written, mut last) = (0, None);
        for scope in scopes {
            match self.needs.narrative.refresh(&scope, NarrativeTrigger::Dream).await {
                Ok(NarrativeOutcome::Written) => written += 1,
                Ok(_) => (),
                Err(error) => last = Some(error),
            }
        }
        self.journal.narrative(written);
        last.map_or(Ok(()), Err)
    }

    async fn facts_where(
        &self,
        wanted: impl Fn(&FactRecord) -> bool + Send + 'static,
    ) -> Result<Vec<FactRecord>, Error> {
        let (store, now) = (self.needs.store.clone(), self.means().world.now());
        let read = tokio::task::spawn_blocking(move || -> Result<Vec<FactRecord>, Error> {
            let mut found = Vec::new();
            for fact in store.snapshot()?.all::<FactRecord>()? {
                let fact = fact?;
                if super::facts::is_in_use(&fact, now) && wanted(&fact) {
                    found.push(fact);
                }
            }
            Ok(found)
        });
        read.await.map_err(|cause| Error::internal(format!("memories were not read: {cause}")))?
    }
}

/// Tokens of one answer. Ours: one small object.
const ANSWER_TOKENS_MAX: u32 = 400;

fn failed(record: DreamRecord, why: &str) -> DreamRecord {
    DreamRecord { status: DreamStatus::Error, error: Some(why.to_owned()), ..record }
}

/// A step in plain words.
fn name(step: DreamStep) -> &'static str {
    match step {
        DreamStep::Merge => "Merging duplicates",
        DreamStep::Languages => "Merging languages",
        DreamStep::Contradictions => "Settling contradictions",
        DreamStep::Promote => "Keeping what comes up often",
        DreamStep::Expire => "Letting go of what ran out",
        DreamStep::UserModel => "Thinking about what I know of you",
        DreamStep::Narrative => "Writing the page anew",
    }
}
