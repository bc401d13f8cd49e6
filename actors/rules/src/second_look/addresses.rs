//! Mail addresses and phone numbers in texts and arguments.

use crate::look_alike::{address, visible};
use std::collections::BTreeSet;

/// Addresses of one text that are looked at. Ours.
pub const ADDRESSES_MAX: usize = 5_000;
/// Digits of a phone number (E.164: at most 15; shorter than 7 it is something else).
const PHONE_DIGITS: std::ops::RangeInclusive<usize> = 7..=15;
/// Last digits by which a number with and without its country is the same.
const PHONE_TAIL: usize = 8;

/// Somebody a call would reach.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reach {
    /// One spelling of a mail address (`look_alike::address`).
    Mail(String),
    /// The digits of a phone number.
    Phone(String),
}

impl Reach {
    /// As it is shown in a sentence.
    pub fn shown(&self) -> String {
        match self {
            Self::Mail(address) => address.clone(),
            Self::Phone(digits) => digits.clone(),
        }
    }
}

/// Addresses and numbers somebody gave.
#[derive(Clone, Debug, Default)]
pub struct Given {
    mails: BTreeSet<String>,
    phones: Vec<String>,
}

impl Given {
    pub fn read(&mut self, text: &str) {
        self.mails.extend(mails(text));
        self.phones.extend(phones(text));
    }

    pub fn has(&self, reach: &Reach) -> bool {
        match reach {
            Reach::Mail(mail) => self.mails.contains(mail),
            Reach::Phone(phone) => self.phones.iter().any(|known| same_phone(known, phone)),
        }
    }

    pub fn mails(&self) -> impl Iterator<Item = &str> {
        self.mails.iter().map(String::as_str)
    }
}

/// Whether two numbers reach the same phone: equal, or one of them without its country and trunk prefix.
pub fn same_phone(one: &str, other: &str) -> bool {
    let (one, other) = (one.trim_start_matches('0'), other.trim_start_matches('0'));
    let (short, long) = if one.len() <= other.len() { (one, other) } else { (other, one) };
    one == other || (short.len() >= PHONE_TAIL && long.ends_with(short))
}

/// Every mail address in a text, each in its one spelling, in order.
pub fn mails(text: &str) -> Vec<String> {
    let text: Vec<char> = said_aloud(&visible(text).replace("%40", "@")).chars().collect();
    let mut found = Vec::new();
    for (at, _) in text.iter().enumerate().filter(|(_, c)| **c == '@') {
        let local = local_before(&text, at);
        let domain: String = text[at + 1..].iter().take(253).take_while(|c| is_domain(**c)).collect();
        let domain = domain.trim_end_matches(['.', '-', '\u{3002}']);
        let found_one = address(&format!("{local}@{domain}"));
        found.extend(found_one.filter(|one| !found.contains(one)));
        if found.len() >= ADDRESSES_MAX {
            break;
        }
    }
    found
}

fn local_before(text: &[char], at: usize) -> String {
    let start = at.saturating_sub(64);
    if at > 0 && text[at - 1] == '"' {
        // `"a b"@example.com`: everything back to the other quote.
        let open = text[start..at - 1].iter().rposition(|c| *c == '"').map_or(at - 1, |found| start + found + 1);
        return text[open..at - 1].iter().collect::<String>().replace(' ', "");
    }
    let back = text[start..at].iter().rev().take_while(|c| is_local(**c)).count();
    let local: String = text[at - back..at].iter().collect();
    local.trim_start_matches(['.', '-', '\'']).to_owned()
}

fn is_local(c: char) -> bool {
    c.is_alphanumeric() || unicode_normalization::char::is_combining_mark(c) || "._%+-'!#$*~".contains(c)
}

fn is_domain(c: char) -> bool {
    c.is_alphanumeric() || unicode_normalization::char::is_combining_mark(c) || matches!(c, '.' | '-' | '\u{3002}')
}

/// Addresses as people say them or hide them: `sam at example dot com`, `sam [at] example [dot] com`.
fn said_aloud(text: &str) -> String {
    let words: Vec<&str> = text.split(' ').collect();
    let is =
        |word: &str, want: &str| word.trim_matches(['[', ']', '(', ')', '{', '}', '<', '>']).eq_ignore_ascii_case(want);
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    while at < words.len() {
        let says_at = words.get(at + 1).is_some_and(|word| is(word, "at"));
        let dot = words.get(at + 3).is_some_and(|word| is(word, "dot"));
        let dotted = words.get(at + 2).is_some_and(|word| word.contains('.'))
            && words.get(at + 1).is_some_and(|word| word.starts_with(['[', '(', '{']));
        if says_at && (dot || dotted) && at + 2 < words.len() {
            out.push_str(words[at]);
            out.push('@');
            out.push_str(words[at + 2]);
            at += 3;
            while at + 1 < words.len() && is(words[at], "dot") {
                out.push('.');
                out.push_str(words[at + 1]);
                at += 2;
            }
        } else {
            out.push_str(words[at]);
            at += 1;
        }
        if at < words.len() {
            out.push(' ');
        }
    }
    out
}

