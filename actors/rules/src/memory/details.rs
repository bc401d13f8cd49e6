//! The details of a text that must not get lost or be made up: names, places, numbers and dates.

use super::names::{self, same_word};
use super::words::{Word, key, words};

/// What kind of detail it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DetailKind {
    /// A person, a thing with a name, or a place that does not stand where places stand.
    Name,
    Place,
    Number,
    Date,
    /// A mail or web address.
    Address,
}

/// One detail of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Detail {
    pub kind: DetailKind,
    /// As it was written.
    pub text: String,
    /// Its words in one spelling; months and number words as numbers.
    pub keys: Vec<String>,
    /// Where it stands, in bytes.
    pub at: usize,
    pub end: usize,
    /// The word before it; empty at the beginning.
    pub before: String,
}

impl Detail {
    /// Whether both mean the same. `2026` is within `3 May 2026` only in [`Detail::within`].
    pub fn same(&self, other: &Self) -> bool {
        if self.is_named() && other.is_named() {
            return names::same(&self.text, &other.text);
        }
        self.kind == other.kind && self.keys == other.keys
    }

    /// Whether a text with these details already says this one.
    pub fn within(&self, others: &[Self]) -> bool {
        others.iter().any(|other| {
            let part = |kind: &Detail| matches!(kind.kind, DetailKind::Date | DetailKind::Number);
            self.same(other) || part(self) && part(other) && self.keys.iter().all(|key| other.keys.contains(key))
        })
    }

    /// Whether the words of this detail are all in a text, in either script.
    pub fn is_said(&self, text: &str) -> bool {
        let said: Vec<String> = words(text).iter().map(|word| value_key(&word.key)).collect();
        self.keys.iter().all(|key| said.iter().any(|word| same_word(key, word)))
    }

    fn is_named(&self) -> bool {
        matches!(self.kind, DetailKind::Name | DetailKind::Place)
    }
}

/// The details of a text, in the order they stand.
pub fn in_text(text: &str) -> Vec<Detail> {
    let all = words(text);
    let mut found: Vec<Detail> = values(text, &all);
    for name in names::in_text(text) {
        let is_place = PLACE_BEFORE.contains(&name.before.as_str()) || name.after == "में";
        let kind = if is_place { DetailKind::Place } else { DetailKind::Name };
        let keys = name.text.split_whitespace().map(key).collect();
        found.push(Detail { kind, text: name.text, keys, at: name.at, end: name.end, before: name.before });
    }
    found.sort_by_key(|detail| detail.at);
    found
}

/// Words a place stands behind.
const PLACE_BEFORE: [&str; 9] = ["in", "at", "to", "from", "near", "into", "around", "outside", "of"];

/// Numbers, dates and addresses.
fn values(text: &str, all: &[Word<'_>]) -> Vec<Detail> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < all.len() {
        let Some(kind) = value_kind(&all[at]) else {
            at += 1;
            continue;
        };
        let begun = at;
        let (mut kind, mut last) = (kind, at);
        // `3 May 2026`, `May 3rd, 2026`, `7 pm`: side by side they are one.
        while kind != DetailKind::Address && last + 1 < all.len() {
            let next = &all[last + 1];
            let Some(more) = value_kind(next) else { break };
            let two_numbers = more == DetailKind::Number && kind == DetailKind::Number;
            if more == DetailKind::Address || two_numbers || next.first {
                break;
            }
            kind = if more == DetailKind::Date { more } else { kind };
            last += 1;
        }
        let before = begun.checked_sub(1).map(|before| all[before].key.clone()).unwrap_or_default();
        let keys = all[begun..=last].iter().map(|word| value_key(&word.key)).collect();
        let (from, end) = (all[begun].at, all[last].end());
        found.push(Detail { kind, text: text[from..end].to_owned(), keys, at: from, end, before });
        at = last + 1;
    }
    found
}

fn value_kind(word: &Word<'_>) -> Option<DetailKind> {
    let key = word.key.as_str();
    let digits = key.chars().filter(char::is_ascii_digit).count();
    if key.contains('@') && key.contains('.') || key.starts_with("www.") || DOMAINS.iter().any(|end| key.ends_with(end))
    {
        return Some(DetailKind::Address);
    }
    // `may` is a month only with its capital; `march` and `sun` too.
    if is_calendar_word(key) && (word.capital() || word.caseless() || !LIKE_WORDS.contains(&key)) {
        return Some(DetailKind::Date);
    }
    if digits > 0 && (key.contains([':', '/']) || key.matches('-').count() == 2 || is_year(key) || is_ordinal(key)) {
        return Some(DetailKind::Date);
    }
    (digits > 0 || number_word(key).is_some()).then_some(DetailKind::Number)
}

const DOMAINS: [&str; 6] = [".com", ".org", ".net", ".example", ".in", ".io"];
const LIKE_WORDS: [&str; 7] = ["may", "march", "mar", "sun", "sat", "wed", "dec"];

fn is_year(key: &str) -> bool {
    key.len() == 4 && key.parse::<u32>().is_ok_and(|year| (1900..2100).contains(&year))
}

