//! Which files are read, and what they are called.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// What an address part may hold as it is.
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// How a file is read (contract section 22, "What is read").
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FileKind {
    Markdown,
    Text,
    Pdf,
    Docx,
}

impl FileKind {
    /// By the name's end; `None` for what is not read.
    pub fn of(name: &str) -> Option<Self> {
        let (front, end) = name.rsplit_once('.')?;
        if front.is_empty() || front.ends_with('/') {
            return None;
        }
        match end.to_ascii_lowercase().as_str() {
            "md" | "markdown" => Some(Self::Markdown),
            "txt" | "text" => Some(Self::Text),
            "pdf" => Some(Self::Pdf),
            "docx" => Some(Self::Docx),
            _ => None,
        }
    }

    /// Whether it is text as it is.
    pub fn is_plain(self) -> bool {
        matches!(self, Self::Markdown | Self::Text)
    }
}

/// Whether a file or folder is hidden: its name begins with a dot.
pub fn is_hidden(name: &str) -> bool {
    name.starts_with('.')
}

/// Whether a path inside a folder, or any part of it, is hidden.
pub fn is_hidden_path(path: &str) -> bool {
    path.split('/').any(is_hidden)
}

/// A file's name without its end: what a note is called that says nothing else.
pub fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit_once('.').map_or(name, |(front, _)| if front.is_empty() { name } else { front })
}

/// The link that opens a note in Obsidian; Markdown files are named without their end, as Obsidian does.
pub fn link(vault: &str, path: &str) -> String {
    let file = path.strip_suffix(".md").unwrap_or(path);
    let encode = |text| utf8_percent_encode(text, PLAIN).to_string();
    format!("obsidian://open?vault={}&file={}", encode(vault), encode(file))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_of_files() {
        for (name, want) in [
            ("a.md", Some(FileKind::Markdown)),
            ("A.MARKDOWN", Some(FileKind::Markdown)),
            ("x/y.b.txt", Some(FileKind::Text)),
            ("a.text", Some(FileKind::Text)),
            ("a.PDF", Some(FileKind::Pdf)),
            ("a.docx", Some(FileKind::Docx)),
            ("a.doc", None),
            ("md", None),
            (".md", None),
            ("x/.md", None),
            ("a.md.gz", None),
            ("", None),
        ] {
            assert_eq!(FileKind::of(name), want, "{name}");
        }
    }

    #[test]
    fn names_and_links() {
        for (path, want) in [("a/b c.md", "b c"), ("b", "b"), ("x/.env", ".env"), ("a.b.txt", "a.b"), ("🏔.md", "🏔")]
        {
            assert_eq!(stem(path), want, "{path}");
        }
        assert!(is_hidden_path("a/.git/b.md") && is_hidden_path(".x") && !is_hidden_path("a.b/c.md"));
        let want = "obsidian://open?vault=My%20notes&file=Travel%2FH%C3%BCtte%20%26%20more";
        assert_eq!(link("My notes", "Travel/Hütte & more.md"), want);
        assert!(link("v", "a.pdf").ends_with("file=a.pdf"));
    }
}
