//! The words of a question that say what it is about, and how many of them a piece holds.

use std::collections::BTreeSet;
use unicode_normalization::UnicodeNormalization;
use unicode_segmentation::UnicodeSegmentation;

/// Words of one question that are looked at. Ours.
const WORDS_MAX: usize = 64;
/// The least length of a word that also counts in another form.
const STEM_CHARS_MIN: usize = 4;
/// How many letters longer another form may be (`key`, `keys`; `cabin`, `cabins`).
const ENDING_CHARS_MAX: usize = 2;

/// Words that say nothing of what a question is about: English, then German, Spanish, French, Portuguese, Hindi.
const STOP_WORDS: &str = "a about again all also am an and any are as at be been but by can could did do does doing done \
    for from get give go had has have he hello her here hey hi him his how i if in into is it its just know let like ll \
    look me my need no not now of off ok okay on one or our out over please re s say see she should show so some t tell \
    than thank thanks that the their them then there these they thing this those to too up us ve very want was we were \
    what when where which who whom whose why will with would yes you your \
    aber als am an auch auf aus bei bin bist bitte da das dass dein den der des die dir du ein eine einen einer es für \
    hallo hat ich ihr im in ist ja kann kannst mein meine mich mir mit nach nein nicht noch oder sie sind so über und uns \
    vom von vor war was wann warum wer wie wir wo zu zum zur \
    al con cómo como cuál cuándo de del dónde el ella en es esta este está hay hola la las lo los me mi mis no nos o para \
    pero por qué que quién se si sin su sus tu un una y ya yo \
    au aux avec ce ces cette dans de des du elle en est et il ils je la le les leur ma mais mes mon ne nous ou où par pas \
    pour quand que quel quelle qui sa ses son sur ta tes toi tu un une vous à \
    ao com como da das do dos e em era essa esse eu foi isso mas meu minha na não nos o os ou quando quem se sua são um uma \
    और का की के को क्या कब कहाँ कहां कैसे कौन क्यों जो तक तो था थी थे दो न नहीं ने पर भी में मेरा मेरी मेरे मुझे मैं यह ये या वह वे \
    से हम हूँ है हैं हो";

/// The words a question is about, in small letters, each once; stop words are left out.
pub fn meaningful(question: &str) -> Vec<String> {
    let stop: BTreeSet<&str> = STOP_WORDS.split_whitespace().collect();
    let mut found: Vec<String> = Vec::new();
    for word in words_of(question) {
        if found.len() == WORDS_MAX {
            break;
        }
        if !stop.contains(word.as_str()) && !found.contains(&word) {
            found.push(word);
        }
    }
    found
}

/// How many of the words a text holds.
pub fn held(words: &[String], text: &str) -> usize {
    let there: BTreeSet<String> = words_of(text).collect();
    words.iter().filter(|word| there.contains(*word) || there.iter().any(|other| is_same(word, other))).count()
}

/// [`held`] as a share of all, from 0 to 1; 0 when there are none.
pub fn share(words: &[String], text: &str) -> f64 {
    match words.len() {
        0 => 0.0,
        // A question has at most 64 words.
        all => held(words, text) as f64 / all as f64,
    }
}

/// Words as they are compared.
pub(super) fn words_of(text: &str) -> impl Iterator<Item = String> + '_ {
    text.unicode_words().map(plain)
}

/// A text as words are compared: composed, in small letters, with one kind of apostrophe.
pub(super) fn plain(text: &str) -> String {
    let plain: String =
        text.nfc().flat_map(char::to_lowercase).map(|letter| if letter == '’' { '\'' } else { letter }).collect();
    plain.strip_suffix("'s").map(str::to_owned).unwrap_or(plain)
}

/// Whether two words are the same in another form.
pub(super) fn is_same(one: &str, other: &str) -> bool {
    let (short, long) = if one.len() <= other.len() { (one, other) } else { (other, one) };
    long.strip_prefix(short)
        .is_some_and(|ending| short.chars().count() >= STEM_CHARS_MIN && ending.chars().count() <= ENDING_CHARS_MAX)
        || one == other
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_question_is_about() {
        for (question, want) in [
            ("What's the wifi password of the cabin?", "what's wifi password cabin"),
            ("Where did I put Jo's keys, and the KEYS?", "put jo keys"),
            ("Wie ist das Passwort der Hütte?", "passwort hütte"),
            ("केबिन की चाबी कहाँ है?", "केबिन चाबी"),
            ("小屋の鍵", "小 屋 の 鍵"),
            ("how are you", ""),
            ("", ""),
        ] {
            let want = want.replace("what's ", "what ");
            let got = meaningful(question).join(" ");
            assert_eq!(got, want.replace("what ", ""), "{question}");
        }
    }

    #[test]
    fn how_many_a_text_holds() {
        let words = meaningful("cabin keys heating 42");
        for (text, want) in
            [("The cabins have one key. Heating: 42", 3), ("CABIN, keys; heating (42)", 4), ("heat 421", 0), ("", 0)]
        {
            assert_eq!(held(&words, text), want, "{text}");
        }
        assert!((share(&words, "cabin key 42") - 0.5).abs() < 1e-9);
        assert!(share(&[], "cabin").abs() < 1e-9);
    }
}
