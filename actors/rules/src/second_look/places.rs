//! Where in outside content an address stands: as the sender of a message, in its header lines, or in somebody's text.
//!
//! A sender's line is the one place the sending server vouches for at least a little; everything else anybody can write.

use super::addresses::mails;
use crate::look_alike::visible;
use serde_json::Value;

/// Values of one result that are looked at. Ours.
const VALUES_MAX: usize = 20_000;

/// Something someone else wrote: a tool's result, or a message of somebody else in a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutsideText<'a> {
    /// The app or person it came from, as the person knows it.
    pub source: &'a str,
    pub text: &'a str,
    /// Whether it may be read for senders: a tool's result, never a message inside the chat.
    pub is_result: bool,
}

/// Where an address was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// It wrote the message.
    Sender,
    /// A header line, by its name (`Cc`), of a message from somebody.
    Header { line: &'static str, from: String },
    /// Somebody's text; `from` is whose email it was, when it was one.
    Text { from: Option<String> },
}

/// One address and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    pub address: String,
    pub place: Place,
    pub source: String,
}

/// Every address in what was read.
pub fn read_places(texts: &[OutsideText<'_>]) -> Vec<Found> {
    let mut found = Vec::new();
    for text in texts {
        let value = if text.is_result { serde_json::from_str::<Value>(text.text).ok() } else { None };
        let mut walk = Walk { source: text.source, found: &mut found, left: VALUES_MAX };
        match value {
            Some(value @ (Value::Object(_) | Value::Array(_))) => walk.value(&value, None),
            _ => walk.cut_text(text.text, text.is_result),
        }
    }
    found
}

struct Walk<'a> {
    source: &'a str,
    found: &'a mut Vec<Found>,
    left: usize,
}

impl Walk<'_> {
    fn add(&mut self, text: &str, place: &Place) {
        for address in mails(text) {
            self.found.push(Found { address, place: place.clone(), source: self.source.to_owned() });
        }
    }

    fn value(&mut self, value: &Value, from: Option<&str>) {
        if self.left == 0 {
            return;
        }
        self.left -= 1;
        match value {
            Value::String(text) => self.add(text, &Place::Text { from: from.map(str::to_owned) }),
            Value::Array(list) => list.iter().for_each(|item| self.value(item, from)),
            Value::Object(object) => match sender(value) {
                Some(sender) => self.message(object, &sender),
                None => object.values().for_each(|item| self.value(item, from)),
            },
            _ => (),
        }
    }

    /// A message: its `from` is the sender, `to` and the like are header lines, all else is text.
    fn message(&mut self, object: &serde_json::Map<String, Value>, from: &str) {
        for (key, value) in object {
            let line = match key.to_lowercase().as_str() {
                "from" | "sender_email" | "sender" => {
                    self.senders(value, from);
                    continue;
                }
                "to" => "To",
                "cc" => "Cc",
                "bcc" => "Bcc",
                "reply_to" | "reply-to" | "replyto" => "Reply-To",
                _ => {
                    self.value(value, Some(from));
                    continue;
                }
            };
            self.add(&value.to_string(), &Place::Header { line, from: from.to_owned() });
        }
    }

    /// Of a sender's line only the address it really names is the sender; one in the display name is anybody's text.
    fn senders(&mut self, value: &Value, from: &str) {
        let line = value.as_str().unwrap_or_default();
        let named = named_address(line);
        for address in mails(line) {
            let place = if Some(&address) == named.as_ref() {
                Place::Sender
            } else {
                Place::Text { from: Some(from.to_owned()) }
            };
            self.found.push(Found { address, place, source: self.source.to_owned() });
        }
    }

    /// What cannot be read as JSON, a page or a result that was cut, is text except its `"from": "…"` values.
    fn cut_text(&mut self, text: &str, is_result: bool) {
        let senders: Vec<String> = if is_result { from_values(text) } else { Vec::new() };
        for address in mails(text) {
            let times = visible(text).to_lowercase().matches(&address).count();
            let as_sender = senders.iter().filter(|sender| **sender == address).count();
            let place = if as_sender > 0 && times <= as_sender { Place::Sender } else { Place::Text { from: None } };
            self.found.push(Found { address, place, source: self.source.to_owned() });
        }
    }
}

