//! Cuts a text into pieces: Markdown at its headings, and what is longer than a piece between paragraphs, lines,
//! sentences or words, whichever comes first.
//!
//! The pieces cover the text without gaps and in order, each begins and ends between two characters, and none is longer
//! than asked for by more than a fifth.

use super::inline::{fence_mark, readable};
use std::ops::Range;
use unicode_segmentation::GraphemeCursor;

/// Characters of the headings above a piece. Ours.
const HEADING_CHARS_MAX: usize = 200;
/// The least length of a piece that is asked for, so that cutting always gets on.
const CHARS_MIN: usize = 16;
/// What stands between two headings of a path.
const BETWEEN: &str = " > ";

/// One piece of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The headings above it, from the outermost on.
    pub heading: String,
    /// Bytes of the text it was cut from.
    pub range: Range<usize>,
}

/// Cuts `text` from byte `from` on into pieces of about `chars` characters. `has_headings`: it is Markdown.
///
/// `from` is between two characters (see [`super::front_matter`]).
pub fn cut(text: &str, from: usize, chars: usize, has_headings: bool) -> Vec<Piece> {
    let chars = chars.max(CHARS_MIN);
    let sections = if has_headings {
        sections(text, from)
    } else {
        vec![Piece { heading: String::new(), range: from..text.len() }]
    };
    let mut pieces = Vec::new();
    for section in sections {
        let mut start = section.range.start;
        while start < section.range.end {
            let end = start + piece_end(&text[start..section.range.end], chars);
            pieces.push(Piece { heading: section.heading.clone(), range: start..end });
            start = end;
        }
    }
    pieces
}

/// The text between headings. A heading with nothing under it goes with what follows.
fn sections(text: &str, from: usize) -> Vec<Piece> {
    let mut sections: Vec<Piece> = Vec::new();
    let mut path: Vec<(usize, String)> = Vec::new();
    let mut open = Piece { heading: String::new(), range: from..from };
    let (mut fence, mut above) = (None, None::<(usize, &str)>);
    let mut at = from;
    while at < text.len() {
        let end = text[at..].find('\n').map_or(text.len(), |found| at + found + 1);
        let line = &text[at..end];
        let mark = fence_mark(line);
        let found = if fence.is_none() && mark.is_none() { heading(line, above, at) } else { None };
        match (fence, mark) {
            (None, Some(mark)) => fence = Some(mark),
            (Some(opened), Some(mark)) if opened == mark => fence = None,
            _ => (),
        }
        if let Some((level, words, begins)) = found {
            // The line above an underline was taken for text before.
            if !only_headings(&text[open.range.start..begins]) {
                open.range.end = begins;
                let start = begins;
                sections.push(std::mem::replace(&mut open, Piece { heading: String::new(), range: start..start }));
            }
            while path.last().is_some_and(|(outer, _)| *outer >= level) {
                path.pop();
            }
            path.push((level, words));
            open.heading = joined(&path);
            above = None;
        } else {
            above = (fence.is_none() && mark.is_none() && is_plain_line(line)).then_some((at, line));
        }
        at = end;
    }
    open.range.end = text.len();
    if open.range.start < open.range.end {
        sections.push(open);
    }
    sections
}

/// Whether a text holds lines that are headings and nothing else.
fn only_headings(text: &str) -> bool {
    text.lines().all(|line| line.trim().is_empty() || heading(line, None, 0).is_some())
}

/// A heading's level, words, and the byte it begins at. `above`: the line before, which an underline makes a heading.
fn heading(line: &str, above: Option<(usize, &str)>, at: usize) -> Option<(usize, String, usize)> {
    let inner = line.trim_end();
    let indent = inner.len() - inner.trim_start_matches(' ').len();
    if indent > 3 {
        return None;
    }
    let inner = inner.trim_start();
    let level = inner.chars().take_while(|letter| *letter == '#').count();
    let rest = &inner[level..];
    if (1..=6).contains(&level) && (rest.is_empty() || rest.starts_with([' ', '\t'])) {
        return Some((level, words_of(rest.trim().trim_end_matches('#')), at));
    }
    let (begins, words) = above?;
    let underline = |sign: char| inner.len() >= 3 && inner.chars().all(|letter| letter == sign);
    let level = if underline('=') {
        1
    } else if underline('-') {
        2
    } else {
        return None;
    };
    Some((level, words_of(words), begins))
}

