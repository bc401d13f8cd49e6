//! The three wires, from the server's side: a reply as the events or the body a real provider would send.
//!
//! Written from the providers' API references (OpenAI chat completions, Ollama `docs/api.md`, Anthropic messages), and
//! on purpose not from the engine's own codecs.

use super::Wire;
use super::reply::{Part, Reply};
use protocol::model::{Finish, TokenUsage};
use serde_json::{Value, json};

/// Characters of tool arguments per event: small, so that arguments always come in pieces.
const ARGUMENT_PIECE_CHARS: usize = 7;

/// What the answer is to.
pub(super) struct Asked<'a> {
    pub(super) model: &'a str,
    pub(super) body_chars: usize,
    /// OpenAI's `stream_options.include_usage`.
    pub(super) wants_usage: bool,
    /// Makes ids unique between calls.
    pub(super) number: usize,
}

/// The answer as events, each ready to be sent.
pub(super) fn events(wire: Wire, reply: &Reply, asked: &Asked<'_>) -> Vec<String> {
    match wire {
        Wire::OpenAi => {
            let mut events: Vec<_> =
                openai_chunks(reply, asked).iter().map(|chunk| format!("data: {chunk}\n\n")).collect();
            events.push("data: [DONE]\n\n".to_owned());
            events
        }
        Wire::Ollama => ollama_lines(reply, asked).iter().map(|line| format!("{line}\n")).collect(),
        Wire::Anthropic => {
            let named =
                |event: &Value| format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap_or_default());
            anthropic_events(reply, asked).iter().map(named).collect()
        }
    }
}

/// The answer as one body, for a request without `stream`.
pub(super) fn whole(wire: Wire, reply: &Reply, asked: &Asked<'_>) -> Value {
    match wire {
        Wire::OpenAi => openai_whole(reply, asked),
        Wire::Ollama => {
            let mut message = json!({"role": "assistant", "content": said(reply)});
            if let Some(thoughts) = thoughts(reply) {
                message["thinking"] = thoughts.into();
            }
            let calls: Vec<_> = reply.said().iter().filter_map(ollama_call).collect();
            if !calls.is_empty() {
                message["tool_calls"] = calls.into();
            }
            let mut body = ollama_end(reply, asked);
            body["message"] = message;
            body
        }
        Wire::Anthropic => anthropic_whole(reply, asked),
    }
}

/// Bytes that break the wire's promise.
pub(super) fn malformed(wire: Wire) -> String {
    match wire {
        Wire::Ollama => "{\"message\": {\"content\": oops\n".to_owned(),
        Wire::OpenAi | Wire::Anthropic => "data: {\"choices\": [oops\n\n".to_owned(),
    }
}

/// The event by which a provider says, in mid-stream, that it failed.
pub(super) fn stream_error(wire: Wire) -> String {
    match wire {
        Wire::OpenAi => {
            let error =
                json!({"error": {"message": "upstream RAW-PROVIDER-TEXT failed", "type": "server_error", "code": 502}});
            format!("data: {error}\n\n")
        }
        Wire::Ollama => format!("{}\n", json!({"error": "llama runner RAW-PROVIDER-TEXT has terminated"})),
        Wire::Anthropic => {
            let error = json!({"type": "overloaded_error", "message": "RAW-PROVIDER-TEXT Overloaded"});
            format!("event: error\ndata: {}\n\n", json!({"type": "error", "error": error}))
        }
    }
}

/// The body of an HTTP error.
pub(super) fn error_body(wire: Wire, status: u16) -> Value {
    let words = format!("RAW-PROVIDER-TEXT for {status}");
    match wire {
        Wire::OpenAi => json!({"error": {"message": words, "type": "error", "param": null, "code": null}}),
        Wire::Ollama => json!({"error": words}),
        Wire::Anthropic => json!({"type": "error", "error": {"type": "api_error", "message": words}}),
    }
}

/// Cuts text into what a model would send as tokens: words with the white space behind them.
fn tokens(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive(' ')
}

fn argument_pieces(arguments: &str) -> Vec<String> {
    let chars: Vec<char> = arguments.chars().collect();
    chars.chunks(ARGUMENT_PIECE_CHARS).map(|piece| piece.iter().collect()).collect()
}

fn said(reply: &Reply) -> String {
    reply
        .said()
        .iter()
        .filter_map(|part| if let Part::Text(text) = part { Some(text.as_str()) } else { None })
        .collect()
}

fn thoughts(reply: &Reply) -> Option<String> {
    let thoughts: String = reply
        .said()
        .iter()
        .filter_map(|part| if let Part::Thinking(text) = part { Some(text.as_str()) } else { None })
        .collect();
    (!thoughts.is_empty()).then_some(thoughts)
}

