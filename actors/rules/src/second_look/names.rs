//! Names of people somebody gave, and which addresses carry them: `arjun.mehta@…` after "email Arjun".
//!
//! A name never vouches for an address that outside content has put forward; that is the caller's to check.

use crate::look_alike::visible;
use std::collections::BTreeSet;
use unicode_normalization::UnicodeNormalization;

/// Words of one text that are looked at. Ours.
const WORDS_MAX: usize = 20_000;

/// Words behind which somebody is named. In small letters; also in languages without capitals they have to be there.
const BEFORE_A_NAME: [&str; 27] = [
    "email", "e-mail", "mail", "message", "text", "tell", "ask", "ping", "write", "to", "with", "invite", "cc", "bcc",
    "remind", "answer", "reply", "pay", "an", "für", "para", "con", "avec", "à", "mit", "for", "send",
];

/// Words that are no names, however they are written.
const NO_NAMES: [&str; 64] = [
    "a",
    "about",
    "after",
    "all",
    "an",
    "and",
    "answer",
    "any",
    "are",
    "ask",
    "at",
    "before",
    "by",
    "can",
    "could",
    "did",
    "do",
    "email",
    "everybody",
    "everyone",
    "find",
    "for",
    "forward",
    "from",
    "get",
    "give",
    "hello",
    "hey",
    "hi",
    "him",
    "her",
    "how",
    "i",
    "if",
    "in",
    "is",
    "it",
    "let",
    "look",
    "mail",
    "me",
    "message",
    "my",
    "no",
    "of",
    "on",
    "or",
    "pay",
    "please",
    "reply",
    "search",
    "send",
    "share",
    "tell",
    "thanks",
    "that",
    "the",
    "them",
    "this",
    "us",
    "what",
    "when",
    "with",
    "yes",
];

/// Local parts that belong to an office and not to a person.
const OFFICES: [&str; 26] = [
    "account",
    "accounts",
    "admin",
    "all",
    "billing",
    "contact",
    "everyone",
    "finance",
    "hello",
    "help",
    "hr",
    "info",
    "invoice",
    "invoices",
    "mail",
    "marketing",
    "news",
    "noreply",
    "office",
    "order",
    "orders",
    "payment",
    "payments",
    "sales",
    "support",
    "team",
];

/// Names in what somebody said.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    words: BTreeSet<String>,
    /// Two that stand side by side, as first and last name do.
    pairs: BTreeSet<(String, String)>,
    /// The first one somebody is to be written to, as it was written.
    asked: Option<String>,
}

impl Names {
    /// Takes in the names of a text the person wrote.
    pub(super) fn read(&mut self, text: &str) {
        let text = visible(text);
        let mut before: Option<String> = None;
        let (mut expected, mut named) = (false, false);
        for word in text.split_whitespace().take(WORDS_MAX) {
            let bare =
                word.trim_matches(|c: char| !c.is_alphanumeric() && !unicode_normalization::char::is_combining_mark(c));
            let bare = bare.strip_suffix("'s").or_else(|| bare.strip_suffix("’s")).unwrap_or(bare);
            let key = plain(bare);
            let capital = bare.chars().next().is_some_and(char::is_uppercase);
            let is_name = key.chars().count() > 1
                && !bare.contains(['@', '/', '.'])
                && key.chars().all(|c| c.is_alphabetic() || c == '-')
                && !NO_NAMES.contains(&key.as_str())
                && (capital || !BEFORE_A_NAME.contains(&key.as_str()))
                && (capital || expected);
            if is_name {
                if expected && self.asked.is_none() {
                    self.asked = Some(bare.to_owned());
                }
                if let Some(first) = before.replace(key.clone()) {
                    self.pairs.insert((first, key.clone()));
                }
                self.words.insert(key.clone());
            } else {
                before = None;
            }
            // `tell Sam, Kim and Lee`: the list goes on behind a comma or an `and`.
            let joins = matches!(key.as_str(), "and" | "und" | "y" | "et") && named;
            let was_expected = std::mem::replace(&mut expected, BEFORE_A_NAME.contains(&key.as_str()) || joins);
            named = is_name && (was_expected || named);
            expected |= named && (word.ends_with(',') || capital);
        }
    }

