//! What the apps of the tests hold.

use serde_json::json;
use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::PathBuf;

/// A mail.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mail {
    pub from: String,
    /// Where its writer asks replies to go; empty when nowhere else.
    pub reply_to: String,
    pub to: Vec<String>,
    pub cc: Vec<String>,
    pub subject: String,
    pub body: String,
    /// Name and text.
    pub attachment: Option<(String, String)>,
}

impl Mail {
    pub fn new(from: &str, subject: &str, body: &str) -> Self {
        let to = vec![super::OWN_ADDRESS.into()];
        Self { from: from.into(), to, subject: subject.into(), body: body.into(), ..Self::default() }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    pub title: String,
    pub text: String,
}

/// An entry of the calendar.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Event {
    pub title: String,
    pub organizer: String,
    pub description: String,
    pub guests: Vec<String>,
}

/// Where a thing is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    Here,
    Draft,
    Trash,
}

/// A thing and where it is. What is deleted for good is gone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item<T> {
    pub thing: T,
    pub place: Place,
}

/// Something that left: the tool that did it, whom it went to, all that went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Left {
    pub tool: &'static str,
    pub to: Vec<String>,
    pub text: String,
}

#[derive(Default)]
pub(super) struct State {
    pub(super) mails: BTreeMap<String, Item<Mail>>,
    pub(super) notes: BTreeMap<String, Item<Note>>,
    pub(super) events: BTreeMap<String, Item<Event>>,
    pub(super) group: Vec<(String, String)>,
    pub(super) pages: BTreeMap<String, String>,
    pub(super) contacts: Vec<(String, String)>,
    pub(super) left: Vec<Left>,
    pub(super) loaded: Vec<String>,
    pub(super) remembered: Vec<String>,
    pub(super) held: Vec<String>,
    pub(super) told_in: Option<PathBuf>,
}

impl State {
    pub(super) fn add_mail(&mut self, mail: Mail) -> String {
        let id = format!("m{}", self.mails.len() + 1);
        self.mails.insert(id.clone(), Item { thing: mail, place: Place::Here });
        id
    }

    pub(super) fn add_note(&mut self, title: &str, text: &str) -> String {
        let id = format!("n{}", self.notes.len() + 1);
        let thing = Note { title: title.into(), text: text.into() };
        self.notes.insert(id.clone(), Item { thing, place: Place::Here });
        id
    }

    pub(super) fn add_event(&mut self, event: Event) -> String {
        let id = format!("e{}", self.events.len() + 1);
        self.events.insert(id.clone(), Item { thing: event, place: Place::Here });
        id
    }

    pub(super) fn leaves(&mut self, tool: &'static str, to: Vec<String>, text: String) {
        if let Some(file) = &self.told_in {
            let line = json!({ "tool": tool, "to": to, "text": text });
            let told =
                OpenOptions::new().create(true).append(true).open(file).and_then(|mut file| writeln!(file, "{line}"));
            told.expect("the test's own folder can be written");
        }
        self.left.push(Left { tool, to, text });
    }
}
