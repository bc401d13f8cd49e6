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

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::Timestamp;
    use protocol::sessions::AnswerSource;
    use storage::records::{SessionRecord, TitleSource};

    fn said(own: &[&str], untrusted: Option<&str>, read: Vec<AnswerSource>) -> Said {
        let chat = SessionRecord {
            id: "s".into(),
            title: "s".into(),
            title_source: TitleSource::FirstWords,
            channel: "telegram".into(),
            created_at: Timestamp(1),
            updated_at: Timestamp(1),
            untrusted: untrusted.map(str::to_owned),
            visited_hosts: None,
            incognito: false,
            model: None,
            memory_scope: None,
            node_id: None,
            next_ordinal: 4,
            summary: None,
            allowances: Vec::new(),
        };
        let own = own.iter().enumerate().map(|(nth, text)| (format!("m{nth}").into(), (*text).to_owned()));
        Said {
            chat,
            own: own.collect(),
            others: Vec::new(),
            before: Vec::new(),
            recalled: Vec::new(),
            read,
            scope: "work".into(),
            source: "channel:telegram".into(),
        }
    }

    fn excerpt(app: &str, snippet: &str) -> AnswerSource {
        AnswerSource {
            kind: AnswerSourceKind::Email,
            title: "Invoice".into(),
            app: app.into(),
            snippet: Some(snippet.into()),
            ..AnswerSource::default()
        }
    }

    #[test]
    fn rule_233_a_clean_chats_fact_points_at_its_message() {
        let new = new_fact(
            "Maya lives in Pune",
            &said(&["Hello.", "I live in Pune now."], None, Vec::new()),
            FoundIn::Turn,
            "Maya",
        );
        assert_eq!((new.source.as_str(), new.scope.as_str(), new.hold), ("channel:telegram", "work", None));
        let Some(SourceRef::Message { message_id, quote, .. }) = new.reference else { panic!("no message") };
        assert_eq!((message_id, quote.as_deref()), (Some("m1".into()), Some("I live in Pune now.")));
    }

    #[test]
    fn rule_233_what_an_app_said_is_that_apps() {
        let read = vec![
            excerpt("outlook", "Lunch on Friday"),
            excerpt("gmail", "माया को Acme को 40 euros देने हैं, invoice of Acme"),
        ];
        let marked = said(&["what is in my invoice mail?"], Some("Gmail"), read);
        let new = new_fact("Maya owes Acme 40 euros", &marked, FoundIn::Turn, "Maya");
        assert_eq!(new.source, "app:gmail", "the excerpt that says it");
        assert!(new.linked.is_empty() && new.hold.as_ref().is_some_and(|note| note.from == "Gmail"), "{new:?}");
        let other = new_fact("Maya plans a party", &marked, FoundIn::Turn, "Maya");
        let linked: Vec<&str> = other.linked.iter().map(|link| link.source.as_str()).collect();
        assert_eq!((other.source.as_str(), linked), ("app:outlook", vec!["app:gmail"]), "every app that was read");
        let own = new_fact(
            "Maya has an invoice",
            &said(&["I have an invoice"], Some("Gmail"), vec![excerpt("gmail", "x")]),
            FoundIn::Turn,
            "Maya",
        );
        assert_eq!(own.source, "channel:telegram", "the person's own words back it");
        let older = new_fact(
            "Maya has an invoice",
            &said(&["I have an invoice"], Some("Gmail"), Vec::new()),
            FoundIn::Older,
            "Maya",
        );
        assert!(older.said.is_empty() && older.hold.is_some(), "compression takes nothing out of review");
    }
}