fn call_id(given: Option<&String>, prefix: &str, number: usize, index: usize) -> String {
    given.cloned().unwrap_or_else(|| format!("{prefix}_{number}_{index}"))
}

fn openai_finish(finish: Finish) -> &'static str {
    match finish {
        Finish::Stop => "stop",
        Finish::ToolCalls => "tool_calls",
        Finish::Length => "length",
        Finish::Filtered => "content_filter",
    }
}

fn openai_usage(usage: TokenUsage) -> Value {
    json!({
        "prompt_tokens": usage.prompt,
        "completion_tokens": usage.completion,
        "total_tokens": usage.prompt + usage.completion,
        "prompt_tokens_details": {"cached_tokens": usage.cached},
    })
}

fn openai_chunks(reply: &Reply, asked: &Asked<'_>) -> Vec<Value> {
    let id = format!("chatcmpl-{}", asked.number);
    let chunk = |choices: Value| json!({"id": id, "object": "chat.completion.chunk", "created": 1_791_622_800, "model": asked.model, "choices": choices});
    let delta = |delta: Value| chunk(json!([{"index": 0, "delta": delta, "finish_reason": null}]));
    let mut chunks = vec![delta(json!({"role": "assistant", "content": ""}))];
    let mut calls = 0;
    for part in reply.said() {
        match part {
            Part::Thinking(text) => chunks.extend(tokens(text).map(|token| delta(json!({"reasoning_content": token})))),
            Part::Text(text) => chunks.extend(tokens(text).map(|token| delta(json!({"content": token})))),
            Part::Call { id, name, arguments } => {
                let id = call_id(id.as_ref(), "call", asked.number, calls);
                let head =
                    json!({"index": calls, "id": id, "type": "function", "function": {"name": name, "arguments": ""}});
                chunks.push(delta(json!({"tool_calls": [head]})));
                let piece =
                    |text: String| delta(json!({"tool_calls": [{"index": calls, "function": {"arguments": text}}]}));
                chunks.extend(argument_pieces(arguments).into_iter().map(piece));
                calls += 1;
            }
        }
    }
    chunks.push(chunk(json!([{"index": 0, "delta": {}, "finish_reason": openai_finish(reply.why_finished())}])));
    if asked.wants_usage {
        let mut usage = chunk(json!([]));
        usage["usage"] = openai_usage(reply.tokens_used(asked.body_chars));
        chunks.push(usage);
    }
    chunks
}

fn openai_whole(reply: &Reply, asked: &Asked<'_>) -> Value {
    let mut message = json!({"role": "assistant", "content": said(reply)});
    if let Some(thoughts) = thoughts(reply) {
        message["reasoning_content"] = thoughts.into();
    }
    let call = |(index, part): (usize, &Part)| match part {
        Part::Call { id, name, arguments } => Some(json!({
            "id": call_id(id.as_ref(), "call", asked.number, index),
            "type": "function",
            "function": {"name": name, "arguments": arguments},
        })),
        _ => None,
    };
    let calls: Vec<_> = reply.said().iter().enumerate().filter_map(call).collect();
    if !calls.is_empty() {
        message["tool_calls"] = calls.into();
    }
    json!({
        "id": format!("chatcmpl-{}", asked.number),
        "object": "chat.completion",
        "created": 1_791_622_800,
        "model": asked.model,
        "choices": [{"index": 0, "message": message, "finish_reason": openai_finish(reply.why_finished())}],
        "usage": openai_usage(reply.tokens_used(asked.body_chars)),
    })
}

fn ollama_call(part: &Part) -> Option<Value> {
    let Part::Call { name, arguments, .. } = part else { return None };
    let arguments = serde_json::from_str(arguments).unwrap_or_else(|_| Value::from(arguments.as_str()));
    Some(json!({"function": {"name": name, "arguments": arguments}}))
}

fn ollama_lines(reply: &Reply, asked: &Asked<'_>) -> Vec<Value> {
    let line = |message: Value| json!({"model": asked.model, "created_at": "2026-10-10T09:00:00.000Z", "message": message, "done": false});
    let mut lines = Vec::new();
    for part in reply.said() {
        match part {
            Part::Thinking(text) => lines
                .extend(tokens(text).map(|token| line(json!({"role": "assistant", "content": "", "thinking": token})))),
            Part::Text(text) => {
                lines.extend(tokens(text).map(|token| line(json!({"role": "assistant", "content": token}))));
            }
            Part::Call { .. } => {
                lines.push(line(json!({"role": "assistant", "content": "", "tool_calls": [ollama_call(part)]})));
            }
        }
    }
    lines.push(ollama_end(reply, asked));
    lines
}

