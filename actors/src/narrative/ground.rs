//! What a page may rest on: memories and insights in use, and which of them nobody but others said.

use super::rows;
use protocol::knowing::{Dimension, InsightStatus};
use protocol::memory::{ReviewNote, SCOPE_PERSONAL};
use protocol::{Error, Timestamp};
use rules::memory::scope;
use rules::narrative::{FACTS_SHOWN_MAX, Ground, INSIGHTS_SHOWN_MAX, Sentence};
use rules::user_model::Mark;
use std::collections::BTreeSet;
use storage::Snapshot;
use storage::records::{FactRecord, InsightRecord, SentenceRecord};

/// All that a page is written from.
pub(super) struct Material {
    pub(super) facts: Vec<Ground>,
    pub(super) insights: Vec<Ground>,
    /// Sentences of the current version that still hold.
    pub(super) before: Vec<Sentence>,
    /// Memories of the scope that may be used.
    pub(super) count: usize,
    /// New or changed ones, and sentences that no longer hold, since the last version.
    pub(super) learned: usize,
    pub(super) has_version: bool,
    pub(super) tried_at: Option<Timestamp>,
    /// How far memories were read now.
    pub(super) read: Mark,
}

/// Reads it. May block: it looks at every memory.
pub(super) fn gather(snapshot: &Snapshot, of_scope: &str, now: Timestamp) -> Result<Material, Error> {
    let state = rows::read_state(snapshot, of_scope)?;
    let current = rows::current(snapshot, of_scope)?;
    let (mut before, mut gone) = (Vec::new(), 0);
    for sentence in current.iter().flat_map(|row| &row.sentences) {
        match rows::holds(snapshot, sentence, of_scope, now)? {
            true => before.push(plain(sentence)),
            false => gone += 1,
        }
    }
    let mut facts = Vec::new();
    for fact in snapshot.all::<FactRecord>()? {
        let fact = fact?;
        if rows::is_usable(&fact, of_scope, now) {
            facts.push(fact);
        }
    }
    let own = |fact: &&FactRecord| fact.scope == of_scope || of_scope == SCOPE_PERSONAL;
    let is_new = |fact: &FactRecord| state.mark.is_new(fact.updated_at, &fact.id.to_string());
    let count = facts.iter().filter(own).count();
    let learned = facts.iter().filter(own).filter(|fact| is_new(fact)).count() + gone;
    let ids: Vec<(Timestamp, String)> = facts.iter().map(|fact| (fact.updated_at, fact.id.to_string())).collect();
    let read = state.mark.after(ids.iter().map(|(at, id)| (*at, id.as_str())));
    let used: BTreeSet<u64> = before.iter().flat_map(|sentence| sentence.facts.iter().copied()).collect();
    facts.sort_by_key(|fact| (!used.contains(&fact.id), std::cmp::Reverse((fact.updated_at, fact.id))));
    facts.truncate(FACTS_SHOWN_MAX);
    let facts = facts.into_iter().map(|fact| {
        let (is_new, outside) = (is_new(&fact), outside_of(&fact));
        Ground { id: fact.id, text: fact.content, outside, is_new }
    });
    Ok(Material {
        facts: facts.collect(),
        insights: insights(snapshot, of_scope)?,
        before,
        count,
        learned,
        has_version: current.is_some(),
        tried_at: state.tried_at,
        read,
    })
}

fn plain(sentence: &SentenceRecord) -> Sentence {
    Sentence {
        text: sentence.text.clone(),
        facts: sentence.facts.iter().map(|(id, _)| *id).collect(),
        insights: sentence.insights.iter().map(|(id, _)| *id).collect(),
        outside: sentence.outside,
    }
}

/// Whether an insight may stand under a page of this scope.
pub(super) fn is_usable(insight: &InsightRecord, of_scope: &str) -> bool {
    let in_use = matches!(insight.status, InsightStatus::Active | InsightStatus::Confirmed);
    in_use && (insight.dimension != Dimension::Relationships || scope::reads_personal_files(of_scope))
}

fn insights(snapshot: &Snapshot, of_scope: &str) -> Result<Vec<Ground>, Error> {
    let mut insights: Vec<InsightRecord> = Vec::new();
    for insight in snapshot.all::<InsightRecord>()? {
        let insight = insight?;
        if is_usable(&insight, of_scope) {
            insights.push(insight);
        }
    }
    insights.sort_by(|a, b| a.status.cmp(&b.status).then(b.confidence.total_cmp(&a.confidence)).then(a.id.cmp(&b.id)));
    insights.truncate(INSIGHTS_SHOWN_MAX);
    let ground = insights.into_iter().map(|insight| Ground {
        id: insight.id,
        outside: outside_of_insight(&insight),
        text: insight.statement,
        is_new: false,
    });
    Ok(ground.collect())
}

/// One that the person took in from review without making it theirs.
fn outside_of_insight(insight: &InsightRecord) -> Option<String> {
    if insight.status == InsightStatus::Confirmed {
        return None;
    }
    let note: ReviewNote = serde_json::from_str(insight.review.as_deref()?).ok()?;
    Some(note.from)
}

/// Sources that are the person's own words.
const OWN: [&str; 5] = ["conversation", "manual", "onboarding", "user_model", "task"];

/// Where a memory is from, when nobody but others said it and the person never stood by it: they typed, edited or
/// confirmed none of it (which makes its confidence 1).
fn outside_of(fact: &FactRecord) -> Option<String> {
    let is_own = |source: &str| {
        OWN.contains(&source) || ["channel:", "device:", "task:"].iter().any(|front| source.starts_with(front))
    };
    let stands_by = fact.confidence >= 1.0;
    let said_it = is_own(&fact.source) || fact.sources.iter().any(|link| is_own(&link.source));
    (!stands_by && !said_it).then(|| label(&fact.source))
}

/// A source in plain words: `app:gmail` is Gmail, `file:resume.pdf` is resume.pdf.
fn label(source: &str) -> String {
    let (kind, name) = source.split_once(':').unwrap_or(("", source));
    let name = name.strip_prefix("mcp_").unwrap_or(name);
    if matches!(kind, "file" | "folder") {
        return name.to_owned();
    }
    let mut letters = name.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_have_plain_names() {
        for (source, want) in [
            ("app:gmail", "Gmail"),
            ("app:mcp_notes", "Notes"),
            ("file:resume.pdf", "resume.pdf"),
            ("import:hermes", "Hermes"),
            ("mcp", "Mcp"),
            ("", ""),
        ] {
            assert_eq!(label(source), want, "{source}");
        }
    }
}
