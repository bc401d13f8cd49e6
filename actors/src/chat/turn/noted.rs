//! Pieces of the person's notes that go with the message (contract section 22, "Note pieces in the prompt"), and the
//! sources of a reply that drew on them.

use super::{Facts, Runner, Setting};
use crate::folders::Prompted;
use protocol::limits::ANSWER_SOURCES_MAX;
use protocol::sessions::{AnswerSource, MessageRole};

/// The app whose tools search the folders.
const SEARCH: &str = "folder_search";

/// Looks them up once, for the message that began the turn. A helper has no message of the person, and a chat without
/// memory gets none.
pub(super) async fn look_up(setting: &Setting, facts: &Facts) -> Prompted {
    let message = setting.rows.first().filter(|row| row.role == MessageRole::User);
    let is_offered = facts.offers.iter().any(|offer| offer.name == SEARCH);
    let (Some(message), true, true, None) = (message, is_offered, facts.memory.reads, &setting.errand) else {
        return Prompted::default();
    };
    let scope = rules::memory::scope::of_run(setting.record.memory_scope.as_deref(), None);
    setting.parts.notes.prompted(&message.content, &scope).await
}

impl Runner {
    /// What a reply of these words used: pages, files and apps its calls brought, then notes it drew on.
    pub(super) fn sources_of(&self, reply: &str) -> Vec<AnswerSource> {
        let mut sources = self.sources.clone();
        for note in self.noted.drawn_on(reply) {
            let is_known = sources.iter().any(|known| known.path.is_some() && known.path == note.path);
            if !is_known && sources.len() < ANSWER_SOURCES_MAX {
                sources.push(note);
            }
        }
        sources
    }
}
