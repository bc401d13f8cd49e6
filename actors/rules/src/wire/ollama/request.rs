//! Writes an `/api/chat` request.

use super::super::call_ids::plain_name;
use super::super::{PICTURE_NOT_SEEN, base64, joined_thoughts};
use super::OllamaModel;
use protocol::model::{Effort, ModelCall, PromptMessage, ToolCall};
use serde_json::{Map, Value, json};

/// The body of a streamed chat request for a model that Ollama describes as `model`.
pub fn request_body(call: &ModelCall, model: &OllamaModel) -> Value {
    let mut options = Map::new();
    options.insert("num_ctx".into(), json!(model.context_length(call)));
    if let Some(temperature) = call.temperature {
        options.insert("temperature".into(), json!(temperature));
    }
    if let Some(tokens) = call.output_tokens_max {
        options.insert("num_predict".into(), json!(tokens));
    }
    let mut body = Map::new();
    body.insert("model".into(), json!(call.model.model()));
    body.insert("messages".into(), call.messages.iter().map(|message| one(message, model)).collect());
    body.insert("stream".into(), json!(true));
    body.insert("options".into(), Value::Object(options));
    if !call.tools.is_empty() && model.can("tools") {
        let tool = |offer: &protocol::model::ToolOffer| {
            let function =
                json!({"name": offer.name, "description": offer.description, "parameters": offer.parameters});
            json!({"type": "function", "function": function})
        };
        body.insert("tools".into(), call.tools.iter().map(tool).collect());
    }
    if model.can("thinking") {
        body.insert("think".into(), think(call.effort, &model.family));
    }
    if call.json {
        body.insert("format".into(), json!("json"));
    }
    Value::Object(body)
}

/// `think` is on or off, but gpt-oss only knows levels and cannot be told not to think.
fn think(effort: Effort, family: &str) -> Value {
    let levels = matches!(family, "gptoss" | "gpt-oss");
    match effort {
        Effort::None | Effort::Low if levels => json!("low"),
        Effort::Medium if levels => json!("medium"),
        Effort::High if levels => json!("high"),
        effort => json!(effort != Effort::None),
    }
}

fn one(message: &PromptMessage, model: &OllamaModel) -> Value {
    match message {
        PromptMessage::System { text, .. } => json!({"role": "system", "content": text}),
        PromptMessage::User { text, pictures } if pictures.is_empty() => json!({"role": "user", "content": text}),
        PromptMessage::User { text, pictures } if !model.can("vision") => {
            let notes = pictures.iter().map(|_| PICTURE_NOT_SEEN);
            let words = std::iter::once(text.as_str()).filter(|text| !text.is_empty());
            json!({"role": "user", "content": words.chain(notes).collect::<Vec<_>>().join("\n\n")})
        }
        PromptMessage::User { text, pictures } => {
            let images: Vec<String> = pictures.iter().map(|picture| base64::encode(&picture.bytes)).collect();
            json!({"role": "user", "content": text, "images": images})
        }
        PromptMessage::Assistant { text, calls, .. } if calls.is_empty() => {
            json!({"role": "assistant", "content": text})
        }
        PromptMessage::Assistant { text, thinking, calls } => {
            let entry = |call: &ToolCall| json!({"id": call.id, "function": {"name": plain_name(&call.name), "arguments": call.arguments}});
            let mut message = json!({"role": "assistant", "content": text, "tool_calls": calls.iter().map(entry).collect::<Vec<_>>()});
            // The model's template decides how much of it the model sees again (qwen3: since the person's last words).
            let thoughts = joined_thoughts(thinking);
            if model.can("thinking") && !thoughts.is_empty() {
                message["thinking"] = json!(thoughts);
            }
            message
        }
        PromptMessage::Tool { call_id, name, text } => {
            json!({"role": "tool", "tool_call_id": call_id, "tool_name": plain_name(name), "content": text})
        }
    }
}
