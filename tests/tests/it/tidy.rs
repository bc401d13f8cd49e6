//! Small habits, checked on every file. Each rule is a plain function over one text, with its own cases below.
//!
//! A rule that needs an exception names it in a list here that may only become shorter.

use crate::workspace::{is_test, texts};
use std::collections::BTreeMap;

/// Lines of one source file, its inline tests not counted.
const FILE_LINES_MAX: usize = 500;

/// Files that are longer than they should be, with their present length. A file may not grow, and when it has become
/// shorter its number here must follow. Nothing is added.
const LONG_FILES: &[(&str, usize)] = &[];

/// What counts as source, and what as text that people read.
const SOURCE: [&str; 4] = ["rs", "js", "mjs", "css"];
const TEXT: [&str; 10] = ["rs", "js", "mjs", "css", "html", "md", "toml", "yaml", "yml", "sh"];

/// Work left lying. It belongs into an issue or is done now. (Written in two halves, so that this file is clean.)
const LEFTOVERS: [&str; 4] = [concat!("TO", "DO"), concat!("FIX", "ME"), concat!("X", "XX"), concat!("HA", "CK:")];

/// Addresses of somebody's own computer mean nothing to the next reader.
const PRIVATE_PATHS: [&str; 2] = [concat!("/wo", "rk/"), concat!("/ro", "ot/")];

fn opens_with_its_purpose(source: &str) -> Vec<String> {
    match source.lines().next() {
        Some(line) if line.starts_with("//! ") && line.len() > "//! ".len() => Vec::new(),
        _ => vec!["1: a module opens with `//!`: what it is for, what it must never do".to_owned()],
    }
}

/// The number of lines before the inline test module.
fn counted_lines(source: &str) -> usize {
    let code = source.find("#[cfg(test)]\nmod tests {").map_or(source, |at| &source[..at]);
    code.lines().count()
}

fn length(path: &str, source: &str, long_files: &[(&str, usize)]) -> Vec<String> {
    let lines = counted_lines(source);
    match long_files.iter().find(|(long, _)| *long == path) {
        Some((_, known)) if lines > *known => {
            vec![format!("{lines} lines, it had {known}: it may only become shorter")]
        }
        Some((_, known)) if lines < *known => vec![format!("{lines} lines now: lower its number from {known}")],
        None if lines > FILE_LINES_MAX => vec![format!("{lines} lines, at most {FILE_LINES_MAX}: split it by topic")],
        _ => Vec::new(),
    }
}

/// Without `biased;` the order of the branches is drawn by lot, and a test cannot repeat what happened.
fn selects_in_order(source: &str) -> Vec<String> {
    const WORD: &str = concat!("sel", "ect!");
    let mut found = Vec::new();
    for (at, _) in source.match_indices(WORD) {
        let line = source[..at].lines().count().max(1);
        let before = source[..at].rsplit('\n').next().unwrap_or_default();
        if before.trim_start().starts_with("//") {
            continue;
        }
        let inside = source[at + WORD.len()..].trim_start().strip_prefix(['{', '(']);
        if inside.is_some_and(|inside| !inside.trim_start().starts_with("biased;")) {
            found.push(format!("{line}: `{WORD}` begins with `biased;`"));
        }
    }
    found
}

fn words(text: &str, unwanted: &[&str], why: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (number, line) in text.lines().enumerate() {
        for word in unwanted.iter().filter(|word| stands_alone(line, word)) {
            found.push(format!("{}: `{word}` {why}", number + 1));
        }
    }
    found
}

/// Whether `word` is in `line` and is not just the end of a longer word or path.
fn stands_alone(line: &str, word: &str) -> bool {
    line.match_indices(word).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        before.is_none_or(|c| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '/' | '.' | '~' | '}')))
    })
}

