//! Writes a messages request.

use super::super::base64;
use super::super::call_ids::{CallIdRule, plain_name};
use super::super::dialect::Dialect;
use super::{Thinking, thinking_of};
use crate::prices;
use protocol::model::{Effort, ModelCall, Picture, PromptMessage, Thought, ToolCall};
use serde_json::{Map, Value, json};

/// Tokens of an answer when nobody set a limit; the wire demands one. Ours: long answers fit, a runaway one ends.
const OUTPUT_TOKENS_DEFAULT: u32 = 32_000;
/// The same for a model whose own limit is not known.
const OUTPUT_TOKENS_UNKNOWN: u32 = 8_192;
/// Least budget Anthropic takes for thinking.
const THINKING_TOKENS_MIN: u32 = 1_024;

/// The body of a streamed messages request.
pub fn request_body(call: &ModelCall, dialect: &Dialect) -> Value {
    let thinking = thinking_of(call.model.model());
    let thinks = match thinking {
        Thinking::Never => false,
        Thinking::Adaptive => call.effort != Effort::None,
        Thinking::Budget => call.effort != Effort::None && !wants_lost_thinking(&call.messages),
    };
    let (mut system, mut messages) = (Vec::new(), Vec::new());
    for message in &call.messages {
        take(message, Sends { ids: dialect.call_ids, thinking: thinks }, &mut system, &mut messages);
    }
    let mut body = Map::new();
    body.insert("model".into(), json!(call.model.model()));
    body.insert("stream".into(), json!(true));
    if !system.is_empty() {
        body.insert("system".into(), Value::Array(system_blocks(&call.messages, system)));
    }
    body.insert("messages".into(), Value::Array(messages));
    if !call.tools.is_empty() {
        body.insert("tools".into(), Value::Array(tools(call)));
    }
    let limit = prices::output_max(&call.model).map_or(OUTPUT_TOKENS_UNKNOWN, |max| max.min(OUTPUT_TOKENS_DEFAULT));
    let answer = call.output_tokens_max.unwrap_or(limit);
    let mut max_tokens = answer;
    if thinks && thinking == Thinking::Adaptive {
        body.insert("thinking".into(), json!({"type": "adaptive", "display": "summarized"}));
        body.insert("output_config".into(), json!({"effort": effort_word(call.effort)}));
    } else if thinks {
        // `max_tokens` counts the thinking too.
        let budget = budget(call.effort, prices::output_max(&call.model), answer);
        max_tokens = answer.saturating_add(budget);
        body.insert("thinking".into(), json!({"type": "enabled", "budget_tokens": budget}));
    }
    body.insert("max_tokens".into(), json!(max_tokens));
    if let Some(temperature) =
        call.temperature.filter(|_| thinking != Thinking::Adaptive && !body.contains_key("thinking"))
    {
        body.insert("temperature".into(), json!(temperature.clamp(0.0, 1.0)));
    }
    Value::Object(body)
}

/// A model with a budget demands that its last answer begins with its own signed thinking when that answer asked for
/// tools. Signatures are kept for the turn in progress only; where they are gone (after a crash, or when another model had
/// begun), it goes on without thinking until its next answer.
fn wants_lost_thinking(messages: &[PromptMessage]) -> bool {
    let last = messages.iter().rev().find_map(|message| match message {
        PromptMessage::Assistant { thinking, calls, .. } => Some((thinking, calls)),
        _ => None,
    });
    last.is_some_and(|(thinking, calls)| !calls.is_empty() && !thinking.first().is_some_and(Thought::is_signed))
}

/// What of a message is sent, and how.
#[derive(Clone, Copy)]
struct Sends {
    ids: CallIdRule,
    /// Signed thinking stands in front of the calls it led to.
    thinking: bool,
}

fn effort_word(effort: Effort) -> &'static str {
    match effort {
        Effort::None | Effort::Low => "low",
        Effort::Medium => "medium",
        Effort::High => "high",
    }
}

