//! From the bytes of a configuration file to JSON, and back to text. Pure: nothing here opens a file.
//!
//! What cannot be read is an error in the person's words, never a guess.

use serde_json::{Map, Value};

/// Bytes of a configuration file. Ours: a thousand times what one needs, and nothing that could fill the memory.
pub(super) const FILE_BYTES_MAX: u64 = 4 * 1024 * 1024;

/// The first and the last line of what Sentient writes. A file that begins with the one and misses the other was cut.
const FIRST_LINE: &str = "# Written by Sentient. Every setting is explained in docs/config.md; defaults are left out.";
const LAST_LINE: &str = "# End of the settings. A file without this line was cut short.";

/// The text of a file: UTF-8, or UTF-16 with the mark that Windows editors put in front.
pub(super) fn decode(bytes: &[u8]) -> Result<String, String> {
    let text = match bytes {
        [0xEF, 0xBB, 0xBF, rest @ ..] => String::from_utf8(rest.to_vec()).ok(),
        [0xFF, 0xFE, rest @ ..] => utf16(rest, u16::from_le_bytes),
        [0xFE, 0xFF, rest @ ..] => utf16(rest, u16::from_be_bytes),
        _ => String::from_utf8(bytes.to_vec()).ok(),
    };
    let text = text.ok_or("It is not UTF-8 text.")?;
    if let Some(at) = text.find('\0') {
        let line = text[..at].matches('\n').count() + 1;
        return Err(format!("It has zero bytes in line {line}, as after a crash or a full disk."));
    }
    let begun = text.starts_with(FIRST_LINE) || (!text.trim().is_empty() && FIRST_LINE.starts_with(text.trim_end()));
    if begun && !text.contains(LAST_LINE) {
        return Err("It was cut short: its last line is missing.".to_owned());
    }
    Ok(text)
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Option<String> {
    let (pairs, rest) = bytes.as_chunks::<2>();
    let text = char::decode_utf16(pairs.iter().map(|pair| unit(*pair))).collect::<Result<String, _>>().ok()?;
    rest.is_empty().then_some(text)
}

/// The settings in a text; none in an empty one.
pub(super) fn parse(text: &str) -> Result<Map<String, Value>, String> {
    // `off` and `no` stay words: the approvals mode is one. Where a yes or no belongs, they count as one later.
    let options = serde_saphyr::options! { strict_booleans: true };
    match serde_saphyr::from_str_with_options::<Value>(text, options) {
        Ok(Value::Object(settings)) => Ok(settings),
        Ok(Value::Null) => Ok(Map::new()),
        Ok(_) => Err("It does not hold settings such as `chat:` with values below.".to_owned()),
        Err(cause) => Err(match cause.location() {
            Some(place) => format!("Line {}, column {}: {}.", place.line(), place.column(), words(&cause)),
            None => format!("{}.", words(&cause)),
        }),
    }
}

/// The parser's complaint in one line, without the piece of the file it shows and without the place, which stands in
/// front already.
fn words(cause: &serde_saphyr::Error) -> String {
    let text = cause.without_snippet().render_with_formatter(&serde_saphyr::UserMessageFormatter);
    let line = text.lines().next().unwrap_or_default();
    let line = line.split(" at line ").next().unwrap_or(line).trim_end_matches('.');
    line.strip_prefix("error: ").unwrap_or(line).to_owned()
}

/// The settings as the text of a file, with the marks that show whether all of it is there.
pub(super) fn write(settings: &Map<String, Value>) -> Result<String, String> {
    let body = if settings.is_empty() {
        String::new()
    } else {
        serde_saphyr::to_string(settings).map_err(|cause| cause.to_string())?
    };
    let text = format!("{FIRST_LINE}\n{body}{LAST_LINE}\n");
    // A file that reads as something else would be worse than none.
    match parse(&text) {
        Ok(read) if same_fields(&read, settings) => Ok(text),
        Ok(_) => Err("the text would read as other settings".to_owned()),
        Err(cause) => Err(cause),
    }
}

fn same_fields(a: &Map<String, Value>, b: &Map<String, Value>) -> bool {
    a.len() == b.len() && a.iter().all(|(key, value)| b.get(key).is_some_and(|other| same(value, other)))
}

/// Equal as settings: 10 and 10.0 are the same number.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Object(a), Value::Object(b)) => same_fields(a, b),
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Value::Number(a), Value::Number(b)) => a == b || a.as_f64() == b.as_f64(),
        _ => a == b,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn utf16_bytes(mark: [u8; 2], text: &str, unit: fn(u16) -> [u8; 2]) -> Vec<u8> {
        mark.into_iter().chain(text.encode_utf16().flat_map(unit)).collect()
    }

    #[test]
    fn files_of_any_editor_are_read() {
        let want = json!({"chat": {"auto_title": false}, "assistant": {"name": "Ādi"}});
        let text = "chat:\n  auto_title: false\nassistant:\n  name: Ādi\n";
        for (name, bytes) in [
            ("plain", text.as_bytes().to_vec()),
            ("with a mark in front", ["\u{feff}", text].concat().into_bytes()),
            ("Windows lines", text.replace('\n', "\r\n").into_bytes()),
            ("old Mac lines", text.replace('\n', "\r").into_bytes()),
            ("no last line end", text.trim_end().as_bytes().to_vec()),
            ("comments", format!("# one\n{text}# two\n").into_bytes()),
            ("UTF-16 LE", utf16_bytes([0xFF, 0xFE], text, u16::to_le_bytes)),
            ("UTF-16 BE", utf16_bytes([0xFE, 0xFF], text, u16::to_be_bytes)),
            ("a document mark", format!("---\n{text}").into_bytes()),
            ("JSON", want.to_string().into_bytes()),
        ] {
            let read = decode(&bytes).and_then(|text| parse(&text));
            assert_eq!(read.map(Value::Object), Ok(want.clone()), "{name}");
        }
    }

    #[test]
    fn nothing_is_no_settings() {
        for text in ["", "\n\n", "# only a comment\n", "---\n", "{}", "null", "\u{feff}"] {
            assert_eq!(decode(text.as_bytes()).and_then(|text| parse(&text)), Ok(Map::new()), "{text:?}");
        }
    }

    #[test]
    fn what_cannot_be_read_says_why() {
        let written = write(&Map::from_iter([("chat".to_owned(), json!({"auto_title": false}))])).expect("text");
        let deep = "[".repeat(100_000);
        for (name, bytes, want) in [
            ("zero bytes", b"chat:\n\0\0\0".to_vec(), "zero bytes in line 2"),
            ("all zero", vec![0; 4096], "zero bytes in line 1"),
            ("not text", vec![0xC3, 0x28], "not UTF-8"),
            ("half a character of UTF-16", vec![0xFF, 0xFE, 0x41], "not UTF-8"),
            ("cut in half", written.as_bytes()[..written.len() / 2].to_vec(), "cut short"),
            ("cut in its first line", written.as_bytes()[..10].to_vec(), "cut short"),
            ("cut in its last line", written.as_bytes()[..written.len() - 20].to_vec(), "cut short"),
            ("cut inside quotes", b"chat:\n  a: \"x".to_vec(), "Line "),
            ("a list", b"- a\n- b\n".to_vec(), "does not hold settings"),
            ("a word", b"hello".to_vec(), "does not hold settings"),
            ("the same key twice", b"chat: {}\nchat: {}\n".to_vec(), "Line 2"),
            ("two documents", b"chat: {}\n---\nui: {}\n".to_vec(), "document"),
            ("a tab", b"chat:\n\ta: 1\n".to_vec(), "Line "),
            ("too deep", deep.into_bytes(), ""),
        ] {
            let error = decode(&bytes).and_then(|text| parse(&text)).expect_err(name);
            assert!(error.contains(want) && error.lines().count() == 1 && error.len() < 300, "{name}: {error}");
            assert!(!error.contains('_') && !error.contains("Options"), "no programmer's words, {name}: {error}");
        }
    }

    #[test]
    fn words_that_look_like_something_else_stay_words() {
        let texts = [
            "off",
            "no",
            "y",
            "null",
            "~",
            "",
            " ",
            "03:00",
            "1e3",
            "0x1",
            "1_000",
            "- a",
            "a: b",
            "#",
            "\n\ta\r\n",
            "é\u{2028}",
            "'",
            "\"",
            "\\",
            "\u{7}",
            "%",
            "@",
            "!x",
            "&a",
            "*a",
            "2026-10-10",
            ".inf",
            "---",
            "...",
        ];
        let settings: Map<String, Value> = texts
            .iter()
            .map(|text| ((*text).to_owned(), json!(text)))
            .chain([("numbers".to_owned(), json!([0, 1, -1, 0.1, 10.0, 1e300, u64::MAX]))])
            .collect();
        let text = write(&settings).expect("text");
        assert_eq!(parse(&text).map(|read| same_fields(&read, &settings)), Ok(true));
    }
}
