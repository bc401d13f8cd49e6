//! Names of files: what a person or a sender called it, made safe, and names that come back from outside, checked.
//!
//! Nothing here looks at the disk. A name made or let through here can never point out of the files folder, on any
//! system.

use super::FileError;
use protocol::limits::FILE_NAME_CHARS_MAX;
use unicode_normalization::UnicodeNormalization;
use unicode_segmentation::UnicodeSegmentation;

/// Bytes of one name that every usual file system takes (255), less room for the name of a file still being written.
const NAME_BYTES_MAX: usize = 240;
/// Characters of an ending that is kept when a name is cut.
const ENDING_CHARS_MAX: usize = 16;
/// Folders of a name that comes from outside. Ours.
const DEPTH_MAX: usize = 16;
/// Names of files that are still being written begin so.
pub(super) const PART_PREFIX: &str = ".part-";
/// What a file is called that came without a usable name.
const NAMELESS: &str = "file";

/// A safe name for a new file from whatever it was called: the last part of a path, in NFC, without characters that
/// some system forbids, at most [`FILE_NAME_CHARS_MAX`] characters with its ending kept.
pub fn clean_name(raw: &str) -> String {
    numbered(raw, "")
}

/// [`clean_name`] with `mark` (` (1)`, ` 3f9a2c`) before the ending, cut so that all of it fits.
pub(super) fn numbered(raw: &str, mark: &str) -> String {
    let last = raw.split(['/', '\\']).rfind(|part| !part.trim_matches([' ', '.']).is_empty()).unwrap_or(NAMELESS);
    let mut name = String::with_capacity(last.len());
    for c in last.nfc() {
        match c {
            '<' | '>' | ':' | '"' | '|' | '?' | '*' => name.push('_'),
            c if c.is_whitespace() => {
                if !name.ends_with(' ') {
                    name.push(' ');
                }
            }
            c if c.is_control() || is_invisible(c) => {}
            c => name.push(c),
        }
    }
    let name = name.trim_matches([' ', '.']);
    let (stem, ending) = split(if name.is_empty() { NAMELESS } else { name });
    let stem = if is_reserved(stem) { format!("_{stem}") } else { stem.to_owned() };
    let rest_chars = FILE_NAME_CHARS_MAX - mark.chars().count() - ending.chars().count();
    let rest_bytes = NAME_BYTES_MAX - mark.len() - ending.len();
    let stem = cut(&stem, rest_chars, rest_bytes);
    format!("{}{mark}{ending}", stem.trim_end_matches([' ', '.']))
}

/// Stem and ending with its dot; the ending is empty when there is none worth keeping.
fn split(name: &str) -> (&str, &str) {
    match name.rfind('.') {
        Some(dot) if dot > 0 && name[dot..].chars().count() <= ENDING_CHARS_MAX => {
            let (stem, ending) = name.split_at(dot);
            // "a. .b" would leave a stem that ends in a dot.
            let stem = stem.trim_end_matches([' ', '.']);
            if stem.is_empty() { (name, "") } else { (stem, ending) }
        }
        _ => (name, ""),
    }
}

/// The longest beginning within both limits that ends between two characters as people see them.
fn cut(text: &str, chars_max: usize, bytes_max: usize) -> &str {
    let (mut end, mut chars) = (0, 0);
    for (start, piece) in text.grapheme_indices(true) {
        chars += piece.chars().count();
        if chars > chars_max || start + piece.len() > bytes_max {
            break;
        }
        end = start + piece.len();
    }
    // One endless cluster of marks: cut it anywhere rather than have no name.
    if end == 0 { text.char_indices().nth(1).map_or(text, |(at, _)| &text[..at]) } else { &text[..end] }
}

/// Direction marks and the like, with which `exe.txt` can be made to look like `txt.exe`.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200B}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{FEFF}' | '\u{FFFD}')
}

/// Names that mean a device on Windows, with any ending.
fn is_reserved(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default().trim_end().to_uppercase();
    match stem.as_str() {
        "CON" | "PRN" | "AUX" | "NUL" | "CONIN$" | "CONOUT$" => true,
        other => {
            let port = other.strip_prefix("COM").or_else(|| other.strip_prefix("LPT"));
            port.is_some_and(|n| {
                matches!(n, "0" | "1" | "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9" | "¹" | "²" | "³")
            })
        }
    }
}

/// Checks a name that comes from outside (`uploads/a.pdf`): relative, with `/` between folders, nothing that leads
/// elsewhere.
///
/// # Errors
/// [`FileError::BadName`].
pub(super) fn check_name(name: &str) -> Result<(), FileError> {
    let parts: Vec<&str> = name.split('/').collect();
    let fine = !name.is_empty() && parts.len() <= DEPTH_MAX && parts.iter().all(|part| is_safe_part(part));
    if fine { Ok(()) } else { Err(FileError::BadName) }
}

