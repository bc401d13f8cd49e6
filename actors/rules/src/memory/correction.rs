//! A fact that corrects another: the same person, the same act, and one date, place, number or name that changed (#364).
//!
//! It is found in code, without a model, and is never skipped as a near-duplicate. The known wording stays, with the new
//! value in the place of the old one, so that nothing else it says gets lost.

use super::details::{Detail, DetailKind, in_text};
use super::names::{same, same_word};
use super::subject::{self, Match, Subject, is_relation};
use super::words::{is_small, key, negative, says_no, stem, words};
use super::{cover, wishes};
use std::collections::BTreeSet;

/// What the known fact becomes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Correction {
    pub content: String,
}

/// The correction `new` makes to `known`, when code can tell that it is one.
pub fn find(new: &str, known: &str, owner: &str) -> Option<Correction> {
    let (new_subject, known_subject) = (subject::of(new, owner), subject::of(known, owner));
    if subject::matches(&new_subject, &known_subject) != Match::Same || !same_sense(new, known, owner) {
        return None;
    }
    let (new_details, known_details) = (own_details(new, owner), own_details(known, owner));
    let changed: Vec<&Detail> = new_details.iter().filter(|detail| !detail.within(&known_details)).collect();
    let gone: Vec<&Detail> = known_details.iter().filter(|detail| !detail.within(&new_details)).collect();
    let [value] = changed[..] else { return None };
    let same_kind: Vec<&&Detail> = gone.iter().filter(|old| is_kind(old, value)).collect();
    let [old] = same_kind[..] else { return None };
    let (new_words, known_words) = (act(new, &new_subject, owner), act(known, &known_subject, owner));
    // "Maya is 35" has no act at all; a number alone is still the same number of the same one.
    let bare = known_words.is_empty() && value.kind == DetailKind::Number;
    let says_the_same = (bare || !new_words.is_empty())
        && new_words.iter().all(|word| known_words.iter().any(|known| same_word(known, word)));
    if !says_the_same || may_both_hold(&known_words, old, value) {
        return None;
    }
    Some(Correction { content: format!("{}{}{}", &known[..old.at], value.text, &known[old.end..]) })
}

/// Whether two facts look like one with a changed value, more loosely than [`find`]: for the model's attention only.
pub fn changes_value(new: &str, known: &str, owner: &str) -> bool {
    let (new_subject, known_subject) = (subject::of(new, owner), subject::of(known, owner));
    if subject::matches(&new_subject, &known_subject) == Match::Other || !same_sense(new, known, owner) {
        return false;
    }
    let (new_details, known_details) = (own_details(new, owner), own_details(known, owner));
    let differs = new_details
        .iter()
        .filter(|detail| !detail.within(&known_details))
        .any(|value| known_details.iter().any(|old| is_kind(old, value) && !old.within(&new_details)));
    let (new_words, known_words) = (act(new, &new_subject, owner), act(known, &known_subject, owner));
    let shared = new_words.iter().filter(|word| known_words.iter().any(|known| same_word(known, word))).count();
    differs && shared * 2 >= new_words.len().min(known_words.len()) && shared > 0
}

fn same_sense(new: &str, known: &str, owner: &str) -> bool {
    negative(new) == negative(known)
        && cover::is_past(new) == cover::is_past(known)
        && !wishes::differ(new, known, owner)
}

/// Kinds that can stand for each other: `at Google` and `for Acme` are names of one sort.
fn is_kind(old: &Detail, new: &Detail) -> bool {
    let named = |kind: DetailKind| matches!(kind, DetailKind::Name | DetailKind::Place);
    // A day is corrected by a day and a time by a time: `on 3 May` stays when only `at 7:30` is new.
    let shape =
        |detail: &Detail| detail.keys.iter().any(|key| key.contains(':') || key == "am" || key == "pm" || key == "बजे");
    old.kind == new.kind && (old.kind != DetailKind::Date || shape(old) == shape(new))
        || named(old.kind) && named(new.kind) && old.before == new.before
}

/// The details of a fact without the names of the one it is about.
fn own_details(text: &str, owner: &str) -> Vec<Detail> {
    let names = subject_names(&subject::of(text, owner), owner);
    in_text(text).into_iter().filter(|detail| !names.iter().any(|name| same(name, &detail.text))).collect()
}

/// What a fact says, without whom it is about, its details and relations: the act and its object, stemmed.
fn act(text: &str, subject: &Subject, owner: &str) -> BTreeSet<String> {
    let details = in_text(text);
    let names: Vec<String> = subject_names(subject, owner)
        .iter()
        .flat_map(|name| name.split_whitespace().map(key).collect::<Vec<_>>())
        .collect();
    words(text)
        .iter()
        .filter(|word| !details.iter().any(|detail| (detail.at..detail.end).contains(&word.at)))
        .filter(|word| !is_small(&word.key) && !says_no(&word.key) && !is_relation(&word.key))
        .filter(|word| !names.iter().any(|name| same_word(name, &word.key)))
        .map(|word| stem(&word.key))
        .collect()
}

