//! From the bytes of a page to its words: what kind it is, which letters it uses, and the part worth reading.
//!
//! Plain functions over what a stranger sent. None of them asks the network or panics, and the parser of whole pages is
//! kept from those that would take it quadratic time ([`source::is_hostile`]).

mod source;

use source::{BLOCKS, Token, Tokens};

use dom_smoothie::{Config, Readability, TextMode};
use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};
use url::Url;

/// Elements the readability reader looks at.
const ELEMENTS_MAX: usize = 100_000;
/// Bytes in which a page says which letters it uses (HTML standard: 1,024; some are late).
const PRESCAN_BYTES: usize = 4_096;
/// Below this many characters an "article" is taken for a mistake, and all words of the page are given instead.
const ARTICLE_CHARS_MIN: usize = 200;
const TITLE_CHARS_MAX: usize = 300;

/// What was sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    Html,
    Pdf,
    /// Text, JSON, XML: given as it is.
    Text,
    /// Something without words; its type as it was named.
    Other(String),
}

/// A page's title and words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Words {
    pub title: String,
    pub content: String,
}

/// What the bytes are, by what the server says and, where it says nothing useful, by how they begin.
pub fn kind(content_type: &str, body: &[u8]) -> Kind {
    let named = content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    if body.starts_with(b"%PDF-") {
        return Kind::Pdf;
    }
    let looks_binary = !body.starts_with(&[0xFF, 0xFE])
        && !body.starts_with(&[0xFE, 0xFF])
        && body.iter().take(1_024).any(|byte| *byte == 0);
    match named.as_str() {
        "text/html" | "application/xhtml+xml" => Kind::Html,
        "application/pdf" => Kind::Pdf,
        "" | "application/octet-stream" | "binary/octet-stream" | "application/force-download" => {
            let start: String = String::from_utf8_lossy(&body[..body.len().min(512)]).trim_start().to_ascii_lowercase();
            match () {
                () if looks_binary => Kind::Other("data".to_owned()),
                () if start.starts_with("<!doctype html") || start.starts_with("<html") => Kind::Html,
                () if std::str::from_utf8(body).is_ok() => Kind::Text,
                () => Kind::Other("data".to_owned()),
            }
        }
        _ if looks_binary => Kind::Other(named),
        "application/json"
        | "application/xml"
        | "application/javascript"
        | "application/x-ndjson"
        | "application/ndjson"
        | "application/yaml"
        | "application/x-yaml"
        | "application/toml" => Kind::Text,
        text if text.starts_with("text/") || text.ends_with("+json") || text.ends_with("+xml") => {
            if text == "image/svg+xml" { Kind::Other(named) } else { Kind::Text }
        }
        _ => Kind::Other(named),
    }
}

/// The letters of some bytes. A byte order mark wins, then what the server said, then what the page says of itself,
/// then UTF-8 where it fits, then Windows-1252, which never fails.
pub fn decode(body: &[u8], content_type: &str) -> String {
    let named = |label: &str| Encoding::for_label(label.as_bytes());
    let said = charset_in(content_type).and_then(named);
    let own = || {
        let start = String::from_utf8_lossy(&body[..body.len().min(PRESCAN_BYTES)]).to_ascii_lowercase();
        // A page that can be read this far is no UTF-16, whatever it claims.
        charset_in(&start).and_then(named).filter(|encoding| !encoding.name().starts_with("UTF-16"))
    };
    let guess = || if std::str::from_utf8(body).is_ok() { UTF_8 } else { WINDOWS_1252 };
    let encoding = said.or_else(own).unwrap_or_else(guess);
    encoding.decode(body).0.into_owned()
}

/// The label after `charset=` (or XML's `encoding=`).
fn charset_in(text: &str) -> Option<&str> {
    let text = ["charset=", "encoding="].iter().find_map(|key| {
        let at = text.to_ascii_lowercase().find(key)?;
        text.get(at + key.len()..)
    })?;
    let text = text.trim_start_matches(['"', '\'', ' ']);
    let label = text.split(|c: char| !(c.is_ascii_alphanumeric() || "-_:.".contains(c))).next()?;
    (!label.is_empty()).then_some(label)
}

