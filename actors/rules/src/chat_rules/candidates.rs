//! The tools a message may be about: those whose names or descriptions share a word with it.

use super::Instruction;
use crate::speech::stem;
use crate::tool_words::words;

/// Tools a model is asked about at once. Ours: the prompt stays short.
pub const CANDIDATES_MAX: usize = 60;

/// A tool as far as words can mean it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Known<'a> {
    pub name: &'a str,
    pub plugin: &'a str,
    /// The app's name.
    pub app: &'a str,
    pub description: &'a str,
}

/// Words that are in every message and every description.
const COMMON: &[&str] = &[
    "the", "and", "for", "with", "without", "from", "into", "that", "this", "these", "those", "you", "your", "mine",
    "not", "never", "don't", "dont", "always", "ask", "asking", "first", "before", "after", "please", "any",
    "anything", "all", "every", "only", "when", "unless", "tell", "told", "let", "use", "using", "used", "can",
    "could", "would", "should", "must", "will", "want", "need", "have", "has", "get", "gets", "one", "its", "it's",
    "are", "was", "what", "who", "which", "them", "they", "their", "about", "just", "make", "user", "me", "my", "in",
    "on", "to", "of", "or", "is", "do",
];

/// The candidates of a message, most shared words first; none, and no model is asked.
pub fn candidates<'a>(found: &[Instruction], tools: &[Known<'a>]) -> Vec<Known<'a>> {
    let shared = |tool: &Known<'_>| found.iter().map(|instruction| shared_words(instruction, tool)).max().unwrap_or(0);
    let mut counted: Vec<(usize, Known<'a>)> = tools.iter().map(|tool| (shared(tool), *tool)).collect();
    counted.retain(|(shared, _)| *shared > 0);
    counted.sort_by_key(|(shared, _)| std::cmp::Reverse(*shared));
    counted.into_iter().take(CANDIDATES_MAX).map(|(_, tool)| tool).collect()
}

/// Whether an instruction mentions a tool or its app by name; descriptions do not count.
pub(super) fn shares_a_word(instruction: &Instruction, tool: &Known<'_>) -> bool {
    let named = names(tool);
    telling(instruction).any(|word| named.iter().any(|known| known == word))
}

fn shared_words(instruction: &Instruction, tool: &Known<'_>) -> usize {
    let description = tool.description.to_lowercase();
    let described: Vec<&str> = parts(&description).collect();
    let named = names(tool);
    let known = |word: &&str| named.iter().any(|named| named == word) || described.contains(word);
    telling(instruction).filter(known).count()
}

/// The words of a tool's and its app's names, in one form.
fn names(tool: &Known<'_>) -> Vec<String> {
    let words = [tool.name, tool.app].map(|name| words(name).join(" "));
    words.iter().flat_map(|words| parts(words)).map(str::to_owned).collect()
}

/// The words of an instruction that say what it is about, in one form.
fn telling(instruction: &Instruction) -> impl Iterator<Item = &str> {
    let words = instruction.words.iter().flat_map(|word| word.split('_'));
    words.filter(|word| word.len() > 2 && !COMMON.contains(word)).map(stem)
}

fn parts(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| word.len() > 2 && !COMMON.contains(word));
    words.map(stem)
}
