//! A talk as text for a model, and where in it something was said.

use super::details::in_text;
use super::names::{alike, same_word};
use super::words::{is_small, words};

/// One line of a talk that is about to be compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line<'a> {
    pub by_person: bool,
    pub text: &'a str,
}

/// Characters of one turn of a talk that is read (`memory.md` section 4).
const TURN_CHARS_MAX: usize = 1_200;
/// Characters of an answer when the whole is too long.
const ANSWER_CHARS_SHORT: usize = 200;

/// A talk as text, the newest lines first to stay: answers are cut short when it does not fit, then the oldest lines go.
pub fn transcript(lines: &[Line<'_>], chars_max: usize) -> String {
    let shown = |answer_chars: usize| -> Vec<String> {
        let line = |line: &Line<'_>| {
            let most = if line.by_person { TURN_CHARS_MAX } else { answer_chars };
            let text: String = line.text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(most).collect();
            if line.by_person { text } else { format!("assistant: {text}") }
        };
        lines.iter().filter(|line| !line.text.trim().is_empty()).map(line).collect()
    };
    let size = |lines: &[String]| lines.iter().map(|line| line.chars().count() + 1).sum::<usize>();
    let mut all = shown(TURN_CHARS_MAX);
    if size(&all) > chars_max {
        all = shown(ANSWER_CHARS_SHORT);
    }
    let mut left = size(&all);
    let dropped = all.iter().take_while(|line| {
        let goes = left > chars_max;
        left -= line.chars().count() + 1;
        goes
    });
    let dropped = dropped.count();
    all[dropped..].join("\n")
}

/// The message of several that says a fact best, and the sentence in it that does.
pub fn said_where<'a>(fact: &str, messages: &[&'a str]) -> Option<(usize, &'a str)> {
    let mut best: Option<(usize, &str, usize)> = None;
    for (nth, message) in messages.iter().enumerate() {
        for sentence in crate::speech::sentence_texts(message) {
            let heard = words(sentence);
            let shared = words(fact)
                .iter()
                .filter(|word| !is_small(&word.key))
                .filter(|word| heard.iter().any(|heard| alike(&heard.key, &word.key)))
                .count();
            if shared > best.map_or(0, |(_, _, most)| most) {
                best = Some((nth, sentence, shared));
            }
        }
    }
    best.map(|(nth, sentence, _)| (nth, sentence))
}

/// Whether something that was read says a fact: two of its words, or one of its numbers (contract section 7, "Sources and
/// forgetting").
pub fn read_says(excerpt: &str, fact: &str, owner: &str) -> bool {
    let (heard, owner) = (words(excerpt), words(owner));
    let number =
        in_text(fact).iter().any(|detail| detail.text.contains(|c: char| c.is_numeric()) && detail.is_said(excerpt));
    let shared = words(fact)
        .iter()
        .filter(|word| !is_small(&word.key) && !owner.iter().any(|own| same_word(&own.key, &word.key)))
        .filter(|word| heard.iter().any(|heard| alike(&heard.key, &word.key)))
        .count();
    number || shared >= 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_talk_is_cut_to_what_fits() {
        let (long, answer) = ("word ".repeat(400), "answer ".repeat(300));
        let lines = [
            Line { by_person: true, text: "मैं पुणे में रहती हूँ" },
            Line { by_person: false, text: &answer },
            Line { by_person: true, text: &long },
            Line { by_person: true, text: "  " },
        ];
        let whole = transcript(&lines, 10_000);
        assert!(whole.starts_with("मैं पुणे में रहती हूँ\nassistant: answer") && whole.lines().count() == 3, "{whole}");
        assert!(whole.lines().all(|line| line.chars().count() <= TURN_CHARS_MAX + 11));
        let shorter = transcript(&lines, 1_600);
        assert!(shorter.chars().count() <= 1_600 && shorter.starts_with("मैं"), "{shorter}");
        let little = transcript(&lines, 1_250);
        assert!(!little.contains("assistant:") && little.starts_with("word"), "{little}");
        assert_eq!(transcript(&lines, 10), "");
    }

    #[test]
    fn where_a_fact_was_said() {
        let messages = ["What is the time? I moved to Pune last week.", "मेरी बहन प्रिया नर्स है। धन्यवाद"];
        assert_eq!(said_where("Maya moved to Pune", &messages), Some((0, "I moved to Pune last week.")));
        assert_eq!(said_where("Maya's sister Priya", &messages).map(|(nth, _)| nth), Some(1));
        assert_eq!(said_where("Maya likes chess", &messages), None);
        assert!(read_says("Invoice 4711 from Acme", "Maya owes Acme for invoice 4711", "Maya"));
        assert!(!read_says("Maya writes a letter", "Maya likes tea", "Maya"));
    }
}
