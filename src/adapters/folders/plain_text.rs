//! Bytes of a text file as text: UTF-8, UTF-16 with its mark, or what Windows wrote before.

/// The text; `None` when the bytes are none.
pub(super) fn decoded(bytes: &[u8]) -> Option<String> {
    match bytes {
        [0xFF, 0xFE, ..] => whole(encoding_rs::UTF_16LE, bytes),
        [0xFE, 0xFF, ..] => whole(encoding_rs::UTF_16BE, bytes),
        _ => {
            if let Some(text) = utf8(bytes) {
                return Some(text);
            }
            if bytes.contains(&0) {
                return None;
            }
            whole(encoding_rs::WINDOWS_1252, bytes)
        }
    }
}

/// A text that was cut in the middle of its last letter is still a text.
fn utf8(bytes: &[u8]) -> Option<String> {
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(cut) if cut.error_len().is_none() => std::str::from_utf8(&bytes[..cut.valid_up_to()]).ok()?,
        Err(_) => return None,
    };
    (!text.contains('\0')).then(|| text.to_owned())
}

fn whole(encoding: &'static encoding_rs::Encoding, bytes: &[u8]) -> Option<String> {
    let (text, _, _) = encoding.decode(bytes);
    (!text.contains('\0')).then(|| text.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_all_ages() {
        for (name, bytes, want) in [
            ("UTF-8", "Hütte नोट".as_bytes(), Some("Hütte नोट")),
            ("empty", b"", Some("")),
            ("cut in the middle of a letter", &"Hü".as_bytes()[..2], Some("H")),
            ("UTF-16, little end first", b"\xFF\xFEH\0\xFC\0", Some("Hü")),
            ("UTF-16, big end first", b"\xFE\xFF\0H\0\xFC", Some("Hü")),
            ("old Windows", b"H\xFCtte", Some("Hütte")),
            ("a program", b"\x7fELF\0\x01", None),
            ("zeros", b"\0\0\0", None),
            ("zeros in broken text", b"\xFC\0", None),
        ] {
            assert_eq!(decoded(bytes).as_deref(), want, "{name}");
        }
    }
}