fn ollama_end(reply: &Reply, asked: &Asked<'_>) -> Value {
    let usage = reply.tokens_used(asked.body_chars);
    json!({
        "model": asked.model,
        "created_at": "2026-10-10T09:00:01.000Z",
        "message": {"role": "assistant", "content": ""},
        "done": true,
        // Ollama says `stop` also when it asked for tools.
        "done_reason": if reply.why_finished() == Finish::Length { "length" } else { "stop" },
        "total_duration": 1_000_000,
        // Only what its cache did not hold (contract external.tsv).
        "prompt_eval_count": usage.prompt - usage.cached,
        "eval_count": usage.completion,
    })
}

fn anthropic_stop(finish: Finish) -> &'static str {
    match finish {
        Finish::Stop => "end_turn",
        Finish::ToolCalls => "tool_use",
        Finish::Length => "max_tokens",
        Finish::Filtered => "refusal",
    }
}

fn anthropic_input_usage(usage: TokenUsage) -> Value {
    json!({
        "input_tokens": usage.prompt - usage.cached,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": usage.cached,
        "output_tokens": 1,
    })
}

fn anthropic_events(reply: &Reply, asked: &Asked<'_>) -> Vec<Value> {
    let usage = reply.tokens_used(asked.body_chars);
    let message = json!({
        "id": format!("msg_{}", asked.number), "type": "message", "role": "assistant", "model": asked.model,
        "content": [], "stop_reason": null, "stop_sequence": null, "usage": anthropic_input_usage(usage),
    });
    let mut events = vec![json!({"type": "message_start", "message": message}), json!({"type": "ping"})];
    for (index, part) in reply.said().iter().enumerate() {
        let delta = |delta: Value| json!({"type": "content_block_delta", "index": index, "delta": delta});
        let (block, deltas): (Value, Vec<Value>) = match part {
            Part::Thinking(text) => {
                let mut deltas: Vec<_> =
                    tokens(text).map(|token| delta(json!({"type": "thinking_delta", "thinking": token}))).collect();
                deltas.push(delta(json!({"type": "signature_delta", "signature": "c2lnbmF0dXJl"})));
                (json!({"type": "thinking", "thinking": "", "signature": ""}), deltas)
            }
            Part::Text(text) => {
                let deltas = tokens(text).map(|token| delta(json!({"type": "text_delta", "text": token}))).collect();
                (json!({"type": "text", "text": ""}), deltas)
            }
            Part::Call { id, name, arguments } => {
                let id = call_id(id.as_ref(), "toolu", asked.number, index);
                let piece = |text: String| delta(json!({"type": "input_json_delta", "partial_json": text}));
                let deltas = argument_pieces(arguments).into_iter().map(piece).collect();
                (json!({"type": "tool_use", "id": id, "name": name, "input": {}}), deltas)
            }
        };
        events.push(json!({"type": "content_block_start", "index": index, "content_block": block}));
        events.extend(deltas);
        events.push(json!({"type": "content_block_stop", "index": index}));
    }
    let stop = json!({"stop_reason": anthropic_stop(reply.why_finished()), "stop_sequence": null});
    events.push(json!({"type": "message_delta", "delta": stop, "usage": {"output_tokens": usage.completion}}));
    events.push(json!({"type": "message_stop"}));
    events
}

fn anthropic_whole(reply: &Reply, asked: &Asked<'_>) -> Value {
    let usage = reply.tokens_used(asked.body_chars);
    let block = |(index, part): (usize, &Part)| match part {
        Part::Thinking(text) => json!({"type": "thinking", "thinking": text, "signature": "c2lnbmF0dXJl"}),
        Part::Text(text) => json!({"type": "text", "text": text}),
        Part::Call { id, name, arguments } => json!({
            "type": "tool_use",
            "id": call_id(id.as_ref(), "toolu", asked.number, index),
            "name": name,
            "input": serde_json::from_str(arguments).unwrap_or_else(|_| json!({})),
        }),
    };
    let content: Vec<_> = reply.said().iter().enumerate().map(block).collect();
    let mut input = anthropic_input_usage(usage);
    input["output_tokens"] = usage.completion.into();
    json!({
        "id": format!("msg_{}", asked.number), "type": "message", "role": "assistant", "model": asked.model,
        "content": content, "stop_reason": anthropic_stop(reply.why_finished()), "stop_sequence": null, "usage": input,
    })
}
