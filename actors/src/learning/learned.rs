//! From a fact that a model found to a memory: where it was said, which source it has, and whether it waits for review.

use super::said::Said;
use crate::memory::{NewFact, SaveOrigin};
use protocol::memory::{AppRef, SourceRef};
use protocol::sessions::AnswerSourceKind;
use rules::memory::{grounded, review, talk};
use std::collections::BTreeSet;
use storage::records::FactSource;

/// Whose words a fact was found in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FoundIn {
    /// The person's, in this turn: their own words may take a fact out of review.
    Turn,
    /// Older messages that are compressed: nothing takes a fact out of review.
    Older,
    /// Another program's.
    Program,
}

/// The memory a found fact becomes.
pub(super) fn new_fact(content: &str, said: &Said, found_in: FoundIn, owner: &str) -> NewFact {
    let (message, quote) = place(content, said, found_in);
    let mut new = NewFact::new(content, said.source.clone(), SaveOrigin::Chat);
    new.scope.clone_from(&said.scope);
    new.reference =
        Some(SourceRef::Message { session_id: said.chat.id.clone(), message_id: message, quote: quote.clone() });
    if found_in == FoundIn::Turn {
        new.said = said.words();
    }
    let program = said.others.first().map(|(from, _, _)| from.as_str()).filter(|_| found_in == FoundIn::Program);
    let from = program.or(said.marked());
    let Some(from) = from else { return new };
    new.hold = Some(review::note(from, quote.as_deref(), Some(&said.chat.id)));
    let is_backed = found_in == FoundIn::Turn && grounded::by(content, &new.said, owner);
    if let (false, (Some(first), rest)) = (is_backed, apps(content, said, owner)) {
        if let (None, SourceRef::Email(read) | SourceRef::App(read)) = (&quote, &first.reference) {
            new.hold = Some(review::note(from, Some(&read.quote), Some(&said.chat.id)));
        }
        // It is the app's and not the chat's.
        (new.source, new.reference) = (first.source, Some(first.reference));
        let link = |app: App| FactSource {
            source: app.source,
            reference: serde_json::to_string(&app.reference).ok(),
            at: said.chat.updated_at,
            merged_from: None,
        };
        new.linked = rest.into_iter().map(link).collect();
    }
    new
}

/// The message that says it, and the sentence.
fn place(content: &str, said: &Said, found_in: FoundIn) -> (Option<protocol::ids::MessageId>, Option<String>) {
    let messages: Vec<(&protocol::ids::MessageId, &str)> = match found_in {
        FoundIn::Program => said.others.iter().map(|(_, id, text)| (id, text.as_str())).collect(),
        FoundIn::Turn | FoundIn::Older => said.own.iter().map(|(id, text)| (id, text.as_str())).collect(),
    };
    let texts: Vec<&str> = messages.iter().map(|(_, text)| *text).collect();
    match talk::said_where(content, &texts) {
        Some((nth, sentence)) => (Some(messages[nth].0.clone()), Some(sentence.to_owned())),
        None => (None, None),
    }
}

/// An app the chat read, as a source.
struct App {
    source: String,
    reference: SourceRef,
}

/// The apps whose excerpts say a fact, else every app the chat read; the first one, and the others.
fn apps(content: &str, said: &Said, owner: &str) -> (Option<App>, Vec<App>) {
    let of_apps = || said.read.iter().filter(|source| source.kind != AnswerSourceKind::File && !source.app.is_empty());
    let says = |source: &&protocol::sessions::AnswerSource| {
        source.snippet.as_deref().is_some_and(|snippet| talk::read_says(snippet, content, owner))
    };
    let mut found: Vec<&protocol::sessions::AnswerSource> = of_apps().filter(says).collect();
    if found.is_empty() {
        found = of_apps().collect();
    }
    let mut seen = BTreeSet::new();
    let mut apps = found.into_iter().filter(|source| seen.insert(source.app.clone())).map(|source| {
        let quote = source.snippet.clone().unwrap_or_default();
        let reference = AppRef {
            app: source.app.clone(),
            id: source.id.clone(),
            title: source.title.clone(),
            url: source.url.clone(),
            session_id: said.chat.id.clone(),
            quote,
        };
        let reference = match source.kind {
            AnswerSourceKind::Email => SourceRef::Email(reference),
            _ => SourceRef::App(reference),
        };
        App { source: format!("app:{}", source.app), reference }
    });
    (apps.next(), apps.collect())
}
