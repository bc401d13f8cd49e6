//! What a refresh came to, written in one commit with how far it read: a crash before it repeats the refresh, one after it
//! does not.

use super::requests::Apply;
use super::review::{SOURCE_INFERRED, SOURCE_USER, json};
use super::{Change, UserModel, evidence, question_of, rows};
use protocol::knowing::{InsightStatus, Refreshed};
use protocol::memory::{ReviewNote, SNIPPET_CHARS_MAX};
use protocol::{Error, Timestamp};
use rules::user_model::{Added, Changed, Held, Material};
use runtime::{Ctx, Handles};
use storage::Snapshot;
use storage::records::{FactRecord, InsightEvidence, InsightRecord, QuestionRecord};

impl Handles<Apply> for UserModel {
    async fn handle(&mut self, request: Apply, ctx: &Ctx<Self>) -> Result<Refreshed, Error> {
        let Apply { changes, material, portrait, marks } = request;
        let snapshot = self.needs.store.snapshot()?;
        // What was forgotten while the model answered is evidence of nothing any more.
        let material = still_there(&snapshot, material)?;
        let (mut change, mut counts) = (Change::default(), changes.counts);
        let writing = Writing { snapshot: &snapshot, material: &material, now: ctx.now() };
        for added in changes.added {
            let lost = !added.evidence.is_empty() && added.evidence.iter().all(|index| material[*index].is_none());
            if lost {
                let count = if added.held.is_some() { &mut counts.held } else { &mut counts.added };
                *count = count.saturating_sub(1);
                continue;
            }
            let insight = self.new_insight(added, &writing, &mut change);
            rows::put(&mut change.batch, &insight);
            change.written.push(insight.id);
            change.insights += 1;
        }
        for changed in changes.changed {
            writing.changed(&changed, &mut change)?;
        }
        for asked in changes.questions {
            let is_open = question_of(&snapshot, asked.insight)?.is_some();
            let is_there = snapshot.get::<InsightRecord>(&asked.insight)?.is_some();
            if !is_open && is_there {
                change.batch.put(&QuestionRecord {
                    id: ctx.world.id(),
                    insight_id: asked.insight,
                    question: asked.text,
                    created_at: ctx.now(),
                });
                change.questions += 1;
            }
        }
        let known = rows::state(&snapshot)?.summary;
        change.summary = portrait.filter(|portrait| *portrait != known);
        evidence::put_marks(&mut change.batch, &marks, ctx.now());
        if change.insights == 0 && change.questions == 0 && change.summary.is_none() {
            self.needs.store.commit(change.batch).await?; // only how far it read
        } else {
            self.commit(change, ctx).await?;
        }
        Ok(counts)
    }
}

/// Material whose memory is gone becomes `None`.
fn still_there(snapshot: &Snapshot, material: Vec<Material>) -> Result<Vec<Option<Material>>, Error> {
    let there = |one: &Material| -> Result<bool, Error> {
        match (one.kind, one.reference.parse::<u64>()) {
            (protocol::knowing::EvidenceKind::Fact, Ok(id)) => {
                // Other words are other evidence.
                Ok(snapshot.get::<FactRecord>(&id)?.is_some_and(|fact| fact.content.starts_with(one.text.as_str())))
            }
            _ => Ok(true),
        }
    };
    material.into_iter().map(|one| Ok(there(&one)?.then_some(one))).collect()
}

/// What writing takes.
struct Writing<'a> {
    snapshot: &'a Snapshot,
    /// `None` where a memory is gone.
    material: &'a [Option<Material>],
    now: Timestamp,
}

impl UserModel {
    fn new_insight(&mut self, added: Added, writing: &Writing<'_>, change: &mut Change) -> InsightRecord {
        let held = added.held.as_ref().map(|held| review_note(held, writing.material));
        InsightRecord {
            id: self.next_id(&mut change.batch),
            dimension: added.dimension,
            statement: added.statement,
            confidence: added.confidence,
            status: if held.is_some() { InsightStatus::Pending } else { InsightStatus::Active },
            source: SOURCE_INFERRED.into(),
            evidence: evidence_of(&added.evidence, writing.material),
            review: held.as_ref().map(json),
            created_at: writing.now,
            updated_at: writing.now,
        }
    }
}

impl Writing<'_> {
    fn changed(&self, changed: &Changed, change: &mut Change) -> Result<(), Error> {
        let Some(insight) = self.snapshot.get::<InsightRecord>(&changed.id)? else { return Ok(()) };
        // The person may have said what holds while the model answered: that stands.
        let is_persons = insight.source == SOURCE_USER || insight.status == InsightStatus::Confirmed;
        if is_persons || matches!(insight.status, InsightStatus::Retired | InsightStatus::Pending) {
            return Ok(());
        }
        let mut evidence = insight.evidence.clone();
        evidence.extend(evidence_of(&changed.evidence, self.material));
        let excess = evidence.len().saturating_sub(rows::EVIDENCE_MAX);
        evidence.drain(..excess);
        let (confidence, status, updated_at) = (changed.confidence, changed.status, self.now);
        rows::put(&mut change.batch, &InsightRecord { confidence, status, evidence, updated_at, ..insight });
        change.written.push(changed.id);
        change.insights += 1;
        if changed.closes_question
            && let Some(question) = question_of(self.snapshot, changed.id)?
        {
            change.batch.delete::<QuestionRecord>(&question.id);
            change.questions -= 1;
        }
        Ok(())
    }
}

fn evidence_of(indexes: &[usize], material: &[Option<Material>]) -> Vec<InsightEvidence> {
    let cited = indexes.iter().filter_map(|index| material.get(*index)?.as_ref());
    let evidence = cited.map(|one| InsightEvidence {
        kind: one.kind,
        reference: one.reference.clone(),
        session_id: one.session_id.clone(),
        quote: one.text.clone(),
        at: one.at,
    });
    evidence.take(rows::EVIDENCE_MAX).collect()
}

fn review_note(held: &Held, material: &[Option<Material>]) -> ReviewNote {
    let cited = held.material.and_then(|index| material.get(index)?.as_ref());
    ReviewNote {
        from: held.from.clone(),
        snippet: cited.map(|one| one.text.chars().take(SNIPPET_CHARS_MAX).collect()),
        session_id: cited.and_then(|one| one.session_id.clone()),
        reason: held.is_instruction.then(|| "instruction".to_owned()),
        ..ReviewNote::default()
    }
}
