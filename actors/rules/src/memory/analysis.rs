//! What is known of a fact besides its words: its topics, and how long it holds.

use super::words::{key, words};
use super::{duration, topics};
use protocol::memory::MemoryType;

/// Topics, and whether and when a fact ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Analysis {
    pub topics: Vec<String>,
    pub memory_type: MemoryType,
    /// How long a short-term fact holds, in words that [`duration::parse`] reads.
    pub duration: Option<String>,
}

/// From the words alone, as when no model answers: `busy this week` is short-term.
pub fn of(content: &str) -> Analysis {
    let keys: Vec<String> = words(content).iter().map(|word| word.key.clone()).collect();
    let pair = |one: &str, other: &str| keys.windows(2).any(|pair| pair[0] == one && pair[1] == other);
    let has = |word: &str| keys.iter().any(|key| *key == self::key(word));
    let duration = PASSING
        .iter()
        .find(|(one, other, _)| if other.is_empty() { has(one) } else { pair(one, other) })
        .map(|(_, _, duration)| (*duration).to_owned())
        .or_else(|| for_a_time(&keys));
    let memory_type = if duration.is_some() { MemoryType::ShortTerm } else { MemoryType::LongTerm };
    Analysis { topics: topics::guess(content), memory_type, duration }
}

/// "for the next 3 days", "for a week".
fn for_a_time(keys: &[String]) -> Option<String> {
    let at = keys.iter().position(|key| key == "for")?;
    let said = keys[at + 1..]
        .iter()
        .filter(|key| *key != "the" && *key != "next")
        .take(2)
        .cloned()
        .collect::<Vec<_>>()
        .join(" ");
    // "for 10 years" tells of the past, not of an end.
    (duration::parse(&said).is_some_and(|millis| millis <= 60 * 24 * 60 * 60 * 1000)).then_some(said)
}

const PASSING: [(&str, &str, &str); 16] = [
    ("this", "week", "7 days"),
    ("this", "month", "30 days"),
    ("this", "weekend", "3 days"),
    ("next", "week", "14 days"),
    ("right", "now", "1 day"),
    ("these", "days", "7 days"),
    ("for", "now", "7 days"),
    ("today", "", "1 day"),
    ("tonight", "", "1 day"),
    ("tomorrow", "", "2 days"),
    ("temporarily", "", "7 days"),
    ("आज", "", "1 day"),
    ("कल", "", "2 days"),
    ("इस", "हफ्ते", "7 days"),
    ("इस", "सप्ताह", "7 days"),
    ("इस", "महीने", "30 days"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_passes_has_an_end() {
        for (content, want) in [
            ("Maya is busy this week", Some("7 days")),
            ("Maya is travelling for the next 3 days", Some("3 days")),
            ("Maya has an exam tomorrow", Some("2 days")),
            ("माया इस हफ्ते व्यस्त है", Some("7 days")),
            ("Maya has worked at Acme for 10 years", None),
            ("Maya lives in Pune", None),
        ] {
            let analysis = of(content);
            assert_eq!(analysis.duration.as_deref(), want, "{content}");
            assert_eq!(analysis.memory_type == MemoryType::ShortTerm, want.is_some(), "{content}");
        }
    }
}
