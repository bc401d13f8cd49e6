//! Reads a chat completions answer, streamed or whole.

use super::super::calls::Fragment;
use super::super::dialect::Dialect;
use super::super::reply::{Body, BodyPart, Reply};
use super::super::{AnswerDecoder, Pieces, surrogates};
use protocol::model::{Finish, ModelName, TokenUsage};
use serde_json::Value;

/// Reads one answer.
#[derive(Debug)]
pub struct Decoder {
    reply: Reply,
    body: Body,
}

impl Decoder {
    pub fn new(dialect: &Dialect, model: &ModelName) -> Self {
        Self { reply: Reply::new(dialect.label, model.clone(), dialect.think_tags), body: Body::default() }
    }

    fn take_part(&mut self, part: BodyPart, last: bool) {
        match part {
            _ if self.reply.is_over() => {}
            BodyPart::TooLong => self.reply.too_large(),
            BodyPart::Document(text) => match surrogates::parse(&text) {
                Ok(value) => self.take_whole(&value),
                Err(_) => self.reply.unreadable(),
            },
            BodyPart::Event(event) if event.data.trim().is_empty() => {}
            BodyPart::Event(event) if event.data.trim() == "[DONE]" => self.reply.complete(),
            BodyPart::Event(event) => match surrogates::parse(&event.data) {
                Ok(value) if event.event == "error" => self.reply.fail_with(&value),
                Ok(value) => self.take_chunk(&value),
                // The body broke off inside this event: `close` says so, or has the end already.
                Err(_) if last => {}
                Err(_) => self.reply.unreadable(),
            },
        }
    }

    fn take_chunk(&mut self, chunk: &Value) {
        if self.take_error(chunk) {
            return;
        }
        self.take_usage(chunk);
        let Some(choice) = first_choice(chunk) else { return };
        // Some servers put the whole message into the last event.
        let delta = if choice["delta"].is_object() { &choice["delta"] } else { &choice["message"] };
        self.take_message(delta);
        self.take_finish(choice);
    }

    fn take_whole(&mut self, answer: &Value) {
        if self.take_error(answer) {
            return;
        }
        self.take_usage(answer);
        let Some(choice) = first_choice(answer).filter(|choice| choice["message"].is_object()) else {
            return self.reply.unreadable();
        };
        self.take_message(&choice["message"]);
        self.take_finish(choice);
        // The document is whole, so its end is marked even without a reason.
        self.reply.complete();
    }

    /// True when the value told of an error; the answer is over then.
    fn take_error(&mut self, value: &Value) -> bool {
        let error = match value {
            // Gemini wraps its errors in a list.
            Value::Array(items) => items.first().unwrap_or(&Value::Null),
            value => value,
        };
        let is_error = !error["error"].is_null() || error["object"] == "error" || error["type"] == "error";
        if is_error {
            self.reply.fail_with(error);
        }
        is_error
    }

    fn take_message(&mut self, message: &Value) {
        // The same thinking may come under two names.
        let thinking = ["reasoning_content", "reasoning", "thinking"];
        if let Some(text) = thinking.iter().find_map(|key| message[key].as_str().filter(|text| !text.is_empty())) {
            self.reply.thinking(text);
        }
        self.take_content(&message["content"]);
        if let Some(refusal) = message["refusal"].as_str() {
            self.reply.text(refusal);
        }
        for entry in message["tool_calls"].as_array().into_iter().flatten() {
            self.reply.fragment(Fragment::from_openai(entry));
        }
    }

    /// Content is text or, from Mistral, a list of parts.
    fn take_content(&mut self, content: &Value) {
        match content {
            Value::String(text) => self.reply.text(text),
            Value::Array(parts) => {
                for part in parts {
                    if part["type"] == "thinking" {
                        for inner in part["thinking"].as_array().into_iter().flatten() {
                            self.reply.thinking(inner["text"].as_str().unwrap_or_default());
                        }
                    } else {
                        self.reply.text(part["text"].as_str().unwrap_or_default());
                    }
                }
            }
            _ => {}
        }
    }

    fn take_finish(&mut self, choice: &Value) {
        match choice["finish_reason"].as_str().unwrap_or_default() {
            "" => {}
            "length" | "max_tokens" | "model_length" => self.reply.finish(Finish::Length),
            "tool_calls" | "function_call" => self.reply.finish(Finish::ToolCalls),
            "content_filter" => self.reply.finish(Finish::Filtered),
            "error" | "insufficient_system_resource" => self.reply.fail_with(&choice["error"]),
            _ => self.reply.finish(Finish::Stop),
        }
    }

    fn take_usage(&mut self, value: &Value) {
        let usage = [&value["usage"], &value["x_groq"]["usage"]].into_iter().find(|usage| usage.is_object());
        let Some(usage) = usage else { return };
        let count = |value: &Value| value.as_u64().unwrap_or(0);
        let prompt = count(&usage["prompt_tokens"]);
        let cached =
            count(&usage["prompt_tokens_details"]["cached_tokens"]).max(count(&usage["prompt_cache_hit_tokens"]));
        // xAI and Gemini leave thinking out of `completion_tokens`, but not out of the total.
        let completion = count(&usage["completion_tokens"]).max(count(&usage["total_tokens"]).saturating_sub(prompt));
        self.reply.usage(TokenUsage { prompt, cached: cached.min(prompt), completion });
    }
}

/// The answer itself: the engine asks for one, and ignores others.
fn first_choice(value: &Value) -> Option<&Value> {
    let choices = value["choices"].as_array()?;
    choices.iter().find(|choice| choice["index"].as_u64().unwrap_or(0) == 0)
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