/// Every phone number in a text, as digits.
pub fn phones(text: &str) -> Vec<String> {
    let text = visible(text);
    let mut found = Vec::new();
    let mut run = String::new();
    for c in text.chars().chain(['\n']) {
        let goes_on = c.is_numeric() || matches!(c, '+' | ' ' | '-' | '(' | ')' | '.' | '/');
        if goes_on {
            run.push(c);
            continue;
        }
        let digits: String =
            run.chars().filter_map(|c| c.to_digit(10)).filter_map(|value| char::from_digit(value, 10)).collect();
        if PHONE_DIGITS.contains(&digits.len()) && found.len() < ADDRESSES_MAX {
            found.push(digits);
        }
        run.clear();
    }
    found
}

/// Whether an argument's name says that it holds whom the call reaches.
pub fn is_recipient_key(key: &str) -> bool {
    const NAMES: [&str; 38] = [
        "to",
        "cc",
        "bcc",
        "recipient",
        "recipients",
        "attendee",
        "attendees",
        "guest",
        "guests",
        "phone",
        "phones",
        "invitee",
        "invitees",
        "participant",
        "participants",
        "member",
        "members",
        "email",
        "emails",
        "mailto",
        "collaborator",
        "collaborators",
        "receiver",
        "receivers",
        "payee",
        "with",
        "rcpt",
        "addressee",
        "addressees",
        "destination",
        "destinations",
        "invite",
        "invites",
        "assignee",
        "assignees",
        "viewers",
        "editors",
        "whom",
    ];
    super::key_words(key).iter().any(|word| NAMES.contains(&word.as_str()))
}

/// Everybody a text in such an argument reaches.
pub fn reached(text: &str) -> Vec<Reach> {
    let mails = mails(text);
    if mails.is_empty() {
        return phones(text).into_iter().map(Reach::Phone).collect();
    }
    mails.into_iter().map(Reach::Mail).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mail_addresses_in_texts() {
        for (text, want) in [
            ("write to Jo <jo@example.com>, please.", &["jo@example.com"][..]),
            ("jo@example.com;sam@example.org", &["jo@example.com", "sam@example.org"]),
            ("mailto:x@evil.example?cc=y@evil.example", &["x@evil.example", "y@evil.example"]),
            ("x%40evil.example", &["x@evil.example"]),
            ("x＠evil。example", &["x@evil.example"]),
            ("x@ev\u{200b}il.example", &["x@evil.example"]),
            ("sam at example dot com", &["sam@example.com"]),
            ("sam [at] example [dot] co [dot] uk", &["sam@example.co.uk"]),
            ("sam (at) example.com", &["sam@example.com"]),
            ("\"a b\"@example.com", &["ab@example.com"]),
            ("Jo+shop@Example.com", &["jo@example.com"]),
            ("look at example dot", &[]),
            ("meet at five", &[]),
            ("राम@उदाहरण.भारत", &["राम@xn--p1b6ci4b4b3a.xn--h2brj9c"]),
            ("@handle and 3@4", &[]),
        ] {
            assert_eq!(mails(text), want, "{text}");
        }
    }

    #[test]
    fn phone_numbers() {
        assert_eq!(phones("call +1 (415) 555-0101 or 020 7946 0018"), ["14155550101", "02079460018"]);
        assert_eq!(phones("at 5, on 12.3., 12345"), Vec::<String>::new());
        for (one, other, want) in [
            ("14155550101", "4155550101", true),
            ("00442079460018", "02079460018", true),
            ("14155550101", "14155550102", false),
            ("5550101", "14155550101", false),
        ] {
            assert_eq!(same_phone(one, other), want, "{one} {other}");
        }
    }

    #[test]
    fn arguments_that_name_whom_a_call_reaches() {
        for (key, want) in [
            ("to", true),
            ("recipient_email", true),
            ("shareWith", true),
            ("phone_number", true),
            ("total", false),
            ("body", false),
            ("tomorrow", false),
            ("BCC", true),
            ("CCList", true),
            ("rcptTo", true),
            ("invites", true),
            ("editors", true),
        ] {
            assert_eq!(is_recipient_key(key), want, "{key}");
        }
    }
}
