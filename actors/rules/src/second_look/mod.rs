//! A second look at what is about to go out: whom it reaches, which amounts and links it has, where a reply goes,
//! compared with what the person gave (contract section 10, "Second look", ADR 0024 and 0031).
//!
//! It only ever adds a question. Nothing it finds lowers a risk or skips another check, and it never reads a model's
//! word for anything: what is compared is found by code.

pub mod addresses;
pub mod amounts;
mod currencies;
pub mod links;
mod names;
mod number_words;
pub mod places;
pub mod question;
#[cfg(test)]
mod tests;
mod warning;

pub use places::OutsideText;
pub use warning::{COULD_NOT_CHECK, DESTINATION_UNREADABLE, from_model};

use crate::look_alike;
use addresses::Reach;
use names::Names;
use places::{Found, Place, read_places};
use protocol::tools::{Destination, DestinationWhy, Risk};
use serde_json::Value;
use std::collections::BTreeSet;

/// Values of one call that are looked at. Ours; a call with more is asked about.
pub const VALUES_MAX: usize = 20_000;

/// What a call is compared with.
#[derive(Clone, Debug, Default)]
pub struct Look<'a> {
    pub tool: &'a str,
    pub arguments: Option<&'a Value>,
    /// The effective risk.
    pub risk: Risk,
    /// What the person wrote or said, oldest first: their messages, a task's brief. Never what is attached or quoted.
    pub words: &'a [&'a str],
    /// The person's own name.
    pub own_name: &'a str,
    /// Records that count like the person's word: results that bring no outside content, the address book, memories.
    pub trusted: &'a [Trusted<'a>],
    /// What others wrote.
    pub outside: &'a [OutsideText<'a>],
    /// Where a reply goes; `Some(None)` when that could not be read.
    pub destinations: Option<Option<&'a [Destination]>>,
}

/// A record that counts like the person's word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trusted<'a> {
    pub text: &'a str,
    /// It was read after outside content. What others had put forward by then it cannot vouch for: a file or an entry
    /// written on their word and read back would make their address the person's.
    pub is_later: bool,
}

/// Looks without a model. The sentence says what is odd, if something is. Code that runs (`exec`) is not looked into.
pub fn look(look: &Look<'_>) -> Option<String> {
    if look.risk == Risk::Exec {
        return None;
    }
    let nothing = Value::Null;
    let mut parts = Parts { left: VALUES_MAX, ..Parts::default() };
    parts.read(look.arguments.unwrap_or(&nothing), Field::Other);
    if parts.left == 0 {
        return Some(COULD_NOT_CHECK.to_owned());
    }
    let known = Known::of(look);
    known
        .recipients(look, &parts.reached)
        .or_else(|| known.destinations(look))
        .or_else(|| parts.amounts.iter().find(|amount| !known.amounts.has(amount)).map(warning::amount))
        .or_else(|| links(look, &parts))
}

/// Whether a model is asked too, when code has found nothing (contract section 10).
pub fn asks_model(tool_is_internal: bool, risk: Risk, would_run: bool, read_outside: bool) -> bool {
    risk >= Risk::Send && !tool_is_internal && (would_run || read_outside)
}

/// What kind of value an argument's name announces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Field {
    Recipient,
    Amount,
    Other,
}

/// What was found in a call's arguments.
#[derive(Debug, Default)]
struct Parts<'a> {
    reached: Vec<Reach>,
    amounts: Vec<amounts::Amount>,
    texts: Vec<&'a str>,
    left: usize,
}

impl<'a> Parts<'a> {
    fn read(&mut self, value: &'a Value, field: Field) {
        if self.left == 0 {
            return;
        }
        self.left -= 1;
        match value {
            Value::String(text) => self.text(text, field),
            Value::Number(number) if field == Field::Amount => {
                self.amounts.extend(amounts::in_field(&number.to_string()))
            }
            Value::Number(number) if field == Field::Recipient => {
                self.reached.extend(addresses::reached(&number.to_string()))
            }
            Value::Array(list) => list.iter().for_each(|item| self.read(item, field)),
            Value::Object(object) => {
                for (key, item) in object {
                    self.read(item, field_of(key, field));
                }
            }
            _ => (),
        }
    }

