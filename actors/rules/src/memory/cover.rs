//! Whether one fact says all that another says: then the other adds nothing.

use super::correction::subject_names;
use super::details::{Detail, in_text};
use super::names::{alike, same, same_word};
use super::residence;
use super::subject::{self, Match, Subject};
use super::words::{is_small, negative, says_no, stem, words};

/// Words that say less than any name does: "lives in a city".
const VAGUE: [&str; 18] = [
    "city",
    "town",
    "place",
    "country",
    "person",
    "somebody",
    "someone",
    "something",
    "thing",
    "company",
    "day",
    "date",
    "certain",
    "state",
    "village",
    "शहर",
    "देश",
    "जगह",
];

/// Whether `known` says everything `new` says, about the same one, in the same sense: no new name, place, number or other
/// meaningful word.
pub(super) fn says_all(known: &str, new: &str, owner: &str) -> bool {
    let (known_subject, new_subject) = (subject::of(known, owner), subject::of(new, owner));
    let same_one = match subject::matches(&known_subject, &new_subject) {
        Match::Same => true,
        // "sister" next to "sister Meera": the one without a name says no more.
        Match::Unclear => {
            matches!((&known_subject, &new_subject), (Subject::Related { .. }, Subject::Related { name: None, .. }))
        }
        Match::Other => false,
    };
    if !same_one || negative(known) != negative(new) || is_past(known) != is_past(new) {
        return false;
    }
    let known_names = subject_names(&known_subject, owner);
    let details = in_text(known);
    let no_new_detail = in_text(new).iter().all(|detail| {
        detail.within(&details)
            || known_names.iter().chain(&subject_names(&new_subject, owner)).any(|name| same(name, &detail.text))
    });
    no_new_detail && no_new_word(known, new, owner)
}

fn no_new_word(known: &str, new: &str, owner: &str) -> bool {
    let said = words(known);
    let is_home = residence::current(known).is_some() && residence::current(new).is_some();
    words(new)
        .iter()
        .filter(|word| !is_small(&word.key) && !says_no(&word.key) && !VAGUE.contains(&word.key.as_str()))
        .filter(|word| !subject::is_owner(word.text, owner) && !owner_part(&word.key, owner))
        .all(|word| {
            said.iter().any(|known| alike(&known.key, &word.key)) || is_home && HOME.contains(&stem(&word.key).as_str())
        })
}

/// What says that somebody lives somewhere, stemmed; once both facts do, the word does not matter.
const HOME: [&str; 7] = ["liv", "resid", "mov", "relocat", "bas", "रहती", "रहता"];

fn owner_part(word: &str, owner: &str) -> bool {
    words(owner).iter().any(|part| same_word(&part.key, word))
}

/// Whether a text tells of something that is over.
pub(super) fn is_past(text: &str) -> bool {
    const PAST: [&str; 12] =
        ["was", "were", "used", "formerly", "previously", "lived", "had", "था", "थी", "थे", "पहले", "worked"];
    words(text).iter().any(|word| PAST.contains(&word.key.as_str()))
}

/// Details of `new` that `known` lacks, besides the names of the one it is about.
pub(super) fn new_details(known: &str, new: &str, owner: &str) -> Vec<Detail> {
    let details = in_text(known);
    let names = subject_names(&subject::of(new, owner), owner);
    in_text(new)
        .into_iter()
        .filter(|detail| !detail.within(&details) && !names.iter().any(|name| same(name, &detail.text)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rule_82_a_fully_covered_fact_says_nothing_new() {
        for (known, new, want) in [
            ("sister Meera lives in Lisbon", "sister lives in a city", true),
            ("sister lives in a city", "sister Meera lives in Lisbon", false),
            ("Maya lives in Pune with Arun", "Maya lives in Pune", true),
            ("Maya lives in Pune", "Maya lives in Pune with Arun", false),
            ("Maya likes green tea", "Maya likes tea", true),
            ("Maya likes tea", "Maya doesn't like tea", false),
            ("Maya lived in Pune", "Maya lives in Pune", false),
            ("Maya's sister likes tea", "Maya likes tea", false),
            ("Maya lives in Pune", "माया पुणे में रहती है", true),
            ("माया की बहन प्रिया दिल्ली में रहती है", "माया की बहन दिल्ली में रहती है", true),
            ("Maya has 2 cats", "Maya has 3 cats", false),
        ] {
            assert_eq!(says_all(known, new, "Maya Rao"), want, "{known} / {new}");
        }
    }
}
