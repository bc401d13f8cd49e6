//! Reads an `/api/chat` answer: one JSON object per line, the last with `done: true`.

use super::super::calls::Fragment;
use super::super::dialect::Dialect;
use super::super::lines::{LINE_BYTES_MAX, LineDecoder};
use super::super::reply::Reply;
use super::super::{AnswerDecoder, Pieces, surrogates};
use protocol::model::{Finish, ModelName, TokenUsage};
use serde_json::Value;

/// Reads one answer.
#[derive(Debug)]
pub struct Decoder {
    reply: Reply,
    lines: LineDecoder,
    /// A document over several lines (a proxy that formats JSON), collected until it is whole.
    document: Option<String>,
    /// Calls so far: each of Ollama's is whole, so none may be joined with another.
    calls: u64,
}

impl Decoder {
    pub fn new(dialect: &Dialect, model: &ModelName) -> Self {
        Self {
            reply: Reply::new(dialect.label, model.clone(), dialect.think_tags),
            lines: LineDecoder::default(),
            document: None,
            calls: 0,
        }
    }

    fn take_line(&mut self, line: &str, last: bool) {
        if self.reply.is_over() || (line.trim().is_empty() && self.document.is_none()) {
            return;
        }
        if let Some(document) = &mut self.document {
            if document.len() + line.len() > LINE_BYTES_MAX {
                return self.reply.too_large();
            }
            document.push('\n');
            document.push_str(line);
            return;
        }
        match surrogates::parse(line) {
            Ok(value) => self.take_value(&value),
            Err(_) if line.trim() == "{" => self.document = Some(line.to_owned()),
            Err(_) if last => {}
            Err(_) => self.reply.unreadable(),
        }
    }

    fn take_value(&mut self, value: &Value) {
        if !value["error"].is_null() {
            return self.reply.fail_with(value);
        }
        let message = &value["message"];
        if !message.is_object() && value["done"].as_bool().is_none() {
            return self.reply.unreadable();
        }
        self.reply.thinking(message["thinking"].as_str().unwrap_or_default());
        self.reply.text(message["content"].as_str().unwrap_or_default());
        for entry in message["tool_calls"].as_array().into_iter().flatten() {
            let fragment = Fragment::from_openai(entry);
            self.reply.fragment(Fragment { index: Some(self.calls), ..fragment });
            self.calls += 1;
        }
        if value["done"] == true {
            let count = |key: &str| value[key].as_u64().unwrap_or(0);
            if value["eval_count"].is_u64() || value["prompt_eval_count"].is_u64() {
                // Ollama leaves out what it had cached; the context meter compares with its own count.
                let usage =
                    TokenUsage { prompt: count("prompt_eval_count"), cached: 0, completion: count("eval_count") };
                self.reply.usage(usage);
            }
            self.reply.finish(if value["done_reason"] == "length" { Finish::Length } else { Finish::Stop });
            self.reply.complete();
        }
    }
}

impl AnswerDecoder for Decoder {
    fn push(&mut self, bytes: &[u8]) -> Pieces {
        for line in self.lines.push(bytes) {
            match line {
                Ok(line) => self.take_line(&line, false),
                Err(_) => self.reply.too_large(),
            }
        }
        self.reply.take()
    }

    fn end(&mut self) -> Pieces {
        if let Some(line) = self.lines.end() {
            self.take_line(&line, true);
        }
        if let Some(document) = self.document.take()
            && let Ok(value) = surrogates::parse(&document)
        {
            self.take_value(&value);
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
