//! Wishes of the form "doesn't want X done": two of them stand side by side unless they name the same act on the same thing.

use super::subject::is_owner;
use super::words::{is_small, says_no, stem, words};
use std::collections::BTreeSet;

/// What somebody does not want done, or wants done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wish {
    /// They do not want it.
    pub refuses: bool,
    /// The act and what it is done to, stemmed.
    pub what: BTreeSet<String>,
}

/// The wish a text tells of, if it tells of one. `owner` is the person's name.
pub fn of(text: &str, owner: &str) -> Option<Wish> {
    let all = words(text);
    let at = all.iter().position(|word| WANTS.contains(&word.key.as_str()))?;
    let refuses = all[..at].iter().chain(all.get(at + 1..).unwrap_or_default()).any(|word| says_no(&word.key));
    let devanagari = super::transliteration::is_devanagari(all[at].text);
    // In Hindi the wish stands at the end, behind what is wished for.
    let what = if devanagari { &all[..at] } else { &all[at + 1..] };
    let what: BTreeSet<String> = what
        .iter()
        .filter(|word| !is_small(&word.key) && !says_no(&word.key) && !is_owner(word.text, owner))
        .map(|word| stem(&word.key))
        .collect();
    (!what.is_empty()).then_some(Wish { refuses, what })
}

/// Whether both are wishes, and not the same one: neither may replace the other.
pub fn differ(one: &str, other: &str, owner: &str) -> bool {
    match (of(one, owner), of(other, owner)) {
        (Some(one), Some(other)) => one != other,
        _ => false,
    }
}

const WANTS: [&str; 11] =
    ["want", "wants", "wanted", "wish", "wishes", "like", "likes", "prefer", "prefers", "चाहता", "चाहती"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rule_82_two_wishes_about_different_things_both_stay() {
        for (one, other, want) in [
            ("doesn't want files deleted", "doesn't want emails deleted", true),
            ("doesn't want files deleted", "doesn't want files written", true),
            ("Maya doesn't want files deleted", "doesn't want files deleted", false),
            ("wants files deleted", "doesn't want files deleted", true),
            ("doesn't want files deleted", "lives in Pune", false),
            ("माया फाइलें हटाना नहीं चाहती", "माया ईमेल हटाना नहीं चाहती", true),
            ("माया फाइलें हटाना नहीं चाहती", "माया फाइलें हटाना नहीं चाहती", false),
        ] {
            assert_eq!(differ(one, other, "Maya"), want, "{one} / {other}");
        }
    }
}
