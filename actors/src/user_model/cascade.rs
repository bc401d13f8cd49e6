//! What of the user model goes with forgotten memories and sources: evidence by the memory's id, quotes of chats and
//! sentences of the portrait by their words, and an insight of the engine's own that has nothing else behind it.

use super::requests::ForgetEvidence;
use super::review::SOURCE_INFERRED;
use super::{Change, UserModel, rows};
use crate::memory::{Derived, Forgotten, Going};
use protocol::Error;
use protocol::knowing::EvidenceKind;
use rules::memory::told;
use runtime::{Ctx, Handles};
use storage::records::{FactRecord, FactState, FactStatus, InsightEvidence, InsightRecord};
use storage::{Batch, Snapshot};

/// The step of the cascade.
pub(crate) struct InsightCascade;

impl Derived for InsightCascade {
    fn name(&self) -> &'static str {
        "insights"
    }

    fn forget(&self, snapshot: &Snapshot, forgotten: &Forgotten, batch: &mut Batch) -> Result<(), Error> {
        let ids: Vec<String> = forgotten.ids().iter().map(ToString::to_string).collect();
        let wordings: Vec<&str> = forgotten.wordings().collect();
        let in_use = in_use(snapshot)?;
        // What a dream folded into a forgotten memory has no number of its own any more: its words say that it goes.
        let folded = |one: &InsightEvidence| rows::is_there(snapshot, one).is_ok_and(|there| !there);
        let goes = |one: &InsightEvidence| match one.kind {
            EvidenceKind::Fact => {
                ids.contains(&one.reference) || (folded(one) && repeats(&one.quote, &wordings, &in_use))
            }
            EvidenceKind::Message | EvidenceKind::Summary => repeats(&one.quote, &wordings, &in_use),
            EvidenceKind::Feedback | EvidenceKind::Import => false,
        };
        for insight in snapshot.all::<InsightRecord>()? {
            let insight = insight?;
            // One that rests on nothing it could name, and says what is to be forgotten.
            let bare = insight.evidence.is_empty() && insight.source == SOURCE_INFERRED;
            if bare && rows::goes_without_evidence(&insight) && repeats(&insight.statement, &wordings, &in_use) {
                rows::delete(snapshot, batch, insight.id)?;
                continue;
            }
            rows::take_evidence(snapshot, insight, goes, batch)?;
        }
        let state = rows::state(snapshot)?;
        if let Some(summary) = without(&state.summary, &wordings, &in_use) {
            rows::put_state(batch, &rows::State { summary, ..state });
        }
        Ok(())
    }
}

/// The words of memories in use.
pub(crate) fn in_use(snapshot: &Snapshot) -> Result<Vec<String>, Error> {
    let mut words = Vec::new();
    for fact in snapshot.all::<FactRecord>()? {
        let fact = fact?;
        if fact.status == FactStatus::Active && fact.state == FactState::Current {
            words.push(fact.content);
        }
    }
    Ok(words)
}

/// Whether a text repeats something forgotten that no memory in use says as well.
pub(crate) fn repeats(text: &str, forgotten: &[&str], in_use: &[String]) -> bool {
    forgotten.iter().any(|wording| told::goes_with(text, wording, in_use.iter().map(String::as_str)))
}

/// A text without the sentences that repeat something forgotten; `None` when nothing goes.
fn without(text: &str, forgotten: &[&str], in_use: &[String]) -> Option<String> {
    let mut left: Option<String> = None;
    for wording in forgotten {
        let present = left.as_deref().unwrap_or(text);
        if let Some(less) = told::without(present, wording, in_use.iter().map(String::as_str)) {
            left = Some(less);
        }
    }
    left
}

/// Whether evidence goes with a source.
fn goes_with(going: &Going, one: &InsightEvidence) -> bool {
    match one.kind {
        EvidenceKind::Fact => one.reference.parse().is_ok_and(|id| going.facts.contains(&id)),
        EvidenceKind::Message => going.messages.contains(&one.reference),
        EvidenceKind::Summary => one.reference.parse().is_ok_and(|id| going.summaries.contains(&id)),
        EvidenceKind::Feedback | EvidenceKind::Import => false,
    }
}

/// How many insights go because all their evidence goes.
pub(super) fn counted(snapshot: &Snapshot, going: &Going) -> Result<usize, Error> {
    let mut count = 0;
    for insight in snapshot.all::<InsightRecord>()? {
        let insight = insight?;
        let all = !insight.evidence.is_empty() && insight.evidence.iter().all(|one| goes_with(going, one));
        count += usize::from(all && rows::goes_without_evidence(&insight));
    }
    Ok(count)
}

impl Handles<ForgetEvidence> for UserModel {
    async fn handle(&mut self, ForgetEvidence { going }: ForgetEvidence, ctx: &Ctx<Self>) -> Result<usize, Error> {
        let snapshot = self.needs.store.snapshot()?;
        let (mut change, mut gone) = (Change::default(), 0);
        for insight in snapshot.all::<InsightRecord>()? {
            let goes = |one: &InsightEvidence| goes_with(&going, one);
            if let Some((went, questions)) = rows::take_evidence(&snapshot, insight?, goes, &mut change.batch)? {
                change.insights += 1;
                change.questions -= questions;
                gone += usize::from(went);
            }
        }
        if change.insights > 0 {
            self.commit(change, ctx).await?;
        }
        Ok(gone)
    }
}
