//! Versions as they are stored, what of them still holds, and how surfaces see them.

use super::{ground, is_current};
use protocol::knowing::{NarrativeSentence, NarrativeState, NarrativeVersion};
use protocol::memory::{ReviewNote, SCOPE_ALWAYS};
use protocol::{Error, Timestamp};
use rules::memory::scope;
use rules::narrative::{FACTS_MIN, diff, page_text};
use rules::user_model::Mark;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use storage::records::{FactRecord, FactState, FactStatus, InsightRecord, MetaRecord, NarrativeRecord, SentenceRecord};
use storage::vectors::text_hash;
use storage::{Batch, Snapshot};

/// Pages there may be at once. Ours: the scopes with the most memories.
const PAGES_MAX: usize = 24;
/// The front of the names under which it is kept how far a page has read.
const READ: &str = "narrative.read.";

/// How far a page has read memories, and when it was last tried.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct ReadState {
    pub(super) mark: Mark,
    pub(super) tried_at: Option<Timestamp>,
}

pub(super) fn read_state(snapshot: &Snapshot, scope: &str) -> Result<ReadState, Error> {
    let row = snapshot.get::<MetaRecord>(&format!("{READ}{scope}"))?;
    Ok(row.and_then(|row| serde_json::from_str(&row.value).ok()).unwrap_or_default())
}

pub(super) fn put_read_state(batch: &mut Batch, scope: &str, state: &ReadState) {
    // It holds no map, so writing it cannot fail.
    let value = serde_json::to_string(state).unwrap_or_default();
    batch.put(&MetaRecord { name: format!("{READ}{scope}"), value });
}

/// The versions of a scope, newest first.
pub(super) fn versions(snapshot: &Snapshot, scope: &str) -> Result<Vec<NarrativeRecord>, Error> {
    Ok(snapshot.prefix::<NarrativeRecord>(&scope.to_owned())?.rev().collect::<Result<_, _>>()?)
}

/// The version chats read.
pub(super) fn current(snapshot: &Snapshot, scope: &str) -> Result<Option<NarrativeRecord>, Error> {
    for row in snapshot.prefix::<NarrativeRecord>(&scope.to_owned())?.rev() {
        let row = row?;
        if is_current(&row) {
            return Ok(Some(row));
        }
    }
    Ok(None)
}

/// Whether a memory may stand under a page of this scope now.
pub(super) fn is_usable(fact: &FactRecord, of_scope: &str, now: Timestamp) -> bool {
    fact.status == FactStatus::Active
        && fact.state == FactState::Current
        && fact.expires_at.is_none_or(|end| now < end)
        && scope::reads(of_scope, &fact.scope)
}

/// Whether all that a sentence rests on is still there, in the same words and for this scope. One lookup for each.
pub(super) fn holds(
    snapshot: &Snapshot,
    sentence: &SentenceRecord,
    of_scope: &str,
    now: Timestamp,
) -> Result<bool, Error> {
    for (id, hash) in &sentence.facts {
        let fact = snapshot.get::<FactRecord>(id)?;
        if !fact.is_some_and(|fact| is_usable(&fact, of_scope, now) && text_hash(&fact.content) == *hash) {
            return Ok(false);
        }
    }
    for (id, hash) in &sentence.insights {
        let insight = snapshot.get::<InsightRecord>(id)?;
        let usable =
            |insight: &InsightRecord| ground::is_usable(insight, of_scope) && text_hash(&insight.statement) == *hash;
        if !insight.as_ref().is_some_and(usable) {
            return Ok(false);
        }
    }
    Ok(!sentence.facts.is_empty() || !sentence.insights.is_empty())
}

/// A version as clients see it, with what changed since the one before it.
pub(super) fn shown(snapshot: &Snapshot, row: NarrativeRecord, now: Timestamp) -> Result<NarrativeVersion, Error> {
    let before = match row.before {
        Some(version) => snapshot.get::<NarrativeRecord>(&(row.scope.clone(), version))?,
        None => None,
    };
    let texts = |row: &NarrativeRecord| row.sentences.iter().map(|one| one.text.clone()).collect::<Vec<_>>();
    let changes = diff(&before.as_ref().map(texts).unwrap_or_default(), &texts(&row));
    let mut sentences = Vec::new();
    for sentence in &row.sentences {
        sentences.push(NarrativeSentence {
            text: sentence.text.clone(),
            facts: sentence.facts.iter().map(|(id, _)| *id).collect(),
            insights: sentence.insights.iter().map(|(id, _)| id.to_string()).collect(),
            stale: !holds(snapshot, sentence, &row.scope, now)?,
        });
    }
    let fresh = sentences.iter().filter(|sentence| !sentence.stale).map(|sentence| sentence.text.as_str());
    let text = page_text(fresh);
    Ok(NarrativeVersion {
        version: row.version,
        scope: row.scope,
        state: row.state,
        trigger: row.trigger,
        text,
        sentences,
        changes,
        review: row.review.as_deref().and_then(|note| serde_json::from_str::<ReviewNote>(note).ok()),
        restored_from: row.restored_from,
        created_at: row.created_at,
    })
}

/// Scopes that have a page or enough memories for one, those with the most memories first. `always` has none of its own:
/// every page reads it.
///
/// # Errors
/// A store that cannot be read.
pub(crate) fn scopes_with_pages(snapshot: &Snapshot, now: Timestamp) -> Result<Vec<String>, Error> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for fact in snapshot.all::<FactRecord>()? {
        let fact = fact?;
        if fact.scope != SCOPE_ALWAYS && is_usable(&fact, &fact.scope.clone(), now) {
            *counts.entry(fact.scope).or_default() += 1;
        }
    }
    counts.retain(|_, count| *count >= FACTS_MIN);
    for row in snapshot.all::<NarrativeRecord>()? {
        let row = row?;
        if matches!(row.state, NarrativeState::Current | NarrativeState::Held) {
            counts.entry(row.scope).or_default();
        }
    }
    let mut scopes: Vec<(String, usize)> = counts.into_iter().collect();
    scopes.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
    Ok(scopes.into_iter().take(PAGES_MAX).map(|(scope, _)| scope).collect())
}
