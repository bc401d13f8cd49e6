//! A page as text, what changed in it, and what of it a prompt gets.

use super::{PROMPT_CHARS_MAX, Sentence};
use protocol::knowing::NarrativeDiff;
use protocol::memory::{SCOPE_PERSONAL, SCOPE_WORK};

/// The page as Markdown: one paragraph.
pub fn page_text<'a>(sentences: impl Iterator<Item = &'a str>) -> String {
    sentences.collect::<Vec<_>>().join(" ")
}

/// What is different between two versions.
pub fn diff(before: &[String], after: &[String]) -> NarrativeDiff {
    let only = |these: &[String], others: &[String]| -> Vec<String> {
        these.iter().filter(|text| !others.contains(text)).cloned().collect()
    };
    NarrativeDiff { added: only(after, before), removed: only(before, after) }
}

/// What stands above the page in a prompt.
pub fn heading(name: &str, scope: &str) -> String {
    let who = if name.trim().is_empty() { "the user" } else { name.trim() };
    match scope {
        SCOPE_PERSONAL => format!("## Where things stand with {who}"),
        SCOPE_WORK => format!("## Where things stand at {who}'s work"),
        project => format!("## Where things stand with {project}"),
    }
}

/// The block for a prompt: whole sentences, at most [`PROMPT_CHARS_MAX`] characters. It depends on the sentences alone,
/// so it stays the same, byte for byte, until the page or what it rests on changes. Sentences that wait for approval are
/// left out, whatever the version says.
pub fn prompt_block(name: &str, scope: &str, sentences: &[Sentence]) -> String {
    let mut block = heading(name, scope);
    let mut chars = block.chars().count() + 1;
    let mut kept: Vec<&str> = Vec::new();
    for sentence in sentences.iter().filter(|sentence| !sentence.outside) {
        chars += sentence.text.chars().count() + 1;
        if chars > PROMPT_CHARS_MAX {
            break;
        }
        kept.push(&sentence.text);
    }
    if kept.is_empty() {
        return String::new();
    }
    block.push('\n');
    block += &page_text(kept.into_iter());
    block
}
