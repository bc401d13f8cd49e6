//! For tests: rows, and a memory at work over a store in memory.

use protocol::Timestamp;
use storage::records::{FactRecord, FactState, FactStatus, SessionRecord, TitleSource};

/// A memory in use.
pub(super) fn fact(id: u64, content: &str) -> FactRecord {
    FactRecord {
        id,
        content: content.into(),
        topics: vec!["Miscellaneous".into()],
        source: "manual".into(),
        short_term: false,
        expires_at: None,
        status: FactStatus::Active,
        scope: "personal".into(),
        confidence: 1.0,
        state: FactState::Current,
        superseded_by: None,
        superseded_at: None,
        merged_into: None,
        merged_at: None,
        previous_content: None,
        review: None,
        sources: Vec::new(),
        recall_count: 0,
        last_recalled_at: None,
        created_at: Timestamp(0),
        updated_at: Timestamp(0),
    }
}

/// A chat in the window.
pub(super) fn session(id: &str) -> SessionRecord {
    SessionRecord {
        id: id.into(),
        title: String::new(),
        title_source: TitleSource::FirstWords,
        channel: "desktop".into(),
        created_at: Timestamp(0),
        updated_at: Timestamp(0),
        untrusted: None,
        visited_hosts: None,
        incognito: false,
        model: None,
        memory_scope: None,
        node_id: None,
        next_ordinal: 0,
        summary: None,
        allowances: Vec::new(),
    }
}
