//! `history_semantic_search`: finds what past chats were about, by their summaries. What a chat that read outside content
//! was about is left out.

use super::arguments::{needed, outcome, wait, whole};
use super::memory_app::{memories, spec};
use super::{Tool, ToolCtx};
use crate::summaries::SummaryAsk;
use futures::future::{BoxFuture, FutureExt};
use protocol::Timestamp;
use protocol::tools::{Risk, ToolOutcome, ToolSpec};
use serde_json::{Value, json};

/// Summaries of one answer. Ours.
const LIMIT_MAX: u64 = 20;

pub(super) struct HistorySemanticSearch;

impl Tool for HistorySemanticSearch {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            description: "Finds past chats by what they were about, also when you don't know the words that were used.",
            parameters: json!({
                "type": "object",
                "properties": {
                    "query": { "type": "string", "description": "What the chat was about.", "maxLength": 500 },
                    "limit": { "type": "integer", "description": "How many at most.", "default": 5, "minimum": 1, "maximum": LIMIT_MAX }
                },
                "required": ["query"],
                "additionalProperties": false
            }),
            ..spec("history_semantic_search", Risk::Read)
        }
    }

    fn run(&self, arguments: Value, ctx: ToolCtx) -> BoxFuture<'static, ToolOutcome> {
        async move { outcome(search(&arguments, &ctx).await) }.boxed()
    }
}

async fn search(arguments: &Value, ctx: &ToolCtx) -> Result<Value, ToolOutcome> {
    let text = needed(arguments, "query")?;
    let memories = memories(ctx)?;
    let limit = usize::try_from(whole(arguments, "limit", 5, (1, LIMIT_MAX))).unwrap_or(usize::MAX);
    let found = wait(ctx, memories.summaries.find(SummaryAsk { text, scope: None, limit })).await?;
    if found.is_empty() {
        return Ok(json!({ "result": "none found" }));
    }
    let moment =
        |at: Timestamp| at.to_jiff().to_zoned_datetime(ctx.zone.clone()).strftime("%Y-%m-%d %H:%M").to_string();
    let rows = found.into_iter().map(|found| {
        json!({
            "summary": found.summary.content,
            "from": moment(found.summary.start_at),
            "to": moment(found.summary.end_at),
            "session_id": found.summary.session_id,
        })
    });
    Ok(json!({ "summaries": rows.collect::<Vec<_>>() }))
}
