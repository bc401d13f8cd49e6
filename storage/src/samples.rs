//! Rows for tests.

use crate::records::{FactRecord, FactState, FactStatus, MessageRecord, NewEvent, SessionRecord, TitleSource};
use protocol::Timestamp;
use protocol::sessions::MessageRole;

pub(crate) fn session(id: &str, updated_at: i64) -> SessionRecord {
    SessionRecord {
        id: id.into(),
        title: format!("Chat {id}"),
        title_source: TitleSource::FirstWords,
        channel: "desktop".into(),
        created_at: Timestamp(1),
        updated_at: Timestamp(updated_at),
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

/// Message `<chat>-<ordinal>`.
pub(crate) fn message(session: &str, ordinal: u64, content: &str) -> MessageRecord {
    MessageRecord {
        session_id: session.into(),
        ordinal,
        id: format!("{session}-{ordinal}").into(),
        turn_id: None,
        role: MessageRole::User,
        content: content.into(),
        thinking: None,
        tool_calls: Vec::new(),
        tool_call_id: None,
        name: None,
        attachments: Vec::new(),
        interjection: false,
        is_error: false,
        memory_sources: "[]".into(),
        sources: "[]".into(),
        approval: None,
        outside_source: String::new(),
        created_at: Timestamp(1_000 + i64::try_from(ordinal).unwrap_or(i64::MAX)),
    }
}

pub(crate) fn event(kind: &str) -> NewEvent {
    NewEvent { at: Timestamp(7), kind: kind.into(), data: "{}".into() }
}

/// An active memory.
pub(crate) fn fact(id: u64, content: &str) -> FactRecord {
    FactRecord {
        id,
        content: content.into(),
        topics: vec!["Miscellaneous".into()],
        source: "conversation".into(),
        short_term: false,
        expires_at: None,
        status: FactStatus::Active,
        scope: "personal".into(),
        confidence: 0.9,
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
        created_at: Timestamp(1),
        updated_at: Timestamp(1),
    }
}
