//! What surfaces change about memories.

use crate::Engine;
use crate::memory::facts::shown_with_sources;
use crate::memory::handle::asking;
use crate::memory::{Edit, Forget, ForgetSource, Judge, Move, NewFact, ResetScope, SaveOrigin};
use protocol::Error;
use protocol::memory::{Memory, MemoryState, ReviewNote, Saved};
use protocol::memory_requests::{MEMORY_CHARS_MAX, MemoryDeleted, MemoryPatch, NewMemory, ScopeReset, SourceForgotten};
use rules::callers::{AppName, MCP_CHANNEL, OtherApp};

/// Characters of a source's name, and of who a held memory is from. Ours.
const NAME_CHARS_MAX: usize = 200;
/// The source of what the person types in Memory.
const MANUAL: &str = "manual";
/// The source of what was said at the first start.
const ONBOARDING: &str = "onboarding";

impl Engine {
    /// `POST /api/memories` by the person.
    ///
    /// # Errors
    /// `Invalid` without words, or with a scope that is none.
    pub async fn remember(&self, new: NewMemory) -> Result<Saved, Error> {
        let source = named(new.source.as_deref()).unwrap_or_else(|| MANUAL.to_owned());
        let hold = new.hold_for_review.then(|| ReviewNote {
            from: named(new.review_from.as_deref()).unwrap_or_else(|| "another program".to_owned()),
            ..ReviewNote::default()
        });
        let fact = NewFact { hold, ..NewFact::new(new.content, source, SaveOrigin::Typed) };
        self.memories.save(in_scope(fact, new.scope)).await
    }

    /// `POST /api/memories` by a program behind `sentient mcp`: held for review whatever it says of itself, unless the person
    /// has turned the wait off.
    ///
    /// # Errors
    /// As for [`Engine::remember`].
    pub async fn remember_for_app(&self, new: NewMemory) -> Result<Saved, Error> {
        let app = AppName::clean(new.review_from.as_deref().unwrap_or_default());
        let skips = self.config().integrations.mcp_server_memories_skip_review;
        let hold = (!skips).then(|| ReviewNote { from: OtherApp::Mcp(app).source(), ..ReviewNote::default() });
        let fact = NewFact { hold, ..NewFact::new(new.content, MCP_CHANNEL, SaveOrigin::App) };
        self.memories.save(in_scope(fact, new.scope)).await
    }

    /// Remembers what was said at the first start, in the background: the window does not wait for it.
    pub(crate) fn remember_answers(&self, facts: Vec<(&'static str, String)>) {
        let memories = self.memories.clone();
        self.world.work.spawn_dropped("memories of the first start", async move {
            for (scope, content) in facts {
                let new = NewFact { scope: scope.into(), ..NewFact::new(content, ONBOARDING, SaveOrigin::Onboarding) };
                if let Err(error) = memories.save(new).await {
                    tracing::warn!(%error, "an answer of the first start is not remembered");
                }
            }
        });
    }

    /// `PUT /api/memories/{id}`.
    ///
    /// # Errors
    /// `Invalid` without words, `NotFound` when it is gone.
    pub async fn edit_memory(&self, id: u64, content: &str) -> Result<Memory, Error> {
        let content = content.split_whitespace().collect::<Vec<_>>().join(" ");
        if content.is_empty() || content.chars().count() > MEMORY_CHARS_MAX {
            return Err(Error::invalid(format!("A memory has between 1 and {MEMORY_CHARS_MAX} characters.")));
        }
        self.memories.fact(id)?;
        let analysis = Some(self.memories.analysis(&content).await);
        let fact = self.memories.memory.ask(&asking(), Edit { id, content, analysis }).await?;
        Ok(shown_with_sources(&fact))
    }

    /// `PATCH /api/memories/{id}`: another scope, or whether it is right.
    ///
    /// # Errors
    /// `Invalid` for an empty scope, another state or neither; `NotFound` when it is gone.
    pub async fn patch_memory(&self, id: u64, patch: MemoryPatch) -> Result<Memory, Error> {
        let state = match patch.state.as_deref() {
            None => None,
            Some("disputed") => Some(MemoryState::Disputed),
            Some("current") => Some(MemoryState::Current),
            Some(_) => return Err(Error::invalid("A memory can be `disputed` or `current`.")),
        };
        if patch.scope.is_none() && state.is_none() {
            return Err(Error::invalid("Say which scope the memory moves to, or whether it is right."));
        }
        let mut fact = self.memories.fact(id)?;
        if let Some(scope) = patch.scope {
            fact = self.memories.memory.ask(&asking(), Move { id, scope }).await?;
        }
        if let Some(state) = state {
            fact = self.memories.memory.ask(&asking(), Judge { id, state }).await?;
        }
        Ok(shown_with_sources(&fact))
    }

    /// `DELETE /api/memories/{id}`, with everything derived from it.
    ///
    /// # Errors
    /// `NotFound` when it is gone, `Unavailable` when nothing was deleted.
    pub async fn forget_memory(&self, id: u64) -> Result<MemoryDeleted, Error> {
        let forgot = self.memories.memory.ask(&asking(), Forget { id, reason: None }).await?;
        Ok(MemoryDeleted { deleted: true, cleanup_pending: forgot.cleanup_pending })
    }

    /// `DELETE /api/memories/source/{source}`.
    ///
    /// # Errors
    /// `Invalid` without a source.
    pub async fn forget_memory_source(&self, source: String) -> Result<SourceForgotten, Error> {
        let forgot = self.memories.memory.ask(&asking(), ForgetSource { source }).await?;
        Ok(SourceForgotten { deleted: forgot.deleted, unlinked: forgot.unlinked })
    }

    /// `DELETE /api/memories/scope/{scope}`.
    ///
    /// # Errors
    /// `Invalid` for a scope that is none.
    pub async fn reset_memory_scope(&self, scope: String) -> Result<ScopeReset, Error> {
        Ok(ScopeReset { deleted: self.memories.memory.ask(&asking(), ResetScope { scope }).await? })
    }
}

/// The scope that was asked for, or `personal`.
fn in_scope(fact: NewFact, scope: Option<String>) -> NewFact {
    match scope.filter(|scope| !scope.trim().is_empty()) {
        Some(scope) => NewFact { scope, ..fact },
        None => fact,
    }
}

/// A name of somebody else's, made short and plain.
fn named(name: Option<&str>) -> Option<String> {
    let plain: String = name?.chars().map(|c| if c.is_control() { ' ' } else { c }).take(NAME_CHARS_MAX).collect();
    let plain = plain.trim();
    (!plain.is_empty()).then(|| plain.to_owned())
}