/// A line an underline can make a heading: words, and no list, table, quote or indented code.
fn is_plain_line(line: &str) -> bool {
    let first = line.trim_start().chars().next();
    first.is_some_and(|letter| !"-*+|>#".contains(letter)) && !line.starts_with("    ") && !line.starts_with('\t')
}

/// A heading's words without the signs around them.
fn words_of(text: &str) -> String {
    let plain: String = readable(text).chars().filter(|letter| !"*`".contains(*letter)).collect();
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn joined(path: &[(usize, String)]) -> String {
    let words: Vec<&str> = path.iter().map(|(_, words)| words.as_str()).filter(|words| !words.is_empty()).collect();
    words.join(BETWEEN).chars().take(HEADING_CHARS_MAX).collect()
}

/// How many bytes of `text` the first piece takes.
fn piece_end(text: &str, chars: usize) -> usize {
    // A little more than asked for is kept in one piece, so that no crumb is left behind.
    let Some(room) = byte_of_char(text, chars + chars / 5) else { return text.len() };
    let window = &text[..byte_of_char(text, chars).unwrap_or(room)];
    let half = byte_of_char(window, chars / 2).unwrap_or(0);
    let behind = |found: Option<usize>, length: usize| found.map(|at| at + length).filter(|at| *at > half);
    let sentence = window
        .char_indices()
        .rev()
        .take_while(|(at, _)| *at > half)
        .find(|(at, letter)| ends_sentence(*letter, &window[at + letter.len_utf8()..]))
        .map(|(at, letter)| at + letter.len_utf8());
    let blank = window.char_indices().rev().find(|(_, letter)| letter.is_whitespace());
    behind(window.rfind("\n\n"), 2)
        .or_else(|| behind(window.rfind('\n'), 1))
        .or(sentence)
        .or_else(|| blank.map(|(at, letter)| at + letter.len_utf8()).filter(|at| *at > half))
        .unwrap_or_else(|| between_graphemes(text, window.len()))
}

fn ends_sentence(letter: char, behind: &str) -> bool {
    match letter {
        '。' | '！' | '？' | '।' | '॥' | '۔' => true,
        '.' | '!' | '?' | '؟' => behind.starts_with(char::is_whitespace),
        _ => false,
    }
}

/// The byte the `count`th character begins at; `None` when there are no more than that.
fn byte_of_char(text: &str, count: usize) -> Option<usize> {
    text.char_indices().nth(count).map(|(at, _)| at)
}

/// `at`, or a little before it where that would take a letter from its signs; `at` itself when there is no such place.
fn between_graphemes(text: &str, at: usize) -> usize {
    /// Characters that are looked back.
    const BACK_MAX: usize = 16;
    let back = text[..at].char_indices().rev().take(BACK_MAX).map(|(before, _)| before);
    let mut places = std::iter::once(at).chain(back).filter(|place| *place > 0);
    // What the cursor cannot say without more of the text counts as no boundary.
    let is_between =
        |place: &usize| GraphemeCursor::new(*place, text.len(), true).is_boundary(text, 0).unwrap_or(false);
    places.find(is_between).unwrap_or(at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The pieces as `heading|text`.
    fn shown(text: &str, chars: usize) -> Vec<String> {
        let pieces = cut(text, 0, chars, true);
        pieces.into_iter().map(|piece| format!("{}|{}", piece.heading, text[piece.range].trim())).collect()
    }

    #[test]
    fn markdown_is_cut_at_headings() {
        let text = "Before.\n# Cabin\nIntro.\n## Keys\nBehind the shutter.\n### Spare\nAt Jo's.\n## Heating\nWood.\n# Other\nEnd.";
        let want = [
            "|Before.",
            "Cabin|# Cabin\nIntro.",
            "Cabin > Keys|## Keys\nBehind the shutter.",
            "Cabin > Keys > Spare|### Spare\nAt Jo's.",
            "Cabin > Heating|## Heating\nWood.",
            "Other|# Other\nEnd.",
        ];
        assert_eq!(shown(text, 1_200), want);
    }

    #[test]
    fn what_is_a_heading_and_what_is_not() {
        for (name, text, want) in [
            ("a tag", "#travel\nText", &["|#travel\nText"][..]),
            ("in a block of code", "```\n# no\n```\nText", &["|```\n# no\n```\nText"]),
            (
                "a block with tildes inside",
                "~~~\n```\n# no\n~~~\n# Yes\nText",
                &["|~~~\n```\n# no\n~~~", "Yes|# Yes\nText"],
            ),
            (
                "underlined",
                "Title\n=====\nText\nSub\n---\nMore",
                &["Title|Title\n=====\nText", "Title > Sub|Sub\n---\nMore"],
            ),
            ("a line under a list", "- a\n---\nText", &["|- a\n---\nText"]),
            ("a rule", "Text\n\n---\n\nMore", &["|Text\n\n---\n\nMore"]),
            ("seven signs", "####### x\nText", &["|####### x\nText"]),
            ("signs behind", "## A ##\nText", &["A|## A ##\nText"]),
            ("a link and stars", "# **[[Cabin|The hut]]**\nText", &["The hut|# **[[Cabin|The hut]]**\nText"]),
            ("nothing under it", "# A\n## B\nText", &["A > B|# A\n## B\nText"]),
            ("the last one empty", "Text\n# A", &["|Text", "A|# A"]),
            ("Devanagari", "# यात्रा\nनमस्ते", &["यात्रा|# यात्रा\nनमस्ते"]),
            ("line ends of Windows", "# A\r\nText\r\n# B\r\nMore", &["A|# A\r\nText", "B|# B\r\nMore"]),
        ] {
            assert_eq!(shown(text, 1_200), want, "{name}");
        }
    }

    #[test]
    fn long_text_is_cut_where_it_pauses() {
        let cut = |text: &str, chars| {
            cut(text, 0, chars, false).into_iter().map(|piece| text[piece.range].to_owned()).collect::<Vec<_>>()
        };
        let paragraphs = "One two three four.\n\nFive six seven eight.\nNine ten eleven twelve.";
        assert_eq!(
            cut(paragraphs, 30),
            ["One two three four.\n\n", "Five six seven eight.\n", "Nine ten eleven twelve."]
        );
        let sentences = "Wo wir sind. Und wohin wir gehen werden";
        assert_eq!(cut(sentences, 20), ["Wo wir sind.", " Und wohin wir ", "gehen werden"]);
        assert_eq!(cut("これは長い文章です。そして次の文章が続きます。終わり。", 16)[0], "これは長い文章です。");
        assert_eq!(cut("यह एक लंबा वाक्य है। और यह दूसरा है।", 24)[0], "यह एक लंबा वाक्य है।");
        assert_eq!(cut(&"x".repeat(50), 20).iter().map(String::len).collect::<Vec<_>>(), [20, 20, 10]);
        assert_eq!(cut(&"x".repeat(24), 20).len(), 1, "no crumb is left");
        assert!(cut("", 20).is_empty());
    }

    #[test]
    fn letters_stay_with_their_signs() {
        for family in ["👨‍👩‍👧‍👦", "क्षि", "e\u{301}"] {
            let text = family.repeat(40);
            for piece in cut(&text, 0, 18, false) {
                assert_eq!(piece.range.start % family.len(), 0, "{family}");
            }
        }
    }

    fn markdown() -> impl Strategy<Value = String> {
        let part = prop_oneof![
            Just("# ".to_owned()),
            Just("\n## ".to_owned()),
            Just("\n".to_owned()),
            Just("\n\n".to_owned()),
            Just("```\n".to_owned()),
            Just("===\n".to_owned()),
            Just("---\n".to_owned()),
            "[a-zéक।。👨\u{200d} .]{0,30}",
        ];
        proptest::collection::vec(part, 0..30).prop_map(|parts| parts.concat())
    }

    proptest! {
        #[test]
        fn pieces_cover_the_text(text in markdown(), chars in 0_usize..60, has_headings: bool) {
            let from = text.char_indices().nth(2).map_or(0, |(at, _)| at);
            let pieces = cut(&text, from, chars, has_headings);
            let mut at = from;
            for piece in &pieces {
                prop_assert_eq!(piece.range.start, at);
                prop_assert!(piece.range.end > at && text.is_char_boundary(piece.range.end));
                let most = chars.max(CHARS_MIN);
                prop_assert!(text[piece.range.clone()].chars().count() <= most + most / 5);
                prop_assert!(piece.heading.chars().count() <= HEADING_CHARS_MAX);
                at = piece.range.end;
            }
            prop_assert_eq!(at, text.len());
        }
    }
}
