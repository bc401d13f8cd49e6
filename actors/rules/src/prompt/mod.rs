//! What a model is told: the system prompt, the chat so far, the new message, and how all of it is made to fit.
//!
//! Two things hold for every prompt. Every tool call has exactly one result right behind its message, whatever a crash
//! left in the store, since providers reject anything else. And what was sent before is sent again byte for byte: the
//! system prompt holds no clock, and a message carries its own time, so caches of a prompt's beginning hold from turn
//! to turn. What the engine adds is never stored as anybody's words.

mod fit;
mod history;
mod system;
#[cfg(test)]
mod tests;

pub use fit::{Budget, estimate, message_size};
pub use history::{Attached, Said, UNKNOWN_OUTCOME, group_source, member_name};
pub use system::{SystemFacts, system};

use crate::marking::MarkKey;
use crate::turn::Note;
use protocol::model::PromptMessage;

/// All that goes into one prompt.
pub struct Prompt<'a> {
    /// See [`system`]. Stays the same from turn to turn.
    pub system: String,
    /// The running summary of what is older than `said`; empty when there is none.
    pub summary: &'a str,
    /// Pieces of the person's notes that may help with this turn's message; empty when there are none.
    pub notes: &'a str,
    /// The messages after the summary, in order.
    pub said: &'a [Said],
    /// Files of the messages of this turn, by name; older ones are only named.
    pub attached: &'a [Attached],
    /// The channel this turn was asked over.
    pub channel: &'a str,
    /// The first message of this turn.
    pub turn_begins_at: u64,
    pub zone: &'a jiff::tz::TimeZone,
    /// Marks what others wrote; `None` when `chat.mark_outside_content` is off.
    pub marks: Option<&'a MarkKey>,
    /// Marks group members' messages whatever the setting.
    pub group_marks: &'a MarkKey,
    pub note: Option<Note>,
    /// Memories that go with the message that began the turn, behind its words; empty when there are none. They are not
    /// part of later prompts, so that what was sent before stays as it was up to that message.
    pub recalled: &'a str,
    pub budget: Budget,
}

/// Builds the messages of one model call.
pub fn build(prompt: &Prompt<'_>) -> Vec<PromptMessage> {
    let mut groups = history::groups(prompt);
    fit::fit(&mut groups, prompt.budget.for_messages(&prompt.system, &format!("{}{}", prompt.summary, prompt.notes)));
    let mut messages = vec![PromptMessage::System { text: prompt.system.clone(), cache: true }];
    if !prompt.summary.is_empty() {
        let text = format!("What was said earlier in this chat, in short:\n{}", prompt.summary);
        messages.push(PromptMessage::System { text, cache: false });
    }
    if !prompt.notes.is_empty() {
        messages.push(PromptMessage::System { text: prompt.notes.to_owned(), cache: false });
    }
    messages.extend(groups.into_iter().flat_map(|group| group.messages));
    if let Some(note) = prompt.note {
        messages.push(PromptMessage::User { text: note_text(note).to_owned(), pictures: Vec::new() });
    }
    messages
}

/// The engine's own words to the model. Sent with one call, never stored.
fn note_text(note: Note) -> &'static str {
    match note {
        Note::TrySomethingElse => {
            "[Note from Sentient, not from the user: the same step gave the same result several times. Try something \
             else, or answer with what you have.]"
        }
        // The sentence is fixed by the contract (strings.tsv, final_answer_nudge).
        Note::FinalAnswer => "Give your final answer now, based on what you found.",
    }
}
