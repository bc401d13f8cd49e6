//! Text to sentences to clauses to words.

use super::actions::is_verb;

/// Characters of a message that are looked at. Ours: what comes after is a paste, not an instruction.
const TEXT_CHARS_MAX: usize = 20_000;

/// Words that join two clauses when a new one begins after them.
const CONJUNCTIONS: &[&str] = &["and", "then", "but", "or", "also", "plus", "so", "&"];
/// Words a clause begins with, beside a verb.
const BEGINNINGS: &[&str] = &[
    "please", "don't", "dont", "do", "never", "not", "no", "only", "always", "ask", "check", "confirm", "i", "i'll",
    "i'd", "you", "can", "could", "would", "will", "let", "let's", "just", "then", "without", "stop",
];

/// Part of a sentence with one verb, as far as can be told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clause {
    /// Lower case, without the marks around them.
    pub words: Vec<String>,
    /// Joined to the one before by "and" or "or": what negates that one negates this one.
    pub goes_on: bool,
}

/// Lower case, with plain apostrophes and spaces.
pub fn normal(text: &str) -> String {
    let plain = |c: char| match c {
        '\u{2019}' | '\u{2018}' | '`' => '\'',
        '\u{2014}' | '\u{2013}' => ',',
        other => other,
    };
    text.chars().take(TEXT_CHARS_MAX).map(plain).flat_map(char::to_lowercase).collect()
}

/// The sentences of a text as they were written.
pub fn sentence_texts(text: &str) -> Vec<&str> {
    let end = text.char_indices().nth(TEXT_CHARS_MAX).map_or(text.len(), |(at, _)| at);
    let mut found = Vec::new();
    for line in text[..end].lines() {
        let mut from = 0;
        for (at, mark) in line.char_indices().filter(|(_, c)| matches!(c, '.' | '!' | '?' | ';')) {
            let after = at + mark.len_utf8();
            if line[after..].chars().next().is_none_or(char::is_whitespace) {
                found.push(line[from..after].trim());
                from = after;
            }
        }
        found.push(line[from..].trim());
    }
    found.retain(|sentence| !sentence.is_empty());
    found
}

/// The sentences of a text, each with its clauses, in order.
pub fn sentences(text: &str) -> Vec<Vec<Clause>> {
    let clauses_of = |sentence: &str| {
        let plain = normal(sentence);
        clauses(&plain.split_whitespace().collect::<Vec<_>>())
    };
    let found = sentence_texts(text).into_iter().map(clauses_of);
    found.filter(|clauses| !clauses.is_empty()).collect()
}

fn clauses(words: &[&str]) -> Vec<Clause> {
    let mut clauses: Vec<Clause> = Vec::new();
    let mut current = Clause { words: Vec::new(), goes_on: false };
    let mut end = |current: &mut Clause, goes_on: bool| {
        let whole = std::mem::replace(current, Clause { words: Vec::new(), goes_on });
        if !whole.words.is_empty() {
            clauses.push(whole);
        }
    };
    for (at, raw) in words.iter().enumerate() {
        let word = bare(raw);
        let next = words.get(at + 1).map(|next| bare(next)).unwrap_or_default();
        let begins = |word: &str| is_verb(word) || BEGINNINGS.contains(&word) || CONJUNCTIONS.contains(&word);
        if CONJUNCTIONS.contains(&word) && !current.words.is_empty() && begins(next) {
            end(&mut current, matches!(word, "and" | "or" | "&"));
        } else if CONJUNCTIONS.contains(&word) && current.words.is_empty() {
            current.goes_on |= matches!(word, "and" | "or" | "&");
        } else if !word.is_empty() {
            current.words.push(word.to_owned());
        }
        if raw.ends_with([',', ':']) {
            end(&mut current, false);
        }
    }
    end(&mut current, false);
    clauses
}

/// A word without the marks around it.
fn bare(word: &str) -> &str {
    word.trim_matches(|c: char| !c.is_alphanumeric() && c != '&')
}

/// Whether a word is an email address.
pub(super) fn is_address(word: &str) -> bool {
    word.split_once('@').is_some_and(|(name, host)| !name.is_empty() && host.contains('.'))
}

/// Whether one of the words is an email address.
pub fn has_address(words: &[String]) -> bool {
    words.iter().any(|word| is_address(word))
}

/// One form for a noun and its plural.
pub fn stem(word: &str) -> &str {
    let word = word.strip_suffix("'s").unwrap_or(word);
    match word {
        "mail" | "mails" | "e-mail" | "e-mails" | "emails" => "email",
        _ if word.ends_with("ies") && word.len() > 4 => &word[..word.len() - 3], // "replies", "entries"
        _ if word.ends_with('s') && !word.ends_with("ss") && word.len() > 3 => &word[..word.len() - 1],
        _ if word.ends_with('y') && word.len() > 4 => &word[..word.len() - 1], // so that "entry" is "entries"
        _ => word,
    }
}

/// Whether a name of one or more words is said, in any of its forms.
pub fn names_phrase(words: &[String], name: &str) -> bool {
    let name: Vec<String> =
        normal(name).split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty()).map(str::to_owned).collect();
    let said = |window: &[String]| window.iter().zip(&name).all(|(word, part)| stem(word) == stem(part));
    !name.is_empty() && words.windows(name.len()).any(said)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_fall_into_clauses() {
        for (text, want) in [
            ("Send it.", "send it"),
            ("Summarize my Slack messages and email Priya", "summarize my slack messages +| email priya"),
            ("delete the mail from Bob and Priya", "delete the mail from bob and priya"),
            ("Don’t send it, just draft it!", "don't send it | just draft it"),
            ("never post or send anything", "never post +| send anything"),
            ("Yes, send it. Thanks", "yes | send it // thanks"),
            ("write to a.b@x.example; then stop", "write to a.b@x.example // stop"),
            ("  \n ?! ", ""),
            ("और भेज दो", "और भेज दो"),
        ] {
            let shown: Vec<String> = sentences(text)
                .iter()
                .map(|clauses| {
                    let mut shown = String::new();
                    for (at, clause) in clauses.iter().enumerate() {
                        let join = if at == 0 {
                            ""
                        } else if clause.goes_on {
                            " +| "
                        } else {
                            " | "
                        };
                        shown += &format!("{join}{}", clause.words.join(" "));
                    }
                    shown
                })
                .collect();
            assert_eq!(shown.join(" // "), want, "{text}");
        }
    }

    #[test]
    fn words_in_their_forms() {
        for (word, want) in [("emails", "email"), ("mail", "email"), ("messages", "message"), ("bus", "bus")] {
            assert_eq!(stem(word), want, "{word}");
        }
        assert_eq!(stem("replies"), stem("reply"));
        let words = ["put", "it", "in", "google", "calendar"].map(str::to_owned);
        assert!(names_phrase(&words, "Google Calendar") && names_phrase(&words, "google"));
        assert!(!names_phrase(&words, "Calendar Google") && !names_phrase(&words, ""));
        assert!(is_address("a@b.example") && !is_address("a@b") && !is_address("@b.c"));
    }
}
