//! `memory_forget`: takes one fact out of memory, with everything made of it. It always asks, and the card says what goes.

use super::arguments::{outcome, wait};
use super::memory_app::{memories, spec};
use super::{Description, Tool, ToolCtx};
use crate::memory::Forget;
use futures::future::{BoxFuture, FutureExt};
use protocol::tools::{Risk, ToolOutcome, ToolSpec};
use runtime::Outside;
use serde_json::{Value, json};
use storage::Store;
use storage::records::{FactRecord, FactStatus};
use tokio::time::Duration;

/// How long forgetting may take. Ours.
const PATIENCE: Duration = Duration::from_secs(60);
/// Characters of the memory on the card. Ours.
const TARGET_CHARS_MAX: usize = 300;

pub(super) struct MemoryForget {
    /// Where the card reads what the memory says.
    pub(super) store: Option<Store>,
}

impl Tool for MemoryForget {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            description: "Forgets one remembered fact for good, with everything derived from it. Find its id with \
                          memory_recall first. Only when the user asks you to forget it.",
            parameters: json!({
                "type": "object",
                "properties": {
                    "fact_id": { "type": "integer", "description": "The fact's id, as memory_recall gives it.", "minimum": 1 }
                },
                "required": ["fact_id"],
                "additionalProperties": false
            }),
            ..spec("memory_forget", Risk::Send)
        }
    }

    fn describe(&self, arguments: &Value) -> Description {
        let risk_label = Some("Forgets a memory".to_owned());
        let said = arguments["fact_id"].as_u64().and_then(|id| {
            let fact = self.store.as_ref()?.snapshot().ok()?.get::<FactRecord>(&id).ok()??;
            Some(fact.content.chars().take(TARGET_CHARS_MAX).collect())
        });
        Description { risk_label, target: said }
    }

    fn run(&self, arguments: Value, ctx: ToolCtx) -> BoxFuture<'static, ToolOutcome> {
        async move { outcome(forget(&arguments, &ctx).await) }.boxed()
    }
}

async fn forget(arguments: &Value, ctx: &ToolCtx) -> Result<Value, ToolOutcome> {
    let id = arguments["fact_id"].as_u64().ok_or_else(|| ToolOutcome::error("`fact_id` is a number."))?;
    let memories = memories(ctx)?;
    // What a chat cannot read it cannot forget either, and what waits for review is the person's alone.
    let is_there = memories.fact(id).is_ok_and(|fact| fact.status == FactStatus::Active);
    if !is_there {
        return Ok(json!({ "deleted": false, "id": id }));
    }
    wait(ctx, memories.memory.ask(&Outside::within(PATIENCE), Forget { id, reason: None })).await?;
    Ok(json!({ "deleted": true, "id": id }))
}
