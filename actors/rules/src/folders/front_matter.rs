//! What stands between two lines of dashes at the top of a note: title, other names, tags, and where a page was clipped
//! from.
//!
//! People write it by hand, so a block that is no YAML is still read line by line for the keys that count.

use serde_json::Value;

/// Bytes of a block that is read. Ours: a longer one is text like any other.
const BLOCK_BYTES_MAX: usize = 64 * 1024;
/// Other names and tags of one file that count. Ours.
pub(super) const LABELS_MAX: usize = 64;
/// Characters of one of them. Ours.
pub(super) const LABEL_CHARS_MAX: usize = 100;
/// Characters of a title. Ours.
pub(super) const TITLE_CHARS_MAX: usize = 200;
/// Characters of a web address that is kept. Ours.
const ADDRESS_CHARS_MAX: usize = 2_000;

/// The keys under which clippers keep the page's address (contract section 22, ADR 0025).
const ADDRESS_KEYS: [&str; 6] = ["source", "url", "clipped_from", "source_url", "original_url", "link"];
const KEYS: [&str; 5] = ["title", "alias", "aliases", "tag", "tags"];

/// What front matter says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FrontMatter {
    pub title: Option<String>,
    pub aliases: Vec<String>,
    /// Without `#`.
    pub tags: Vec<String>,
    /// The web page it was clipped from.
    pub address: Option<String>,
}

/// The front matter of a note, and the byte its text begins at.
pub fn front_matter(text: &str) -> (FrontMatter, usize) {
    let Some((block, begins)) = block(text) else {
        return (FrontMatter::default(), if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 });
    };
    (read(block), begins)
}

/// The lines between the dashes, and where the text behind them begins.
fn block(text: &str) -> Option<(&str, usize)> {
    let inner = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mark = text.len() - inner.len();
    let mut at = line_end(inner, 0);
    if inner[..at].trim_end() != "---" {
        return None;
    }
    let first = at;
    while at < inner.len() && at < BLOCK_BYTES_MAX {
        let end = line_end(inner, at);
        if matches!(inner[at..end].trim_end(), "---" | "...") {
            return Some((&inner[first..at], mark + end));
        }
        at = end;
    }
    None
}

/// Where the line that begins at `at` ends, its line break included.
fn line_end(text: &str, at: usize) -> usize {
    text[at..].find('\n').map_or(text.len(), |found| at + found + 1)
}

fn read(block: &str) -> FrontMatter {
    let parsed = serde_saphyr::from_str::<Value>(block).ok().filter(|value| value.is_object() || value.is_null());
    let fields = parsed.unwrap_or_else(|| by_lines(block));
    let field = |wanted: &str| {
        let object = fields.as_object()?;
        object.iter().find(|(key, _)| key.trim().eq_ignore_ascii_case(wanted)).map(|(_, value)| value)
    };
    let listed = |keys: [&str; 2]| keys.into_iter().filter_map(field).flat_map(texts).collect::<Vec<String>>();
    let split = |text: String| text.split(',').map(str::to_owned).collect::<Vec<String>>();
    let tags = listed(["tags", "tag"]).into_iter().flat_map(split).flat_map(|tag| {
        tag.split_whitespace().map(|tag| tag.trim_start_matches('#').to_owned()).collect::<Vec<String>>()
    });
    let address = ADDRESS_KEYS.into_iter().filter_map(field).flat_map(texts).find_map(|text| web_address(&text));
    FrontMatter {
        title: field("title")
            .and_then(|title| texts(title).into_iter().next())
            .and_then(|title| label(&title, TITLE_CHARS_MAX)),
        aliases: labels(listed(["aliases", "alias"]).into_iter().flat_map(split)),
        tags: labels(tags),
        address,
    }
}