/// The article of a page, or all its words where there is none.
pub fn readable(html: &str, url: &Url) -> Words {
    let all = || all_words(html);
    if source::is_hostile(html) {
        return all();
    }
    let config = Config { max_elements_to_parse: ELEMENTS_MAX, text_mode: TextMode::Formatted, ..Config::default() };
    let article = Readability::new(html, Some(url.as_str()), Some(config)).and_then(|mut page| page.parse());
    match article {
        Ok(article) => {
            let content = tidy_lines(&article.text_content);
            let title = one_line(&article.title);
            if content.chars().count() < ARTICLE_CHARS_MIN {
                let all = all();
                // Pages of links and lists are no articles; their words are all there is.
                let content = if all.content.len() > content.len() { all.content } else { content };
                Words { title: if title.is_empty() { all.title } else { title }, content }
            } else {
                Words { title, content }
            }
        }
        Err(_) => all(),
    }
}

/// Where in its source a page's title is. Only the first one counts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Titled {
    NotYet,
    Now,
    Done,
    Again,
}

/// All words of a page, without scripts and styles, one line a block. Linear in the page's length.
fn all_words(html: &str) -> Words {
    let (mut content, mut title) = (String::new(), String::new());
    let mut titled = Titled::NotYet;
    for token in Tokens::of(html) {
        match token {
            Token::Text(text) => match titled {
                Titled::Now => title.push_str(text),
                Titled::Again => (),
                // Line ends in the source are only blanks.
                _ => content.extend(text.chars().map(|c| if c.is_whitespace() { ' ' } else { c })),
            },
            Token::Open { name: "title", .. } => {
                titled = if titled == Titled::NotYet { Titled::Now } else { Titled::Again };
            }
            Token::Close { name: "title", .. } => titled = Titled::Done,
            Token::Open { name: "li", .. } => content.push_str("\n- "),
            Token::Open { name: "td" | "th", .. } => content.push(' '),
            Token::Open { name, .. } | Token::Close { name, .. } if BLOCKS.contains(&name) => content.push('\n'),
            Token::Open { .. } | Token::Close { .. } => (),
        }
    }
    Words { title: one_line(&entities(&title)), content: tidy_lines(&entities(&content)) }
}

/// Replaces the usual character references (HTML standard, section 13.5); unknown ones stay as they are.
fn entities(text: &str) -> String {
    const LONGEST: usize = 10;
    let (mut out, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let end = rest.bytes().take(LONGEST).position(|byte| byte == b';');
        match end.and_then(|end| Some((end, reference(&rest[1..end])?))) {
            Some((end, letter)) => {
                out.push(letter);
                rest = &rest[end + 1..];
            }
            None => {
                out.push('&');
                rest = &rest[1..];
            }
        }
    }
    out.push_str(rest);
    out
}

fn reference(name: &str) -> Option<char> {
    if let Some(number) = name.strip_prefix('#') {
        let code = match number.strip_prefix(['x', 'X']) {
            Some(hex) => u32::from_str_radix(hex, 16).ok()?,
            None => number.parse().ok()?,
        };
        return char::from_u32(code).filter(|c| !c.is_control() || c.is_whitespace());
    }
    let letter = match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        "nbsp" => ' ',
        "ndash" => '–',
        "mdash" => '—',
        "hellip" => '…',
        "lsquo" => '‘',
        "rsquo" => '’',
        "ldquo" => '“',
        "rdquo" => '”',
        "copy" => '©',
        "euro" => '€',
        "bull" => '•',
        "middot" => '·',
        _ => return None,
    };
    Some(letter)
}

/// Blanks within a line become one, and at most one empty line stays between two others.
fn tidy_lines(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut gap = false;
    for line in text.lines() {
        let start = out.len();
        for word in line.split_whitespace() {
            if out.len() > start {
                out.push(' ');
            } else if start > 0 {
                out.push_str(if gap { "\n\n" } else { "\n" });
            }
            out.push_str(word);
        }
        gap = out.len() == start;
    }
    out
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(TITLE_CHARS_MAX).collect()
}

#[cfg(test)]
mod tests;
