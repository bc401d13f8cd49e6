//! A stored memory as surfaces see it, and what a new one begins with.

use protocol::Timestamp;
use protocol::ids::SessionId;
use protocol::memory::{Memory, MemoryState, MemoryStatus, MemoryType, ReviewNote, SourceLink, SourceRef};
use serde::Serialize;
use serde::de::DeserializeOwned;
use storage::records::{FactRecord, FactSource, FactState, FactStatus};

/// Places that one memory remembers it was said at. Ours: the first, and the newest of the others.
pub(super) const SOURCES_MAX: usize = 50;

/// A memory as clients see it, without its sources.
pub fn shown(fact: &FactRecord) -> Memory {
    Memory {
        id: fact.id,
        content: fact.content.clone(),
        topics: fact.topics.clone(),
        source: fact.source.clone(),
        memory_type: if fact.short_term { MemoryType::ShortTerm } else { MemoryType::LongTerm },
        created_at: fact.created_at,
        updated_at: fact.updated_at,
        expires_at: fact.expires_at,
        previous_content: fact.previous_content.clone(),
        status: status(fact.status),
        review: review_note(fact),
        scope: fact.scope.clone(),
        confidence: fact.confidence,
        state: state(fact.state),
        superseded_by: fact.superseded_by,
        reference: fact.sources.first().and_then(reference),
        sources: None,
        superseded_by_content: None,
        similarity: None,
        score: None,
    }
}

/// The same with every place it was said at.
pub(super) fn shown_with_sources(fact: &FactRecord) -> Memory {
    let link = |(place, link): (usize, &FactSource)| SourceLink {
        source: link.source.clone(),
        reference: reference(link),
        at: link.at,
        own: place == 0,
    };
    Memory { sources: Some(fact.sources.iter().enumerate().map(link).collect()), ..shown(fact) }
}

pub(super) fn status(status: FactStatus) -> MemoryStatus {
    match status {
        FactStatus::Active => MemoryStatus::Active,
        FactStatus::Pending => MemoryStatus::Pending,
        FactStatus::Merged => MemoryStatus::Merged,
    }
}

pub(super) fn state(state: FactState) -> MemoryState {
    match state {
        FactState::Current => MemoryState::Current,
        FactState::Disputed => MemoryState::Disputed,
        FactState::Superseded => MemoryState::Superseded,
    }
}

/// Where a held memory came from.
pub(super) fn review_note(fact: &FactRecord) -> Option<ReviewNote> {
    fact.review.as_deref().and_then(read)
}

/// Exactly where a memory was said.
pub(super) fn reference(link: &FactSource) -> Option<SourceRef> {
    link.reference.as_deref().and_then(read)
}

fn read<T: DeserializeOwned>(json: &str) -> Option<T> {
    serde_json::from_str(json).inspect_err(|error| tracing::error!(%error, "a memory's note cannot be read")).ok()
}

/// Our own shapes as stored text; they hold no maps, so writing them cannot fail.
pub(super) fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

/// The chat something was said in.
pub(super) fn chat_of(reference: Option<&SourceRef>) -> Option<SessionId> {
    match reference? {
        SourceRef::Message { session_id, .. } | SourceRef::Note { session_id, .. } => Some(session_id.clone()),
        SourceRef::Email(app) | SourceRef::App(app) => Some(app.session_id.clone()),
        SourceRef::File { .. } => None,
    }
}

/// The message something was said in.
pub(super) fn message_of(reference: Option<&SourceRef>) -> Option<String> {
    match reference? {
        SourceRef::Message { message_id, .. } => message_id.as_ref().map(ToString::to_string),
        _ => None,
    }
}

/// A place where a fact was said, as it is stored.
pub(super) fn link(source: &str, reference: Option<&SourceRef>, at: Timestamp) -> FactSource {
    FactSource { source: source.to_owned(), reference: reference.map(json), at, merged_from: None }
}

/// Adds places to those a memory has. Answers how many sources by name are new.
pub(super) fn add_sources(fact: &mut FactRecord, more: impl IntoIterator<Item = FactSource>) -> usize {
    let mut new = 0;
    for link in more {
        let is_known = |known: &FactSource| known.source == link.source && known.reference == link.reference;
        if fact.sources.iter().any(is_known) {
            continue;
        }
        if !fact.sources.iter().any(|known| known.source == link.source) {
            new += 1;
        }
        if fact.sources.len() >= SOURCES_MAX {
            // The first stays: it is the memory's own. One that alone stands for its source stays too.
            let spare = (1..fact.sources.len())
                .find(|at| fact.sources.iter().filter(|known| known.source == fact.sources[*at].source).count() > 1);
            fact.sources.remove(spare.unwrap_or(1));
        }
        fact.sources.push(link);
    }
    new
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_bounded_and_the_first_stays() {
        let mut fact = super::super::test_kit::fact(1, "Maya lives in Pune");
        fact.sources = vec![link("manual", None, Timestamp(0))];
        let said = |n: i64| {
            let (session_id, message_id) = ("s".into(), Some(format!("m{n}").into()));
            link("conversation", Some(&SourceRef::Message { session_id, message_id, quote: None }), Timestamp(n))
        };
        assert_eq!(add_sources(&mut fact, (1..200).map(said)), 1, "one new source by name");
        assert_eq!(add_sources(&mut fact, [said(199)]), 0, "known");
        assert_eq!((fact.sources.len(), fact.sources[0].source.as_str()), (SOURCES_MAX, "manual"));
        assert_eq!(fact.sources.last().map(|link| link.at), Some(Timestamp(199)));
        assert_eq!(add_sources(&mut fact, [link("file:a.pdf", None, Timestamp(0))]), 1);
        assert_eq!(add_sources(&mut fact, (200..300).map(said)), 0);
        assert!(fact.sources.iter().any(|link| link.source == "file:a.pdf"), "alone for its source");
    }
}