/// Labels that say something, each once.
pub(super) fn labels(all: impl IntoIterator<Item = String>) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    for text in all.into_iter().filter_map(|text| label(&text, LABEL_CHARS_MAX)) {
        if kept.len() < LABELS_MAX && !kept.iter().any(|known| known.to_lowercase() == text.to_lowercase()) {
            kept.push(text);
        }
    }
    kept
}

/// One line without blanks around it, cut to `chars_max`.
fn label(text: &str, chars_max: usize) -> Option<String> {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let cut: String = line.chars().take(chars_max).collect();
    (!cut.is_empty()).then_some(cut)
}

/// A web address in a value, also as `[title](https://…)` and `<https://…>`.
fn web_address(text: &str) -> Option<String> {
    let text = text.trim().trim_matches(['"', '\'', '<', '>']);
    let inner = match text.split_once("](") {
        Some((_, rest)) => rest.trim_end_matches(')'),
        None => text,
    };
    let lower = inner.get(..8).unwrap_or(inner).to_ascii_lowercase();
    let is_web = lower.starts_with("https://") || lower.starts_with("http://");
    (is_web && inner.chars().count() <= ADDRESS_CHARS_MAX && !inner.contains(char::is_whitespace))
        .then(|| inner.to_owned())
}

/// A value as texts: itself, or each of a list.
fn texts(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => vec![text.clone()],
        Value::Number(number) => vec![number.to_string()],
        Value::Bool(yes) => vec![yes.to_string()],
        Value::Array(list) => {
            list.iter().filter(|inner| !inner.is_array()).take(LABELS_MAX * 2).flat_map(texts).collect()
        }
        Value::Null | Value::Object(_) => Vec::new(),
    }
}

/// `key: value` and `- item` lines, for a block that is no YAML (`title: Part 1: the start`).
fn by_lines(block: &str) -> Value {
    let mut fields = serde_json::Map::new();
    let mut last: Option<String> = None;
    for line in block.lines() {
        if let (Some(item), Some(key)) = (line.trim_start().strip_prefix("- "), &last) {
            if let Some(list) = fields.get_mut(key).and_then(Value::as_array_mut) {
                list.push(unquoted(item).into());
            }
            continue;
        }
        let Some((key, value)) = line.split_once(':') else { continue };
        let key = key.trim().to_ascii_lowercase();
        if !KEYS.contains(&key.as_str()) && !ADDRESS_KEYS.contains(&key.as_str()) {
            last = None;
            continue;
        }
        let value = value.trim();
        let is_list = value.starts_with('[') && value.ends_with(']') && !value.contains("](");
        let items: Vec<Value> = match is_list {
            true => value[1..value.len() - 1].split(',').map(|item| unquoted(item).into()).collect(),
            false if value.is_empty() => Vec::new(),
            false => vec![unquoted(value).into()],
        };
        fields.insert(key.clone(), Value::Array(items));
        last = Some(key);
    }
    Value::Object(fields)
}