/// Tokens for thinking, on top of the answer and within the model's own limit.
fn budget(effort: Effort, output_max: Option<u32>, answer: u32) -> u32 {
    let wanted = match effort {
        Effort::None | Effort::Low => 2_048,
        Effort::Medium => 8_192,
        Effort::High => 24_576,
    };
    let room = output_max.map_or(wanted, |max| max.saturating_sub(answer));
    wanted.min(room).max(THINKING_TOKENS_MIN)
}

/// Puts the cache mark on the last block of the part that stays the same. Without a mark in the prompt the first block
/// is taken: the contract has the system prompt cached.
fn system_blocks(prompt: &[PromptMessage], mut system: Vec<Value>) -> Vec<Value> {
    let instructions = prompt.iter().filter_map(|message| match message {
        PromptMessage::System { text, cache } if !text.is_empty() => Some(*cache),
        _ => None,
    });
    let marked = instructions.collect::<Vec<_>>().iter().rposition(|cache| *cache).unwrap_or(0);
    if let Some(block) = system.get_mut(marked) {
        block["cache_control"] = json!({"type": "ephemeral"});
    }
    system
}

fn tools(call: &ModelCall) -> Vec<Value> {
    let tool = |offer: &protocol::model::ToolOffer| json!({"name": offer.name, "description": offer.description, "input_schema": offer.parameters});
    let mut tools: Vec<Value> = call.tools.iter().map(tool).collect();
    if let Some(last) = tools.last_mut() {
        last["cache_control"] = json!({"type": "ephemeral"});
    }
    tools
}

/// Adds one message of the prompt. Instructions go into the system prompt wherever they stand; the rest joins its
/// neighbour where both are of one role. Empty texts are refused by Anthropic and left out.
fn take(message: &PromptMessage, sends: Sends, system: &mut Vec<Value>, messages: &mut Vec<Value>) {
    let (role, blocks) = match message {
        PromptMessage::System { text, .. } => {
            system.extend(text_block(text));
            return;
        }
        PromptMessage::User { text, pictures } => {
            let pictures = pictures.iter().map(picture_block);
            ("user", pictures.chain(text_block(text)).collect::<Vec<_>>())
        }
        PromptMessage::Assistant { text, thinking, calls } => {
            let thoughts = thinking.iter().filter(|thought| sends.thinking && thought.is_signed() && !calls.is_empty());
            let calls = calls.iter().map(|call| call_block(call, sends.ids));
            ("assistant", thoughts.map(thought_block).chain(text_block(text)).chain(calls).collect())
        }
        PromptMessage::Tool { call_id, text, .. } => {
            let content: Vec<Value> = text_block(text).into_iter().collect();
            ("user", vec![json!({"type": "tool_result", "tool_use_id": sends.ids.apply(call_id), "content": content})])
        }
    };
    if blocks.is_empty() {
        return;
    }
    match messages.last_mut().filter(|last| last["role"] == role).and_then(|last| last["content"].as_array_mut()) {
        Some(content) => content.extend(blocks),
        None => messages.push(json!({"role": role, "content": blocks})),
    }
}

fn text_block(text: &str) -> Option<Value> {
    (!text.trim().is_empty()).then(|| json!({"type": "text", "text": text}))
}

fn thought_block(thought: &Thought) -> Value {
    match thought {
        Thought::Text { text, signature } => json!({"type": "thinking", "thinking": text, "signature": signature}),
        Thought::Sealed { data } => json!({"type": "redacted_thinking", "data": data}),
    }
}

fn picture_block(picture: &Picture) -> Value {
    let source = json!({"type": "base64", "media_type": picture.mime, "data": base64::encode(&picture.bytes)});
    json!({"type": "image", "source": source})
}

fn call_block(call: &ToolCall, ids: CallIdRule) -> Value {
    let input = if call.arguments.is_object() { call.arguments.clone() } else { json!({}) };
    json!({"type": "tool_use", "id": ids.apply(&call.id), "name": plain_name(&call.name), "input": input})
}
