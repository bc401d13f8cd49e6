//! Writes a chat completions request.

use super::super::call_ids::plain_name;
use super::super::dialect::{Dialect, EffortStyle, SystemPlacement, ThinkingBack, effort_members, reasons_at_openai};
use super::super::{PICTURE_NOT_SEEN, base64, joined_thoughts};
use protocol::model::{ModelCall, Picture, PromptMessage, Thought, ToolCall};
use serde_json::{Map, Value, json};

/// Said between a tool's result and the person's next words where the provider insists on an answer there (Mistral).
const BETWEEN_RESULT_AND_PERSON: &str = "Understood.";

/// The body of a streamed chat request.
pub fn request_body(call: &ModelCall, dialect: &Dialect) -> Value {
    let mut body = Map::new();
    body.insert("model".into(), json!(call.model.model()));
    body.insert("messages".into(), Value::Array(messages(&call.messages, dialect)));
    body.insert("stream".into(), json!(true));
    if dialect.asks_usage {
        body.insert("stream_options".into(), json!({"include_usage": true}));
    }
    if !call.tools.is_empty() {
        let tool = |offer: &protocol::model::ToolOffer| {
            let function =
                json!({"name": offer.name, "description": offer.description, "parameters": offer.parameters});
            json!({"type": "function", "function": function})
        };
        body.insert("tools".into(), call.tools.iter().map(tool).collect());
    }
    let fixed_temperature =
        dialect.effort == EffortStyle::OpenAi && reasons_at_openai(&call.model.model().to_ascii_lowercase());
    if let Some(temperature) = call.temperature.filter(|_| !fixed_temperature) {
        body.insert("temperature".into(), json!(temperature));
    }
    if let Some(tokens) = call.output_tokens_max {
        body.insert(dialect.output_field.as_str().into(), json!(tokens));
    }
    if call.json {
        body.insert("response_format".into(), json!({"type": "json_object"}));
    }
    let effort = effort_members(dialect, &call.model, call.effort);
    body.extend(effort.into_iter().map(|(key, value)| (key.to_owned(), value)));
    Value::Object(body)
}

fn messages(prompt: &[PromptMessage], dialect: &Dialect) -> Vec<Value> {
    let mut out: Vec<Value> = Vec::with_capacity(prompt.len());
    for message in prompt {
        let in_front = out.iter().all(|message| message["role"] == "system");
        let next = match message {
            PromptMessage::System { text, .. } if in_front || dialect.system == SystemPlacement::Anywhere => {
                json!({"role": "system", "content": text})
            }
            PromptMessage::System { text, .. } => json!({"role": "user", "content": text}),
            PromptMessage::User { text, pictures } => json!({"role": "user", "content": user(text, pictures, dialect)}),
            PromptMessage::Assistant { text, thinking, calls } => assistant(text, thinking, calls, dialect),
            PromptMessage::Tool { call_id, name, text } => json!({
                "role": "tool",
                "tool_call_id": dialect.call_ids.apply(call_id),
                "name": plain_name(name),
                "content": text,
            }),
        };
        push(&mut out, next, dialect);
    }
    out
}

/// Adds a message. Where templates want instructions in front and turns that alternate, neighbours of one role become one.
fn push(out: &mut Vec<Value>, next: Value, dialect: &Dialect) {
    let last_role = out.last().map_or(Value::Null, |message| message["role"].clone());
    if last_role == "tool" && next["role"] == "user" && !dialect.user_after_tool {
        out.push(json!({"role": "assistant", "content": BETWEEN_RESULT_AND_PERSON}));
    }
    let joins = dialect.system == SystemPlacement::FrontOnly
        && last_role == next["role"]
        && (last_role == "user" || last_role == "system");
    match out.last_mut().filter(|_| joins) {
        Some(last) => last["content"] = joined(last["content"].take(), next["content"].clone()),
        None => out.push(next),
    }
}

/// Two contents as one: texts with a blank line between them, lists of parts one behind the other.
fn joined(first: Value, second: Value) -> Value {
    match (first, second) {
        (Value::String(first), Value::String(second)) => json!(format!("{first}\n\n{second}")),
        (first, second) => {
            let parts = |content| match content {
                Value::Array(parts) => parts,
                text => vec![json!({"type": "text", "text": text})],
            };
            Value::Array(parts(first).into_iter().chain(parts(second)).collect())
        }
    }
}

fn user(text: &str, pictures: &[Picture], dialect: &Dialect) -> Value {
    if pictures.is_empty() {
        return json!(text);
    }
    if !dialect.pictures {
        let notes = pictures.iter().map(|_| PICTURE_NOT_SEEN);
        return json!(
            std::iter::once(text).filter(|text| !text.is_empty()).chain(notes).collect::<Vec<_>>().join("\n\n")
        );
    }
    let words = (!text.is_empty()).then(|| json!({"type": "text", "text": text}));
    let picture = |picture: &Picture| {
        let url = format!("data:{};base64,{}", picture.mime, base64::encode(&picture.bytes));
        json!({"type": "image_url", "image_url": {"url": url}})
    };
    words.into_iter().chain(pictures.iter().map(picture)).collect()
}

fn assistant(text: &str, thinking: &[Thought], calls: &[ToolCall], dialect: &Dialect) -> Value {
    let content = if text.is_empty() && dialect.null_for_no_text { Value::Null } else { json!(text) };
    let mut message = json!({"role": "assistant", "content": content});
    if !calls.is_empty() {
        let call = |(at, call): (usize, &ToolCall)| {
            let function = json!({"name": plain_name(&call.name), "arguments": call.arguments.to_string()});
            let mut entry = json!({"id": dialect.call_ids.apply(&call.id), "type": "function", "function": function});
            if dialect.effort == EffortStyle::Gemini && at == 0 {
                // Gemini 3 refuses a past call without the signature of the thinking that led to it. The engine does not
                // keep signatures; this is the value Google documents for calls that have none.
                entry["extra_content"] = json!({"google": {"thought_signature": "skip_thought_signature_validator"}});
            }
            entry
        };
        message["tool_calls"] = calls.iter().enumerate().map(call).collect();
        let thoughts = joined_thoughts(thinking);
        match dialect.thinking_back {
            ThinkingBack::Required(field) => message[field] = json!(thoughts),
            ThinkingBack::Welcome(field) if !thoughts.is_empty() => message[field] = json!(thoughts),
            ThinkingBack::Welcome(_) | ThinkingBack::No => (),
        }
    }
    message
}
