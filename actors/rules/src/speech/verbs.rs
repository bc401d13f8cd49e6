//! Whether a clause asks for something to be done: its stance, and where its verb stands.

use super::Clause;

/// What a clause is, before its verb is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stance {
    /// It may ask for something.
    Asks,
    /// "don't send it", and what hangs on it with "and".
    Negated,
    /// "ask me before you send it": the whole sentence waits.
    AsksFirst,
    /// "when Bob replies, send it": not now.
    Conditional,
    /// "did you send it?", "how do I send it?"
    Question,
}

const NEGATIONS: &[&str] = &[
    "don't",
    "dont",
    "not",
    "never",
    "no",
    "without",
    "avoid",
    "refrain",
    "stop",
    "mustn't",
    "shouldn't",
    "can't",
    "cannot",
    "won't",
    "wouldn't",
    "didn't",
    "doesn't",
    "isn't",
    "nobody",
    "nothing",
    "neither",
    "nor",
    "rather",
    "instead",
    "hold",
    "wait",
];
const CONDITIONS: &[&str] = &["if", "when", "whenever", "once", "unless", "until", "after", "before", "while"];
const QUESTIONS: &[&str] = &[
    "did", "have", "has", "had", "was", "were", "is", "are", "am", "why", "who", "whose", "what", "what's", "which",
    "how", "where", "does", "who's", "how's",
];
/// Words before what is really said.
const LEAD_INS: &[&str] = &[
    "please", "yes", "yeah", "yep", "ok", "okay", "sure", "hey", "hi", "well", "now", "then", "just", "also", "great",
    "good", "fine", "right", "thanks", "and", "sentient",
];
/// Words that may stand between a subject and its verb.
const ADVERBS: &[&str] = &[
    "just",
    "also",
    "now",
    "then",
    "quickly",
    "please",
    "kindly",
    "first",
    "finally",
    "simply",
    "immediately",
    "ahead",
];
const MODALS: &[&str] = &["can", "could", "would", "will", "should", "must", "may", "shall"];
/// Somebody else does it, or did, or the person themselves.
const OTHERS: &[&str] = &[
    "i", "i'll", "i'd", "i've", "i'm", "we", "we'll", "we've", "he", "she", "they", "he'll", "she'll", "they'll", "it",
    "who", "that", "which", "others", "people",
];
/// A noun follows these.
const DETERMINERS: &[&str] = &[
    "the", "a", "an", "my", "your", "his", "her", "our", "their", "its", "this", "that", "these", "those", "any",
    "some", "every", "each", "all", "no", "new", "last", "latest", "first", "next", "another",
];
/// Verbs that ask somebody to do something: with "to", it counts when that somebody is the assistant.
const WANTS: &[&str] = &[
    "want", "need", "like", "love", "prefer", "ask", "asked", "tell", "told", "get", "have", "wants", "needs",
    "remind", "expect", "let",
];
/// Verbs that are nouns as well; they count only where a verb goes.
const NOUNS_TOO: &[&str] = &[
    "email", "mail", "message", "text", "dm", "post", "comment", "reply", "answer", "share", "trash", "bin", "archive",
    "move", "file", "copy", "book", "order", "schedule", "label", "flag", "mark", "note", "call", "phone", "ring",
    "draft", "change", "update", "set", "start", "run", "launch", "print",
];

/// The stances of a sentence's clauses.
pub fn stances(sentence: &[Clause]) -> Vec<Stance> {
    let first = sentence.first().map(|clause| said(&clause.words)).unwrap_or_default();
    if first.first().is_some_and(|word| CONDITIONS.contains(&word.as_str()))
        || first.starts_with(&["as".into(), "soon".into()])
    {
        return vec![Stance::Conditional; sentence.len()];
    }
    if sentence.iter().any(|clause| asks_first(said(&clause.words))) {
        return vec![Stance::AsksFirst; sentence.len()];
    }
    let mut before = Stance::Asks;
    let stance = |clause: &Clause| {
        let words = said(&clause.words);
        let is_question = words.first().is_some_and(|word| QUESTIONS.contains(&word.as_str())) || asks_whether(words);
        before = if negated(words) || (clause.goes_on && before == Stance::Negated) {
            Stance::Negated
        } else if is_question || (clause.goes_on && before == Stance::Question) {
            Stance::Question
        } else {
            Stance::Asks
        };
        before
    };
    sentence.iter().map(stance).collect()
}

/// Whether the clause, which stands as [`Stance::Asks`], asks with one of these verbs.
pub fn asks_for(words: &[String], verbs: &[&str]) -> bool {
    let is_verb = |at: &usize| verbs.contains(&words[*at].as_str()) && asks_at(words, *at);
    (0..words.len()).any(|at| is_verb(&at))
}

