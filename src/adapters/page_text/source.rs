//! HTML as source text: cut into tags and words without building a tree, in linear time, however broken it is.
//!
//! The readers of whole pages build trees, and some sources make that quadratic: a million tags that are never closed,
//! a tag with a million attributes, a million lone ampersands. [`is_hostile`] tells such sources beforehand, because a
//! thread that parses one cannot be stopped.

use std::collections::HashMap;

/// Elements inside each other that the readers are trusted with. Real pages stay below 100.
const NESTING_MAX: usize = 400;
/// Attributes of one tag. Real ones have below 50.
const ATTRIBUTES_MAX: usize = 1_000;
/// Ampersands of one page; long tables of links have some thousand.
const AMPERSANDS_MAX: usize = 10_000;
/// Characters by which tag names are told apart.
const NAME_BYTES_MAX: usize = 32;

/// Elements without an end, and those whose end may be left out.
const UNCOUNTED: [&str; 30] = [
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr",
    "html", "head", "body", "p", "li", "dt", "dd", "option", "optgroup", "tr", "td", "th", "thead", "tbody", "tfoot",
    "colgroup",
];
/// Elements that begin on a line of their own.
pub(super) const BLOCKS: [&str; 32] = [
    "address",
    "article",
    "aside",
    "blockquote",
    "br",
    "dd",
    "div",
    "dl",
    "dt",
    "fieldset",
    "figcaption",
    "figure",
    "footer",
    "form",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "hr",
    "main",
    "nav",
    "ol",
    "p",
    "pre",
    "section",
    "table",
    "tr",
    "ul",
    "option",
];
/// Elements whose content is no text for a reader.
const SKIPPED: [&str; 6] = ["script", "style", "noscript", "template", "svg", "iframe"];

/// Whether a parser that builds a tree could take more than linear time on this source.
pub(super) fn is_hostile(html: &str) -> bool {
    if html.bytes().filter(|byte| *byte == b'&').count() > AMPERSANDS_MAX {
        return true;
    }
    let (deepest, attributes) = shape(html);
    deepest > NESTING_MAX || attributes > ATTRIBUTES_MAX
}

/// How deep a page's elements lie inside each other, as far as this can be told without a parser, and the most
/// attributes one tag has. Elements that end by themselves are not counted; those never closed are, and an end tag that
/// closes nothing changes nothing.
fn shape(html: &str) -> (usize, usize) {
    let (mut open, mut depth, mut deepest, mut most) = (HashMap::<String, usize>::new(), 0_usize, 0, 0);
    for token in Tokens::of(html) {
        match token {
            Token::Open { name, written, attributes } => {
                most = most.max(attributes);
                if !UNCOUNTED.contains(&name) {
                    *open.entry(key(written)).or_default() += 1;
                    depth += 1;
                    deepest = deepest.max(depth);
                }
            }
            Token::Close { name, written } if !UNCOUNTED.contains(&name) => {
                if let Some(count) = open.get_mut(&key(written)).filter(|count| **count > 0) {
                    *count -= 1;
                    depth = depth.saturating_sub(1);
                }
            }
            _ => (),
        }
    }
    (deepest, most)
}

fn key(name: &str) -> String {
    name.chars().take(NAME_BYTES_MAX).map(|c| c.to_ascii_lowercase()).collect()
}

/// A piece of HTML source. `name` is one of the names above or `title`, else empty; `written` is what stands there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token<'a> {
    Text(&'a str),
    Open { name: &'static str, written: &'a str, attributes: usize },
    Close { name: &'static str, written: &'a str },
}

/// Cuts HTML source into tags and text. Comments and skipped elements are passed over.
pub(super) struct Tokens<'a> {
    rest: &'a str,
}

/// A tag as it stands in the source.
struct Tag<'a> {
    name: &'static str,
    written: &'a str,
    attributes: usize,
    closes_itself: bool,
}

impl<'a> Tokens<'a> {
    pub(super) fn of(html: &'a str) -> Self {
        Self { rest: html }
    }

    /// Passes over what lies before `end` and `end` itself; over everything when it never comes.
    fn skip_past(&mut self, end: &str) {
        self.rest = self.rest.find(end).map_or("", |at| &self.rest[at + end.len()..]);
    }

    /// Passes over the content of an element up to its end tag.
    fn skip_element(&mut self, name: &str) {
        let mut from = 0;
        while let Some(at) = self.rest[from..].find("</").map(|at| from + at) {
            let after = &self.rest.as_bytes()[at + 2..];
            if after.len() >= name.len() && after[..name.len()].eq_ignore_ascii_case(name.as_bytes()) {
                self.rest = &self.rest[at..];
                return;
            }
            from = at + 2;
        }
        self.rest = "";
    }

    /// Takes the tag whose name begins at `name_at`. One that never ends takes all the rest.
    fn tag(&mut self, name_at: usize) -> Tag<'a> {
        let tag = &self.rest[name_at..];
        let ends_name = |byte: &u8| byte.is_ascii_whitespace() || *byte == b'/' || *byte == b'>';
        let name_end = tag.as_bytes().iter().position(ends_name).unwrap_or(tag.len());
        let written = &tag[..name_end];
        let (attributes, end) = attributes(&tag.as_bytes()[name_end..]);
        let closes_itself = end.is_some_and(|end| tag.as_bytes()[..name_end + end].ends_with(b"/"));
        self.rest = end.map_or("", |end| &tag[name_end + end + 1..]);
        Tag { name: known(written), written, attributes, closes_itself }
    }
}

