//! Names of people, places and things in a text, in Latin letters and Devanagari, and whether two are the same one.
//!
//! In Latin letters a name is a word with a capital where none is owed; at the beginning of a sentence it has to look like
//! one. Devanagari has no capitals: there a name is a word that is not an ordinary one and stands where names stand. A name
//! that is missed only costs a question to a model; two people taken for one would cost a memory.

use super::transliteration;
use super::words::{Word, is_one_of, is_small, says_no, stem, words};

/// Words of one name. Ours.
const NAME_WORDS_MAX: usize = 4;

/// A name as it stands in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// As it was written, without a possessive.
    pub text: String,
    /// Where it stands, in bytes.
    pub at: usize,
    pub end: usize,
    /// A possessive stands behind it: `Maya's`, `माया की`.
    pub owns: bool,
    /// The small word before it, such as `in`; empty at the beginning.
    pub before: String,
    /// The small word behind it, such as `में`.
    pub after: String,
}

/// The names of a text, in order.
pub fn in_text(text: &str) -> Vec<Name> {
    let words = words(text);
    let mut found: Vec<Name> = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let length = length_at(&words, at);
        if length == 0 {
            at += 1;
            continue;
        }
        let (first, last) = (&words[at], &words[at + length - 1]);
        let before = at.checked_sub(1).map(|before| words[before].key.clone()).unwrap_or_default();
        let after = words.get(at + length).map(|after| after.key.clone()).unwrap_or_default();
        let owns = last.owns || is_hindi_possessive(&after);
        found.push(Name {
            text: text[first.at..last.end()].to_owned(),
            at: first.at,
            end: last.end(),
            owns,
            before,
            after,
        });
        at += length;
    }
    found
}

