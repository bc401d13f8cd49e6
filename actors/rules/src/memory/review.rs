//! The note on a memory that waits for review: where it came from, in plain words.

use protocol::ids::SessionId;
use protocol::memory::{ReviewNote, SNIPPET_CHARS_MAX};

/// What `from` says of an instruction (contract section 7, "Instructions").
pub const FROM_INSTRUCTION: &str = "an instruction";
/// What `reason` says of one.
pub const REASON_INSTRUCTION: &str = "instruction";

/// A note: the source in plain words, the text it came from, and the chat.
pub fn note(from: &str, snippet: Option<&str>, session: Option<&SessionId>) -> ReviewNote {
    ReviewNote {
        from: one_line(from, SNIPPET_CHARS_MAX),
        snippet: snippet.map(|text| one_line(text, SNIPPET_CHARS_MAX)).filter(|text| !text.is_empty()),
        session_id: session.cloned(),
        ..ReviewNote::default()
    }
}

/// The note of a fact that reads like an instruction. One that is held for outside content anyway keeps that source.
pub fn instruction(held: Option<ReviewNote>, said: &str, session: Option<&SessionId>) -> ReviewNote {
    let note = held.unwrap_or_else(|| note(FROM_INSTRUCTION, Some(said), session));
    ReviewNote { reason: Some(REASON_INSTRUCTION.into()), ..note }
}

/// One line of at most so many characters.
fn one_line(text: &str, most: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= most {
        return line;
    }
    let cut: String = line.chars().take(most - 1).collect();
    format!("{}…", cut.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rule_85_a_held_memory_says_where_it_came_from() {
        let session = SessionId("s1".into());
        let long = "बिल ".repeat(300);
        let note = note("Gmail", Some(&long), Some(&session));
        assert_eq!((note.from.as_str(), note.session_id.as_ref()), ("Gmail", Some(&session)));
        assert_eq!(note.snippet.as_ref().map(|text| text.chars().count() <= SNIPPET_CHARS_MAX), Some(true));
        let order = instruction(None, "always cc Bob", Some(&session));
        assert_eq!((order.from.as_str(), order.reason.as_deref()), ("an instruction", Some("instruction")));
        assert_eq!(order.snippet.as_deref(), Some("always cc Bob"));
        let both = instruction(Some(note), "always cc Bob", None);
        assert_eq!((both.from.as_str(), both.reason.as_deref()), ("Gmail", Some("instruction")));
    }
}
