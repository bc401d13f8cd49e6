//! What goes from summaries with a forgotten memory: those made of the message it came from lose the sentences that repeat
//! it. A sentence stays when a memory still in use says it too (#456).

use crate::embeddings;
use crate::memory::{Derived, Forgotten};
use protocol::Error;
use protocol::ids::SessionId;
use rules::memory::told;
use std::collections::BTreeSet;
use storage::records::{FactRecord, FactStatus, Searched, SearchedKind, SummaryRecord};
use storage::{Batch, Snapshot, vectors};

/// Memories in use that are compared with a sentence. Ours.
const IN_USE_MAX: usize = 5_000;

/// Removes what summaries say of forgotten memories.
pub struct ForgetSummaries;

impl Derived for ForgetSummaries {
    fn name(&self) -> &'static str {
        "summaries"
    }

    fn forget(&self, snapshot: &Snapshot, forgotten: &Forgotten, batch: &mut Batch) -> Result<(), Error> {
        let chats: BTreeSet<&str> =
            forgotten.facts.iter().flat_map(|fact| &fact.said_in).map(|(chat, _)| chat.as_str()).collect();
        if chats.is_empty() {
            return Ok(());
        }
        let in_use = in_use(snapshot, forgotten)?;
        for chat in chats {
            for summary in snapshot.summaries_of(&SessionId(chat.to_owned()))? {
                change(summary?, forgotten, &in_use, batch);
            }
        }
        Ok(())
    }
}

fn change(mut summary: SummaryRecord, forgotten: &Forgotten, in_use: &[String], batch: &mut Batch) {
    let mut changed = false;
    for wording in forgotten.wordings() {
        if let Some(left) = told::without(&summary.content, wording, in_use.iter().map(String::as_str)) {
            summary.content = left;
            changed = true;
        }
    }
    let searched = Searched::new(SearchedKind::Summary, summary.id);
    if changed && summary.content.trim().is_empty() {
        batch.delete::<SummaryRecord>(&summary.id);
        vectors::forget(batch, searched);
    } else if changed {
        batch.put(&summary);
        embeddings::changed(batch, searched, &summary.content);
    }
}

/// The words of memories in use, without the forgotten ones.
pub(crate) fn in_use(snapshot: &Snapshot, forgotten: &Forgotten) -> Result<Vec<String>, Error> {
    let gone = forgotten.ids();
    let mut words = Vec::new();
    for fact in snapshot.all::<FactRecord>()?.rev() {
        let fact = fact?;
        let used = fact.status == FactStatus::Active && fact.state == storage::records::FactState::Current;
        if used && !gone.contains(&fact.id) && words.len() < IN_USE_MAX {
            words.push(fact.content);
        }
    }
    Ok(words)
}