    /// Takes in the person's own name.
    pub(super) fn own(&mut self, name: &str) {
        self.words.extend(name.split_whitespace().map(plain).filter(|word| word.chars().count() > 1));
    }

    /// The first one who was to be written to.
    pub(super) fn asked(&self) -> Option<&str> {
        self.asked.as_deref()
    }

    /// Whether a mail address, in its one spelling, carries one of the names.
    pub(super) fn carried_by(&self, address: &str) -> bool {
        let Some((local, _)) = address.rsplit_once('@') else { return false };
        let local = plain(local);
        let letters: String = local.chars().filter(|c| c.is_alphabetic()).collect();
        let in_parts = local
            .split(|c: char| !c.is_alphabetic())
            .any(|part| part.chars().count() > 2 && !OFFICES.contains(&part) && self.words.contains(part));
        in_parts || self.pairs.iter().any(|(first, last)| spelled(first, last, &letters))
    }
}

/// `jo` and `smith` as they are put together in addresses: `josmith`, `smithjo`, `jsmith`, `smithj`, `jos`.
fn spelled(first: &str, last: &str, letters: &str) -> bool {
    let initial = |name: &str| name.chars().take(1).collect::<String>();
    [
        format!("{first}{last}"),
        format!("{last}{first}"),
        format!("{}{last}", initial(first)),
        format!("{last}{}", initial(first)),
        format!("{first}{}", initial(last)),
    ]
    .iter()
    .any(|spelling| spelling == letters)
}

/// Small letters without accents.
fn plain(text: &str) -> String {
    text.nfkd()
        .filter(|c| !unicode_normalization::char::is_combining_mark(*c) || !is_latin_mark(*c))
        .collect::<String>()
        .to_lowercase()
        .nfc()
        .collect()
}

/// Accents over Latin, Greek and Cyrillic letters; vowel signs of other scripts belong to their letters.
fn is_latin_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_that_carry_a_name() {
        for (said, address, want) in [
            ("email Arjun that I'm late", "arjun.mehta@corp.example", true),
            ("email arjun that i'm late", "arjun@corp.example", true),
            ("send it to José", "jose.silva@example.com", true),
            ("send it to Jo Smith", "jsmith@example.com", true),
            ("send it to Jo Smith", "smithjo1@example.com", true),
            ("tell Sam and Priya", "priya@example.com", true),
            ("tell sam, kim and lee", "lee@example.com", true),
            ("send Sam's notes to Kim", "kim@example.com", true),
            ("email Arjun", "x@evil.example", false),
            ("email Arjun", "\u{430}rjun@evil.example", false),
            ("send the billing report to Kim", "billing@evil.example", false),
            ("Send Billing the report", "billing@evil.example", false),
            ("please send it", "send@evil.example", false),
            ("I like marjoram", "marjoram@evil.example", false),
            ("email Al", "al@example.com", false),
            ("अर्जुन को email करो", "arjun@example.com", false),
        ] {
            let mut names = Names::default();
            names.read(said);
            assert_eq!(names.carried_by(address), want, "{said} / {address}: {names:?}");
        }
        let mut own = Names::default();
        own.own("Robin Vale");
        assert!(own.carried_by("robin@home.example"));
    }

    #[test]
    fn who_was_to_be_written_to() {
        for (said, want) in [
            ("email Arjun the plan", Some("Arjun")),
            ("Please send the plan to Priya", Some("Priya")),
            ("Answer the last email", None),
            ("send the report", None),
        ] {
            let mut names = Names::default();
            names.read(said);
            assert_eq!(names.asked(), want, "{said}");
        }
    }
}
