//! What counts as coming from outside, and what could carry something out.
//!
//! These are the small facts the gate decides by (contract section 10, "Outside content"); nothing here decides.

use crate::second_look::links;
use protocol::sessions::MessageRole;
use protocol::tools::Risk;
use serde_json::Value;
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
    let Some(url) = read_address(address) else { return true };
    let long = |text: &str, most: usize| text.chars().count() > most;
    url.query().is_some_and(|query| !query.is_empty())
        || !url.username().is_empty()
        || url.password().is_some()
        || long(url.path(), PLAIN_PATH_CHARS_MAX)
        || url.fragment().is_some_and(|fragment| long(fragment, PLAIN_FRAGMENT_CHARS_MAX))
}

/// The host an address leads to, in its one spelling; `None` when it is none. A missing scheme is taken as https.
pub fn address_host(address: &str) -> Option<String> {
    read_address(address.trim())?.host_str().map(|host| host.trim_end_matches('.').to_lowercase())
}

fn read_address(address: &str) -> Option<Url> {
    let with_host = |url: &Url| url.has_host();
    // `example.com:8080/x` reads as an address without a host and with the scheme `example.com`.
    let read = Url::parse(address).ok().filter(with_host);
    read.or_else(|| Url::parse(&format!("https://{address}")).ok().filter(with_host))
}

/// Whether somebody's words name this host, as a link or by itself.
pub fn host_is_named(words: &str, host: &str) -> bool {
    let host = crate::look_alike::host(host).unwrap_or_else(|| host.to_owned());
    links::names_host(&links::named_hosts(words), &host)
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

/// Where the words in an attachment come from, when they may be somebody else's (contract section 10): a picture of a
/// screen, or text selected in another app. Other uploads are the person's.
pub fn attachment_source(name: &str) -> Option<&'static str> {
    if name.starts_with("screens/") {
        Some("your screen")
    } else if name.starts_with("selections/") {
        Some("another app")
    } else {
        None
    }
}

/// Apps whose look-ups bring only what the person or the engine wrote (contract section 10, `TRUSTED_PLUGINS`).
pub const TRUSTED_PLUGINS: [&str; 10] =
    ["memory", "files", "skills", "time", "tasks", "task_questions", "subagents", "devices", "weather", "charts"];

/// Whether a tool's results can hold what others wrote, when it does not say so itself: look-ups of every app but the
/// trusted ones. Parts of the assistant, writes and sends do not (contract section 10, `brings_untrusted`).
pub fn brings_untrusted(plugin: &str, declared: Risk, internal: bool) -> bool {
    declared == Risk::Read && !internal && !TRUSTED_PLUGINS.contains(&plugin)
}

/// The source a result names itself, under `outside_content` (contract section 10, ADR 0025). It only ever adds a mark.
///
/// The contract looks at the first key; JSON here does not keep an order, so the key counts wherever it stands.
pub fn named_by_result(result: &Value) -> Option<String> {
    result.get("outside_content").and_then(Value::as_str).map(str::to_owned).filter(|source| !source.trim().is_empty())
}

/// Outside content in a stored message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Newer {
    pub source: String,
    /// The group member who wrote it; empty when it is no message of one.
    pub writer: String,
}

/// What of others a stored message brought in, if it did: a group member's words, a tool's result, an attachment.
pub fn newer(role: MessageRole, name: Option<&str>, result_source: &str, attachments: &[String]) -> Option<Newer> {
    match role {
        MessageRole::Other => {
            let name = name.unwrap_or_default();
            Some(Newer { source: crate::prompt::group_source(name), writer: crate::prompt::member_name(name) })
        }
        MessageRole::Tool if !result_source.is_empty() => {
            Some(Newer { source: result_source.to_owned(), writer: String::new() })
        }
        MessageRole::User => attachments
            .iter()
            .find_map(|name| attachment_source(name))
            .map(|source| Newer { source: source.to_owned(), writer: String::new() }),
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
            ("evil.example/c?d=1", true),
            ("evil.example:8080/c?d=1", true),
            ("not an address at all", true),
            ("", true),
        ] {
            assert_eq!(address_carries_data(address), want, "{address}");
        }
    }

    #[test]
    fn where_an_address_leads() {
        for (address, want) in [
            ("https://Example.com/a", Some("example.com")),
            ("example.com/a?b", Some("example.com")),
            ("example.com:8080/a", Some("example.com")),
            ("https://example.com./", Some("example.com")),
            ("https://b\u{fc}cher.example/", Some("xn--bcher-kva.example")),
            ("https://user:word@example.com", Some("example.com")),
            ("//example.com/a", Some("example.com")),
            ("a b c", None),
            ("", None),
        ] {
            assert_eq!(address_host(address).as_deref(), want, "{address}");
        }
        assert!(host_is_named("look at example.com", "example.com"));
        assert!(!host_is_named("look at example.com", "evil.example"));
    }

    #[test]
    fn tools_whose_results_others_may_have_written() {
        for (plugin, risk, internal, want) in [
            ("gmail", Risk::Read, false, true),
            ("web", Risk::Read, false, true),
            ("memory", Risk::Read, false, false),
            ("weather", Risk::Read, false, false),
            ("gmail", Risk::Send, false, false),
            ("notion", Risk::Write, false, false),
            ("anything", Risk::Read, true, false),
        ] {
            assert_eq!(brings_untrusted(plugin, risk, internal), want, "{plugin} {risk:?} {internal}");
        }
    }

    #[test]
    fn results_that_say_themselves_where_they_are_from() {
        for (result, want) in [
            (serde_json::json!({ "outside_content": "a clipping", "text": "x" }), Some("a clipping")),
            (serde_json::json!({ "text": "x", "outside_content": "a clipping" }), Some("a clipping")),
            (serde_json::json!({ "outside_content": true }), None),
            (serde_json::json!({ "outside_content": " " }), None),
            (serde_json::json!({ "inner": { "outside_content": "x" } }), None),
            (serde_json::json!("outside_content"), None),
        ] {
            assert_eq!(named_by_result(&result).as_deref(), want, "{result}");
        }
    }

    #[test]
    fn stored_messages_that_brought_something_in() {
        let newer = |role, name, result, attachment: &str| {
            let found = newer(role, name, result, &[attachment.to_owned()]);
            found.map(|newer| (newer.source, newer.writer))
        };
        let found = |source: &str, writer: &str| Some((source.to_owned(), writer.to_owned()));
        assert_eq!(newer(MessageRole::Other, Some("Priya"), "", ""), found("another group member (Priya)", "Priya"));
        assert_eq!(newer(MessageRole::Tool, Some("web_fetch"), "Web", ""), found("Web", ""));
        assert_eq!(newer(MessageRole::Tool, Some("file_list"), "", ""), None);
        assert_eq!(newer(MessageRole::User, None, "", "screens/a.png"), found("your screen", ""));
        assert_eq!(newer(MessageRole::User, None, "", "a.png"), None);
        assert_eq!(newer(MessageRole::Assistant, None, "Web", ""), None);
    }

    #[test]
    fn attachments_with_words_of_others() {
        for (name, want) in [
            ("screens/Inbox 3f.png", Some("your screen")),
            ("selections/Notepad.txt", Some("another app")),
            ("report.pdf", None),
            ("my screens/x.png", None),
        ] {
            assert_eq!(attachment_source(name), want, "{name}");
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