    fn text(&mut self, text: &'a str, field: Field) {
        if text.chars().count() > look_alike::TEXT_CHARS_MAX {
            self.left = 0; // what lies behind the limit is looked at by nobody
            return;
        }
        match field {
            Field::Recipient => self.reached.extend(addresses::reached(text)),
            Field::Amount => self.amounts.extend(amounts::in_field(text)),
            Field::Other => self.amounts.extend(amounts::in_text(text)),
        }
        // A tool that runs other tools carries their arguments as JSON in a text.
        let inner = text.trim_start();
        if inner.starts_with(['{', '['])
            && let Ok(value) = serde_json::from_str::<Value>(inner)
        {
            let mut inner = Parts { left: self.left, ..Parts::default() };
            inner.read(&value, field);
            self.left = inner.left;
            self.reached.append(&mut inner.reached);
            self.amounts.append(&mut inner.amounts);
        }
        self.texts.push(text);
        if self.reached.len() >= addresses::ADDRESSES_MAX || self.amounts.len() >= amounts::AMOUNTS_MAX {
            self.left = 0;
        }
    }
}

fn field_of(key: &str, outer: Field) -> Field {
    if addresses::is_recipient_key(key) {
        Field::Recipient
    } else if amounts::is_amount_key(key) {
        Field::Amount
    } else {
        outer
    }
}

/// What the person gave and what others put forward.
struct Known {
    addresses: addresses::Given,
    /// From records that were read after outside content.
    later: addresses::Given,
    amounts: amounts::Given,
    names: Names,
    found: Vec<Found>,
}

impl Known {
    fn of(look: &Look<'_>) -> Self {
        let (mut given, mut amounts, mut names) =
            (addresses::Given::default(), amounts::Given::default(), Names::default());
        let mut later = addresses::Given::default();
        for words in look.words {
            given.read(words);
            amounts.read(words);
        }
        for record in look.trusted {
            if record.is_later {
                later.read(record.text)
            } else {
                given.read(record.text)
            };
            amounts.read(record.text);
        }
        // The newest words say best who was asked for.
        look.words.iter().rev().for_each(|words| names.read(words));
        names.own(look.own_name);
        Self { addresses: given, later, amounts, names, found: read_places(look.outside) }
    }

    fn recipients(&self, look: &Look<'_>, reached: &[Reach]) -> Option<String> {
        reached.iter().find_map(|reach| self.recipient(look, reach))
    }

    /// What is odd about one recipient, if something is.
    fn recipient(&self, look: &Look<'_>, reach: &Reach) -> Option<String> {
        if self.addresses.has(reach) {
            return None;
        }
        let origin = self.origin(look, reach);
        if origin.is_none() && self.later.has(reach) {
            return None;
        }
        if let Reach::Mail(address) = reach {
            // A name never vouches for an address that others have put forward, nor for an imitation.
            let put_forward = origin.as_ref().is_some_and(|found| found.place != Place::Sender);
            let imitated = self.imitated(address);
            if !put_forward && imitated.is_none() && self.names.carried_by(address) {
                return None;
            }
            return Some(warning::recipient(look.tool, self.names.asked(), reach, origin, imitated.as_deref()));
        }
        Some(warning::recipient(look.tool, self.names.asked(), reach, origin, None))
    }

    /// The given address this one only looks like.
    fn imitated(&self, address: &str) -> Option<String> {
        let reads = look_alike::reads_like(address);
        let mut given = self.addresses.mails();
        given.find(|known| *known != address && look_alike::reads_like(known) == reads).map(str::to_owned)
    }