fn clean_ends(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for (number, line) in text.split('\n').enumerate() {
        if line.ends_with([' ', '\t', '\r']) {
            found.push(format!("{}: white space at the end of the line", number + 1));
        }
    }
    if !text.is_empty() && !text.ends_with('\n') {
        found.push("the last line has no end".to_owned());
    }
    if text.ends_with("\n\n") {
        found.push("empty lines at the end".to_owned());
    }
    found
}

/// Decision notes are `NNNN-title.md`, each number once, each with the day it was taken near the top.
fn decision_notes<'a>(notes: impl Iterator<Item = (&'a str, &'a str)>) -> Vec<String> {
    let mut found = Vec::new();
    let mut numbers: BTreeMap<&str, &str> = BTreeMap::new();
    for (name, text) in notes {
        let number = name.split('-').next().unwrap_or_default();
        let title = name.get(5..).unwrap_or_default();
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '.';
        if number.len() != 4
            || !number.chars().all(|c| c.is_ascii_digit())
            || title.len() < 4
            || !title.chars().all(plain)
        {
            found.push(format!("{name}: a note is called NNNN-title-in-small-letters.md"));
            continue;
        }
        if let Some(other) = numbers.insert(number, name) {
            found.push(format!("{name}: {other} has the same number"));
        }
        if !text.lines().take(8).any(has_a_day) {
            found.push(format!("{name}: no day (2026-11-30) in its first lines"));
        }
    }
    found
}

fn has_a_day(line: &str) -> bool {
    let shape = |part: &[u8]| {
        part.iter().enumerate().all(|(at, byte)| if at == 4 || at == 7 { *byte == b'-' } else { byte.is_ascii_digit() })
    };
    line.as_bytes().windows(10).any(shape)
}

/// Runs one rule over every file with one of these endings and fails with everything it found.
fn check(extensions: &[&str], rule: impl Fn(&str, &str) -> Vec<String>) {
    let files = texts(extensions);
    assert!(files.len() > 3, "found {} files: the search itself is broken", files.len());
    let found: Vec<String> = files
        .iter()
        .flat_map(|(path, text)| rule(path, text).into_iter().map(move |what| format!("{path}:{what}")))
        .collect();
    assert!(found.is_empty(), "{} places:\n{}", found.len(), found.join("\n"));
}

#[test]
fn every_module_says_what_it_is_for() {
    check(&["rs"], |_, text| opens_with_its_purpose(text));
}

#[test]
fn files_stay_short() {
    // The window's sentences are one file a language on purpose: that is data, and translators want it whole.
    let whole = |path: &str| is_test(path) || path.starts_with("web/text/");
    check(&SOURCE, |path, text| if whole(path) { Vec::new() } else { length(path, text, LONG_FILES) });
    let files = texts(&SOURCE);
    for (path, _) in LONG_FILES {
        assert!(files.iter().any(|(name, _)| name == path), "{path} is gone: take it off the list");
    }
}

#[test]
fn selects_are_biased() {
    check(&["rs"], |_, text| selects_in_order(text));
}

#[test]
fn nothing_is_left_lying() {
    check(&TEXT, |_, text| words(text, &LEFTOVERS, "belongs into an issue"));
}

#[test]
fn no_test_is_switched_off() {
    const OFF: [&str; 2] = [concat!("#[ign", "ore"), concat!("#![cfg(any", "())]")];
    check(&["rs"], |_, text| words(text, &OFF, "hides a test: make it work or take it away"));
    const OFF_PAGE: [&str; 3] = [concat!("test.sk", "ip("), concat!("test.to", "do("), concat!("test.on", "ly(")];
    check(&["mjs"], |_, text| words(text, &OFF_PAGE, "hides a test: make it work or take it away"));
}

#[test]
fn lines_and_files_end_cleanly() {
    check(&TEXT, |_, text| clean_ends(text));
}

#[test]
fn nothing_points_at_somebodys_own_computer() {
    check(&TEXT, |_, text| words(text, &PRIVATE_PATHS, "is a path on one computer"));
}

