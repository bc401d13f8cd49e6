//! How the rest of the engine reaches the narrative. Cheap to clone; it holds no page of its own.

use super::refresh::{detail, page_scope};
use super::{Decide, Deed, Narrative, ground, is_current, rows};
use crate::knowing::Means;
use protocol::Error;
use protocol::knowing::{NarrativePage, NarrativeRefreshed, NarrativeState, NarrativeTrigger, NarrativeVersion};
use rules::narrative::{PAGE_CHARS_MAX, Sentence, prompt_block};
use runtime::{Address, Outside};
use std::sync::Arc;
use storage::Snapshot;
use tokio::sync::Semaphore;
use tokio::time::Duration;

/// How long a caller waits for the role. Ours: it only commits.
const PATIENCE: Duration = Duration::from_secs(30);

/// The narrative, as others use it.
#[derive(Clone)]
pub struct NarrativeHandle {
    /// The one writer of versions.
    pub role: Address<Narrative>,
    pub(crate) means: Arc<Means>,
    /// One page at a time.
    pub(super) line: Arc<Semaphore>,
}

/// A caller of the role.
pub(super) fn asking() -> Outside {
    Outside::within(PATIENCE)
}

impl NarrativeHandle {
    pub(crate) fn new(role: Address<Narrative>, means: Arc<Means>) -> Self {
        Self { role, means, line: Arc::new(Semaphore::new(1)) }
    }

    fn snapshot(&self) -> Result<Snapshot, Error> {
        Ok(self.means.store().snapshot()?)
    }

    /// The page of a scope (`GET /api/memories/narrative`); `personal` when none is named.
    ///
    /// # Errors
    /// `Invalid` for a scope that has no page, a store that cannot be read.
    pub async fn page(&self, scope: Option<&str>) -> Result<NarrativePage, Error> {
        let (scope, store, now) = (page_scope(scope)?, self.means.store().clone(), self.means.world.now());
        let read = tokio::task::spawn_blocking(move || -> Result<NarrativePage, Error> {
            let snapshot = store.snapshot()?;
            let versions = rows::versions(&snapshot, &scope)?;
            let find = |state: NarrativeState| versions.iter().find(|row| row.state == state).cloned();
            let show = |row| rows::shown(&snapshot, row, now);
            Ok(NarrativePage {
                current: versions.iter().find(|row| is_current(row)).cloned().map(show).transpose()?,
                held: find(NarrativeState::Held).map(show).transpose()?,
                learned_since: ground::gather(&snapshot, &scope, now)?.learned,
                max_chars: PAGE_CHARS_MAX,
                scopes: super::scopes_with_pages(&snapshot, now)?,
                scope,
            })
        });
        read.await.map_err(|cause| Error::internal(format!("the page was not read: {cause}")))?
    }

    /// Every version of a scope, newest first (`GET …/versions`).
    ///
    /// # Errors
    /// As [`Self::page`].
    pub fn versions(&self, scope: Option<&str>) -> Result<Vec<NarrativeVersion>, Error> {
        let (scope, snapshot, now) = (page_scope(scope)?, self.snapshot()?, self.means.world.now());
        rows::versions(&snapshot, &scope)?.into_iter().map(|row| rows::shown(&snapshot, row, now)).collect()
    }

    /// Writes a page anew because the person wants it (`POST …/refresh`).
    ///
    /// # Errors
    /// As [`Self::refresh`].
    pub async fn refresh_by_hand(&self, scope: Option<&str>) -> Result<NarrativeRefreshed, Error> {
        let scope = page_scope(scope)?;
        let outcome = self.refresh(&scope, NarrativeTrigger::Manual).await?;
        let page = self.page(Some(&scope)).await?;
        Ok(NarrativeRefreshed { outcome, detail: detail(outcome).to_owned(), page })
    }

    /// Approves, discards or brings back a version, and answers the page.
    ///
    /// # Errors
    /// `NotFound` without such a version, `Conflict` when it does not stand so.
    pub async fn decide(&self, scope: Option<&str>, version: u64, deed: Deed) -> Result<NarrativePage, Error> {
        let scope = page_scope(scope)?;
        self.role.ask(&asking(), Decide { scope: scope.clone(), version, deed }).await?;
        self.page(Some(&scope)).await
    }

    /// What a prompt of this scope gets: sentences of the current version that still hold, within the budget. It costs a
    /// look-up for each memory it rests on, and is the same, byte for byte, until one of them or the page changes.
    ///
    /// # Errors
    /// A store that cannot be read.
    pub fn prompt_block(&self, of_scope: &str) -> Result<String, Error> {
        let (snapshot, now) = (self.snapshot()?, self.means.world.now());
        let Some(current) = rows::current(&snapshot, of_scope)? else { return Ok(String::new()) };
        let mut sentences = Vec::new();
        for sentence in &current.sentences {
            if rows::holds(&snapshot, sentence, of_scope, now)? {
                let (text, outside) = (sentence.text.clone(), sentence.outside);
                sentences.push(Sentence { text, facts: Vec::new(), insights: Vec::new(), outside });
            }
        }
        Ok(prompt_block(&self.means.config().assistant.user_name, of_scope, &sentences))
    }
}
