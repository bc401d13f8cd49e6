//! Names of chats: the first words of the first message, then a model's suggestion after the first exchange.

use protocol::limits::TITLE_CHARS_MAX;
use unicode_segmentation::UnicodeSegmentation;

/// Characters of a title made from the first words (models.md, "Agent loop numbers").
pub const FIRST_WORDS_CHARS_MAX: usize = 60;

/// The title of a chat before a model has named it.
pub fn first_words(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.is_empty() {
        return "New chat".into();
    }
    cut(&line, FIRST_WORDS_CHARS_MAX)
}

/// What a model is asked to do with the conversation behind it.
const TASK: &str = "Name this conversation in three to six words, in its own language. Answer with the name only, without \
                    quotes and without a full stop.";

/// What a model is asked for.
pub fn question(user: &str, assistant: &str) -> String {
    let short = |text: &str| text.chars().take(1_000).collect::<String>();
    format!("{TASK}\n\nUser: {}\n\nAssistant: {}", short(user), short(assistant))
}

/// Whether a model is asked for a name here. A script has none to give, and says nothing.
pub fn is_question(text: &str) -> bool {
    text.starts_with(TASK)
}

/// A model's answer as a title; `None` when it is no title.
pub fn clean(answer: &str) -> Option<String> {
    let line = answer.lines().map(str::trim).find(|line| !line.is_empty())?;
    let line = line.trim_start_matches(['#', '*', ' ']).trim_start_matches("Title:").trim();
    let line = line.trim_matches(['"', '\'', '“', '”', '„', '*', '`', ' ']).trim_end_matches('.').trim();
    let fits = !line.is_empty() && line.chars().count() <= TITLE_CHARS_MAX && !line.contains(['{', '<']);
    fits.then(|| cut(line, TITLE_CHARS_MAX))
}

/// A title the person typed, with its spaces tidied; `None` when nothing is left or it is too long.
pub fn typed(text: &str) -> Option<String> {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    (!line.is_empty() && line.chars().count() <= TITLE_CHARS_MAX).then_some(line)
}

/// At most `max` characters, cut between what people see as one character.
fn cut(line: &str, max: usize) -> String {
    if line.chars().count() <= max {
        return line.to_owned();
    }
    let mut out = String::new();
    let mut count = 0;
    for grapheme in line.graphemes(true) {
        count += grapheme.chars().count();
        if count > max - 1 {
            break;
        }
        out.push_str(grapheme);
    }
    format!("{}…", out.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_words_are_one_line_of_at_most_60_characters() {
        for (text, want) in [
            ("  hello\n there ", "hello there"),
            ("", "New chat"),
            (&"x".repeat(80), &(String::from(&"x".repeat(59)) + "…")),
        ] {
            assert_eq!(first_words(text), want);
        }
        let family = "👨‍👩‍👧‍👦".repeat(20);
        assert!(first_words(&family).trim_end_matches('…').graphemes(true).all(|g| g == "👨‍👩‍👧‍👦"));
    }

    #[test]
    fn the_question_for_a_name_is_known_again() {
        for (text, want) in [(question("hi", "hello").as_str(), true), ("Name this conversation", false), ("", false)] {
            assert_eq!(is_question(text), want, "{text}");
        }
    }

    #[test]
    fn only_a_title_becomes_a_title() {
        for (answer, want) in [
            ("\"Lunch with Sam.\"\n", Some("Lunch with Sam")),
            ("## **Plan for Pune**", Some("Plan for Pune")),
            ("Title: Trip", Some("Trip")),
            ("", None),
            ("<think>hm</think>", None),
            ("{\"title\": 1}", None),
            (&"long ".repeat(60), None),
        ] {
            assert_eq!(clean(answer).as_deref(), want, "{answer}");
        }
    }
}
