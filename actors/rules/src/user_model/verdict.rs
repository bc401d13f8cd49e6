//! What the person's answer to a question comes to: the insight is right, wrong, or right in other words.

use super::statement;
use crate::json_answer;
use protocol::knowing::Verdict;
use serde::Deserialize;

/// A verdict, with the new words of a rewrite.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    pub verdict: Verdict,
    pub statement: Option<String>,
}

impl Answer {
    fn plain(verdict: Verdict) -> Self {
        Self { verdict, statement: None }
    }
}

/// Words that alone are a yes.
const YES: [&str; 23] = [
    "yes",
    "yep",
    "yeah",
    "correct",
    "right",
    "true",
    "exactly",
    "ja",
    "genau",
    "stimmt",
    "oui",
    "si",
    "sí",
    "sim",
    "haan",
    "हाँ",
    "हां",
    "सही",
    "是",
    "对",
    "はい",
    "نعم",
    "да",
];
/// Words that alone are a no.
const NO: [&str; 20] = [
    "no",
    "nope",
    "wrong",
    "false",
    "incorrect",
    "nein",
    "falsch",
    "non",
    "faux",
    "não",
    "nahi",
    "nahin",
    "नहीं",
    "नही",
    "गलत",
    "不",
    "不是",
    "いいえ",
    "لا",
    "нет",
];
/// Words that may stand beside a plain yes or no.
const FILLING: [&str; 28] = [
    "that",
    "thats",
    "that's",
    "is",
    "it",
    "it's",
    "its",
    "this",
    "still",
    "not",
    "at",
    "all",
    "any",
    "more",
    "anymore",
    "longer",
    "i",
    "am",
    "so",
    "das",
    "est",
    "है",
    "यह",
    "ये",
    "बात",
    "अब",
    "ji",
    "जी",
];

/// A plain yes or no, in code. `None` for anything that says more: that is a model's to read.
pub fn by_words(answer: &str) -> Option<Answer> {
    let answer = answer.to_lowercase();
    // Split at blanks, since scripts without them would fall apart otherwise.
    let mark = |c: char| c.is_ascii_punctuation() || "।。！？、，،؟…’".contains(c);
    let words: Vec<&str> = answer.split_whitespace().map(|word| word.trim_matches(mark)).collect();
    let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
    let has = |list: &[&str]| words.iter().any(|word| list.contains(word));
    let plain = words.iter().all(|word| YES.contains(word) || NO.contains(word) || FILLING.contains(word));
    if words.is_empty() || !plain {
        return None;
    }
    let verdict = match (has(&YES), has(&NO), words.contains(&"not")) {
        (true, false, false) => Verdict::Confirm,
        (false, true, false) | (_, false, true) => Verdict::Retire,
        _ => return None, // "yes and no", "not wrong"
    };
    Some(Answer::plain(verdict))
}

/// What a model is asked about an answer that says more.
pub fn verdict_question(insight: &str, question: &str, answer: &str) -> String {
    format!(
        "A person was asked about a statement that was worked out about them.\nStatement: {insight}\nQuestion: {question}\n\
         Answer: {answer}\n\nDoes the answer confirm the statement, say that it is wrong, or correct it? Answer with one JSON \
         object and nothing else: {{\"verdict\": \"confirm\"}}, {{\"verdict\": \"retire\"}}, or {{\"verdict\": \"rewrite\", \
         \"statement\": the statement as the answer corrects it, one sentence in the third person, from the answer's own \
         words}}."
    )
}

#[derive(Deserialize)]
struct Written {
    verdict: Verdict,
    #[serde(default)]
    statement: Option<String>,
}

/// The verdict of a model's answer; without one that can be used (or without a model, `None`) the person's own words
/// become the statement.
pub fn parse_verdict(model: Option<&str>, answer: &str) -> Answer {
    let own = || Answer { verdict: Verdict::Rewrite, statement: statement(answer) };
    let Some(Written { verdict, statement: written }) = model.and_then(json_answer::parsed::<Written>) else {
        return own();
    };
    match (verdict, written.as_deref().and_then(statement)) {
        (Verdict::Rewrite, Some(written)) => Answer { verdict: Verdict::Rewrite, statement: Some(written) },
        (Verdict::Rewrite, None) => own(),
        (verdict, _) => Answer::plain(verdict),
    }
}

/// What is remembered of an answered question (contract section 15: a fact with source `user_model`).
pub fn fact_of(name: &str, insight: &str, verdict: Verdict) -> String {
    let who = if name.trim().is_empty() { "The user" } else { name.trim() };
    match verdict {
        Verdict::Confirm | Verdict::Rewrite => insight.to_owned(),
        Verdict::Retire => format!("{who} says this is not so: {insight}"),
    }
}
