//! A model's answer as a page, or as nothing.

use super::{Ground, PAGE_CHARS_MAX, SENTENCE_CHARS_MAX, SENTENCES_MAX, Sentence, line};
use crate::json_answer;
use crate::word_overlap::words;
use serde::Deserialize;
use serde_json::Value;
use unicode_normalization::UnicodeNormalization;

/// The least a sentence may have. Ours.
const SENTENCE_CHARS_MIN: usize = 6;
/// Sentences of an answer that are looked at. Ours.
const LOOKED_AT_MAX: usize = 200;

/// A page that may become a version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Draft {
    pub sentences: Vec<Sentence>,
    /// Where the words of others came from, when it has to wait for the person: the source and the words.
    pub held: Option<(String, String)>,
    /// It says what the page before said.
    pub is_same: bool,
}

/// Why an answer makes no version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unusable {
    /// Not one JSON object with a list of sentences.
    NotThePageAskedFor,
    /// No sentence of it rests on what is known.
    NothingRestsOnMemories,
}

/// Reads an answer. `names_fit` says whether all names in a sentence are in its basis or are the person's own
/// (`memory::names`), `is_instruction` whether it reads like a standing order.
///
/// # Errors
/// [`Unusable`]: the page stays as it is.
pub fn accept(
    answer: &str,
    (facts, insights): (&[Ground], &[Ground]),
    before: &[Sentence],
    names_fit: &dyn Fn(&str, &str) -> bool,
    is_instruction: &dyn Fn(&str) -> bool,
) -> Result<Draft, Unusable> {
    #[derive(Deserialize)]
    struct Written {
        sentences: Vec<Value>,
    }
    let Written { sentences } = json_answer::parsed(answer).ok_or(Unusable::NotThePageAskedFor)?;
    let mut draft = Draft { sentences: Vec::new(), held: None, is_same: false };
    let mut chars = 0;
    for written in sentences.iter().take(LOOKED_AT_MAX) {
        let Some(mut sentence) = sentence(written, facts, insights) else { continue };
        let ground = ground_text(&sentence, facts, insights);
        let fits = values_fit(&sentence.text, &ground) && names_fit(&sentence.text, &ground);
        let is_there = draft.sentences.iter().any(|known| words(&known.text) == words(&sentence.text));
        if !fits || is_there || is_instruction(&sentence.text) {
            continue;
        }
        chars += sentence.text.chars().count() + 1;
        if chars > PAGE_CHARS_MAX || draft.sentences.len() == SENTENCES_MAX {
            break;
        }
        // What the person has approved before does not wait again.
        let approved = |known: &Sentence| known.text == sentence.text && !known.outside && covers(known, &sentence);
        let from = outside_source(&sentence, facts, insights).filter(|_| !before.iter().any(approved));
        sentence.outside = from.is_some();
        if let (None, Some(from)) = (&draft.held, from) {
            draft.held = Some((from, sentence.text.clone()));
        }
        draft.sentences.push(sentence);
    }
    if draft.sentences.is_empty() {
        return Err(Unusable::NothingRestsOnMemories);
    }
    draft.is_same = draft.sentences == before;
    Ok(draft)
}

/// One sentence with the part of its basis that exists. `None` when it is no sentence, or nothing it rests on exists.
fn sentence(written: &Value, facts: &[Ground], insights: &[Ground]) -> Option<Sentence> {
    let text = line(written["text"].as_str()?);
    if !(SENTENCE_CHARS_MIN..=SENTENCE_CHARS_MAX).contains(&text.chars().count()) {
        return None;
    }
    let names = written["basis"].as_array()?.iter().filter_map(Value::as_str);
    let ids = |kind: char, there: &[Ground]| -> Vec<u64> {
        let given = names.clone().filter_map(|name| name.trim().strip_prefix(kind)?.parse::<u64>().ok());
        let mut ids: Vec<u64> = given.filter(|id| there.iter().any(|ground| ground.id == *id)).collect();
        ids.sort_unstable();
        ids.dedup();
        ids
    };
    let (facts, insights) = (ids('f', facts), ids('i', insights));
    (!facts.is_empty() || !insights.is_empty()).then_some(Sentence { text, facts, insights, outside: false })
}

fn covers(known: &Sentence, sentence: &Sentence) -> bool {
    sentence.facts.iter().all(|id| known.facts.contains(id))
        && sentence.insights.iter().all(|id| known.insights.contains(id))
}

fn grounds<'a>(
    sentence: &'a Sentence,
    facts: &'a [Ground],
    insights: &'a [Ground],
) -> impl Iterator<Item = &'a Ground> {
    let facts = facts.iter().filter(|ground| sentence.facts.contains(&ground.id));
    facts.chain(insights.iter().filter(|ground| sentence.insights.contains(&ground.id)))
}

fn ground_text(sentence: &Sentence, facts: &[Ground], insights: &[Ground]) -> String {
    grounds(sentence, facts, insights).map(|ground| ground.text.as_str()).collect::<Vec<_>>().join("\n")
}

/// One source among others that the person never stood by is enough to wait.
fn outside_source(sentence: &Sentence, facts: &[Ground], insights: &[Ground]) -> Option<String> {
    grounds(sentence, facts, insights).find_map(|ground| ground.outside.clone())
}

/// Every number and every address in the sentence is in its basis: those are never to be made up, and an address is what
/// words of others would carry something out with.
fn values_fit(text: &str, ground: &str) -> bool {
    let (ground, known) = (plain(ground), numbers(&plain(ground)));
    plain(text).split_whitespace().all(|word| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        if word.contains("://") || word.contains('@') || has_inner_dot(word) {
            return ground.contains(word);
        }
        numbers(word).iter().all(|number| known.contains(number))
    })
}

/// Compatibility forms and case are told apart by nobody; digits of every script count as the digits they are.
fn plain(text: &str) -> String {
    let digit = |c: char| match digit_value(c) {
        Some(value) => char::from_digit(value, 10).unwrap_or(c),
        None => c,
    };
    text.nfkc().map(digit).collect::<String>().to_lowercase()
}

/// The value of a decimal digit: Latin, Arabic (both), Devanagari and Bengali.
fn digit_value(c: char) -> Option<u32> {
    let zeros = ['0', '\u{0660}', '\u{06F0}', '\u{0966}', '\u{09E6}'];
    zeros.iter().find_map(|zero| (c as u32).checked_sub(*zero as u32).filter(|value| *value < 10))
}

fn numbers(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut number = String::new();
    for c in text.chars().chain([' ']) {
        if c.is_ascii_digit() {
            number.push(c);
        } else if !number.is_empty() {
            found.push(std::mem::take(&mut number));
        }
    }
    found
}

/// `example.org`, not `3.5` or the end of a sentence.
fn has_inner_dot(word: &str) -> bool {
    word.split('.').collect::<Vec<_>>().windows(2).any(|pair| {
        let letters = |part: &str| part.chars().count() >= 2 && part.chars().all(char::is_alphanumeric);
        letters(pair[0]) && letters(pair[1]) && pair[1].chars().any(char::is_alphabetic)
    })
}
