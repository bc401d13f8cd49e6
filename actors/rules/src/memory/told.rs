//! Text that was derived from a memory, found by its words: which line repeats it, and which line another memory still
//! stands behind (contract section 7, "Deleting a memory"; #456).

use super::details::in_text;
use super::names::alike;
use super::words::{Word, is_small, negative, says_no, words};

/// The share of a memory's meaningful words a text must have to repeat it. Ours.
const REPEATS_SHARE: f64 = 0.75;

/// How much of a memory a text says, from 0 to 1: its meaningful words, in either script. 0 when a name, place, number or
/// date of the memory is missing, or when one says no and the other does not.
pub fn share(text: &str, memory: &str) -> f64 {
    let needed = meaningful(memory);
    if needed.is_empty()
        || !in_text(memory).iter().all(|detail| detail.is_said(text))
        || negative(memory) != negative(text)
    {
        return 0.0;
    }
    let said = words(text);
    let found = needed.iter().filter(|word| said.iter().any(|said| alike(&said.key, &word.key))).count();
    found as f64 / needed.len() as f64
}

/// Whether a text repeats a memory.
pub fn repeats(text: &str, memory: &str) -> bool {
    share(text, memory) >= REPEATS_SHARE
}

/// Whether a text that repeats a forgotten memory goes with it. It stays when a memory still in use says all of what the
/// text has from the forgotten one.
pub fn goes_with<'a>(text: &str, forgotten: &str, in_use: impl IntoIterator<Item = &'a str>) -> bool {
    repeats(text, forgotten) && !in_use.into_iter().any(|kept| stands_behind(kept, text, forgotten))
}

fn stands_behind(kept: &str, text: &str, forgotten: &str) -> bool {
    let (said, kept_words) = (words(text), words(kept));
    let has = |all: &[Word<'_>], word: &Word<'_>| all.iter().any(|known| alike(&known.key, &word.key));
    negative(kept) == negative(text)
        && meaningful(forgotten).iter().filter(|word| has(&said, word)).all(|word| has(&kept_words, word))
        && in_text(forgotten).iter().all(|detail| detail.is_said(kept))
}

fn meaningful(text: &str) -> Vec<Word<'_>> {
    words(text).into_iter().filter(|word| !is_small(&word.key) && !says_no(&word.key)).collect()
}

/// The sentences of a text, such as a summary, without those that go with a forgotten memory; `None`: nothing goes.
pub fn without<'a>(text: &str, forgotten: &str, in_use: impl IntoIterator<Item = &'a str> + Clone) -> Option<String> {
    let mut goes = false;
    let mut lines: Vec<String> = Vec::new();
    for line in text.lines() {
        let sentences = crate::speech::sentence_texts(line);
        let kept: Vec<&str> =
            sentences.iter().copied().filter(|sentence| !goes_with(sentence, forgotten, in_use.clone())).collect();
        if kept.len() == sentences.len() {
            lines.push(line.to_owned());
            continue;
        }
        goes = true;
        let kept = kept.join(" ");
        if !kept.trim_matches(|c: char| !c.is_alphanumeric()).is_empty() {
            lines.push(kept);
        }
    }
    goes.then(|| lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rule_232_a_line_goes_with_its_memory_unless_another_says_it_too() {
        let forgotten = "Maya is allergic to peanuts";
        for (text, in_use, want) in [
            ("- Maya is allergic to peanuts.", &[][..], true),
            ("She told me that Maya is badly allergic to peanuts", &[], true),
            ("- Maya is allergic to peanuts.", &["Maya is allergic to peanuts and walnuts"], false),
            ("- Maya is allergic to peanuts and walnuts.", &["Maya is allergic to peanuts and walnuts"], false),
            ("- Maya is allergic to walnuts.", &[], false),
            ("- Maya likes tea.", &[], false),
            ("- Maya is not allergic to peanuts.", &[], false),
        ] {
            assert_eq!(goes_with(text, forgotten, in_use.iter().copied()), want, "{text} / {in_use:?}");
        }
        assert!(goes_with("माया पुणे में रहती है।", "माया पुणे में रहती है", []));
        assert!(!goes_with("माया दिल्ली में रहती है।", "माया पुणे में रहती है", []));
    }

    #[test]
    fn rule_232_a_summary_loses_only_the_sentences_that_repeat_it() {
        let summary = "We planned a trip. Maya said she is allergic to peanuts. She likes tea.";
        let left = without(summary, "Maya is allergic to peanuts", []);
        assert_eq!(left.as_deref(), Some("We planned a trip. She likes tea."));
        assert_eq!(without("We planned a trip.", "Maya is allergic to peanuts", []), None);
    }
}
