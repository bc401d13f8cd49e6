//! The narrative: one short page about the person, and one for work and each project, written anew from memories when
//! enough was learned.
//!
//! A page is sentences, and each names the memories and insights it rests on. What a model writes is never kept as it
//! came: an answer of another shape makes no version, a sentence without a basis or with a number, an address or a name
//! that its basis does not have is dropped, and a page that says something new from words of others waits for the person.

mod accept;
mod due;
mod page;
mod question;
#[cfg(test)]
mod tests;

pub use accept::{Draft, Unusable, accept};
pub use due::{Due, EVERY_MS_MIN, FACTS_DUE, FACTS_MIN, due};
pub use page::{diff, heading, page_text, prompt_block};
pub use question::{Ask, question};

/// Characters of all sentences of a version. Ours: a page that can be read at a glance and costs some 300 tokens.
pub const PAGE_CHARS_MAX: usize = 1_400;
/// Characters of the block in a prompt, its heading included. Ours.
pub const PROMPT_CHARS_MAX: usize = 1_500;
/// Characters of one sentence. Ours.
pub const SENTENCE_CHARS_MAX: usize = 260;
/// Sentences of one version. Ours.
pub const SENTENCES_MAX: usize = 24;
/// Memories a page is written from. Ours: the ones the page rests on already, then the newest.
pub const FACTS_SHOWN_MAX: usize = 150;
/// Insights a page is written from. Ours.
pub const INSIGHTS_SHOWN_MAX: usize = 40;
/// Versions kept of one page. Ours: the oldest go first, never the current or the held one.
pub const VERSIONS_MAX: usize = 100;

/// A memory or an insight a page may rest on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ground {
    pub id: u64,
    pub text: String,
    /// Where it is from, when nobody but others said it (`Gmail`, `resume.pdf`) and the person never stood by it.
    pub outside: Option<String>,
    /// It was learned or changed since the last version.
    pub is_new: bool,
}

/// A sentence and what it rests on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sentence {
    pub text: String,
    pub facts: Vec<u64>,
    pub insights: Vec<u64>,
    /// It rests on words of others and the person has not approved it.
    pub outside: bool,
}

/// A text as one tidy line, without characters that order text or command a screen. Joiners stay: Hindi needs them.
fn line(text: &str) -> String {
    let hides = |c: char| {
        matches!(c, '\u{200B}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{FEFF}'
            | '\u{E0000}'..='\u{E007F}')
    };
    let seen: String = text.chars().filter(|c| !hides(*c)).map(|c| if c.is_control() { ' ' } else { c }).collect();
    seen.split_whitespace().collect::<Vec<_>>().join(" ")
}
