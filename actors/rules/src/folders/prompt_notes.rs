//! Rule 135: pieces of notes that go to the model with a message, and which of them the reply drew on.

use super::excerpt::excerpt;
use super::words::{meaningful, plain, share, words_of};
use std::collections::BTreeSet;

/// What stands above them (`strings.tsv`, folder_prompt_heading).
pub const HEADING: &str = "From the user's notes";
/// How far above the least similarity a piece counts whatever its words (contract section 22).
const CLEARLY: f64 = 0.15;
/// The share of the message's words a piece holds (contract section 22).
const SHARE_MIN: f64 = 0.5;
/// Words it holds at least where nothing is searched by meaning.
const WORDS_MIN: usize = 2;
/// New words a reply shares with a piece it drew on, and their least length (contract section 2, "Answer sources").
const DRAWN_WORDS_MIN: usize = 2;
const DRAWN_LETTERS_MIN: usize = 4;
/// The least length of a title that names a note.
const TITLE_LETTERS_MIN: usize = 3;

/// A piece that was found for a message, best first.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate<'a> {
    pub id: u64,
    /// Which note it is of.
    pub note: (&'a str, &'a str),
    /// Everything its words are counted in: title, headings, text.
    pub text: &'a str,
    /// `None` where nothing is searched by meaning.
    pub similarity: Option<f32>,
    pub is_clipping: bool,
}

/// How pieces are chosen.
#[derive(Clone, Copy, Debug)]
pub struct Choosing {
    /// `folders.prompt_notes`; 0 chooses none.
    pub notes_max: usize,
    /// `folders.prompt_min_similarity`.
    pub similarity_min: f64,
}

/// A piece that goes with the message.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PromptNote {
    pub title: String,
    /// `<folder>/<path>`.
    pub place: String,
    /// Cut around the words that matched.
    pub text: String,
}

