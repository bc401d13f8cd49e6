//! Words of short texts in the form in which they are compared: as messages are cut, and English endings taken off.
//!
//! Memories are short, so a plural or a tense more often decides whether one is found than in a long chat. Both sides of
//! a comparison go through the same function, so an ending that is taken off wrongly makes two words one and loses none.

use crate::search::words::{Cut, Word, words};

/// Letters that must be left of a word, endings aside.
const STEM_CHARS_MIN: usize = 3;

/// The words of a text, in order, in the form in which they are compared.
pub(super) fn forms(text: &str, cut: Cut) -> Vec<Word> {
    let mut cut = words(text, cut);
    for word in &mut cut {
        let kept = form(&word.text);
        if kept.len() != word.text.len() || kept != word.text {
            word.text = kept;
        }
    }
    cut
}

/// A word (lower case, without accents) without the endings of English plurals and tenses: `stories` and `story`,
/// `painting`, `painted` and `paint`, `baking` and `bake` are the same. Words with anything but the letters a to z stay.
///
/// A light stemmer after Harman, "How effective is suffixing?", 1991: it takes off what is nearly always an ending.
pub fn form(word: &str) -> String {
    if word.len() <= STEM_CHARS_MIN || !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return word.to_owned();
    }
    if let Some(stem) = word.strip_suffix("ies").filter(|stem| stem.len() >= 2) {
        return format!("{stem}y");
    }
    let mut stem = word;
    for (ending, least) in [("ing", 3), ("ed", 3), ("es", 3), ("s", 3)] {
        let Some(shorter) = word.strip_suffix(ending) else { continue };
        if shorter.len() >= least && shorter.bytes().any(is_vowel) && !word.ends_with("ss") && !word.ends_with("us") {
            stem = single_end(shorter, ending);
            break;
        }
    }
    // `bake` and `baked`, `hike` and `hiking` meet without their `e`.
    let bare = stem.strip_suffix('e').filter(|bare| bare.len() >= STEM_CHARS_MIN - 1);
    bare.unwrap_or(stem).to_owned()
}

/// `running` is `run`: a letter doubled before an ending is single again, except where words end in two.
fn single_end<'a>(stem: &'a str, ending: &str) -> &'a str {
    let bytes = stem.as_bytes();
    let doubled = matches!(ending, "ing" | "ed") && bytes.len() > 3 && bytes[bytes.len() - 1] == bytes[bytes.len() - 2];
    let stays = matches!(bytes.last(), Some(b'l' | b's' | b'e' | b'z'));
    if doubled && !stays { &stem[..stem.len() - 1] } else { stem }
}

fn is_vowel(byte: u8) -> bool {
    matches!(byte, b'a' | b'e' | b'i' | b'o' | b'u' | b'y')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn words_that_are_the_same() {
        for group in [
            &["paint", "paints", "painted", "painting"][..],
            &["story", "stories"],
            &["run", "runs", "running"],
            &["bake", "baked", "bakes", "baking"],
            &["hike", "hikes", "hiked", "hiking"],
            &["class", "classes"],
            &["cat", "cats"],
        ] {
            let forms: Vec<String> = group.iter().map(|word| form(word)).collect();
            assert!(forms.iter().all(|it| *it == forms[0]), "{group:?} are {forms:?}");
        }
    }

    #[test]
    fn words_that_are_not() {
        for (one, two) in [("bus", "bu"), ("sing", "s"), ("thing", "th"), ("news", "new york"), ("glass", "gla")] {
            assert_ne!(form(one), form(two), "{one} and {two}");
        }
        for word in ["gas", "was", "red", "2024", "b2b", "größe", "माया", "東京", ""] {
            assert_eq!(form(word), word, "{word} stays");
        }
    }

    proptest! {
        #[test]
        fn a_form_is_never_empty_nor_longer(word in "[a-z]{1,20}") {
            let form = form(&word);
            prop_assert!(!form.is_empty() && form.len() <= word.len(), "{}", form);
        }
    }
}
