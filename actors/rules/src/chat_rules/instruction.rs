//! Which sentences of a message are standing instructions, and how strict their words are. No model is asked.

use crate::gate::Rule;
use crate::speech::{Clause, base_of, is_action, normal, sentence_texts, sentences};

/// Characters of the person's words that a proposal keeps (contract section 2, `said`).
pub const SAID_CHARS_MAX: usize = 300;

/// A sentence that reads like a standing instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instruction {
    /// As the person wrote it.
    pub said: String,
    /// Its words, lower case.
    pub words: Vec<String>,
    /// What its words say about how strict it is; `None`: never or ask, as a model reads it.
    pub level: Option<Rule>,
    /// The verbs it names ("delete", "send"); empty when it speaks of an app as such.
    pub actions: Vec<String>,
}

const HAND_OFF: &[&str] = &[
    "myself",
    "hand it to me",
    "hand them to me",
    "hand that to me",
    "let me press send",
    "let me send",
    "let me do",
    "just draft",
    "only draft",
    "i press send",
    "leave the sending to me",
    "i'll press send",
];
const IF_ASKED: &[&str] = &[
    "unless i ask",
    "unless i tell",
    "unless i say",
    "only when i tell",
    "only if i tell",
    "only when i ask",
    "only if i ask",
    "only when i say",
    "unless i explicitly",
];
const ASK: &[&str] = &[
    "without asking",
    "without my",
    "always ask",
    "ask me first",
    "ask first",
    "ask me before",
    "ask before",
    "check with me",
    "check first",
    "confirm with me",
    "before asking me",
    "until i confirm",
    "unless i confirm",
    "without checking",
];
const NEVER: &[&str] = &[
    "never",
    "don't",
    "dont",
    "do not",
    "must not",
    "mustn't",
    "not allowed to",
    "no longer",
    "under no circumstances",
];
/// What takes a question back instead of asking for one.
const NOT_THESE: &[&str] =
    &["don't ask me", "dont ask me", "do not ask me", "stop asking", "no need to ask", "never ask me"];
/// A limit to the request at hand.
const ONLY_NOW: &[&str] = &[
    "this time",
    "just this once",
    "this once",
    "for now",
    "right now",
    "in this reply",
    "in this answer",
    "in this message",
];
/// With a word or number after them: "in part A", "in step 2".
const PARTS: &[&str] = &["in part", "in step", "in section", "in question", "for step"];

/// The standing instructions of a message, in order.
pub fn instructions(text: &str) -> Vec<Instruction> {
    sentence_texts(text).into_iter().filter_map(instruction).collect()
}

fn instruction(sentence: &str) -> Option<Instruction> {
    let plain = format!(" {} ", normal(sentence).split_whitespace().collect::<Vec<_>>().join(" "));
    let has = |phrase: &str| plain.contains(&format!(" {phrase}"));
    if NOT_THESE.iter().any(|phrase| has(phrase)) || ONLY_NOW.iter().any(|phrase| has(phrase)) {
        return None;
    }
    let part_named =
        |phrase: &str| plain.split(&format!(" {phrase} ")).nth(1).is_some_and(|rest| !rest.trim().is_empty());
    if PARTS.iter().any(|phrase| part_named(phrase)) {
        return None;
    }
    let level = if HAND_OFF.iter().any(|phrase| has(phrase)) {
        Some(Rule::HandOff)
    } else if IF_ASKED.iter().any(|phrase| has(phrase)) || only_when_told(&plain) {
        Some(Rule::IfAsked)
    } else if ASK.iter().any(|phrase| has(phrase)) {
        Some(Rule::Ask)
    } else if NEVER.iter().any(|phrase| has(phrase)) && !tells_of_somebody(&plain) {
        None
    } else {
        return None;
    };
    let clauses: Vec<Clause> = sentences(sentence).into_iter().flatten().collect();
    let words: Vec<String> = clauses.iter().flat_map(|clause| clause.words.clone()).collect();
    let actions = actions(&clauses);
    let said = sentence.trim().chars().take(SAID_CHARS_MAX).collect();
    Some(Instruction { said, words, level, actions })
}

/// "only send emails when I tell you to"
fn only_when_told(plain: &str) -> bool {
    const TOLD: &[&str] = &["when i tell", "if i tell", "when i ask", "if i ask", "when i say", "if i say"];
    plain.contains(" only ") && TOLD.iter().any(|told| plain.contains(&format!(" {told}")))
}

/// "I don't know", "she never writes": told, not told to.
fn tells_of_somebody(plain: &str) -> bool {
    const WHO: &[&str] = &[" i ", " he ", " she ", " they ", " we ", " it ", " who "];
    let told = |who: &str| NEVER.iter().any(|word| plain.contains(&format!("{who}{word} ")));
    WHO.iter().any(|who| told(who)) && !plain.contains(" you ")
}

/// The verbs that are not to be done. A word after "my", another determiner or a noun is what is acted on.
fn actions(clauses: &[Clause]) -> Vec<String> {
    const NOT_ACTS: &[&str] = &[
        "ask", "check", "confirm", "let", "use", "touch", "open", "call", "read", "look", "start", "do", "get", "set",
    ];
    const OBJECT_AFTER: &[&str] = &[
        "my", "the", "a", "an", "any", "this", "that", "these", "those", "his", "her", "our", "their", "your", "every",
        "new",
    ];
    let mut found: Vec<String> = Vec::new();
    for clause in clauses {
        for (at, word) in clause.words.iter().enumerate() {
            let base = base_of(word);
            let before = at.checked_sub(1).map_or("", |before| clause.words[before].as_str());
            let verb_may_stand =
                at == 0 || !OBJECT_AFTER.contains(&before) && (base != *word || leads_to_a_verb(before));
            if is_action(&base) && !NOT_ACTS.contains(&base.as_str()) && verb_may_stand && !found.contains(&base) {
                found.push(base);
            }
        }
    }
    found
}

/// Words a verb comes after, so that it is not a noun.
fn leads_to_a_verb(before: &str) -> bool {
    const LEADS: &[&str] = &[
        "never",
        "don't",
        "dont",
        "not",
        "to",
        "you",
        "and",
        "or",
        "please",
        "always",
        "just",
        "only",
        "ever",
        "me",
        "must",
        "should",
        "can",
        "may",
        "mustn't",
        "shouldn't",
        "then",
        "also",
    ];
    LEADS.contains(&before)
}
