//! The `format` words of the schema: what a text of each kind looks like. Shapes only; nothing is looked up or opened.

use crate::Timestamp;
use crate::model::ModelName;
use serde_json::Value;

/// Names of time zones and languages are at most this long (IANA and BCP-47 names are far shorter).
const NAME_CHARS_MAX: usize = 64;

/// What is wrong with `text` as a `format`, as the end of a sentence that begins with the key; `None` when it fits.
///
/// A format this build does not know fits everything.
pub(super) fn complaint(format: &str, text: &str) -> Option<&'static str> {
    let (fits, complaint) = judged(format, text)?;
    (!fits).then_some(complaint)
}

/// What fits a `format`, for the documentation.
pub(super) fn meaning(format: &str) -> Option<&'static str> {
    judged(format, "").map(|(_, complaint)| complaint.strip_prefix("must be ").unwrap_or(complaint))
}

fn judged(format: &str, text: &str) -> Option<(bool, &'static str)> {
    Some(match format {
        "model" => (ModelName::parse(text).is_some(), "must be a model as `provider/model`"),
        "http-url" => {
            (text.is_empty() || is_web_address(text), "must be an address that starts with http:// or https://")
        }
        "loopback-url" => (
            text.is_empty() || (is_web_address(text) && is_this_computer(text)),
            "must be an address on this computer, such as http://127.0.0.1:9333",
        ),
        "email" => (text.is_empty() || is_email(text), "must be an email address"),
        "env-name" => (is_variable(text), "must be the name of an environment variable: letters, digits and _"),
        "host-name" => (is_host(text), "must be a host name such as example.com, without http:// and slashes"),
        "time-zone" => (is_time_zone(text), "must be `auto` or a time zone such as Europe/Paris"),
        "language" => (is_language(text), "must be a language code such as en or pt-BR"),
        "country" => (
            text.is_empty() || (text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_alphabetic())),
            "must be two letters such as US",
        ),
        "clock-range" => (text.is_empty() || clock_range(text).is_some(), "must be two times as 22:00-07:00, or empty"),
        "memory-scope" => (
            !text.trim().is_empty() && !text.trim().eq_ignore_ascii_case("always"),
            "must be personal, work or a project's name; `always` cannot be picked",
        ),
        "absolute-path" => (text.is_empty() || is_absolute(text), "must be the full path of a folder, or empty"),
        "date-time" => (is_moment(text), "must be a date and time such as 2026-10-10T09:00:00Z"),
        _ => return None,
    })
}

/// `HH:MM` as minutes after midnight.
pub fn clock(text: &str) -> Option<u16> {
    let (hours, minutes) = text.trim().split_once(':')?;
    let number = |part: &str, max: u16| {
        let digits = (1..=2).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
        part.parse::<u16>().ok().filter(|number| digits && *number <= max)
    };
    (minutes.len() == 2).then_some(())?;
    Some(number(hours, 23)? * 60 + number(minutes, 59)?)
}

/// `HH:MM-HH:MM` as minutes after midnight. The end may be before the beginning: then it is on the next day.
pub fn clock_range(text: &str) -> Option<(u16, u16)> {
    let (from, until) = text.split_once('-')?;
    Some((clock(from)?, clock(until)?))
}

fn is_moment(text: &str) -> bool {
    serde_json::from_value::<Timestamp>(Value::String(text.to_owned())).is_ok()
}

/// The part of an address between `://` and the path, without its port.
fn host_of(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once("://")?;
    let authority = rest.split(['/', '?', '#']).next()?;
    let host_port = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    if let Some(bracketed) = host_port.strip_prefix('[') {
        return bracketed.split_once(']').map(|(host, _)| host);
    }
    match host_port.split_once(':') {
        Some((host, port)) => port.parse::<u16>().ok().map(|_| host),
        None => Some(host_port),
    }
}

fn is_web_address(text: &str) -> bool {
    let scheme = text.split_once("://").map(|(scheme, _)| scheme.to_ascii_lowercase());
    let clean = !text.chars().any(|c| c.is_whitespace() || c.is_control());
    clean && matches!(scheme.as_deref(), Some("http" | "https")) && host_of(text).is_some_and(|host| !host.is_empty())
}

