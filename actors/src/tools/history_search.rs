//! `memory_search_history`: finds what was said in past chats by its words. What others wrote in them marks the chat that
//! reads it now.

use super::arguments::{needed, outcome, whole};
use super::memory_app::{memories, spec};
use super::{Tool, ToolCtx};
use futures::future::{BoxFuture, FutureExt};
use protocol::sessions::MessageRole;
use protocol::tools::{Risk, ToolOutcome, ToolSpec};
use serde_json::{Value, json};
use std::sync::Arc;
use storage::records::{MessageRecord, SessionRecord};
use storage::{MessageIndex, Snapshot, Store};

/// Messages of one answer. Ours.
const LIMIT_MAX: u64 = 50;
/// Characters of one message (contract, tools.tsv).
const TEXT_CHARS_MAX: usize = 500;

pub(super) struct MemorySearchHistory;

impl Tool for MemorySearchHistory {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            description: "Finds messages of past chats by their words: first those with all of them, then those with \
                          any. Use few, telling words.",
            parameters: json!({
                "type": "object",
                "properties": {
                    "query": { "type": "string", "description": "Words to look for, at most 12 count.", "maxLength": 500 },
                    "limit": { "type": "integer", "description": "How many at most.", "default": 8, "minimum": 1, "maximum": LIMIT_MAX }
                },
                "required": ["query"],
                "additionalProperties": false
            }),
            ..spec("memory_search_history", Risk::Read)
        }
    }

    fn outside_source(&self, _: &Value, result: &Value) -> Option<String> {
        let rows = result.as_array()?;
        rows.iter().find_map(|row| row["from"].as_str()).map(str::to_owned)
    }

    fn run(&self, arguments: Value, ctx: ToolCtx) -> BoxFuture<'static, ToolOutcome> {
        async move {
            let asked = needed(&arguments, "query").and_then(|query| Ok((query, memories(&ctx)?)));
            let (query, memories) = match asked {
                Ok(asked) => asked,
                Err(refused) => return refused,
            };
            let limit = usize::try_from(whole(&arguments, "limit", 8, (1, LIMIT_MAX))).unwrap_or(usize::MAX);
            let (store, index) = (memories.store().clone(), memories.messages.clone());
            outcome(blocking(move || search(&store, &index, &ctx, (&query, limit))).await)
        }
        .boxed()
    }
}

/// Looks through the store on a thread for that.
pub(super) async fn blocking(
    look: impl FnOnce() -> Result<Value, protocol::Error> + Send + 'static,
) -> Result<Value, ToolOutcome> {
    let done = tokio::task::spawn_blocking(look).await;
    let failed = |why: String| ToolOutcome::error(why);
    done.map_err(|cause| failed(cause.to_string()))?.map_err(|error| failed(error.detail()))
}

fn search(
    store: &Store,
    index: &Arc<MessageIndex>,
    ctx: &ToolCtx,
    (query, limit): (&str, usize),
) -> Result<Value, protocol::Error> {
    let hits = index.search(store, query, limit).map_err(|error| protocol::Error::internal(error.to_string()))?;
    let snapshot = store.snapshot()?;
    let mut rows = Vec::new();
    for hit in hits {
        let Some(message) = snapshot.message(&hit.message_id)? else { continue };
        let mut row = json!({
            "when": when(&message, ctx),
            "role": message.role,
            "session_id": message.session_id,
            "text": message.content.chars().take(TEXT_CHARS_MAX).collect::<String>(),
        });
        if let Some(from) = whose(&snapshot, &message, ctx)? {
            row["from"] = Value::String(from);
        }
        rows.push(row);
    }
    Ok(Value::Array(rows))
}

/// When a message was written, in the person's zone.
pub(super) fn when(message: &MessageRecord, ctx: &ToolCtx) -> String {
    message.created_at.to_jiff().to_zoned_datetime(ctx.zone.clone()).strftime("%Y-%m-%d %H:%M").to_string()
}

/// Whose words a message may hold besides the person's and the assistant's: its own source, whoever wrote it, or what its
/// chat has read. The chat that asks carries its own mark already.
pub(super) fn whose(
    snapshot: &Snapshot,
    message: &MessageRecord,
    ctx: &ToolCtx,
) -> Result<Option<String>, protocol::Error> {
    let is_others = message.role == MessageRole::Other || (message.role == MessageRole::User && message.name.is_some());
    let named = message.name.clone().filter(|_| is_others);
    let own = Some(message.outside_source.clone()).filter(|source| !source.is_empty()).or(named);
    if own.is_some() || ctx.session_id.as_ref() == Some(&message.session_id) {
        return Ok(own);
    }
    let session = snapshot.get::<SessionRecord>(&message.session_id)?;
    Ok(session.and_then(|session| session.untrusted).filter(|source| !source.is_empty()))
}