/// Counts the attributes behind a tag's name and finds the `>` that ends it, by the states of the HTML standard
/// (section 13.2.5.32 and following).
fn attributes(tag: &[u8]) -> (usize, Option<usize>) {
    enum At {
        BeforeName,
        Name,
        AfterName,
        BeforeValue,
        Plain,
        Quoted(u8),
    }
    let (mut at, mut count) = (At::BeforeName, 0);
    for (place, byte) in tag.iter().copied().enumerate() {
        let blank = byte.is_ascii_whitespace();
        at = match (at, byte) {
            (At::Quoted(quote), byte) if byte == quote => At::BeforeName,
            (At::Quoted(quote), _) => At::Quoted(quote),
            (_, b'>') => return (count, Some(place)),
            (At::BeforeValue, _) if blank => At::BeforeValue,
            (At::BeforeValue, b'"' | b'\'') => At::Quoted(byte),
            (At::BeforeValue, _) => At::Plain,
            (At::Plain, _) if !blank => At::Plain,
            (At::Plain, _) => At::BeforeName,
            (At::Name | At::AfterName, b'=') => At::BeforeValue,
            (_, b'/') => At::BeforeName,
            (At::Name, _) if !blank => At::Name,
            (At::Name | At::AfterName, _) if blank => At::AfterName,
            (At::BeforeName, _) if blank => At::BeforeName,
            // A new name begins; an equals sign here is its first letter.
            _ => {
                count += 1;
                At::Name
            }
        };
    }
    (count, None)
}

/// The one of our names that this is.
fn known(name: &str) -> &'static str {
    let names = UNCOUNTED.iter().chain(&BLOCKS).chain(&SKIPPED).chain(&["title"]);
    names.copied().find(|known| known.eq_ignore_ascii_case(name)).unwrap_or("")
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        loop {
            if self.rest.is_empty() {
                return None;
            }
            let at = self.rest.find('<').unwrap_or(self.rest.len());
            if at > 0 {
                let (text, rest) = self.rest.split_at(at);
                self.rest = rest;
                return Some(Token::Text(text));
            }
            let bytes = self.rest.as_bytes();
            match (bytes.get(1), bytes.get(2)) {
                (Some(b'!'), _) if self.rest.starts_with("<!--") => self.skip_past("-->"),
                (Some(b'!' | b'?'), _) => self.skip_past(">"),
                (Some(b'/'), Some(letter)) if letter.is_ascii_alphabetic() => {
                    let tag = self.tag(2);
                    return Some(Token::Close { name: tag.name, written: tag.written });
                }
                (Some(letter), _) if letter.is_ascii_alphabetic() => {
                    let Tag { name, written, attributes, closes_itself } = self.tag(1);
                    if !SKIPPED.contains(&name) {
                        return Some(Token::Open { name, written, attributes });
                    }
                    // Only what is not HTML closes itself.
                    if !(closes_itself && name == "svg") {
                        self.skip_element(name);
                    }
                }
                _ => {
                    let (text, rest) = self.rest.split_at(1);
                    self.rest = rest;
                    return Some(Token::Text(text));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depth_and_attributes_are_told_without_a_parser() {
        for (html, want) in [
            ("", (0, 0)),
            ("<div><span>x</span></div>", (2, 0)),
            ("<p><p><p><li><li><br><img>", (0, 0)),
            ("<a></a><a></a>", (1, 0)),
            ("</div></div><div>", (1, 0)),
            ("<b></x><b></i><b></B ><b>", (3, 0)),
            ("<!-- <div><div> --><script><div></script>", (0, 0)),
            ("<a b c=d e='f g' h=\"i>j\" k>", (1, 5)),
            ("<a/b/c/d>", (1, 3)),
            ("<a b='c'd=\"e\"f=g>", (1, 3)),
            ("<a b = 'c d' e>", (1, 2)),
            // a quote that follows no equals sign is a part of a name
            ("<a 'b c' d>", (1, 3)),
            // an equals sign that follows no name is one too
            ("<a =\"b c\" d>", (1, 3)),
            ("<a b=>x", (1, 1)),
            ("<a b='never ends", (1, 1)),
        ] {
            assert_eq!(shape(html), want, "{html}");
        }
    }

    #[test]
    fn ordinary_pages_are_not_hostile() {
        let row = "<tr><td><a href='/x?a=1&amp;b=2' class=c>One &amp; two</a></td></tr>";
        assert!(!is_hostile(&format!("<html><body><table>{}</table></body></html>", row.repeat(2_000))));
        assert!(is_hostile(&"<b></x>".repeat(NESTING_MAX + 1)));
        assert!(is_hostile(&"&".repeat(AMPERSANDS_MAX + 1)));
        let names: String = (0..=ATTRIBUTES_MAX).map(|at| format!(" a{at}")).collect();
        assert!(is_hostile(&format!("<a{names}>")));
    }
}
