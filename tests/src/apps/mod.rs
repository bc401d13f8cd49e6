//! Apps of the tests: a mailer, notes, a calendar, a group chat and what else a program could be made to misuse. They
//! live in memory and write down what really left, so that a test can ask the world and not the model.
//!
//! Each tool declares what a real one would: its risk, whether others write its results, what it can carry out, what
//! the approval card says, where a reply goes. Clones share one state, which outlives a crash of the engine.

mod almanac;
mod elsewhere;
mod huddle;
mod jotter;
mod postbox;
mod state;
mod tool;

pub use state::{Event, Item, Left, Mail, Note, Place};

use actors::tools::{Registry, Tool};
use protocol::tools::PluginInfo;
use state::State;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The person's own address in every app.
pub const OWN_ADDRESS: &str = "robin@home.example";

/// The apps and what happened in them.
#[derive(Clone, Default)]
pub struct TestApps(Arc<Mutex<State>>);

impl TestApps {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Each app as a person sees it, with its tools.
    pub fn apps(&self) -> Vec<(PluginInfo, Tools)> {
        let mut apps = vec![
            (app("postbox", "Postbox"), postbox::tools(self)),
            (app("jotter", "Jotter"), jotter::tools(self)),
            (app("almanac", "Almanac"), almanac::tools(self)),
            (app("huddle", "Huddle"), huddle::tools(self)),
        ];
        apps.extend(elsewhere::tools(self).into_iter().map(|(id, name, tools)| (app(id, name), tools)));
        apps
    }

    /// A registry that has these apps behind what it had.
    pub fn install(&self, registry: Registry) -> Registry {
        self.apps().into_iter().fold(registry, |registry, (app, tools)| registry.with_app(app, tools))
    }

    /// Writes each thing that leaves into this file too, a line of JSON each: for tests in another process.
    pub fn tell(&self, file: &Path) {
        self.state().told_in = Some(file.to_owned());
    }

    /// Everything that left the person's hands, in order.
    pub fn left(&self) -> Vec<Left> {
        self.state().left.clone()
    }

    /// A mail arrives (or was sent, when it is from the person). Answers its id.
    pub fn receive(&self, mail: Mail) -> String {
        self.state().add_mail(mail)
    }

    /// The person has this note. Answers its id.
    pub fn has_note(&self, title: &str, text: &str) -> String {
        self.state().add_note(title, text)
    }

    /// Somebody invites the person. Answers the event's id.
    pub fn invite(&self, event: Event) -> String {
        self.state().add_event(event)
    }

    /// Somebody writes in a group.
    pub fn says(&self, who: &str, text: &str) {
        self.state().group.push((who.into(), text.into()));
    }

    /// What is found under a web address.
    pub fn page(&self, address: &str, text: &str) {
        self.state().pages.insert(address.into(), text.into());
    }

    /// The person's address book has this entry.
    pub fn knows(&self, name: &str, address: &str) {
        self.state().contacts.push((name.into(), address.into()));
    }

    pub fn mail(&self, id: &str) -> Option<Item<Mail>> {
        self.state().mails.get(id).cloned()
    }

    pub fn note(&self, id: &str) -> Option<Item<Note>> {
        self.state().notes.get(id).cloned()
    }

    /// Addresses that were loaded, in order.
    pub fn loaded(&self) -> Vec<String> {
        self.state().loaded.clone()
    }

    /// What was remembered for good, and not only held for the person's review.
    pub fn remembered(&self) -> Vec<String> {
        self.state().remembered.clone()
    }
}

fn app(id: &str, name: &str) -> PluginInfo {
    PluginInfo {
        id: id.into(),
        display_name: name.into(),
        description: format!("{name}, an app of the tests."),
        category: "productivity".into(),
        icon: "tool".into(),
        auth: "api_key".into(),
        selection_hint: String::new(),
        tools: Vec::new(),
    }
}

/// The tools of one app.
type Tools = Vec<Arc<dyn Tool>>;