fn unquoted(text: &str) -> String {
    text.trim().trim_matches(['"', '\'']).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(text: &str) -> FrontMatter {
        front_matter(text).0
    }

    #[test]
    fn what_people_write_on_top() {
        let full =
            "---\ntitle: The cabin\naliases: [Hütte, \"The hut\"]\ntags:\n  - travel/norway\n  - '#cabin'\n---\nText";
        let (front, begins) = front_matter(full);
        assert_eq!(front.title.as_deref(), Some("The cabin"));
        assert_eq!(
            (front.aliases.join("|"), front.tags.join("|")),
            ("Hütte|The hut".into(), "travel/norway|cabin".into())
        );
        assert_eq!(&full[begins..], "Text");
        for (name, block, title, aliases, tags) in [
            ("words in one line", "tags: travel, norway winter", "", "", "travel|norway|winter"),
            ("one alias", "alias: Hut", "", "Hut", ""),
            ("a number", "title: 2024", "2024", "", ""),
            ("keys in capitals", "Title: A\nTags: [x]", "A", "", "x"),
            (
                "a colon in the title, which is no YAML",
                "title: Part 1: the start\ntags: [a, b]",
                "Part 1: the start",
                "",
                "a|b",
            ),
            ("a list in what is no YAML", "a: b: c\naliases:\n- One\n- Two\n", "", "One|Two", ""),
            ("a tag twice", "tags: [Travel, travel]", "", "", "Travel"),
            ("nothing in it", "tags:\naliases:\ntitle:", "", "", ""),
            ("Devanagari", "title: मेरी यात्रा\ntags: [यात्रा]", "मेरी यात्रा", "", "यात्रा"),
            ("Japanese", "aliases: [日記]", "", "日記", ""),
            ("a template's signs", "title: {{date}} x\ntags: [a", "{{date}} x", "", "[a"),
        ] {
            let front = of(&format!("---\n{block}\n---\n"));
            let got = (front.title.unwrap_or_default(), front.aliases.join("|"), front.tags.join("|"));
            assert_eq!(got, (title.into(), aliases.into(), tags.into()), "{name}");
        }
    }

    #[test]
    fn where_a_page_was_clipped_from() {
        for (name, block, want) in [
            ("Obsidian's own clipper", "source: \"https://example.org/a\"", Some("https://example.org/a")),
            ("another key", "original_url: http://example.org", Some("http://example.org")),
            ("in a list", "url:\n  - https://example.org/b", Some("https://example.org/b")),
            ("a Markdown link", "link: \"[A](https://example.org/c)\"", Some("https://example.org/c")),
            ("no web address", "source: my own head", None),
            ("a file", "url: file:///etc/passwd", None),
            ("words around it", "source: see https://example.org/a", None),
            ("another key's address", "homepage: https://example.org", None),
            ("in what is no YAML", "a: b: c\nsource: https://example.org/d", Some("https://example.org/d")),
        ] {
            assert_eq!(of(&format!("---\n{block}\n---\n")).address.as_deref(), want, "{name}");
        }
    }

    #[test]
    fn what_is_no_front_matter_is_text() {
        for text in
            ["", "Text", "---\nnever closed", "\n---\na: b\n---\n", "--- \u{1F3D4}\n---\n", "----\na: b\n----\n", "--"]
        {
            assert_eq!(front_matter(text), (FrontMatter::default(), 0), "{text:?}");
        }
        let long = format!("---\ntitle: A\n{}---\n", "x: y\n".repeat(BLOCK_BYTES_MAX));
        assert_eq!(front_matter(&long).1, 0);
        assert_eq!(front_matter("\u{feff}Text").1, 3);
        let marked = "\u{feff}---\r\ntitle: A\r\n---\r\nText";
        let (front, begins) = front_matter(marked);
        assert_eq!((front.title.as_deref(), &marked[begins..]), (Some("A"), "Text"));
        let dots = "---\ntitle: A\n...\nText";
        assert_eq!(&dots[front_matter(dots).1..], "Text");
    }

    #[test]
    fn a_block_made_to_grow_does_not() {
        let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
        for level in 1..12 {
            let inner = vec![format!("*a{}", level - 1); 10].join(", ");
            bomb += &format!("a{level}: &a{level} [{inner}]\n");
        }
        let front = of(&format!("---\n{bomb}tags: *a11\ntitle: A\n---\n"));
        assert!(front.tags.len() <= LABELS_MAX);
        let deep = format!("---\ntags: {}\n---\n", "[".repeat(20_000));
        assert!(of(&deep).tags.len() <= LABELS_MAX);
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in "(---\n)?[a-z:\\[\\]{}&*#'\"|>\n -]{0,80}(---\n)?.{0,20}") {
            let (front, begins) = front_matter(&text);
            prop_assert!(text.is_char_boundary(begins));
            prop_assert!(front.tags.len() <= LABELS_MAX && front.aliases.len() <= LABELS_MAX);
        }
    }
}
