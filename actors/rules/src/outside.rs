//! What counts as coming from outside, and what could carry something out.
//!
//! These are the small facts the gate decides by (contract section 10, "Outside content"); nothing here decides.

use sha2::{Digest, Sha256};
use url::Url;

/// Longest path and fragment that say nothing about the person (contract section 10, `address_carries_data`).
pub const PLAIN_PATH_CHARS_MAX: usize = 100;
pub const PLAIN_FRAGMENT_CHARS_MAX: usize = 40;

/// Whether loading this address could hand data to whoever runs the host: a query, a long path or fragment, a user
/// name, or a link that was cut short so that the rest is unknown. What cannot be read as an address counts as yes.
pub fn address_carries_data(address: &str) -> bool {
    let address = address.trim();
    if address.ends_with('…') || address.ends_with("...") {
        return true;
    }
    let Ok(url) = Url::parse(address).or_else(|_| Url::parse(&format!("https://{address}"))) else {
        return true;
    };
    let long = |text: &str, most: usize| text.chars().count() > most;
    url.query().is_some_and(|query| !query.is_empty())
        || !url.username().is_empty()
        || url.password().is_some()
        || long(url.path(), PLAIN_PATH_CHARS_MAX)
        || url.fragment().is_some_and(|fragment| long(fragment, PLAIN_FRAGMENT_CHARS_MAX))
}

/// Where the text of a file under `files/` came from, when it came from outside: `outputs/` keeps the rest of long
/// tool results, `downloads/` what the browser loaded (contract section 10). Folder names are compared as the file
/// systems of all our platforms might: without case, and without the dots and blanks Windows drops.
pub fn saved_outside_source(name: &str) -> Option<&'static str> {
    let name = name.replace('\\', "/");
    let mut parts = name.split('/').filter(|part| !part.is_empty() && *part != ".");
    let folder = parts.next()?.trim_end_matches(['.', ' ']).to_lowercase();
    // A file of that name at the top is not in the folder.
    parts.next()?;
    match folder.as_str() {
        "outputs" => Some("a saved tool result"),
        "downloads" => Some("a downloaded file"),
        _ => None,
    }
}

/// The name under `files/` where the whole of a long tool result is kept (contract section 10, "large results").
///
/// Call ids are made up by models, so what could leave the folder or confuse a file system becomes `_`.
pub fn saved_output_name(call_id: &str, incognito_session: Option<&str>) -> String {
    let file = format!("tool-{}.txt", plain_name(call_id));
    match incognito_session {
        Some(session) => format!("outputs/incognito-{}/{file}", plain_name(session)),
        None => format!("outputs/{file}"),
    }
}

/// Letters, digits, `-` and `_` of a name, at most 80 of them; longer names keep a hash of all of it at the end.
fn plain_name(text: &str) -> String {
    const KEPT_CHARS_MAX: usize = 80;
    let kept = |c: char| if c.is_ascii_alphanumeric() || c == '-' || c == '_' { c } else { '_' };
    let name: String = text.chars().map(kept).collect();
    if !name.is_empty() && name == text && name.len() <= KEPT_CHARS_MAX {
        return name;
    }
    let start: String = name.chars().take(KEPT_CHARS_MAX - 17).collect();
    format!("{start}-{}", short_hash(text.as_bytes()))
}

/// The first 16 hex digits of the SHA-256 of some bytes: a name that is the same for the same content.
pub fn short_hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_that_could_carry_data() {
        let path = |chars: usize| format!("https://example.com/{}", "a".repeat(chars - 1));
        let fragment = |chars: usize| format!("https://example.com/#{}", "a".repeat(chars));
        for (address, want) in [
            ("https://example.com/", false),
            ("example.com", false),
            ("example.com/news/today", false),
            ("https://example.com/?", false),
            ("https://example.com/a?q=1", true),
            ("https://user@example.com/", true),
            ("https://user:word@example.com/", true),
            ("https://:word@example.com/", true),
            ("https://example.com/a#top", false),
            (&path(100), false),
            (&path(101), true),
            (&fragment(40), false),
            (&fragment(41), true),
            ("https://example.com/some/very/lo…", true),
            ("https://example.com/some/very/lo...", true),
            ("not an address at all", true),
            ("", true),
        ] {
            assert_eq!(address_carries_data(address), want, "{address}");
        }
    }

    #[test]
    fn files_that_hold_outside_text() {
        for (name, want) in [
            ("outputs/tool-1.txt", Some("a saved tool result")),
            ("outputs/incognito-s1/tool-1.txt", Some("a saved tool result")),
            ("downloads/report.pdf", Some("a downloaded file")),
            ("./outputs/tool-1.txt", Some("a saved tool result")),
            ("/outputs//tool-1.txt", Some("a saved tool result")),
            (r"Outputs\tool-1.txt", Some("a saved tool result")),
            ("DOWNLOADS. /x.txt", Some("a downloaded file")),
            ("notes.txt", None),
            ("outputs", None),
            ("uploads/outputs/x.txt", None),
            ("outputs2/x.txt", None),
            ("", None),
        ] {
            assert_eq!(saved_outside_source(name), want, "{name}");
        }
    }

    #[test]
    fn saved_results_stay_in_their_folder() {
        for (call, session, want) in [
            ("call_1", None, "outputs/tool-call_1.txt"),
            ("call_1", Some("s-9"), "outputs/incognito-s-9/tool-call_1.txt"),
        ] {
            assert_eq!(saved_output_name(call, session), want);
        }
        for call in ["../../x", "a/b", "", "c:\\x", "con:", &"x".repeat(500)] {
            let name = saved_output_name(call, None);
            let file = name.strip_prefix("outputs/tool-").expect("in the folder");
            assert!(!file.contains(['/', '\\', ':']) && !file.contains(".."), "{name}");
            assert!(file.len() <= 90, "{name}");
        }
        assert_ne!(saved_output_name("a/b", None), saved_output_name("a_b", None), "two calls never share a file");
    }
}
