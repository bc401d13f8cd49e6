//! Cuts a piece around the words a message shares with it, so that a few hundred characters show why it was found.

use super::words::{is_same, plain};
use unicode_segmentation::UnicodeSegmentation;

/// What stands where something was cut off.
const LEFT_OUT: char = '…';

/// At most `chars` characters of `text` on one line, where most of `words` are close together; the beginning when none is
/// there.
pub fn excerpt(text: &str, words: &[String], chars: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let letters: Vec<char> = line.chars().collect();
    if letters.len() <= chars {
        return line;
    }
    let room = chars.saturating_sub(2);
    let places = places(&line, words);
    let lead = room / 4;
    let starts = places.iter().map(|(at, _)| at.saturating_sub(lead)).chain([0]);
    let held = |start: usize| {
        let inside = places.iter().filter(|(at, _)| (start..start + room).contains(at));
        let mut seen: Vec<usize> = inside.map(|(_, word)| *word).collect();
        seen.sort_unstable();
        seen.dedup();
        seen.len()
    };
    // Of equals the first: what a text begins with says most.
    let best = starts.min_by_key(|start| (std::cmp::Reverse(held(*start)), *start)).unwrap_or(0);
    let start = after_blank(&letters, best.min(letters.len().saturating_sub(room)), lead);
    let end = before_blank(&letters, start, (start + room).min(letters.len()));
    let mut out = String::new();
    if start > 0 {
        out.push(LEFT_OUT);
    }
    out.extend(&letters[start..end]);
    let kept = out.trim_end().len();
    out.truncate(kept);
    if end < letters.len() {
        out.push(LEFT_OUT);
    }
    out
}

/// Where one of the words stands: the character it begins at, and which it is.
fn places(line: &str, words: &[String]) -> Vec<(usize, usize)> {
    let mut places = Vec::new();
    let (mut bytes, mut count) = (0, 0);
    for (at, found) in line.unicode_word_indices() {
        count += line[bytes..at].chars().count();
        bytes = at;
        let found = plain(found);
        places.extend(words.iter().position(|word| is_same(word, &found)).map(|word| (count, word)));
    }
    places
}

/// The first word behind `start`, at most `far` on.
fn after_blank(letters: &[char], start: usize, far: usize) -> usize {
    if start == 0 || letters[start - 1] == ' ' {
        return start;
    }
    let found = letters[start..].iter().take(far).position(|letter| *letter == ' ');
    found.map_or(start, |at| start + at + 1)
}

/// The end of the last whole word before `end`, when there is one in the second half.
fn before_blank(letters: &[char], start: usize, end: usize) -> usize {
    if end == letters.len() || letters[end] == ' ' {
        return end;
    }
    let found = letters[start..end].iter().rposition(|letter| *letter == ' ').map(|at| start + at);
    found.filter(|at| *at > usize::midpoint(start, end)).unwrap_or(end)
}

#[cfg(test)]
mod tests {
    use super::super::words::meaningful;
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_piece_is_cut_around_what_was_asked() {
        let text = "We arrived late and it was dark.\nThe way up is steep. The key hangs behind the left shutter of the cabin. \
                    In the morning we walked to the lake and swam, and later it rained until the evening came.";
        for (name, question, chars, want) in [
            (
                "around the words",
                "where is the key of the cabin",
                80,
                "…up is steep. The key hangs behind the left shutter of the cabin. In the…",
            ),
            ("the beginning", "who is Jo", 40, "We arrived late and it was dark. The…"),
            (
                "the end",
                "did it rain in the evening",
                60,
                "…lake and swam, and later it rained until the evening came.",
            ),
        ] {
            let cut = excerpt(text, &meaningful(question), chars);
            assert_eq!(cut, want, "{name}");
        }
        assert_eq!(excerpt(" short \n text ", &[], 80), "short text");
        assert_eq!(excerpt(&"字".repeat(50), &[], 10), format!("{}…", "字".repeat(8)));
    }

    proptest! {
        #[test]
        fn never_longer_than_asked(text in "[a-z 字।\n]{0,200}", question in "[a-z ]{0,20}", chars in 0_usize..80) {
            let cut = excerpt(&text, &meaningful(&question), chars);
            prop_assert!(cut.chars().count() <= chars.max(2));
        }
    }
}
