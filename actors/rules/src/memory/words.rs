//! Text to words, in Latin, Devanagari and scripts that put no spaces: what every rule about memories stands on.

use std::collections::BTreeSet;
use unicode_normalization::UnicodeNormalization;

/// Characters of one text that are looked at. Ours: far above a fact's or a message's length.
pub(super) const TEXT_CHARS_MAX: usize = 20_000;

/// One word and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Word<'a> {
    /// As it was written, without a possessive `'s`.
    pub(super) text: &'a str,
    /// Where `text` begins, in bytes.
    pub(super) at: usize,
    /// Small letters without accents, digits of any script as 0 to 9.
    pub(super) key: String,
    /// A possessive `'s` stood behind it.
    pub(super) owns: bool,
    /// A sentence begins with it.
    pub(super) first: bool,
    /// A comma or another mark stands between it and the word before.
    pub(super) apart: bool,
}

impl Word<'_> {
    /// Where it ends, in bytes, without a possessive.
    pub(super) fn end(&self) -> usize {
        self.at + self.text.len()
    }

    /// Whether it begins with a capital letter.
    pub(super) fn capital(&self) -> bool {
        self.text.chars().next().is_some_and(char::is_uppercase)
    }

    /// Whether its script has no capitals, so that a name cannot be told from its letters.
    pub(super) fn caseless(&self) -> bool {
        self.text.chars().next().is_some_and(|c| c.is_alphabetic() && !c.is_uppercase() && !c.is_lowercase())
    }
}

/// The words of a text, in order.
pub(super) fn words(text: &str) -> Vec<Word<'_>> {
    let end = text.char_indices().nth(TEXT_CHARS_MAX).map_or(text.len(), |(at, _)| at);
    let text = &text[..end];
    let mut found: Vec<Word<'_>> = Vec::new();
    let (mut begun, mut first, mut apart): (Option<usize>, bool, bool) = (None, true, false);
    let mut characters = text.char_indices().peekable();
    while let Some((at, c)) = characters.next() {
        let after = characters.peek().map(|(_, next)| *next);
        let inside = is_letter(c) || begun.is_some() && joins(c, text[..at].chars().next_back(), after);
        if inside && stands_alone(c) {
            push(&mut found, text, begun.take().map(|from| (from, at)), &mut first, &mut apart);
            push(&mut found, text, Some((at, at + c.len_utf8())), &mut first, &mut apart);
        } else if inside {
            begun.get_or_insert(at);
        } else {
            push(&mut found, text, begun.take().map(|from| (from, at)), &mut first, &mut apart);
            first |= matches!(c, '.' | '!' | '?' | '\n' | ';' | '।' | '。' | '؟');
            apart |= !c.is_whitespace();
        }
    }
    push(&mut found, text, begun.map(|from| (from, text.len())), &mut first, &mut apart);
    found
}

fn push<'a>(
    found: &mut Vec<Word<'a>>,
    text: &'a str,
    span: Option<(usize, usize)>,
    first: &mut bool,
    apart: &mut bool,
) {
    let Some((from, to)) = span else { return };
    let whole = text[from..to].trim_end_matches(['\'', '’', '-', '.', '@', '/', ':', ',', '_']);
    let bare = ["'s", "’s", "'S", "’S"].iter().find_map(|mark| whole.strip_suffix(mark));
    let plural = whole.len() < to - from && text[whole.len() + from..].starts_with(['\'', '’']) && whole.ends_with('s');
    let word = bare.unwrap_or(whole);
    if word.is_empty() {
        return;
    }
    // "it's", "he's" and "who's" say "is".
    let owns = plural || bare.is_some() && !SAYS_IS.contains(&word.to_lowercase().as_str());
    found.push(Word { text: word, at: from, key: key(word), owns, first: *first, apart: *apart });
    (*first, *apart) = (false, false);
}

const SAYS_IS: [&str; 9] = ["it", "he", "she", "who", "what", "that", "there", "where", "let"];

fn is_letter(c: char) -> bool {
    c.is_alphanumeric() || unicode_normalization::char::is_combining_mark(c) || matches!(c, '\u{200c}' | '\u{200d}')
}

/// Marks that belong to a word when letters or digits stand on both sides.
fn joins(c: char, before: Option<char>, after: Option<char>) -> bool {
    let digits = before.is_some_and(char::is_numeric) && after.is_some_and(char::is_numeric);
    match c {
        '\'' | '’' => true,
        '-' | '@' | '_' | '+' => after.is_some_and(char::is_alphanumeric),
        '.' => digits || after.is_some_and(|next| next.is_alphabetic() && next.is_lowercase()),
        ':' | '/' | ',' => digits,
        _ => false,
    }
}