fn is_safe_part(part: &str) -> bool {
    let forbidden = |c: char| c.is_control() || matches!(c, '/' | '\\' | ':');
    !part.is_empty()
        && part.len() <= 255
        && !part.contains(forbidden)
        && !part.ends_with(['.', ' '])
        && !part.starts_with(PART_PREFIX)
        && !is_reserved(part)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::path::{Component, Path};

    #[test]
    fn names_are_cleaned() {
        for (raw, want) in [
            ("report.pdf", "report.pdf"),
            ("../../etc/passwd", "passwd"),
            ("C:\\Users\\anna\\letter.docx", "letter.docx"),
            ("/", "file"),
            ("", "file"),
            ("...", "file"),
            (".bashrc", "bashrc"),
            ("a\0b\nc .txt", "ab c.txt"),
            ("what? \"this\": <that>|*.txt", "what_ _this__ _that___.txt"),
            ("nul", "_nul"),
            ("Com1.txt", "_Com1.txt"),
            ("console.txt", "console.txt"),
            ("name . .txt", "name.txt"),
            ("u\u{308}ber.txt", "über.txt"),
            ("गाना.mp3", "गाना.mp3"),
            ("invoice\u{202E}fdp.exe", "invoicefdp.exe"),
            ("archive.tar.gz", "archive.tar.gz"),
            ("no.ending.but a long sentence after the dot", "no.ending.but a long sentence after the dot"),
        ] {
            assert_eq!(clean_name(raw), want, "{raw:?}");
        }
    }

    #[test]
    fn marks_go_before_the_ending_and_fit() {
        assert_eq!(numbered("a.b.pdf", " (1)"), "a.b (1).pdf");
        assert_eq!(numbered("Inbox - Mail.png", " 3f9a2c"), "Inbox - Mail 3f9a2c.png");
        assert_eq!(numbered("noending", " (2)"), "noending (2)");
        let long = numbered(&format!("{}.pdf", "x".repeat(500)), " (12)");
        assert_eq!(long.chars().count(), FILE_NAME_CHARS_MAX);
        assert!(long.ends_with("x (12).pdf"), "{long}");
        let wide = numbered(&format!("{}.pdf", "漢".repeat(500)), " (1)");
        assert!(wide.len() <= NAME_BYTES_MAX && wide.ends_with("漢 (1).pdf"), "{wide}");
    }

    #[test]
    fn names_from_outside_are_checked() {
        for name in ["a.txt", "uploads/a (1).pdf", "outputs/incognito-5/tool-1.txt", "ü/漢/ए.md", "..a", "a..b"] {
            assert_eq!(check_name(name), Ok(()), "{name}");
        }
        for name in [
            "",
            "/",
            "/etc/passwd",
            "..",
            "../a",
            "a/../b",
            "a/..",
            "./a",
            "a//b",
            "a/",
            "a\\b",
            "C:a",
            "c:/a",
            "a\0",
            "a\nb",
            "nul",
            "a/CON.txt",
            "uploads/.part-1",
            "a./b",
            "a ",
            "lpt1",
        ] {
            assert_eq!(check_name(name), Err(FileError::BadName), "{name:?}");
        }
        assert!(check_name(&"a/".repeat(DEPTH_MAX + 1)).is_err());
    }

    fn nasty() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            Just("..".to_owned()),
            Just("/".to_owned()),
            Just("\\".to_owned()),
            Just(".".to_owned()),
            Just("CON".to_owned()),
            Just("\0".to_owned()),
            Just("e\u{301}\u{301}".to_owned()),
            any::<String>(),
            "[a-z. ]{0,200}",
        ];
        prop::collection::vec(piece, 0..6).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn a_cleaned_name_is_one_safe_part(raw in nasty(), n in prop::option::of(0..100_u8)) {
            let name = numbered(&raw, &n.map(|n| format!(" ({n})")).unwrap_or_default());
            prop_assert_eq!(check_name(&name), Ok(()), "{:?} became {:?}", raw, name);
            prop_assert!(name.chars().count() <= FILE_NAME_CHARS_MAX && name.len() <= NAME_BYTES_MAX);
            let parts: Vec<Component<'_>> = Path::new(&name).components().collect();
            prop_assert!(matches!(parts[..], [Component::Normal(_)]), "{:?}", name);
        }

        #[test]
        fn a_checked_name_stays_inside(name in nasty()) {
            if check_name(&name).is_ok() {
                let inside = Path::new(&name).components().all(|part| matches!(part, Component::Normal(_)));
                prop_assert!(inside, "{:?}", name);
            }
        }
    }
}
