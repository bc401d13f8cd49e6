//! What of the narrative goes with forgotten memories: in every version, each sentence that rests on one of them or
//! repeats its words.

use crate::memory::{Derived, Forgotten};
use crate::user_model::{in_use, repeats};
use protocol::Error;
use protocol::memory::ReviewNote;
use storage::records::{FactRecord, InsightRecord, NarrativeRecord, SentenceRecord};
use storage::{Batch, Snapshot};

/// The step of the cascade.
pub(crate) struct NarrativeCascade;

impl Derived for NarrativeCascade {
    fn name(&self) -> &'static str {
        "narrative"
    }

    fn forget(&self, snapshot: &Snapshot, forgotten: &Forgotten, batch: &mut Batch) -> Result<(), Error> {
        let ids = forgotten.ids();
        let wordings: Vec<&str> = forgotten.wordings().collect();
        let in_use = in_use(snapshot)?;
        for row in snapshot.all::<NarrativeRecord>()? {
            let row = row?;
            let goes = |sentence: &SentenceRecord| {
                sentence.facts.iter().any(|(id, _)| ids.contains(id)) || repeats(&sentence.text, &wordings, &in_use)
            };
            if let Some(row) = without(row, goes) {
                batch.put(&row);
            }
        }
        Ok(())
    }
}

/// A version without some of its sentences; `None` when none goes.
fn without(row: NarrativeRecord, goes: impl Fn(&SentenceRecord) -> bool) -> Option<NarrativeRecord> {
    let before = row.sentences.len();
    let sentences: Vec<SentenceRecord> = row.sentences.iter().filter(|sentence| !goes(sentence)).cloned().collect();
    if sentences.len() == before {
        return None;
    }
    // The note of a held version quotes one of its sentences.
    let note = row.review.as_deref().and_then(|note| serde_json::from_str::<ReviewNote>(note).ok());
    let quoted = |note: &ReviewNote| {
        note.snippet.as_ref().is_none_or(|snippet| sentences.iter().any(|sentence| sentence.text.starts_with(snippet)))
    };
    let review = match note {
        Some(note) if !quoted(&note) => serde_json::to_string(&ReviewNote { snippet: None, ..note }).ok(),
        _ => row.review.clone(),
    };
    Some(NarrativeRecord { sentences, review, ..row })
}

/// A version without sentences whose memories or insights are gone; `None` when none is.
pub(super) fn without_gone(snapshot: &Snapshot, row: NarrativeRecord) -> Result<Option<NarrativeRecord>, Error> {
    let mut gone = Vec::new();
    for sentence in &row.sentences {
        for (id, _) in &sentence.facts {
            if snapshot.get::<FactRecord>(id)?.is_none() {
                gone.push(sentence.text.clone());
            }
        }
        for (id, _) in &sentence.insights {
            if snapshot.get::<InsightRecord>(id)?.is_none() {
                gone.push(sentence.text.clone());
            }
        }
    }
    Ok(without(row, |sentence| gone.contains(&sentence.text)))
}