/// Scripts that put no spaces between words: each sign is a word of its own.
fn stands_alone(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{2fa1f}')
}

/// One spelling of a word: small letters, no accents over Latin, Greek and Cyrillic letters, digits as 0 to 9, no nukta
/// and no joiners.
pub(super) fn key(word: &str) -> String {
    word.nfkd()
        .filter(|c| !matches!(c, '\u{300}'..='\u{36f}' | '\u{93c}' | '\u{200c}' | '\u{200d}'))
        .flat_map(char::to_lowercase)
        .map(|c| if c == '’' { '\'' } else { digit(c) })
        .nfc()
        .collect()
}

fn digit(c: char) -> char {
    match c {
        '०'..='९' => ascii(u32::from(c) - u32::from('०')),
        '٠'..='٩' => ascii(u32::from(c) - u32::from('٠')),
        '۰'..='۹' => ascii(u32::from(c) - u32::from('۰')),
        _ => c,
    }
}

fn ascii(digit: u32) -> char {
    char::from_digit(digit, 10).expect("the range holds ten digits")
}

/// One form for a word's endings: `lives`, `lived` and `living` are one, and so are `city` and `cities`.
pub(super) fn stem(key: &str) -> String {
    if let Some((_, base)) = IRREGULAR.iter().find(|(form, _)| *form == key) {
        return (*base).to_owned();
    }
    if !key.is_ascii() || key.len() < 4 {
        return key.to_owned();
    }
    let cut = [("iness", "y"), ("ies", "y"), ("ied", "y"), ("ing", ""), ("ed", ""), ("es", ""), ("s", "")]
        .iter()
        .filter(|(ending, _)| !(*ending == "s" && key.ends_with("ss")))
        .find_map(|(ending, put)| {
            let base = key.strip_suffix(ending)?;
            (base.len() >= 3 && base.contains(['a', 'e', 'i', 'o', 'u', 'y'])).then(|| format!("{base}{put}"))
        })
        .unwrap_or_else(|| key.to_owned());
    let bytes = cut.as_bytes();
    let doubled =
        bytes.len() > 3 && bytes[bytes.len() - 1] == bytes[bytes.len() - 2] && !cut.ends_with(['l', 's', 'e']);
    let cut = if doubled { cut[..cut.len() - 1].to_owned() } else { cut };
    cut.strip_suffix('e').filter(|base| base.len() >= 3).map_or(cut.clone(), str::to_owned)
}

/// Words and what they are one with, as [`stem`] leaves it.
const IRREGULAR: [(&str, &str); 26] = [
    ("has", "hav"),
    ("had", "hav"),
    ("having", "hav"),
    ("does", "do"),
    ("did", "do"),
    ("goes", "go"),
    ("went", "go"),
    ("began", "begin"),
    ("begun", "begin"),
    ("wrote", "writ"),
    ("written", "writ"),
    ("children", "child"),
    ("kids", "child"),
    ("kid", "child"),
    ("married", "marri"),
    ("marries", "marri"),
    ("people", "person"),
    ("bought", "buy"),
    ("ate", "eat"),
    ("taught", "teach"),
    ("teaches", "teach"),
    ("works", "work"),
    ("cannot", "not"),
    ("wants", "want"),
    ("starts", "start"),
    ("studies", "study"),
];

/// Whether a word stands in a list of words with spaces between them.
pub(super) fn is_one_of(list: &str, key: &str) -> bool {
    list.split(' ').any(|word| word == key)
}

/// Words that carry no meaning of their own, in the languages these rules read.
pub(super) fn is_small(key: &str) -> bool {
    SMALL.binary_search(&key).is_ok() || is_one_of(SMALL_HINDI, key)
}

/// Sorted: it is searched by halves.
const SMALL: [&str; 118] = [
    "a",
    "about",
    "after",
    "all",
    "also",
    "always",
    "am",
    "an",
    "and",
    "any",
    "are",
    "as",
    "at",
    "back",
    "be",
    "because",
    "been",
    "being",
    "but",
    "by",
    "called",
    "can",
    "could",
    "currently",
    "each",
    "ever",
    "for",
    "from",
    "get",
    "gets",
    "got",
    "he",
    "her",
    "here",
    "hers",
    "him",
    "his",
    "i",
    "i'm",
    "if",
    "in",
    "instead",
    "into",
    "is",
    "it",
    "it's",
    "its",
    "just",
    "longer",
    "may",
    "me",
    "might",
    "mine",
    "must",
    "my",
    "name",
    "named",
    "near",
    "now",
    "nowadays",
    "of",
    "off",
    "on",
    "only",
    "onto",
    "or",
    "other",
    "our",
    "out",
    "over",
    "own",
    "really",
    "recently",
    "shall",
    "she",
    "should",
    "since",
    "so",
    "some",
    "still",
    "than",
    "that",
    "the",
    "their",
    "them",
    "then",
    "there",
    "these",
    "they",
    "this",
    "those",
    "through",
    "to",
    "today",
    "too",
    "under",
    "until",
    "up",
    "us",
    "use",
    "user",
    "user's",
    "very",
    "was",
    "we",
    "were",
    "what",
    "when",
    "where",
    "which",
    "while",
    "who",
    "whose",
    "will",
    "with",
    "would",
    "you",
    "your",
];