/// How many words from here on are one name; 0: none begins here.
fn length_at(words: &[Word<'_>], at: usize) -> usize {
    if !is_name(words, at) {
        return 0;
    }
    let goes_on = |length: usize| {
        let (last, next) = (&words[at + length - 1], words.get(at + length));
        !last.owns
            && next.is_some_and(|next| {
                let same_script = next.caseless() == last.caseless();
                let follows =
                    if next.caseless() { is_surname(words, at + length) } else { is_name(words, at + length) };
                same_script && !next.apart && follows
            })
    };
    let mut length = 1;
    while length < NAME_WORDS_MAX && goes_on(length) {
        length += 1;
    }
    length
}

fn is_name(words: &[Word<'_>], at: usize) -> bool {
    let word = &words[at];
    if !word.text.chars().all(|c| c.is_alphabetic() || is_mark(c) || matches!(c, '-' | '\'' | '’' | '.'))
        || says_no(&word.key)
        || is_small(&word.key)
        || super::details::is_calendar_word(&word.key)
    {
        return false;
    }
    if word.caseless() {
        return transliteration::is_devanagari(word.text) && is_hindi_name(words, at);
    }
    if !word.capital() || is_one_of(ORDINARY, word.key.as_str()) && !next_is_name(words, at) {
        return false;
    }
    !word.first || reads_as_a_name(words, at)
}

/// The first word of a sentence, which has its capital anyway.
fn reads_as_a_name(words: &[Word<'_>], at: usize) -> bool {
    let word = &words[at];
    if is_one_of(ORDINARY, word.key.as_str()) || super::subject::is_relation(&word.key) || is_verb(&word.key) {
        return false;
    }
    let Some(next) = words.get(at + 1) else { return false };
    word.owns
        || is_one_of(BEHIND_A_NAME, next.key.as_str())
        || is_verb(&next.key)
        || says_no(&next.key)
        || next.capital() && !next.first
        || next.key.len() > 3 && next.key.ends_with('s') && !next.key.ends_with("ss") && !next.apart
        || next.key.len() > 4 && next.key.ends_with("ed")
}

fn next_is_name(words: &[Word<'_>], at: usize) -> bool {
    !words[at].first
        && words
            .get(at + 1)
            .is_some_and(|next| next.capital() && !is_one_of(ORDINARY, next.key.as_str()) && !next.apart)
}

fn is_verb(key: &str) -> bool {
    is_one_of(VERBS, key)
}

/// Words that stand behind whoever a sentence is about.
const BEHIND_A_NAME: &str = "is was has had will can could would should may must and or no now also still never always just recently \
     currently who moved got went ki ka ke used does did really usually";

/// What somebody does, as it stands behind a name or begins a note without one.
const VERBS: &str = "lives likes loves prefers works wants needs has owns speaks drinks eats plays reads writes studies uses \
     enjoys hates dislikes plans hopes goes runs drives takes moved moves starts started teaches knows keeps \
     wakes sleeps avoids follows supports collects practices practises visited visits bought sold quit joined \
     left became got met lost won saw made built learned learns travels cooks";

/// Words that begin sentences and are no names.
const ORDINARY: &str = "dr mr mrs ms prof allergic please thanks yes no hello hi hey remember note favorite favourite vegetarian \
     vegan married single busy born interested afraid working living learning planning training looking trying \
     going having getting likes work home health family today tomorrow yesterday every most many never always \
     usually sometimes often once when whenever while because although however if one two three four five six \
     seven eight nine ten first second next last new old pets birthday address phone email password do does ok \
     anniversary appointment meeting flight rent salary car bike house apartment wifi passport visa exam deadline \
     launch team office school class gym lease interview trip vacation holiday wedding party dinner lunch \
     breakfast coffee tea size weight height age food music sleep";

/// Whether a Devanagari word stands where a name stands and is not an ordinary one.
fn is_hindi_name(words: &[Word<'_>], at: usize) -> bool {
    let word = &words[at];
    if is_ordinary_hindi(&word.key) {
        return false;
    }
    let next = words.get(at + 1).map_or("", |next| next.key.as_str());
    let before = at.checked_sub(1).map_or("", |before| words[before].key.as_str());
    word.first
        || matches!(next, "का" | "की" | "के" | "ने" | "को" | "से" | "में" | "और" | "पर" | "नाम")
        || is_surname(words, at)
        || words.get(at + 1).is_some_and(|_| is_surname(words, at + 1))
        || super::subject::is_relation(before)
        || matches!(before, "नाम" | "और")
}

/// A second word of a name: ordinary words and what ends a sentence are none.
fn is_surname(words: &[Word<'_>], at: usize) -> bool {
    let Some(word) = words.get(at) else { return false };
    let next = words.get(at + 1).map_or("", |next| next.key.as_str());
    transliteration::is_devanagari(word.text)
        && !is_ordinary_hindi(&word.key)
        && !is_small(&word.key)
        && matches!(next, "का" | "की" | "के" | "ने" | "को" | "से")
}

/// Words of Hindi that are no names. What is not here may be one.
pub(super) fn is_ordinary_hindi(key: &str) -> bool {
    is_small(key) || super::subject::is_relation(key) || super::details::is_calendar_word(key) || is_one_of(HINDI, key)
}

const HINDI: &str = "रहता रहती रहते रहना रहने काम नौकरी पसंद चाय कॉफी काफी खाना खाता खाती खाते पीता पीती पीते मांस शाकाहारी दूध \
     सुबह शाम रात दिन साल महीने महीना हफ्ते हफ्ता बजे घर शहर स्कूल कॉलेज दफ्तर ऑफिस कंपनी पढ़ता पढ़ती पढ़ाई पढता \
     पढती पढाई करने किया चला चली शिफ्ट जाता जाती जाते जाना गयी आता आती शुरू जन्मदिन जन्म उम्र एलर्जी मूंगफली \
     चाहता चाहती चाहिए बोलता बोलती सीख सीखता सीखती खेलता खेलती कुत्ता कुत्ते बिल्ली गाड़ी गाडी कार किताब किताबें \
     संगीत फिल्म फाइल फाइलें ईमेल हटाना हटाए मिटाना मिटाई जाए जाएं नया नई नए पुराना बहुत";

fn is_hindi_possessive(key: &str) -> bool {
    matches!(key, "का" | "की" | "के")
}

fn is_mark(c: char) -> bool {
    unicode_normalization::char::is_combining_mark(c) || matches!(c, '\u{200c}' | '\u{200d}')
}

/// Whether two names can only mean the same: one may leave out last names the other has (`Maya`, `Maya Rao`), and each
/// word may be in the other's script.
pub fn same(one: &str, other: &str) -> bool {
    let (one, other) = (parts(one), parts(other));
    let (short, long) = if one.len() <= other.len() { (&one, &other) } else { (&other, &one) };
    !short.is_empty() && short.iter().zip(long).all(|(one, other)| same_word(one, other))
}

/// Whether the name is one of a text's words, in either script.
pub fn is_said(name: &str, text: &str) -> bool {
    let said = words(text);
    parts(name).iter().all(|part| said.iter().any(|word| same_word(part, &word.key)))
}

/// Whether two words are one in either script.
pub(super) fn same_word(one: &str, other: &str) -> bool {
    if one == other {
        return true;
    }
    if PLACES.iter().any(|(latin, hindi)| [(one, other), (other, one)].contains(&(latin, hindi))) {
        return true;
    }
    match (transliteration::is_devanagari(one), transliteration::is_devanagari(other)) {
        (true, false) => transliteration::same(one, other),
        (false, true) => transliteration::same(other, one),
        _ => false,
    }
}

/// Places whose English name is not their Hindi one in Latin letters.
const PLACES: [(&str, &str); 12] = [
    ("delhi", "दिल्ली"),
    ("kolkata", "कोलकाता"),
    ("lucknow", "लखनऊ"),
    ("bangalore", "बेंगलुरु"),
    ("bangalore", "बैंगलोर"),
    ("bengaluru", "बैंगलोर"),
    ("chennai", "चेन्नई"),
    ("india", "भारत"),
    ("lisbon", "लिस्बन"),
    ("london", "लंदन"),
    ("paris", "पेरिस"),
    ("berlin", "बर्लिन"),
];

fn parts(name: &str) -> Vec<String> {
    words(name).iter().map(|word| word.key.clone()).filter(|word| !TITLES.contains(&word.as_str())).collect()
}

const TITLES: [&str; 10] = ["dr", "mr", "mrs", "ms", "prof", "sir", "श्री", "श्रीमती", "डॉ", "जी"];

/// Whether two words are one in any of their forms, in either script.
pub(super) fn alike(one: &str, other: &str) -> bool {
    same_word(one, other) || stem(one) == stem(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(text: &str) -> Vec<String> {
        in_text(text).into_iter().map(|name| name.text).collect()
    }

    #[test]
    fn rule_237_names_in_latin_and_devanagari_texts() {
        for (text, want) in [
            ("Maya lives in Pune", &["Maya", "Pune"][..]),
            ("Maya Rao's sister Priya works at Google", &["Maya Rao", "Priya", "Google"]),
            ("Lives in New York", &["New York"]),
            ("Allergic to peanuts", &[]),
            ("Likes Thai food", &["Thai"]),
            ("Sister Meera lives in Lisbon", &["Meera", "Lisbon"]),
            ("James likes tea", &["James"]),
            ("I met Sam, Kim and Lee in July", &["Sam", "Kim", "Lee"]),
            ("She moved to Delhi", &["Delhi"]),
            ("The user wants emails short", &[]),
            ("माया राव की बहन प्रिया दिल्ली में रहती है", &["माया राव", "प्रिया", "दिल्ली"]),
            ("माया पुणे में रहती है", &["माया", "पुणे"]),
            ("मुझे चाय पसंद है", &[]),
            ("मेरी बहन रिया डॉक्टर है", &["रिया"]),
            ("", &[]),
        ] {
            assert_eq!(named(text), want, "{text}");
        }
    }

    #[test]
    fn rule_237_the_same_name_in_either_script() {
        for (one, other, want) in [
            ("Maya", "maya", true),
            ("Maya", "Maya Rao", true),
            ("Maya Rao", "Maya Sen", false),
            ("Maya", "माया", true),
            ("Maya Rao", "माया राव", true),
            ("माया", "Maya Rao", true),
            ("Riya", "प्रिया", false),
            ("Priya", "प्रिया", true),
            ("José", "Jose", true),
            ("Delhi", "दिल्ली", true),
            ("Dr Shah", "Shah", true),
            ("Maya", "Priya", false),
            ("", "Maya", false),
            ("", "", false),
        ] {
            assert_eq!(same(one, other), want, "{one} / {other}");
            assert_eq!(same(other, one), want, "{other} / {one}");
        }
        assert!(is_said("Maya Rao", "माया राव से मिली") && !is_said("Maya Rao", "I met Maya"));
    }
}
