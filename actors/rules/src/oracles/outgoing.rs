//! Laws of what guards the way out: plain text, marks, the second look.

use crate::look_alike;
use crate::marking::MarkKey;
use crate::second_look::{Look, OutsideText, look};
use protocol::tools::Risk;
use serde_json::json;

/// Text is made plain once: doing it again changes nothing, and what is plain already stays as it is.
pub fn check_look_alike(text: &str) {
    let visible = look_alike::visible(text);
    assert_eq!(look_alike::visible(&visible), visible, "visible text stays: {text:?}");
    assert!(!visible.chars().any(look_alike::is_invisible), "something invisible is left: {text:?}");
    let folded = look_alike::folded(text);
    assert_eq!(look_alike::folded(&folded), folded, "folded text stays: {text:?}");
    if let Some(address) = look_alike::address(text) {
        assert_eq!(look_alike::address(&address).as_ref(), Some(&address), "an address stays: {text:?}");
        let read = look_alike::reads_like(&address);
        assert_eq!(look_alike::reads_like(&read), read, "what it reads like stays: {text:?}");
    }
    if text.is_ascii() && !text.chars().any(char::is_control) {
        assert_eq!(look_alike::visible(text), text, "plain text stays");
        assert_eq!(folded, text.to_lowercase(), "plain text is only made small");
    }
}

/// Plain ASCII addresses are one only when they differ in case or behind a plus sign.
pub fn check_plain_addresses(one: &str, other: &str) {
    let (Some(first), Some(second)) = (look_alike::address(one), look_alike::address(other)) else { return };
    let plain = |text: &str| {
        let text = text.trim().to_lowercase();
        let (local, domain) = text.rsplit_once('@').unwrap_or((&text, ""));
        let name = local.split_once('+').map_or(local, |(name, _)| name);
        format!("{}@{}", if name.is_empty() { local } else { name }, domain.trim_end_matches('.'))
    };
    if one.is_ascii() && other.is_ascii() && plain(one) != plain(other) {
        let apart = first != second;
        assert!(apart || one.contains(['"', '\'', ' ']), "{one} and {other} were taken for one: {first}");
    }
}

/// Both laws, for the lines of a text.
pub fn check_two_addresses(text: &str) {
    let (one, other) = text.split_once('\n').unwrap_or((text, ""));
    check_look_alike(one);
    check_look_alike(other);
    check_plain_addresses(one, other);
}

/// Inside a mark nothing looks like its beginning or its end, and marking again changes nothing.
pub fn check_mark(text: &str) {
    let key = MarkKey::new([7; 32]);
    let marked = key.mark(text, "Web");
    assert!(key.is_marked(&marked), "{marked:?}");
    assert_eq!(key.mark(&marked, "Mail"), marked, "marked twice");
    assert_eq!(marked.matches("[end of outside content ").count(), 1, "{marked:?}");
    assert_eq!(marked.matches("[outside content ").count(), 1, "{marked:?}");
    assert!(!MarkKey::new([8; 32]).is_marked(&marked), "another engine's mark");
}

/// What the person gave word for word is never questioned, whoever else wrote it too; and nothing panics.
pub fn check_second_look(text: &str) {
    let arguments = json!({ "to": text, "cc": [text], "amount": text, "body": text });
    let theirs = json!({ "from": "Jo <jo@example.com>", "subject": "x", "body": text }).to_string();
    let outside = [OutsideText { source: "Mail", text: &theirs, is_result: true }];
    let call =
        Look { tool: "mail_send", arguments: Some(&arguments), risk: Risk::Send, outside: &outside, ..Look::default() };
    drop(look(&call));
    // JSON in a text is read as arguments, and its escapes make words the person did not write.
    if text.contains('\\') || text.trim_start().starts_with(['{', '[']) {
        return;
    }
    let given = look(&Look { words: &[text], ..call });
    assert_eq!(given, None, "the person gave it: {text:?}");
}
