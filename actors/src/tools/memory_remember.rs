//! `memory_remember`: keeps one fact. What others wrote, and what nobody asked for, waits for the person's review.

use super::arguments::{needed, outcome, wait};
use super::memory_app::spec;
use super::{Tool, ToolCtx};
use crate::memory::{MemoryHandle, NewFact, SaveOrigin};
use futures::future::{BoxFuture, FutureExt};
use protocol::memory::{MemoryStatus, Saved};
use protocol::tools::{Risk, ToolOutcome, ToolSpec};
use rules::memory::review;
use serde_json::{Value, json};

/// `from` of a memory that comes of work nobody asked for.
const FROM_UNPROMPTED: &str = "a proactive check";

pub(super) struct MemoryRemember;

impl Tool for MemoryRemember {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            description: "Remembers one lasting fact about the user or their world for later chats. One fact per call, \
                          in the third person with the user's name, complete without this chat. Use it when the user \
                          asks you to remember something or tells you something worth keeping.",
            parameters: json!({
                "type": "object",
                "properties": {
                    "fact": { "type": "string", "description": "The fact, as one short sentence.", "maxLength": 2000 }
                },
                "required": ["fact"],
                "additionalProperties": false
            }),
            internal: true,
            ..spec("memory_remember", Risk::Write)
        }
    }

    fn run(&self, arguments: Value, ctx: ToolCtx) -> BoxFuture<'static, ToolOutcome> {
        async move { outcome(remember(&arguments, &ctx).await) }.boxed()
    }
}

async fn remember(arguments: &Value, ctx: &ToolCtx) -> Result<Value, ToolOutcome> {
    let content = needed(arguments, "fact")?;
    let memories = ctx.memories.clone().filter(|_| ctx.memory.learns);
    let memories = memories.ok_or_else(|| ToolOutcome::error("Nothing is remembered from this chat."))?;
    let saved = wait(ctx, memories.save(new_fact(content, ctx))).await?;
    Ok(shown(&memories, saved))
}

fn new_fact(content: String, ctx: &ToolCtx) -> NewFact {
    let occasion = &ctx.occasion;
    let session = ctx.session_id.as_ref();
    let said = occasion.said.last().map(String::as_str);
    let is_outside = !ctx.untrusted.is_empty();
    let hold = if is_outside {
        Some(review::note(&ctx.untrusted, said, session))
    } else {
        ctx.unprompted.then(|| review::note(FROM_UNPROMPTED, said, session))
    };
    // A fact that a chat read in an app is the app's.
    let app = ctx.gate.as_ref().filter(|_| is_outside).and_then(|gate| gate.connected_app_named(&ctx.untrusted));
    NewFact {
        reference: occasion.reference(said.map(str::to_owned)),
        scope: occasion.scope.clone(),
        hold,
        // Nobody said anything in work that nobody asked for.
        said: if ctx.unprompted { Vec::new() } else { occasion.said.clone() },
        ..NewFact::new(content, app.map_or_else(|| occasion.source.clone(), |id| format!("app:{id}")), SaveOrigin::Tool)
    }
}

fn shown(memories: &MemoryHandle, saved: Saved) -> Value {
    let mut row = json!({ "action": saved.action, "id": saved.id, "content": saved.content });
    if let Some(previous) = saved.previous {
        row["previous"] = Value::String(previous);
    }
    if saved.status == Some(MemoryStatus::Pending) {
        row["status"] = json!(MemoryStatus::Pending);
        let note = memories.fact(saved.id).ok().and_then(|fact| crate::memory::shown(&fact).review);
        let is_order = note.is_some_and(|note| note.reason.as_deref() == Some(review::REASON_INSTRUCTION));
        row["note"] = Value::String(if is_order {
            "This reads like an instruction for how to act, so it waits in Memory > Review as an instruction. It takes \
             effect only after the user approves it there."
                .to_owned()
        } else {
            "This waits in Memory > Review until the user approves it there.".to_owned()
        });
    }
    row
}