const SMALL_HINDI: &str = "का की के को ने से में पर है हैं हूँ हूं था थी थे और या भी ही तो कि जो यह ये वह वो वे मैं मुझे मेरा मेरी मेरे \
     हम हमारा हमारी हमारे उस उसका उसकी उसके उसे उन उनका उनकी उनके इस इसका इसकी इसके अब अभी एक कर करता करती करते \
     करना हो होता होती होते होना रहा रही रहे लिए साथ तक अपना अपनी अपने नाम गया गई गए यूजर आजकल फिलहाल";

/// Words that say no.
pub(super) fn says_no(key: &str) -> bool {
    key.ends_with("n't")
        || matches!(
            key,
            "not"
                | "no"
                | "never"
                | "without"
                | "nor"
                | "cannot"
                | "नहीं"
                | "मत"
                | "कभी"
                | "ना"
                | "बिना"
                | "dont"
                | "doesnt"
        )
}

/// The meaningful words of a text, stemmed, without small words and words that say no.
pub(super) fn meaningful(text: &str) -> BTreeSet<String> {
    words(text).iter().filter(|word| !is_small(&word.key) && !says_no(&word.key)).map(|word| stem(&word.key)).collect()
}

/// Whether a text says that something is not so.
pub(super) fn negative(text: &str) -> bool {
    let words = words(text);
    let no_longer = words.windows(2).any(|pair| pair[0].key == "no" && pair[1].key == "longer");
    no_longer || words.iter().any(|word| says_no(&word.key))
}

/// A text as one spelling: words only, small letters. Two texts with the same say the same in the same words.
pub(super) fn spelling(text: &str) -> String {
    let written = |word: &Word<'_>| if word.owns { format!("{}'s", word.key) } else { word.key.clone() };
    words(text).iter().map(written).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(text: &str) -> String {
        words(text).iter().map(|word| word.key.clone()).collect::<Vec<_>>().join("|")
    }

    #[test]
    fn texts_fall_into_words() {
        for (text, want) in [
            ("Maya's sister, Priya, lives in São Paulo.", "maya|sister|priya|lives|in|sao|paulo"),
            ("at 7:30 on 3/5/2026 for 1,200.50", "at|7:30|on|3/5/2026|for|1,200.50"),
            ("write to a.b@x.example!", "write|to|a.b@x.example"),
            ("माया की बहन प्रिया दिल्ली में रहती है।", "माया|की|बहन|प्रिया|दिल्ली|में|रहती|है"),
            ("उम्र १२ साल", "उम्र|12|साल"),
            ("住在北京", "住|在|北|京"),
            ("doesn’t want it", "doesn't|want|it"),
            ("", ""),
            ("... !", ""),
        ] {
            assert_eq!(keys(text), want, "{text}");
        }
        assert!(words("Maya's cat")[0].owns && !words("It's late")[0].owns && words("James' cat")[0].owns);
        assert!(words("One. Two")[1].first && !words("One two")[1].first);
    }

    #[test]
    fn small_words_are_sorted_for_the_search() {
        assert!(SMALL.is_sorted(), "binary search needs it");
        assert!(is_small("the") && is_small("would") && is_small("में") && !is_small("live"));
    }

    #[test]
    fn endings_are_one_form() {
        for (one, other) in [
            ("lives", "living"),
            ("lived", "live"),
            ("cities", "city"),
            ("starts", "starting"),
            ("planned", "planning"),
            ("files", "file"),
            ("moved", "moving"),
            ("has", "have"),
            ("having", "had"),
        ] {
            assert_eq!(stem(one), stem(other), "{one} / {other}");
        }
        assert_ne!(stem("class"), stem("clas"));
        assert_eq!(stem("बहन"), "बहन");
    }

    #[test]
    fn what_says_no() {
        for (text, want) in [
            ("doesn't eat meat", true),
            ("no longer lives in Pune", true),
            ("मांस नहीं खाती", true),
            ("eats meat", false),
            ("note the time", false),
        ] {
            assert_eq!(negative(text), want, "{text}");
        }
    }
}
