//! Reads a messages answer, streamed or whole.

use super::super::calls::Fragment;
use super::super::dialect::Dialect;
use super::super::reply::{Body, BodyPart, Reply};
use super::super::{AnswerDecoder, Pieces, surrogates};
use protocol::model::{Finish, ModelName, Thought, TokenUsage};
use serde_json::Value;
use std::collections::BTreeMap;

/// Reads one answer. Blocks of tools that run at Anthropic are not ours and are passed over.
#[derive(Debug)]
pub struct Decoder {
    reply: Reply,
    body: Body,
    /// Our open call blocks: index, and what the start event had as input.
    open: BTreeMap<u64, Value>,
    /// Open blocks of thinking, by index.
    thoughts: BTreeMap<u64, OpenThought>,
    counts: Counts,
    /// A message has begun; another start would be another answer.
    begun: bool,
}

/// A block of thinking that has not stopped yet.
#[derive(Debug, Default)]
struct OpenThought {
    halves: surrogates::Joiner,
    text: String,
    signature: String,
}

impl OpenThought {
    fn think(&mut self, text: &str) {
        self.text.push_str(&self.halves.push(text.to_owned()));
    }
}

/// What Anthropic counts; later events hold later totals.
#[derive(Debug, Default)]
struct Counts {
    input: u64,
    cache_read: u64,
    cache_creation: u64,
    output: u64,
}

impl Decoder {
    pub fn new(dialect: &Dialect, model: &ModelName) -> Self {
        Self {
            reply: Reply::new(dialect.label, model.clone(), dialect.think_tags),
            body: Body::default(),
            open: BTreeMap::new(),
            thoughts: BTreeMap::new(),
            counts: Counts::default(),
            begun: false,
        }
    }

    fn take_part(&mut self, part: BodyPart, last: bool) {
        match part {
            _ if self.reply.is_over() => {}
            BodyPart::TooLong => self.reply.too_large(),
            BodyPart::Document(text) => match surrogates::parse(&text) {
                Ok(value) => self.take_whole(&value),
                Err(_) => self.reply.unreadable(),
            },
            BodyPart::Event(event) if event.data.trim().is_empty() || event.data.trim() == "[DONE]" => {}
            BodyPart::Event(event) => match surrogates::parse(&event.data) {
                Ok(value) => self.take_event(&value),
                Err(_) if last => {}
                Err(_) => self.reply.unreadable(),
            },
        }
    }

    fn take_event(&mut self, event: &Value) {
        match event["type"].as_str().unwrap_or_default() {
            "message_start" if self.begun => self.reply.unreadable(),
            "message_start" => {
                self.begun = true;
                self.take_usage(&event["message"]["usage"]);
                // Answers to code that ran at Anthropic may begin with blocks already in place.
                self.take_blocks(&event["message"]["content"]);
            }
            "content_block_start" => self.start_block(event),
            "content_block_delta" => self.take_delta(event),
            "content_block_stop" => self.stop_block(event["index"].as_u64().unwrap_or(0)),
            "message_delta" => {
                self.take_usage(&event["usage"]);
                self.take_stop(&event["delta"]["stop_reason"]);
            }
            "message_stop" => self.reply.complete(),
            "error" => self.reply.fail_with(event),
            // `ping`, and what Anthropic adds later.
            _ => {}
        }
    }

    fn start_block(&mut self, event: &Value) {
        let block = &event["content_block"];
        let index = event["index"].as_u64().unwrap_or(0);
        match block["type"].as_str().unwrap_or_default() {
            "text" => self.reply.text(block["text"].as_str().unwrap_or_default()),
            "thinking" => {
                let text = |key: &str| block[key].as_str().unwrap_or_default();
                self.reply.thinking(text("thinking"));
                let mut open = OpenThought { signature: text("signature").to_owned(), ..OpenThought::default() };
                open.think(text("thinking"));
                self.thoughts.insert(index, open);
            }
            "redacted_thinking" => {
                let data = block["data"].as_str().unwrap_or_default().to_owned();
                self.reply.thought(Thought::Sealed { data });
            }
            // A start that comes twice changes nothing.
            "tool_use" if !self.open.contains_key(&index) => {
                let text = |key: &str| block[key].as_str().filter(|text| !text.is_empty()).map(str::to_owned);
                let fragment =
                    Fragment { index: Some(index), id: text("id"), name: text("name"), arguments: String::new() };
                self.reply.fragment(fragment);
                self.open.insert(index, block["input"].clone());
            }
            _ => {}
        }
    }