/// `localhost`, `127.0.0.0/8` and `::1` (contract section 12). A user name before the host could fool a reader: refused.
fn is_this_computer(text: &str) -> bool {
    let host = host_of(text).unwrap_or_default();
    let loopback = host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback());
    !text.contains('@') && (host.eq_ignore_ascii_case("localhost") || loopback)
}

fn is_email(text: &str) -> bool {
    let clean = !text.chars().any(|c| c.is_whitespace() || c.is_control() || ",;<>".contains(c));
    let parts = text.rsplit_once('@').is_some_and(|(name, host)| !name.is_empty() && !host.is_empty());
    clean && parts && text.matches('@').count() == 1
}

fn is_variable(text: &str) -> bool {
    let word = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    word && !text.is_empty() && !text.starts_with(|c: char| c.is_ascii_digit())
}

fn is_host(text: &str) -> bool {
    !text.is_empty() && !text.chars().any(|c| c.is_whitespace() || c.is_control() || "/@?#".contains(c))
}

fn is_time_zone(text: &str) -> bool {
    let name = |c: char| c.is_ascii_alphanumeric() || "/_+-".contains(c);
    !text.is_empty() && text.len() <= NAME_CHARS_MAX && text.chars().all(name) && !text.starts_with('/')
}

fn is_language(text: &str) -> bool {
    let part = |part: &str| (1..=8).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_alphanumeric());
    text.is_empty() || (text.len() <= NAME_CHARS_MAX && text.split(['-', '_']).all(part))
}

/// Absolute on any system, since a configuration may be carried from one to the other.
fn is_absolute(text: &str) -> bool {
    let bytes = text.as_bytes();
    let drive = bytes.len() > 2 && bytes[0].is_ascii_alphabetic() && bytes[1] == b':' && b"\\/".contains(&bytes[2]);
    text.starts_with('/') || text.starts_with("\\\\") || drive
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_take_what_they_name_and_nothing_else() {
        for (format, good, bad) in [
            ("model", &["ollama/a", "openrouter/a/b"][..], &["", "model", "a/", "/b", "a b/c"][..]),
            (
                "http-url",
                &["", "http://a", "https://a.b:8080/c", "http://[::1]:9/x"],
                &["a.b", "ftp://a", "http://", "http:// a", "http://a:b"],
            ),
            (
                "loopback-url",
                &["", "http://127.0.0.1:9333", "http://localhost:1", "http://[::1]:5", "http://127.9.9.9"],
                &["http://a.b", "http://127.0.0.1@evil.com", "http://localhost.evil.com", "9333", "http://192.168.0.1"],
            ),
            ("email", &["", "a@b", "you+sentient@gmail.com"], &["a", "a@", "@b", "a@b@c", "a@b, c@d"]),
            ("env-name", &["A", "OPENAI_API_KEY", "_x1"], &["", "1A", "A B", "A=1"]),
            ("host-name", &["example.com", "localhost:8080"], &["", "https://example.com", "a b"]),
            ("time-zone", &["auto", "Europe/Paris", "Etc/GMT+3"], &["", "Europe Paris", "/etc/localtime"]),
            ("language", &["", "auto", "en", "pt-BR", "zh_Hans"], &["english language", "en-", "-"]),
            ("country", &["", "US", "in"], &["USA", "1"]),
            ("clock-range", &["", "22:00-07:00", "9:30 - 10:00"], &["22:00", "24:00-01:00", "10-11"]),
            ("memory-scope", &["personal", "My project"], &["", " ", "always", "Always"]),
            ("absolute-path", &["", "/a", "C:\\a", "d:/a", "\\\\host\\a"], &["a", "./a", "C:a"]),
            ("date-time", &["2026-10-10T09:00:00+00:00"], &["", "yesterday"]),
        ] {
            for text in good {
                assert_eq!(complaint(format, text), None, "{format} {text:?}");
            }
            for text in bad {
                assert!(complaint(format, text).is_some(), "{format} {text:?}");
            }
        }
    }

    #[test]
    fn times_of_day() {
        for (text, want) in [
            ("03:00", Some(180)),
            ("3:05", Some(185)),
            ("23:59", Some(1439)),
            ("24:00", None),
            ("12:60", None),
            ("12:5", None),
            ("+3:00", None),
            ("noon", None),
            ("", None),
        ] {
            assert_eq!(clock(text), want, "{text:?}");
        }
        assert_eq!(clock_range("22:00-07:00"), Some((1320, 420)));
    }
}