#[test]
fn decision_notes_are_numbered_once() {
    let files = texts(&["md"]);
    let notes = files.iter().filter_map(|(path, text)| Some((path.strip_prefix("docs/decisions/")?, text.as_str())));
    let found = decision_notes(notes.filter(|(name, _)| *name != "README.md"));
    assert!(found.is_empty(), "{}", found.join("\n"));
}

mod the_rules_themselves {
    use super::*;

    #[test]
    fn purpose() {
        for (name, source, broken) in [
            ("a purpose", "//! What it is for.\nfn a() {}\n", false),
            ("none", "fn a() {}\n", true),
            ("an empty one", "//! \n", true),
            ("too late", "use std::fmt;\n//! What it is for.\n", true),
            ("an empty file", "", true),
        ] {
            assert_eq!(!opens_with_its_purpose(source).is_empty(), broken, "{name}");
        }
    }

    #[test]
    fn lengths() {
        let lines = |count: usize| "a\n".repeat(count);
        let list = [("long.rs", 600)];
        for (name, path, count, broken) in [
            ("just short enough", "a.rs", FILE_LINES_MAX, false),
            ("one too many", "a.rs", FILE_LINES_MAX + 1, true),
            ("known and the same", "long.rs", 600, false),
            ("known and grown", "long.rs", 601, true),
            ("known and shorter: the number must follow", "long.rs", 599, true),
        ] {
            assert_eq!(!length(path, &lines(count), &list).is_empty(), broken, "{name}");
        }
        let tested = format!("fn a() {{}}\n#[cfg(test)]\nmod tests {{\n{}}}\n", lines(900));
        assert_eq!(counted_lines(&tested), 1, "tests inside a file are not counted");
    }

    #[test]
    fn selects() {
        let word = concat!("tokio::sel", "ect!");
        for (name, source, count) in [
            ("in order", format!("{word} {{\n    biased;\n    a = b => c,\n}}"), 0),
            ("by lot", format!("{word} {{\n    a = b => c,\n}}"), 1),
            ("one of two", format!("{word} {{ biased; a => b }} {word} {{ a => b }}"), 1),
            ("talked about", format!("// {word} {{ a }}"), 0),
        ] {
            assert_eq!(selects_in_order(&source).len(), count, "{name}");
        }
    }

    #[test]
    fn unwanted_words() {
        let path = concat!("/wo", "rk/");
        for (name, line, count) in [
            ("a path", format!("see {path}main"), 1),
            ("in quotes", format!("\"{path}main\""), 1),
            ("part of a longer path", format!("root{path}chats"), 0),
            ("below the data folder", format!("~{path}a"), 0),
            ("two lines", format!("{path}a\n{path}b"), 2),
        ] {
            assert_eq!(words(&line, &PRIVATE_PATHS, "").len(), count, "{name}");
        }
        assert_eq!(words(concat!("// TO", "DO later"), &LEFTOVERS, "").len(), 1);
        assert_eq!(words("a to-do list, methods", &LEFTOVERS, "").len(), 0);
    }

    #[test]
    fn ends() {
        for (name, text, count) in [
            ("clean", "a\nb\n", 0),
            ("empty", "", 0),
            ("a space", "a \nb\n", 1),
            ("a tab and no end", "a\nb\t", 2),
            ("a carriage return", "a\r\n", 1),
            ("empty lines at the end", "a\n\n", 1),
        ] {
            assert_eq!(clean_ends(text).len(), count, "{name}");
        }
    }

    #[test]
    fn notes() {
        let day = "# A title\n\n2026-11-30\n";
        for (name, notes, count) in [
            ("two good ones", vec![("0001-one.md", day), ("0002-two-more.md", day)], 0),
            ("the same number", vec![("0001-one.md", day), ("0001-two.md", day)], 1),
            ("no number", vec![("one.md", day)], 1),
            ("capitals", vec![("0001-One.md", day)], 1),
            ("no day", vec![("0001-one.md", "# A title\n")], 1),
        ] {
            assert_eq!(decision_notes(notes.into_iter()).len(), count, "{name}");
        }
    }
}