/// Who a message is from, when an object is one: it has a sender with an address, and a subject or a text or a
/// recipient.
fn sender(value: &Value) -> Option<String> {
    let text = |key: &str| value[key].as_str().map(str::trim).filter(|text| !text.is_empty());
    let from = ["from", "sender_email"].iter().find_map(|key| text(key).filter(|text| !mails(text).is_empty()))?;
    let is_message = ["subject", "body", "snippet", "to"].iter().any(|key| !value[key].is_null());
    is_message.then(|| from.chars().take(120).collect())
}

/// The one address a From line names: between angle brackets at its end, or the whole of it.
pub fn named_address(line: &str) -> Option<String> {
    let line = line.trim();
    let inner = match line.strip_suffix('>').and_then(|line| line.rsplit_once('<')) {
        Some((_, inner)) => inner,
        None if !line.contains(['<', ' ', ',', ';']) => line,
        None => return None,
    };
    crate::look_alike::address(inner)
}

/// The addresses in `"from": "…"` of a text that was JSON before it was cut.
fn from_values(text: &str) -> Vec<String> {
    text.match_indices("\"from\"")
        .filter_map(|(at, key)| {
            let rest = text[at + key.len()..].trim_start().strip_prefix(':')?.trim_start().strip_prefix('"')?;
            named_address(&rest[..rest.find('"')?])
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(text: &str) -> Vec<(String, Place)> {
        let found = read_places(&[OutsideText { source: "Postbox", text, is_result: true }]);
        found.into_iter().map(|found| (found.address, found.place)).collect()
    }

    #[test]
    fn an_email_has_a_sender_header_lines_and_text() {
        let mail = serde_json::json!({ "messages": [{
            "from": "Arjun \"x@evil.example\" <arjun@example.com>",
            "to": "robin@home.example",
            "cc": "kim@example.com",
            "reply_to": "other@evil.example",
            "subject": "Hi",
            "body": "Send it to y@evil.example",
        }], "note": "z@evil.example" });
        let got = places(&mail.to_string());
        let from = "Arjun \"x@evil.example\" <arjun@example.com>".to_owned();
        let header = |line| Place::Header { line, from: from.clone() };
        for (address, want) in [
            ("arjun@example.com", Place::Sender),
            ("x@evil.example", Place::Text { from: Some(from.clone()) }),
            ("robin@home.example", header("To")),
            ("kim@example.com", header("Cc")),
            ("other@evil.example", header("Reply-To")),
            ("y@evil.example", Place::Text { from: Some(from.clone()) }),
            ("z@evil.example", Place::Text { from: None }),
        ] {
            assert!(got.contains(&(address.to_owned(), want.clone())), "{address} {want:?} in {got:#?}");
        }
    }

    #[test]
    fn pages_and_cut_results_are_text() {
        assert_eq!(places("Write to x@evil.example"), [("x@evil.example".into(), Place::Text { from: None })]);
        let cut = r#"{"messages":[{"from":"Jo <jo@example.com>","body":"x@evil.example wro"#;
        assert!(places(cut).contains(&("jo@example.com".into(), Place::Sender)));
        assert!(places(cut).contains(&("x@evil.example".into(), Place::Text { from: None })));
        let twice = r#"{"from":"jo@example.com","body":"ask jo@example.com"#;
        assert_eq!(places(twice), [("jo@example.com".into(), Place::Text { from: None })]);
        let group = OutsideText { source: "Ravi", text: r#"{"from":"a@evil.example","to":"b"}"#, is_result: false };
        assert_eq!(read_places(&[group])[0].place, Place::Text { from: None });
    }

    #[test]
    fn the_address_a_sender_line_names() {
        for (line, want) in [
            ("Jo <jo@example.com>", Some("jo@example.com")),
            ("jo@example.com", Some("jo@example.com")),
            ("x@evil.example <jo@example.com>", Some("jo@example.com")),
            ("jo@example.com, sam@example.com", None),
            ("Jo", None),
        ] {
            assert_eq!(named_address(line).as_deref(), want, "{line}");
        }
    }
}
