//! Writes a messages request.

use super::super::base64;
use super::super::call_ids::{CallIdRule, plain_name};
use super::super::dialect::Dialect;
use super::{Thinking, thinking_of};
use crate::prices;
use protocol::model::{Effort, ModelCall, Picture, PromptMessage, ToolCall};
use serde_json::{Map, Value, json};

/// Tokens of an answer when nobody set a limit; the wire demands one. Ours: long answers fit, a runaway one ends.
const OUTPUT_TOKENS_DEFAULT: u32 = 32_000;
/// The same for a model whose own limit is not known.
const OUTPUT_TOKENS_UNKNOWN: u32 = 8_192;
/// Least budget Anthropic takes for thinking.
const THINKING_TOKENS_MIN: u32 = 1_024;

/// The body of a streamed messages request.
pub fn request_body(call: &ModelCall, dialect: &Dialect) -> Value {
    let (mut system, mut messages) = (Vec::new(), Vec::new());
    for message in &call.messages {
        take(message, dialect.call_ids, &mut system, &mut messages);
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
    let thinking = thinking_of(call.model.model());
    let thinks = call.effort != Effort::None && thinking != Thinking::Never;
    let mut max_tokens = answer;
    if thinks && thinking == Thinking::Adaptive {
        body.insert("thinking".into(), json!({"type": "adaptive", "display": "summarized"}));
        body.insert("output_config".into(), json!({"effort": effort_word(call.effort)}));
    } else if thinks && !in_tool_loop(&call.messages) {
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

/// Results are on their way back to the model. A model with a budget would now demand its own signed thinking blocks,
/// which the engine does not keep, so it goes on without thinking until the person speaks again.
fn in_tool_loop(messages: &[PromptMessage]) -> bool {
    let since_person = messages.iter().rev().take_while(|message| !matches!(message, PromptMessage::User { .. }));
    since_person.into_iter().any(|message| matches!(message, PromptMessage::Tool { .. }))
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
fn take(message: &PromptMessage, ids: CallIdRule, system: &mut Vec<Value>, messages: &mut Vec<Value>) {
    let (role, blocks) = match message {
        PromptMessage::System { text, .. } => {
            system.extend(text_block(text));
            return;
        }
        PromptMessage::User { text, pictures } => {
            let pictures = pictures.iter().map(picture_block);
            ("user", pictures.chain(text_block(text)).collect::<Vec<_>>())
        }
        PromptMessage::Assistant { text, calls } => {
            let calls = calls.iter().map(|call| call_block(call, ids));
            ("assistant", text_block(text).into_iter().chain(calls).collect())
        }
        PromptMessage::Tool { call_id, text, .. } => {
            let content: Vec<Value> = text_block(text).into_iter().collect();
            ("user", vec![json!({"type": "tool_result", "tool_use_id": ids.apply(call_id), "content": content})])
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

fn picture_block(picture: &Picture) -> Value {
    let source = json!({"type": "base64", "media_type": picture.mime, "data": base64::encode(&picture.bytes)});
    json!({"type": "image", "source": source})
}

fn call_block(call: &ToolCall, ids: CallIdRule) -> Value {
    let input = if call.arguments.is_object() { call.arguments.clone() } else { json!({}) };
    json!({"type": "tool_use", "id": ids.apply(&call.id), "name": plain_name(&call.name), "input": input})
}
