//! The hidden mode that reads one document: bytes on stdin, text on stdout, then it ends. It runs as a process of its own
//! because readers of PDF are known to panic, to loop and to ask for gigabytes on odd files; its starter gives it limits.

mod docx;

use std::ffi::OsString;
use std::io::{Read, Write};
use std::process::ExitCode;

/// The name of the mode.
pub const MODE: &str = "__document";
/// Bytes of text that are given. Ours: ten thousand pages.
pub const TEXT_BYTES_MAX: usize = 16 * 1024 * 1024;
/// The exit code of a text that was longer; what was given is its beginning.
pub const TOO_LONG: i32 = 3;
/// Bytes of a document that are read: the most the settings allow (`folders.max_file_mb`).
const DOCUMENT_BYTES_MAX: u64 = 500 * 1024 * 1024;
/// `EX_DATAERR` of sysexits.h.
const UNREADABLE: u8 = 65;

/// Runs the mode, when the program was called in it.
pub fn hidden(arguments: &[OsString]) -> Option<ExitCode> {
    if arguments.get(1)?.to_str()? != MODE {
        return None;
    }
    let kind = arguments.get(2).and_then(|kind| kind.to_str()).unwrap_or_default();
    Some(run(kind))
}

fn run(kind: &str) -> ExitCode {
    let mut bytes = Vec::new();
    if std::io::stdin().take(DOCUMENT_BYTES_MAX).read_to_end(&mut bytes).is_err() {
        return ExitCode::from(UNREADABLE);
    }
    let Some(text) = text(kind, &bytes) else { return ExitCode::from(UNREADABLE) };
    let cut = text.floor_char_boundary(TEXT_BYTES_MAX);
    if std::io::stdout().write_all(&text.as_bytes()[..cut]).is_err() {
        return ExitCode::from(UNREADABLE);
    }
    if cut < text.len() { ExitCode::from(TOO_LONG.unsigned_abs() as u8) } else { ExitCode::SUCCESS }
}

/// The text of a document; `None` when it has none. May panic or take for ever: only for a process with limits.
fn text(kind: &str, bytes: &[u8]) -> Option<String> {
    match kind {
        "pdf" => pdf_extract::extract_text_from_mem(bytes).ok().map(|text| tidy(&text)),
        "docx" => docx::text(bytes).map(|text| tidy(&text)),
        _ => None,
    }
}

/// Without blanks at the ends of lines, and with one empty line at most in a row.
fn tidy(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut empty = 0;
    for line in text.lines().map(str::trim_end) {
        empty = if line.is_empty() { empty + 1 } else { 0 };
        if empty < 2 && !(line.is_empty() && out.is_empty()) {
            out.push_str(line);
            out.push('\n');
        }
    }
    out.truncate(out.trim_end().len());
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adapters::pdf::tests::pdf_of;

    #[test]
    fn documents_are_read() {
        assert_eq!(text("pdf", &pdf_of("Rain fell on Tuesday")).as_deref(), Some("Rain fell on Tuesday"));
        assert_eq!(text("pdf", b"not a pdf"), None);
        assert_eq!(text("exe", b"MZ"), None);
        assert_eq!(tidy("\n\n a  \n\n\n\nb\n\n"), " a\n\nb");
    }

    #[test]
    fn only_its_own_name_is_its_mode() {
        for arguments in [vec![], vec!["sentient"], vec!["sentient", "serve"], vec!["sentient", "x", MODE]] {
            let arguments: Vec<OsString> = arguments.into_iter().map(OsString::from).collect();
            assert!(hidden(&arguments).is_none(), "{arguments:?}");
        }
    }
}
