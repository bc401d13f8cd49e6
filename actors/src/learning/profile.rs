//! Keeps USER.md's learned part and MEMORY.md up to date from memories in use and unmarked summaries of personal chats.
//!
//! What the person wrote in USER.md is never touched. The learned bullets are the memories' own words; MEMORY.md is a
//! model's page, of which only lines that its sources back are kept. Nothing is asked when nothing has changed.

use super::LearningParts;
use crate::ports::WorkspaceFile;
use protocol::memory::{SCOPE_ALWAYS, SCOPE_PERSONAL};
use protocol::{Error, Timestamp};
use rules::memory::profile::{self, FACTS_READ_MAX, Known, SUMMARIES_READ_MAX};
use rules::memory::workspace::with_learned;
use storage::records::{FactRecord, FactState, FactStatus, MetaRecord, SessionRecord, SummaryRecord};
use storage::{Batch, Snapshot, vectors};

/// What the files were made from, as a number: while it stays the same they are up to date.
const MADE_FROM: &str = "learning.profile_made_from";

/// What the personal files are made from.
struct Sources {
    facts: Vec<FactRecord>,
    summaries: Vec<String>,
}

/// Brings both files up to date.
pub(super) async fn keep(parts: &LearningParts) -> Result<(), Error> {
    let config = parts.config();
    if !config.evolution.user_profile_updates || parts.stop.is_stopped() {
        return Ok(());
    }
    let (reader, now) = (parts.store.clone(), parts.world.now());
    let read = tokio::task::spawn_blocking(move || {
        let snapshot = reader.snapshot()?;
        Ok::<_, Error>((Sources::read(&snapshot, now)?, snapshot.get::<MetaRecord>(&MADE_FROM.to_owned())?))
    });
    let (sources, before) = read.await.map_err(|cause| Error::internal(cause.to_string()))??;
    let made_from = sources.number().to_string();
    if before.is_some_and(|row| row.value == made_from) {
        return Ok(());
    }
    write_bullets(parts, &sources).await?;
    if !sources.facts.is_empty() || !sources.summaries.is_empty() {
        write_page(parts, &sources, &config.assistant.user_name).await?;
    }
    let mut batch = Batch::new();
    batch.put(&MetaRecord { name: MADE_FROM.into(), value: made_from });
    parts.store.commit(batch).await?;
    Ok(())
}

async fn write_bullets(parts: &LearningParts, sources: &Sources) -> Result<(), Error> {
    let known = sources.facts.iter().filter(|fact| !fact.short_term).map(|fact| Known {
        content: &fact.content,
        confidence: fact.confidence,
        recall_count: fact.recall_count,
    });
    let bullets = profile::bullets(&known.collect::<Vec<_>>());
    let user = parts.workspace.read(WorkspaceFile::User).await?.unwrap_or_default();
    let written = with_learned(&user, &bullets);
    if written.trim() != user.trim() {
        parts.workspace.write(WorkspaceFile::User, written).await?;
    }
    Ok(())
}

async fn write_page(parts: &LearningParts, sources: &Sources, owner: &str) -> Result<(), Error> {
    let facts: Vec<&str> = sources.facts.iter().map(|fact| fact.content.as_str()).collect();
    let summaries: Vec<&str> = sources.summaries.iter().map(String::as_str).collect();
    let answer = parts.ask(profile::prompt(owner, &facts, &summaries)).await?;
    let all: Vec<&str> = facts.into_iter().chain(summaries).collect();
    match profile::accept(&answer, &all) {
        Some(page) => parts.workspace.write(WorkspaceFile::Memory, page).await,
        None => Ok(()), // the page there is stays
    }
}

impl Sources {
    /// Personal and shared memories in use, and unmarked summaries of personal chats, newest first.
    fn read(snapshot: &Snapshot, now: Timestamp) -> Result<Self, Error> {
        let mut facts = personal(snapshot, |fact| fact.expires_at.is_none_or(|end| now < end))?;
        facts.truncate(FACTS_READ_MAX);
        let mut summaries = Vec::new();
        for summary in snapshot.all::<SummaryRecord>()?.rev() {
            let summary = summary?;
            if summaries.len() >= SUMMARIES_READ_MAX {
                break;
            }
            if summary.scope == SCOPE_PERSONAL
                && !crate::summaries::is_marked(&summary, |id| snapshot.get::<SessionRecord>(id))?
            {
                summaries.push(summary.content);
            }
        }
        Ok(Self { facts, summaries })
    }

    fn number(&self) -> u64 {
        let texts =
            self.facts.iter().map(|fact| fact.content.as_str()).chain(self.summaries.iter().map(String::as_str));
        vectors::text_hash(&texts.collect::<Vec<_>>().join("\n"))
    }
}

/// Personal and shared memories in use, newest first.
///
/// # Errors
/// A store that cannot be read.
pub(super) fn personal(snapshot: &Snapshot, keep: impl Fn(&FactRecord) -> bool) -> Result<Vec<FactRecord>, Error> {
    let mut facts = Vec::new();
    for fact in snapshot.all::<FactRecord>()?.rev() {
        let fact = fact?;
        let in_use = fact.status == FactStatus::Active && fact.state == FactState::Current;
        if in_use && (fact.scope == SCOPE_PERSONAL || fact.scope == SCOPE_ALWAYS) && keep(&fact) {
            facts.push(fact);
        }
    }
    Ok(facts)
}
