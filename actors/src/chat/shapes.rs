//! Rows as clients see them.

use protocol::sessions::{AnswerSource, MemorySource, Message, Session};
use storage::records::{MessageRecord, SessionRecord};

/// A chat as `GET /api/sessions` lists it.
pub fn session(record: SessionRecord) -> Session {
    Session {
        id: record.id,
        title: record.title,
        channel: record.channel,
        created_at: record.created_at,
        updated_at: record.updated_at,
        untrusted: record.untrusted,
        visited_hosts: record.visited_hosts,
        incognito: record.incognito,
        model: record.model,
        memory_scope: record.memory_scope.unwrap_or_else(|| "personal".into()),
        node_id: record.node_id,
    }
}

/// A message as `GET /api/sessions/{id}/messages` lists it.
pub fn message(record: MessageRecord) -> Message {
    let memory_sources: Vec<MemorySource> = serde_json::from_str(&record.memory_sources).unwrap_or_default();
    let sources: Vec<AnswerSource> = serde_json::from_str(&record.sources).unwrap_or_default();
    Message {
        id: record.id,
        role: record.role,
        content: record.content,
        thinking: record.thinking,
        tool_calls: (!record.tool_calls.is_empty()).then_some(record.tool_calls),
        tool_call_id: record.tool_call_id,
        name: record.name,
        attachments: record.attachments,
        interjection: record.interjection,
        memory_sources,
        sources,
        approval: record.approval,
        checks: Vec::new(),
        created_at: record.created_at,
    }
}