/// Whether the two values can both be true: people like, visit and know many things, and have many friends.
fn may_both_hold(act: &BTreeSet<String>, old: &Detail, new: &Detail) -> bool {
    let many = |list: &[&str]| list.iter().any(|word| act.contains(&stem(&key(word))));
    let joined = |detail: &Detail| matches!(detail.before.as_str(), "with" | "and" | "from" | "or");
    match new.kind {
        DetailKind::Name | DetailKind::Place | DetailKind::Address => many(&MANY) || joined(old) || joined(new),
        DetailKind::Date => many(&AGAIN),
        DetailKind::Number => false,
    }
}

/// Acts that name one thing after another.
const MANY: [&str; 38] = [
    "likes",
    "loves",
    "enjoys",
    "hates",
    "dislikes",
    "visited",
    "visits",
    "speaks",
    "knows",
    "owns",
    "has",
    "reads",
    "watches",
    "eats",
    "plays",
    "follows",
    "supports",
    "collects",
    "met",
    "meets",
    "travelled",
    "traveled",
    "went",
    "uses",
    "learns",
    "interested",
    "wants",
    "bought",
    "cooks",
    "recommended",
    "allergic",
    "पसंद",
    "बोलती",
    "बोलता",
    "खेलती",
    "खेलता",
    "जाती",
    "जाता",
];
/// Acts that happen more than once.
const AGAIN: [&str; 8] = ["visited", "visits", "met", "meets", "travelled", "traveled", "went", "saw"];

/// Names the subject goes by.
pub(super) fn subject_names(subject: &Subject, owner: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut at = Some(subject);
    while let Some(subject) = at {
        at = None;
        match subject {
            Subject::User if !owner.trim().is_empty() => names.push(owner.to_owned()),
            Subject::Named(name) => names.push(name.clone()),
            Subject::Related { whose, name, .. } => {
                names.extend(name.clone());
                at = Some(whose);
            }
            Subject::User | Subject::Thing(_) | Subject::Unclear => (),
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rule_82_a_correction_is_found_in_code() {
        for (new, known, want) in [
            (
                "Mira's school now starts in July",
                "Maya's daughter Mira starts school in June",
                Some("Maya's daughter Mira starts school in July"),
            ),
            ("The launch is on 5 May", "The launch is on 3 May", Some("The launch is on 5 May")),
            ("Maya is 35", "Maya is 34", Some("Maya is 35")),
            ("Maya has 3 cats", "Maya has 2 cats", Some("Maya has 3 cats")),
            ("Maya works at Acme", "Maya works at Google", Some("Maya works at Acme")),
            ("Maya works at Acme", "Maya works at Google as a designer", Some("Maya works at Acme as a designer")),
            ("माया का जन्मदिन ६ मई को है", "माया का जन्मदिन ५ मई को है", Some("माया का जन्मदिन ६ मई को है")),
            (
                "Maya's birthday falls on 6 May",
                "Maya's birthday falls on 5 May",
                Some("Maya's birthday falls on 6 May"),
            ),
            ("Priya works at Acme", "Maya works at Google", None),
            ("Maya's sister works at Acme", "Maya works at Google", None),
            ("She works at Acme", "Maya works at Google", None),
            ("Maya likes Thai food", "Maya likes Italian food", None),
            ("Maya visited Paris", "Maya visited Rome", None),
            ("Maya doesn't work at Acme", "Maya works at Google", None),
            ("Maya worked at Acme", "Maya works at Google", None),
            ("Maya works at Google", "Maya works at Google", None),
            ("Maya has a piano recital in July", "Maya starts school in July", None),
            ("doesn't want 3 files deleted", "doesn't want 2 emails deleted", None),
        ] {
            let found = find(new, known, "Maya Rao");
            assert_eq!(found.map(|correction| correction.content).as_deref(), want, "{new} / {known}");
        }
    }

    #[test]
    fn rule_82_looser_changes_are_shown_to_the_model() {
        for (new, known, want) in [
            ("Maya's meeting with the bank moved to Friday", "Maya meets the bank on Thursday", true),
            ("Maya starts her new school in July", "Maya starts school in June", true),
            ("Priya starts school in July", "Maya starts school in June", false),
            ("Maya likes tea", "Maya starts school in June", false),
        ] {
            assert_eq!(changes_value(new, known, "Maya Rao"), want, "{new} / {known}");
        }
    }
}
