//! Texts as words that compare equal when a person would say they are the same: Unicode words, lower case, without
//! accents.
//!
//! The same function cuts messages and questions, so whatever it does to one it does to the other. Scripts without
//! spaces are cut into pairs of neighbouring characters.

use unicode_normalization::UnicodeNormalization;
use unicode_segmentation::UnicodeSegmentation;

/// Characters of a word that count; the rest is cut off on both sides of the comparison. Ours.
const WORD_CHARS_MAX: usize = 64;
/// Words of one message that are found. Ours: about a short novel.
pub(crate) const WORDS_MAX: usize = 60_000;

/// One word and where it stands in the text, in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Word {
    pub(crate) text: String,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// Whose words they are: runs of a script without spaces are cut differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cut {
    /// A message: single characters and pairs, so that either is found.
    Message,
    /// A question: pairs alone where there are any, so that it asks for neighbours.
    Question,
}

/// The words of a text in order, at most [`WORDS_MAX`].
pub(crate) fn words(text: &str, cut: Cut) -> Vec<Word> {
    let mut out = Vec::new();
    let mut run: Vec<Word> = Vec::new();
    for (offset, piece) in text.unicode_word_indices() {
        if out.len() + run.len() >= WORDS_MAX {
            break;
        }
        for (start, part) in parts(piece) {
            let word = Word { text: fold(part), start: offset + start, end: offset + start + part.len() };
            if word.text.is_empty() {
                continue;
            }
            let unspaced = part.chars().next().is_some_and(is_unspaced);
            if run.last().is_some_and(|last| !unspaced || last.end != word.start) {
                finish(&mut run, cut, &mut out);
            }
            if unspaced { run.push(word) } else { out.push(word) }
        }
    }
    finish(&mut run, cut, &mut out);
    out.truncate(WORDS_MAX);
    out
}

/// Writes out a run of neighbouring characters.
fn finish(run: &mut Vec<Word>, cut: Cut, out: &mut Vec<Word>) {
    for (n, one) in run.iter().enumerate() {
        if cut == Cut::Message || run.len() == 1 {
            out.push(one.clone());
        }
        if let Some(next) = run.get(n + 1) {
            out.push(Word { text: format!("{}{}", one.text, next.text), start: one.start, end: next.end });
        }
    }
    run.clear();
}

/// Cuts where Unicode keeps together what a person looks for apart: `l'eau`, `example.org`, `file_name`.
fn parts(word: &str) -> impl Iterator<Item = (usize, &str)> {
    let joins =
        |c: char| matches!(c, '\'' | '’' | '‘' | '.' | '_' | ':' | ',' | ';' | '·' | '‧' | '․' | '﹒' | '＇' | '．');
    word.split(joins).map(move |part| (part.as_ptr() as usize - word.as_ptr() as usize, part))
}

/// Scripts written without spaces, in which Unicode's default rules stop after every character.
fn is_unspaced(c: char) -> bool {
    matches!(c,
        '\u{0E00}'..='\u{0EFF}' // Thai, Lao
        | '\u{1000}'..='\u{109F}' // Myanmar
        | '\u{1780}'..='\u{17FF}' // Khmer
        | '\u{3040}'..='\u{309F}' // Hiragana
        | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' // Han
        | '\u{20000}'..='\u{3FFFF}')
}

/// One word in the form that is compared.
fn fold(word: &str) -> String {
    let lower = word.chars().flat_map(char::to_lowercase);
    let mut out = String::with_capacity(word.len());
    for c in lower.nfkd().take(WORD_CHARS_MAX) {
        match c {
            // Accents of Latin, Greek and Cyrillic. The marks of other scripts are letters: Devanagari's vowels stay.
            '\u{0300}'..='\u{036F}' => {}
            // Invisible: joiners, soft hyphen, direction marks, variation selectors.
            '\u{00AD}' | '\u{200B}'..='\u{200F}' | '\u{2060}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' => {}
            'ß' => out.push_str("ss"),
            'æ' => out.push_str("ae"),
            'œ' => out.push_str("oe"),
            'ø' => out.push('o'),
            'đ' | 'ð' => out.push('d'),
            'ł' => out.push('l'),
            'ı' => out.push('i'),
            'ς' => out.push('σ'),
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn texts(text: &str, cut: Cut) -> Vec<String> {
        words(text, cut).into_iter().map(|word| word.text).collect()
    }

    #[test]
    fn words_of_many_languages() {
        for (text, want) in [
            ("Die Größe der Küche", &["die", "grosse", "der", "kuche"][..]),
            ("Straße STRASSE", &["strasse", "strasse"]),
            ("l'eau d’été", &["l", "eau", "d", "ete"]),
            ("mail anna@example.org: file_name.txt", &["mail", "anna", "example", "org", "file", "name", "txt"]),
            ("3.14 and 1,000", &["3", "14", "and", "1", "000"]),
            ("Łódź, Ærø", &["lodz", "aero"]),
            ("ＦＵＬＬ ﬁne", &["full", "fine"]),
            ("İstanbul ISPARTA", &["istanbul", "isparta"]),
            ("ΟΔΟΣ οδός", &["οδοσ", "οδοσ"]),
            ("  \u{0} … !", &[]),
        ] {
            assert_eq!(texts(text, Cut::Question), want, "{text}");
        }
    }

    #[test]
    fn devanagari_keeps_its_vowels() {
        let found = texts("नमस्ते दुनिया", Cut::Question);
        assert_eq!(found, ["नमस्ते", "दुनिया"]);
        assert_ne!(texts("कि", Cut::Question), texts("की", Cut::Question));
        // One letter written in two ways: precomposed, and with a nukta.
        assert_eq!(texts("\u{0958}", Cut::Question), texts("\u{0915}\u{093C}", Cut::Question));
    }

    #[test]
    fn scripts_without_spaces_are_cut_into_pairs() {
        assert_eq!(texts("東京都", Cut::Message), ["東", "東京", "京", "京都", "都"]);
        assert_eq!(texts("東京都", Cut::Question), ["東京", "京都"]);
        assert_eq!(texts("猫 と", Cut::Question), ["猫", "と"]);
        assert_eq!(texts("in東京now", Cut::Question), ["in", "東京", "now"]);
        assert_eq!(texts("ไทย", Cut::Question).len(), 2);
    }

    #[test]
    fn long_texts_and_words_are_cut_off() {
        assert_eq!(words(&"a ".repeat(WORDS_MAX + 10), Cut::Message).len(), WORDS_MAX);
        assert_eq!(words(&"東".repeat(WORDS_MAX), Cut::Message).len(), WORDS_MAX);
        assert_eq!(words(&"x".repeat(10_000), Cut::Message)[0].text.len(), WORD_CHARS_MAX);
    }

    proptest! {
        #[test]
        fn places_are_inside_the_text(text in any::<String>()) {
            for word in words(&text, Cut::Message) {
                prop_assert!(text.get(word.start..word.end).is_some_and(|found| !found.is_empty()));
            }
        }

        #[test]
        fn a_question_finds_the_text_it_was_copied_from(text in any::<String>()) {
            let message = texts(&text, Cut::Message);
            for word in texts(&text, Cut::Question) {
                prop_assert!(message.contains(&word), "{word:?}");
            }
        }
    }
}