/// The pieces that clearly match `message`, best first, one per note.
pub fn choose(message: &str, found: &[Candidate<'_>], choosing: Choosing) -> Vec<u64> {
    let words = meaningful(message);
    let mut matching: Vec<(f64, &Candidate<'_>)> = Vec::new();
    for candidate in found.iter().filter(|candidate| !candidate.is_clipping) {
        let share = share(&words, candidate.text);
        let counts = match candidate.similarity {
            Some(similarity) => {
                // What is written as 0.70 must not miss 0.55 + 0.15 by a rounding.
                let least = choosing.similarity_min - f64::from(f32::EPSILON);
                let similarity = f64::from(similarity);
                (similarity >= least && share >= SHARE_MIN) || similarity >= least + CLEARLY
            }
            None => {
                share >= SHARE_MIN && super::words::held(&words, candidate.text) >= WORDS_MIN.min(words.len().max(1))
            }
        };
        if counts {
            matching.push((candidate.similarity.map_or(share, f64::from), candidate));
        }
    }
    matching.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    let mut notes = BTreeSet::new();
    matching.retain(|(_, candidate)| notes.insert(candidate.note));
    matching.into_iter().take(choosing.notes_max).map(|(_, candidate)| candidate.id).collect()
}

impl PromptNote {
    /// A piece as it goes with `message`, cut to `chars`.
    pub fn new(title: &str, place: String, text: &str, message: &str, chars: usize) -> Self {
        Self { title: title.to_owned(), place, text: excerpt(text, &meaningful(message), chars) }
    }
}

/// What the model is told; empty when there is nothing.
pub fn block(notes: &[PromptNote]) -> String {
    if notes.is_empty() {
        return String::new();
    }
    let mut text = format!(
        "{HEADING}:\nThese pieces of the user's own notes may help with the last message. Use what fits it, say which note \
         it is from, and leave the rest alone. `folder_search` finds more."
    );
    for note in notes {
        text += &format!("\n- {} ({}): {}", note.title, note.place, note.text);
    }
    text
}

/// Whether a reply drew on a note: it names it, repeats a number from it, or two words of four letters or more, that
/// the message did not have (contract section 2, "Answer sources").
pub fn drew_on(reply: &str, message: &str, note: &PromptNote) -> bool {
    let (reply, message) = (plain(reply), plain(message));
    let (said, asked): (BTreeSet<String>, BTreeSet<String>) =
        (words_of(&reply).collect(), words_of(&message).collect());
    let title = plain(note.title.trim());
    let is_named = title.chars().count() >= TITLE_LETTERS_MIN && !message.contains(&title) && names(&reply, &title);
    if is_named {
        return true;
    }
    let fresh: BTreeSet<String> =
        words_of(&note.text).filter(|word| said.contains(word) && !asked.contains(word)).collect();
    let number = |word: &String| word.chars().any(char::is_numeric);
    let telling = |word: &&String| word.chars().count() >= DRAWN_LETTERS_MIN && !number(word);
    fresh.iter().any(number) || fresh.iter().filter(telling).count() >= DRAWN_WORDS_MIN
}

/// Whether `title` stands in `reply` as words of its own.
fn names(reply: &str, title: &str) -> bool {
    reply.match_indices(title).any(|(at, _)| {
        let before = reply[..at].chars().next_back();
        let after = reply[at + title.len()..].chars().next();
        ![before, after].into_iter().flatten().any(char::is_alphanumeric)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHOOSING: Choosing = Choosing { notes_max: 3, similarity_min: 0.55 };

    #[test]
    fn rule_135_a_piece_goes_with_a_message_it_clearly_matches() {
        let message = "What is the wifi password of the cabin?"; // wifi, password, cabin
        for (name, similarity, text, clipped, want) in [
            ("alike, and half of the words", Some(0.56), "Cabin wifi: hunter2", false, true),
            ("alike, and one word of three", Some(0.60), "The cabin is small", false, false),
            ("very alike, without the words", Some(0.70), "Network key: hunter2", false, true),
            ("not quite very alike", Some(0.69), "Network key: hunter2", false, false),
            ("all words, not alike", Some(0.54), "wifi password cabin", false, false),
            ("exactly alike enough", Some(0.55), "wifi password", false, true),
            ("no meaning, two words", None, "Cabin wifi: hunter2", false, true),
            ("no meaning, one word", None, "The cabin is small", false, false),
            ("a clipped page", Some(0.9), "wifi password cabin", true, false),
        ] {
            let found = [Candidate { id: 1, note: ("f", "a.md"), text, similarity, is_clipping: clipped }];
            assert_eq!(choose(message, &found, CHOOSING).len() == 1, want, "{name}");
        }
    }

    #[test]
    fn rule_135_one_word_is_enough_when_the_message_has_one() {
        let of = |text| Candidate { id: 1, note: ("f", "a.md"), text, similarity: None, is_clipping: false };
        assert_eq!(choose("cabin?", &[of("The cabin")], CHOOSING), [1]);
        assert!(choose("and you?", &[of("and you")], CHOOSING).is_empty(), "a message about nothing");
    }

    #[test]
    fn rule_135_one_per_note_and_no_more_than_asked_for() {
        let of = |id, note, similarity| Candidate {
            id,
            note: ("f", note),
            text: "cabin",
            similarity: Some(similarity),
            is_clipping: false,
        };
        let found =
            [of(1, "a", 0.6), of(2, "b", 0.9), of(3, "b", 0.8), of(4, "c", 0.7), of(5, "d", 0.65), of(6, "e", 0.64)];
        assert_eq!(choose("cabin", &found, CHOOSING), [2, 4, 5]);
        assert!(choose("cabin", &found, Choosing { notes_max: 0, ..CHOOSING }).is_empty());
    }

    #[test]
    fn the_block_names_each_note_and_its_place() {
        let note = PromptNote::new("Cabin", "Notes/Travel/Cabin.md".into(), "The  wifi:\nhunter2", "wifi", 320);
        let text = block(&[note]);
        assert!(text.starts_with("From the user's notes:\n"), "{text}");
        assert!(text.ends_with("\n- Cabin (Notes/Travel/Cabin.md): The wifi: hunter2"), "{text}");
        assert!(block(&[]).is_empty());
    }

    #[test]
    fn what_a_reply_drew_on() {
        let note = PromptNote {
            title: "Cabin rules".into(),
            place: "Notes/Cabin rules.md".into(),
            text: "Wifi password is hunter22, the boiler needs 40 minutes, firewood behind the shutter.".into(),
        };
        for (name, reply, want) in [
            ("a number", "It takes 40 minutes.", true),
            ("a number the message had", "You asked about 7.", false),
            ("a password", "It is hunter22!", true),
            ("its name", "Your note \"Cabin Rules\" says so.", true),
            ("within another word", "Cabin rulesets differ.", false),
            ("two words", "The firewood is behind it.", true),
            ("one word", "Firewood is nice.", false),
            ("words of the message", "The wifi password is not known to me.", false),
            ("nothing", "I do not know.", false),
        ] {
            assert_eq!(drew_on(reply, "What is the wifi password, room 7?", &note), want, "{name}");
        }
    }
}