fn is_ordinal(key: &str) -> bool {
    ["st", "nd", "rd", "th"].iter().any(|end| key.strip_suffix(end).is_some_and(|number| number.parse::<u8>().is_ok()))
}

/// Whether a word names a month, a day of the week or a part of the day with a number.
pub(super) fn is_calendar_word(key: &str) -> bool {
    month(key).is_some() || weekday(key).is_some() || matches!(key, "am" | "pm" | "a.m" | "p.m" | "बजे")
}

fn month(key: &str) -> Option<usize> {
    const MONTHS: [&[&str]; 12] = [
        &["january", "jan", "जनवरी"],
        &["february", "feb", "फरवरी"],
        &["march", "mar", "मार्च"],
        &["april", "apr", "अप्रैल"],
        &["may", "मई"],
        &["june", "jun", "जून"],
        &["july", "jul", "जुलाई"],
        &["august", "aug", "अगस्त"],
        &["september", "sep", "sept", "सितंबर"],
        &["october", "oct", "अक्टूबर"],
        &["november", "nov", "नवंबर"],
        &["december", "dec", "दिसंबर"],
    ];
    MONTHS.iter().position(|names| names.contains(&key))
}

fn weekday(key: &str) -> Option<usize> {
    const DAYS: [&[&str]; 7] = [
        &["monday", "mondays", "mon", "सोमवार"],
        &["tuesday", "tuesdays", "tue", "मंगलवार"],
        &["wednesday", "wednesdays", "wed", "बुधवार"],
        &["thursday", "thursdays", "thu", "गुरुवार"],
        &["friday", "fridays", "fri", "शुक्रवार"],
        &["saturday", "saturdays", "sat", "शनिवार"],
        &["sunday", "sundays", "sun", "रविवार"],
    ];
    DAYS.iter().position(|names| names.contains(&key))
}

fn number_word(key: &str) -> Option<u32> {
    const WORDS: [(&[&str], u32); 14] = [
        (&["two", "दो"], 2),
        (&["three", "तीन"], 3),
        (&["four", "चार"], 4),
        (&["five", "पांच", "पाँच"], 5),
        (&["six", "छह"], 6),
        (&["seven", "सात"], 7),
        (&["eight", "आठ"], 8),
        (&["nine", "नौ"], 9),
        (&["ten", "दस"], 10),
        (&["eleven", "ग्यारह"], 11),
        (&["twelve", "बारह"], 12),
        (&["fifteen", "पंद्रह"], 15),
        (&["twenty", "बीस"], 20),
        (&["thirty", "तीस"], 30),
    ];
    WORDS.iter().find(|(names, _)| names.contains(&key)).map(|(_, number)| *number)
}

/// One spelling of a value's word: months and weekdays by number, number words as digits, `3rd` as `3`.
fn value_key(key: &str) -> String {
    if let Some(month) = month(key) {
        return format!("month {}", month + 1);
    }
    if let Some(day) = weekday(key) {
        return format!("day {}", day + 1);
    }
    if let Some(number) = number_word(key) {
        return number.to_string();
    }
    if is_ordinal(key) {
        return key[..key.len() - 2].to_owned();
    }
    key.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn details_of_texts() {
        use DetailKind::{Address, Date, Name, Number, Place};
        for (text, want) in [
            ("Mira starts school in June", &[(Name, "Mira"), (Date, "June")][..]),
            ("The launch is on 3 May 2026 at 7:30 pm", &[(Date, "3 May 2026"), (Date, "7:30 pm")]),
            ("Has two cats and 3 dogs", &[(Number, "two"), (Number, "3")]),
            ("Maya moved to New York", &[(Name, "Maya"), (Place, "New York")]),
            ("Write to a@b.example", &[(Address, "a@b.example")]),
            ("She may come", &[]),
            ("माया का जन्मदिन ५ मई को है", &[(Name, "माया"), (Date, "५ मई")]),
            ("माया दिल्ली में रहती है", &[(Name, "माया"), (Place, "दिल्ली")]),
        ] {
            let found: Vec<(DetailKind, String)> =
                in_text(text).into_iter().map(|detail| (detail.kind, detail.text)).collect();
            let found: Vec<(DetailKind, &str)> = found.iter().map(|(kind, text)| (*kind, text.as_str())).collect();
            assert_eq!(found, want, "{text}");
        }
    }

    #[test]
    fn the_same_detail_in_other_words() {
        for (one, other, want) in [
            ("on 3 May", "on May 3rd", false), // in another order: left to the model
            ("in June", "in Jun", true),
            ("in June", "in जून", true),
            ("has two cats", "has 2 cats", true),
            ("has २ cats", "has 2 cats", true),
            ("in June", "in July", false),
        ] {
            let (one_details, other_details) = (in_text(one), in_text(other));
            assert_eq!(one_details[0].same(&other_details[0]), want, "{one} / {other}");
        }
        let all = in_text("on 3 May 2026");
        assert!(in_text("in 2026")[0].within(&all) && !in_text("in 2027")[0].within(&all));
        assert!(in_text("in Delhi")[0].is_said("मैं दिल्ली में हूँ"));
    }
}