    /// Where outside content has it; a text before a sender, since anybody can write a text.
    fn origin(&self, look: &Look<'_>, reach: &Reach) -> Option<Found> {
        match reach {
            Reach::Mail(address) => {
                let mut found: Vec<&Found> = self.found.iter().filter(|found| found.address == *address).collect();
                found.sort_by_key(|found| found.place == Place::Sender);
                found.first().map(|found| (*found).clone())
            }
            Reach::Phone(phone) => {
                let text = look.outside.iter().find(|outside| {
                    addresses::phones(outside.text).iter().any(|known| addresses::same_phone(known, phone))
                })?;
                let source = text.source.to_owned();
                Some(Found { address: phone.clone(), place: Place::Text { from: None }, source })
            }
        }
    }

    fn destinations(&self, look: &Look<'_>) -> Option<String> {
        let Some(destinations) = look.destinations? else { return Some(DESTINATION_UNREADABLE.to_owned()) };
        destinations.iter().find_map(|destination| self.destination(look, destination))
    }

    /// What is odd about one place a reply goes to, if something is.
    fn destination(&self, look: &Look<'_>, destination: &Destination) -> Option<String> {
        let Some(address) = look_alike::address(&destination.address) else {
            return Some(DESTINATION_UNREADABLE.to_owned());
        };
        let reach = Reach::Mail(address.clone());
        match destination.why {
            _ if self.addresses.has(&reach) => None,
            // The person's own message is followed up: they chose who got it.
            DestinationWhy::Yours => None,
            DestinationWhy::ReplyTo if !same_domain(&address, &destination.sender) => {
                Some(warning::elsewhere(&address, &destination.sender))
            }
            // "Answer Arjun" and the message is somebody else's; "answer the last email" names nobody.
            DestinationWhy::Sender | DestinationWhy::ReplyTo => {
                let fits = self.names.asked().is_none() || self.names.carried_by(&address);
                if fits { None } else { self.recipient(look, &reach) }
            }
            DestinationWhy::Thread if look.words.iter().any(|words| asks_for_all(words)) => None,
            DestinationWhy::Thread => self.recipient(look, &reach),
        }
    }
}

fn same_domain(address: &str, sender: &str) -> bool {
    let domain = |address: &str| {
        look_alike::address(address).and_then(|address| address.rsplit_once('@').map(|(_, domain)| domain.to_owned()))
    };
    domain(address).is_some_and(|of| domain(sender) == Some(of))
}

/// Whether the person asked to answer everybody.
fn asks_for_all(words: &str) -> bool {
    const SAYS: [&str; 7] =
        ["reply all", "reply-all", "reply to all", "everyone", "everybody", "answer all", "all of them"];
    let words = look_alike::visible(words).to_lowercase();
    SAYS.iter().any(|says| words.contains(says))
}

/// A link in the call that others put forward and the person did not.
fn links(look: &Look<'_>, parts: &Parts<'_>) -> Option<String> {
    if look.outside.is_empty() {
        return None;
    }
    let earlier = look.trusted.iter().filter(|record| !record.is_later).map(|record| record.text);
    let named: BTreeSet<String> = look.words.iter().copied().chain(earlier).flat_map(links::named_hosts).collect();
    let theirs: Vec<(&str, BTreeSet<String>)> =
        look.outside.iter().map(|outside| (outside.source, links::hosts(outside.text))).collect();
    let hosts: BTreeSet<String> = parts.texts.iter().flat_map(|text| links::hosts(text)).collect();
    if hosts.len() >= links::LINKS_MAX {
        return Some(COULD_NOT_CHECK.to_owned());
    }
    hosts.iter().filter(|host| !links::names_host(&named, host)).find_map(|host| {
        let (source, _) = theirs.iter().find(|(_, theirs)| links::names_host(theirs, host))?;
        Some(warning::link(host, source))
    })
}

/// The words of an argument's name: `recipient_email`, `shareWith` and `BCC` are told apart. A longer name is no name.
fn key_words(key: &str) -> Vec<String> {
    const KEY_CHARS_MAX: usize = 100;
    crate::tool_words::words(&key.chars().take(KEY_CHARS_MAX).collect::<String>())
}