/// The clause without what comes before it is said.
fn said(words: &[String]) -> &[String] {
    let lead = words.iter().take_while(|word| LEAD_INS.contains(&word.as_str())).count();
    &words[lead..]
}

fn negated(words: &[String]) -> bool {
    words.first().is_some_and(|word| NEGATIONS.contains(&word.as_str()))
        || words.starts_with(&["do".into(), "not".into()])
}

/// "should I send it": a question, not a request.
fn asks_whether(words: &[String]) -> bool {
    let [first, second, ..] = words else { return false };
    let asks = MODALS.contains(&first.as_str()) || first == "do";
    asks && (OTHERS.contains(&second.as_str()) || (first == "do" && second == "you"))
}

fn asks_first(words: &[String]) -> bool {
    let starts = |phrase: &str| {
        phrase.split(' ').zip(words).filter(|(want, word)| want == word).count() == phrase.split(' ').count()
    };
    let first = [
        "ask me",
        "ask first",
        "ask before",
        "check with me",
        "check first",
        "confirm with me",
        "confirm first",
        "run it by me",
        "let me approve",
        "let me confirm",
        "let me check",
        "let me see",
        "let me know before",
        "let me review",
        "show me first",
        "wait for my",
        "before you",
        "always ask",
        "i want to see",
        "i want to approve",
    ];
    let shown = starts("show me") && words.iter().any(|word| word == "first" || word == "before");
    shown || first.iter().any(|phrase| starts(phrase))
}

/// Whether the word at this place is a verb that asks the assistant.
fn asks_at(words: &[String], at: usize) -> bool {
    let before: Vec<&str> = words[..at].iter().map(String::as_str).collect();
    if before.iter().any(|word| NEGATIONS.contains(word) || word.ends_with("n't")) {
        return false;
    }
    let noun_too = NOUNS_TOO.contains(&words[at].as_str());
    let mut left = &before[..];
    while let Some((_, rest)) = left.split_last().filter(|(last, _)| ADVERBS.contains(last)) {
        left = rest;
    }
    let Some((last, rest)) = left.split_last() else { return true };
    match *last {
        "to" => asks_with_to(rest),
        "you" => rest.is_empty() || rest.last().is_some_and(|word| MODALS.contains(word) || LEAD_INS.contains(word)),
        modal if MODALS.contains(&modal) => {
            rest.last() == Some(&"you") || rest.iter().all(|word| LEAD_INS.contains(word))
        }
        "let's" | "lets" | "go" | "do" => true,
        other if OTHERS.contains(&other) || DETERMINERS.contains(&other) => false,
        other if LEAD_INS.contains(&other) => true,
        _ => !noun_too,
    }
}

/// "want you to send", "I need to send"; not "told Bob to send".
fn asks_with_to(before: &[&str]) -> bool {
    let Some(at) = before.iter().rposition(|word| WANTS.contains(word)) else {
        let leads = |word: &&str| LEAD_INS.contains(word) || matches!(*word, "you" | "time" | "remember");
        // "use Gmail to send it"
        return matches!(before.first().copied(), Some("use" | "using" | "try")) || before.iter().all(leads);
    };
    let whom = &before[at + 1..];
    let others = ["wants", "needs"].contains(&before[at])
        || ["told", "tell", "ask", "asked", "get", "have", "expect"].contains(&before[at]);
    match whom {
        ["you"] => true,
        [] => !others,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::speech::sentences;

    #[test]
    fn what_asks_for_a_send() {
        let verbs = ["send", "email", "message"];
        for (text, want) in [
            ("send it", true),
            ("please send it to Bob", true),
            ("can you send it?", true),
            ("could you please quickly send it", true),
            ("I want you to send it", true),
            ("I need to send an email to Bob", true),
            ("I'd like you to email Bob", true),
            ("go ahead and send it", true),
            ("yes, send it", true),
            ("just email Bob", true),
            ("you can send it now", true),
            ("don't send it", false),
            ("please do not send it", false),
            ("never email Bob", false),
            ("don't write it and send it", false),
            ("I'll send it myself", false),
            ("I told Bob to send it", false),
            ("tell Bob to send it", false),
            ("Bob will send it", false),
            ("he wants to send it", false),
            ("I want Bob to send it", false),
            ("did you send it?", false),
            ("how do I send an email?", false),
            ("should I send it?", false),
            ("ask me before you send it", false),
            ("send it but check with me first", false),
            ("when Bob replies, send it", false),
            ("read my last email", false),
            ("summarize the message", false),
            ("the email you send is too long", false),
            ("I can't send it", false),
        ] {
            let asks = sentences(text).iter().any(|sentence| {
                let stances = stances(sentence);
                sentence
                    .iter()
                    .zip(stances)
                    .any(|(clause, stance)| stance == Stance::Asks && asks_for(&clause.words, &verbs))
            });
            assert_eq!(asks, want, "{text}");
        }
    }
}
