//! Rows of insights: written so that searches hear of it, and kept free of what is gone.

use protocol::knowing::{EvidenceKind, InsightStatus};
use protocol::{Error, Timestamp};
use rules::memory::told;
use serde::{Deserialize, Serialize};
use storage::records::{
    FactRecord, InsightEvidence, InsightRecord, MetaRecord, QuestionRecord, Searched, SearchedKind,
};
use storage::{Batch, Snapshot, vectors};

/// Things one insight is remembered to rest on. Ours: the newest.
pub(super) const EVIDENCE_MAX: usize = 20;
/// The portrait and when anything changed, among the single values of the store.
const STATE: &str = "user_model.state";

/// The portrait, and the moment of the last change.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct State {
    pub(super) summary: String,
    pub(super) updated_at: Option<Timestamp>,
}

pub(super) fn state(snapshot: &Snapshot) -> Result<State, Error> {
    let row = snapshot.get::<MetaRecord>(&STATE.to_owned())?;
    Ok(row.and_then(|row| serde_json::from_str(&row.value).ok()).unwrap_or_default())
}

pub(super) fn put_state(batch: &mut Batch, state: &State) {
    // It holds no map, so writing it cannot fail.
    let value = serde_json::to_string(state).unwrap_or_default();
    batch.put(&MetaRecord { name: STATE.into(), value });
}

/// Writes an insight, and has it found by its words and its meaning while it is in use.
pub(super) fn put(batch: &mut Batch, insight: &InsightRecord) {
    batch.put(insight);
    if matches!(insight.status, InsightStatus::Active | InsightStatus::Confirmed) {
        vectors::changed(batch, name(insight.id));
    } else {
        vectors::forget(batch, name(insight.id));
    }
}

/// Deletes an insight, all that finds it, and its questions. Answers how many questions went.
pub(super) fn delete(snapshot: &Snapshot, batch: &mut Batch, id: u64) -> Result<i64, Error> {
    batch.delete::<InsightRecord>(&id);
    vectors::forget(batch, name(id));
    let mut gone = 0;
    for question in snapshot.all::<QuestionRecord>()? {
        let question = question?;
        if question.insight_id == id {
            batch.delete::<QuestionRecord>(&question.id);
            gone += 1;
        }
    }
    Ok(gone)
}

fn name(id: u64) -> Searched {
    Searched::new(SearchedKind::Insight, id)
}

/// Whether an insight is the engine's own: it goes when nothing is left that it rests on.
pub(super) fn goes_without_evidence(insight: &InsightRecord) -> bool {
    insight.source != super::review::SOURCE_USER && insight.status != InsightStatus::Confirmed
}

/// Takes evidence away from an insight; one of the engine's own that has nothing else behind it goes. Answers whether it
/// went, and how many questions with it; `None` when nothing was taken away.
pub(super) fn take_evidence(
    snapshot: &Snapshot,
    insight: InsightRecord,
    goes: impl Fn(&InsightEvidence) -> bool,
    batch: &mut Batch,
) -> Result<Option<(bool, i64)>, Error> {
    let before = insight.evidence.len();
    let evidence: Vec<InsightEvidence> = insight.evidence.iter().filter(|one| !goes(one)).cloned().collect();
    if evidence.len() == before {
        return Ok(None);
    }
    if evidence.is_empty() && goes_without_evidence(&insight) {
        let questions = delete(snapshot, batch, insight.id)?;
        return Ok(Some((true, questions)));
    }
    // The snippet of a held one may be the quote that goes.
    let review =
        if evidence.is_empty() { insight.review.as_deref().map(without_snippet) } else { insight.review.clone() };
    put(batch, &InsightRecord { evidence, review, ..insight });
    Ok(Some((false, 0)))
}

fn without_snippet(review: &str) -> String {
    match serde_json::from_str::<protocol::memory::ReviewNote>(review) {
        Ok(note) => super::review::json(&protocol::memory::ReviewNote { snippet: None, ..note }),
        Err(_) => review.to_owned(),
    }
}

/// An insight without evidence of memories that are gone. One that a dream folded into another lives on in that one, so
/// its evidence stays as long as a memory in use says the same.
pub(super) fn without_gone(snapshot: &Snapshot, insight: InsightRecord, batch: &mut Batch) -> Result<(), Error> {
    let mut gone = Vec::new();
    let mut in_use: Option<Vec<String>> = None;
    for one in insight.evidence.iter().filter(|one| one.kind == EvidenceKind::Fact) {
        if is_there(snapshot, one)? {
            continue;
        }
        if in_use.is_none() {
            in_use = Some(super::cascade::in_use(snapshot)?);
        }
        let lives_on = in_use.iter().flatten().any(|content| told::repeats(content, &one.quote));
        if !lives_on {
            gone.push(one.reference.clone());
        }
    }
    if !gone.is_empty() {
        let goes = |one: &InsightEvidence| one.kind == EvidenceKind::Fact && gone.contains(&one.reference);
        take_evidence(snapshot, insight, goes, batch)?;
    }
    Ok(())
}

/// Whether the memory that serves as evidence is still there under its own number.
pub(super) fn is_there(snapshot: &Snapshot, evidence: &InsightEvidence) -> Result<bool, Error> {
    match evidence.reference.parse::<u64>() {
        Ok(id) => Ok(snapshot.get::<FactRecord>(&id)?.is_some()),
        Err(_) => Ok(false),
    }
}