    fn take_delta(&mut self, event: &Value) {
        let delta = &event["delta"];
        let index = event["index"].as_u64().unwrap_or(0);
        let text = |key: &str| delta[key].as_str().unwrap_or_default();
        match delta["type"].as_str().unwrap_or_default() {
            "text_delta" => self.reply.text(text("text")),
            "thinking_delta" => {
                self.reply.thinking(text("thinking"));
                self.thoughts.entry(index).or_default().think(text("thinking"));
            }
            "signature_delta" => self.thoughts.entry(index).or_default().signature.push_str(text("signature")),
            "input_json_delta" => {
                if !text("partial_json").is_empty()
                    && let Some(input) = self.open.get_mut(&index)
                {
                    *input = Value::Null;
                    let arguments = text("partial_json").to_owned();
                    self.reply.fragment(Fragment { index: Some(index), arguments, ..Fragment::default() });
                }
            }
            _ => {}
        }
    }

    /// The arguments of a call may have come whole with its start. Thinking is handed on once its signature is there.
    fn stop_block(&mut self, index: u64) {
        if let Some(OpenThought { mut halves, mut text, signature }) = self.thoughts.remove(&index)
            && !signature.is_empty()
        {
            text.extend(halves.end());
            self.reply.thought(Thought::Text { text, signature });
        }
        if let Some(Value::Object(input)) = self.open.remove(&index)
            && !input.is_empty()
        {
            let arguments = Value::Object(input).to_string();
            self.reply.fragment(Fragment { index: Some(index), arguments, ..Fragment::default() });
        }
    }

    fn take_stop(&mut self, reason: &Value) {
        match reason.as_str().unwrap_or_default() {
            "" => {}
            // Blocks that were never closed are not whole, whatever the reason says.
            _ if !self.open.is_empty() => self.reply.finish(Finish::Length),
            "tool_use" => self.reply.finish(Finish::ToolCalls),
            "max_tokens" | "model_context_window_exceeded" => self.reply.finish(Finish::Length),
            "refusal" => self.reply.finish(Finish::Filtered),
            _ => self.reply.finish(Finish::Stop),
        }
    }

    fn take_usage(&mut self, usage: &Value) {
        if !usage.is_object() {
            return;
        }
        let newer = |count: &mut u64, key: &str| *count = usage[key].as_u64().unwrap_or(*count);
        newer(&mut self.counts.input, "input_tokens");
        newer(&mut self.counts.cache_read, "cache_read_input_tokens");
        newer(&mut self.counts.cache_creation, "cache_creation_input_tokens");
        newer(&mut self.counts.output, "output_tokens");
        let Counts { input, cache_read, cache_creation, output } = self.counts;
        let prompt = input.saturating_add(cache_read).saturating_add(cache_creation);
        self.reply.usage(TokenUsage { prompt, cached: cache_read, completion: output });
    }

    fn take_whole(&mut self, answer: &Value) {
        if answer["type"] == "error" || !answer["error"].is_null() {
            return self.reply.fail_with(answer);
        }
        if !answer["content"].is_array() {
            return self.reply.unreadable();
        }
        self.take_usage(&answer["usage"]);
        self.take_blocks(&answer["content"]);
        self.take_stop(&answer["stop_reason"]);
        self.reply.complete();
    }

    fn take_blocks(&mut self, blocks: &Value) {
        for (index, block) in blocks.as_array().into_iter().flatten().enumerate() {
            let index = index as u64;
            self.start_block(&serde_json::json!({"index": index, "content_block": block}));
            self.stop_block(index);
        }
    }
}

impl AnswerDecoder for Decoder {
    fn push(&mut self, bytes: &[u8]) -> Pieces {
        for part in self.body.push(bytes) {
            self.take_part(part, false);
        }
        self.reply.take()
    }

    fn end(&mut self) -> Pieces {
        if let Some(part) = self.body.end() {
            self.take_part(part, true);
        }
        self.reply.close();
        self.reply.take()
    }

    fn is_answered(&self) -> bool {
        self.reply.has_finish()
    }

    fn is_over(&self) -> bool {
        self.reply.is_over()
    }
}
