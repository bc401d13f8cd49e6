//! Links and tags within a note's text.

use super::front_matter::{LABEL_CHARS_MAX, labels};

/// A note's text as it is read: `[[Note|label]]` as its label, `[[Note]]` as the note's name, `![[picture.png]]` as the
/// file's name.
pub fn readable(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("[[") {
        let inner = &rest[at + 2..];
        let line = &inner[..inner.find('\n').unwrap_or(inner.len())];
        let Some(end) = line.find("]]") else {
            out.push_str(&rest[..at + 2]);
            rest = inner;
            continue;
        };
        let before = &rest[..at];
        let embedded = before.ends_with('!');
        out.push_str(if embedded { &before[..before.len() - 1] } else { before });
        out.push_str(label(&inner[..end], embedded));
        rest = &inner[end + 2..];
    }
    out.push_str(rest);
    out
}

/// What a link reads as. Behind the bar of an embedded file is its size on the page.
fn label(link: &str, embedded: bool) -> &str {
    match link.split_once('|') {
        Some((target, _)) if embedded => target.trim(),
        Some((target, label)) if label.trim().is_empty() => target.trim().trim_end_matches('\\'),
        Some((_, label)) => label.trim(),
        None => link.trim().trim_start_matches('#'),
    }
}

/// `#tags` of a text, without `#`, each once; not those in code.
pub fn tags(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut fence: Option<char> = None;
    for line in text.lines() {
        if let Some(mark) = fence_mark(line) {
            match fence {
                None => fence = Some(mark),
                Some(open) if open == mark => fence = None,
                Some(_) => (),
            }
            continue;
        }
        if fence.is_none() {
            tags_of_line(line, &mut found);
        }
    }
    labels(found)
}

/// The sign of a line that opens or closes a block of code.
pub(super) fn fence_mark(line: &str) -> Option<char> {
    let line = line.trim_start();
    ['`', '~'].into_iter().find(|mark| line.chars().take(3).filter(|letter| letter == mark).count() == 3)
}

fn tags_of_line(line: &str, found: &mut Vec<String>) {
    let (mut before, mut in_code) = (' ', false);
    let mut letters = line.char_indices();
    while let Some((at, letter)) = letters.next() {
        if letter == '`' {
            in_code = !in_code;
        }
        if letter == '#' && !in_code && (before.is_whitespace() || "(,;:\"'>".contains(before)) {
            let tag: String =
                line[at + 1..].chars().take_while(|letter| is_of_tag(*letter)).take(LABEL_CHARS_MAX).collect();
            let tag = tag.trim_end_matches('/');
            if tag.chars().any(|letter| !letter.is_ascii_digit() && !"-_/".contains(letter)) {
                found.push(tag.to_owned());
            }
            for _ in tag.chars() {
                letters.next();
            }
            before = '#';
            continue;
        }
        before = letter;
    }
}

/// As Obsidian has it: letters and digits of all scripts, emoji, `_`, `-` and `/`.
fn is_of_tag(letter: char) -> bool {
    match letter {
        '_' | '-' | '/' | '\u{200c}' | '\u{200d}' => true,
        _ if letter.is_ascii() => letter.is_ascii_alphanumeric(),
        '\u{2000}'..='\u{206f}' | '\u{3000}'..='\u{303f}' | '\u{ff00}'..='\u{ff0f}' | '\u{ff1a}'..='\u{ff1f}' => false,
        '\u{964}' | '\u{965}' | '\u{60c}' | '\u{61b}' | '\u{61f}' | '\u{6d4}' => false,
        _ => !letter.is_whitespace() && !letter.is_control(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn links_read_as_their_labels() {
        for (text, want) in [
            ("See [[Cabin|the hut]].", "See the hut."),
            ("See [[Cabin]].", "See Cabin."),
            ("[[Travel/Cabin#Keys|keys]] and [[#Below]]", "keys and Below"),
            ("![[map.png|300]] there", "map.png there"),
            ("![[map.png]]", "map.png"),
            ("[[Cabin|]]", "Cabin"),
            ("[[never closed\nnext]]", "[[never closed\nnext]]"),
            ("[[a]] [[b|c]]", "a c"),
            ("[text](https://example.org)", "[text](https://example.org)"),
            ("[[यात्रा|मेरी यात्रा]]", "मेरी यात्रा"),
            ("no links", "no links"),
            ("", ""),
        ] {
            assert_eq!(readable(text), want, "{text}");
        }
    }

    #[test]
    fn tags_in_the_text() {
        for (text, want) in [
            ("#travel and #norway/oslo.", "travel|norway/oslo"),
            ("(#a), #b; \"#c\"", "a|b|c"),
            ("# Heading\n## Other", ""),
            ("issue #12, year #2024-05", ""),
            ("#2024-plan", "2024-plan"),
            ("a#b https://x.org/#anchor", ""),
            ("`#code` and `x` #real", "real"),
            ("```\n#no\n```\n#yes\n~~~\n#no\n~~~", "yes"),
            ("#यात्रा, #हिंदी। #日記。 #🏔️", "यात्रा|हिंदी|日記|🏔️"),
            ("#travel #Travel", "travel"),
            ("#trailing/", "trailing"),
            ("##", ""),
            ("#", ""),
        ] {
            assert_eq!(tags(text).join("|"), want, "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in "[\\[\\]|!#`~ a-zé\n]{0,60}") {
            prop_assert!(readable(&text).len() <= text.len());
            let _tags = tags(&text);
        }
    }
}
