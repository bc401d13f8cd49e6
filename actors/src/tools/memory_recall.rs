//! `memory_recall` and `memory_search_by_source`: what is remembered, found by what it means and says. They read the scopes
//! of their chat; nothing that waits for review is ever in them.

use super::arguments::{needed, outcome, wait, whole};
use super::memory_app::{PLUGIN, memories, spec};
use super::{Tool, ToolCtx};
use crate::memory::{RecallAsk, RecalledFact};
use futures::future::{BoxFuture, FutureExt};
use protocol::memory::SCOPE_ALWAYS;
use protocol::tools::{Risk, ToolOutcome, ToolSpec};
use serde_json::{Value, json};
use storage::records::FactState;

/// Memories of one answer. Ours.
const LIMIT_MAX: u64 = 50;

pub(super) struct MemoryRecall;

impl Tool for MemoryRecall {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            description: "Looks up what you remember about the user and their world. Use it before you say that you \
                          don't know something personal. It reads this chat's memories and those shared by all chats; \
                          set everywhere to true only when the user asks about something kept elsewhere.",
            parameters: json!({
                "type": "object",
                "properties": {
                    "query": { "type": "string", "description": "What to look for, in a few words.", "maxLength": 500 },
                    "limit": { "type": "integer", "description": "How many at most.", "default": 8, "minimum": 1, "maximum": LIMIT_MAX },
                    "everywhere": { "type": "boolean", "description": "Also look at memories of other scopes.", "default": false }
                },
                "required": ["query"],
                "additionalProperties": false
            }),
            ..spec("memory_recall", Risk::Read)
        }
    }

    fn run(&self, arguments: Value, ctx: ToolCtx) -> BoxFuture<'static, ToolOutcome> {
        async move { outcome(recall(&arguments, &ctx).await) }.boxed()
    }
}

async fn recall(arguments: &Value, ctx: &ToolCtx) -> Result<Value, ToolOutcome> {
    let everywhere = arguments["everywhere"] == true;
    let scopes = ctx.occasion.read_scopes();
    let limit = whole(arguments, "limit", 8, (1, LIMIT_MAX));
    let found = find(arguments, ctx, (None, (!everywhere).then(|| scopes.clone())), limit).await?;
    let rows = found.into_iter().map(|found| {
        let mut row = json!({
            "id": found.fact.id,
            "fact": found.fact.content,
            "topics": found.fact.topics,
            "similarity": rounded(found.similarity),
        });
        if !scopes.contains(&found.fact.scope) && found.fact.scope != SCOPE_ALWAYS {
            row["kept_for"] = Value::String(found.fact.scope);
        }
        row
    });
    Ok(rows.collect::<Vec<_>>().into())
}

pub(super) struct MemorySearchBySource;

impl Tool for MemorySearchBySource {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            plugin: PLUGIN,
            description: "Looks up what you remember that came from one source: conversation, manual (typed by the \
                          user in Memory), onboarding, file:<name>, channel:<app>, app:<id> or folder:<id>.",
            parameters: json!({
                "type": "object",
                "properties": {
                    "query": { "type": "string", "description": "What to look for, in a few words.", "maxLength": 500 },
                    "source": { "type": "string", "description": "The source, such as file:resume.pdf.", "maxLength": 300 },
                    "limit": { "type": "integer", "description": "How many at most.", "default": 5, "minimum": 1, "maximum": LIMIT_MAX }
                },
                "required": ["query", "source"],
                "additionalProperties": false
            }),
            ..spec("memory_search_by_source", Risk::Read)
        }
    }

    fn run(&self, arguments: Value, ctx: ToolCtx) -> BoxFuture<'static, ToolOutcome> {
        async move { outcome(by_source(&arguments, &ctx).await) }.boxed()
    }
}

async fn by_source(arguments: &Value, ctx: &ToolCtx) -> Result<Value, ToolOutcome> {
    let source = needed(arguments, "source")?;
    let limit = whole(arguments, "limit", 5, (1, LIMIT_MAX));
    let found = find(arguments, ctx, (Some(source), Some(ctx.occasion.read_scopes())), limit).await?;
    let rows = found.into_iter().map(
        |found| json!({ "id": found.fact.id, "fact": found.fact.content, "similarity": rounded(found.similarity) }),
    );
    Ok(rows.collect::<Vec<_>>().into())
}

async fn find(
    arguments: &Value,
    ctx: &ToolCtx,
    (sources, scopes): (Option<String>, Option<Vec<String>>),
    limit: u64,
) -> Result<Vec<RecalledFact>, ToolOutcome> {
    let text = needed(arguments, "query")?;
    let memories = memories(ctx)?;
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let ask = RecallAsk { text, scopes, sources, states: vec![FactState::Current], limit };
    let found = wait(ctx, memories.recall.facts(ask)).await?;
    memories.recalled(found.iter().map(|found| found.fact.id).collect()).await;
    Ok(found)
}

/// Two digits say all that a model can use.
fn rounded(similarity: f32) -> f64 {
    (f64::from(similarity) * 100.0).round() / 100.0
}
