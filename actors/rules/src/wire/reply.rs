//! What the three decoders have in common: the state of one answer on its way to pieces, and the body it comes in.
//!
//! It must never give out anything after the end of an answer, and never an end that the provider did not mark.

use super::calls::{Calls, Fragment};
use super::lines::{LINE_BYTES_MAX, LineTooLong};
use super::sse::{SseDecoder, SseEvent};
use super::surrogates::Joiner;
use super::thinking::{Part, ThinkSplitter};
use super::{ANSWER_BYTES_MAX, Pieces};
use crate::model_errors;
use protocol::model::{Finish, ModelError, ModelName, Piece, Thought, TokenUsage};
use serde_json::Value;

/// One answer.
#[derive(Debug)]
pub(super) struct Reply {
    label: &'static str,
    model: ModelName,
    splitter: ThinkSplitter,
    text: Joiner,
    thinking: Joiner,
    calls: Calls,
    usage: Option<TokenUsage>,
    /// Why the provider ended it, once it said so.
    finish: Option<Finish>,
    bytes: usize,
    over: bool,
    out: Pieces,
}

impl Reply {
    pub(super) fn new(label: &'static str, model: ModelName, think_tags: bool) -> Self {
        Self {
            label,
            model,
            splitter: ThinkSplitter::new(think_tags),
            text: Joiner::default(),
            thinking: Joiner::default(),
            calls: Calls::default(),
            usage: None,
            finish: None,
            bytes: 0,
            over: false,
            out: Vec::new(),
        }
    }

    pub(super) fn is_over(&self) -> bool {
        self.over
    }

    /// All pieces since the last time.
    pub(super) fn take(&mut self) -> Pieces {
        std::mem::take(&mut self.out)
    }

    pub(super) fn text(&mut self, text: &str) {
        if self.counts(text) {
            let text = self.text.push(text.to_owned());
            let parts = self.splitter.push(text);
            self.emit_parts(parts);
        }
    }

    pub(super) fn thinking(&mut self, text: &str) {
        if self.counts(text) {
            let text = self.thinking.push(text.to_owned());
            self.emit_parts([Part::Thinking(text)]);
        }
    }

    /// A stretch of thinking that came with its proof; its words were given to [`Reply::thinking`] before.
    pub(super) fn thought(&mut self, thought: Thought) {
        let proof = match &thought {
            Thought::Text { signature, .. } => signature.len(),
            Thought::Sealed { data } => data.len(),
        };
        if proof > 0 && !self.over && self.counts_bytes(proof) {
            // Half a character that was held back belongs in front.
            let half = self.thinking.end().map(|half| Part::Thinking(half.into()));
            self.emit_parts(half);
            self.out.push(Ok(Piece::Thought(thought)));
        }
    }

    pub(super) fn fragment(&mut self, fragment: Fragment) {
        if !self.over && self.counts_bytes(fragment.arguments.len()) && self.calls.add(fragment).is_err() {
            self.fail(model_errors::too_large(self.label));
        }
    }

    pub(super) fn usage(&mut self, usage: TokenUsage) {
        self.usage = Some(usage);
    }

    /// The provider said why it ends; usage may still follow.
    pub(super) fn finish(&mut self, finish: Finish) {
        self.finish = Some(finish);
    }

    pub(super) fn has_finish(&self) -> bool {
        self.finish.is_some()
    }

    /// The provider's end mark was seen: gives out what was held back, the calls, the usage and the end.
    pub(super) fn complete(&mut self) {
        if self.over {
            return;
        }
        self.flush_text();
        let finish = match self.finish {
            Some(Finish::Stop) | None if !self.calls.is_empty() => Finish::ToolCalls,
            Some(Finish::ToolCalls) | None if self.calls.is_empty() => Finish::Stop,
            Some(finish) => finish,
            None => Finish::Stop,
        };
        // Without a reason, or at the output limit, absent arguments may just not have been written yet.
        let whole = matches!(self.finish, Some(Finish::Stop | Finish::ToolCalls));
        self.out.extend(self.calls.finish(whole).into_iter().map(Ok));
        self.out.extend(self.usage.map(Piece::Usage).map(Ok));
        self.out.push(Ok(Piece::Finish(finish)));
        self.over = true;
    }

    /// Ends the answer with an error. What it used up to here is still told: it was paid for.
    pub(super) fn fail(&mut self, error: ModelError) {
        if self.over {
            return;
        }
        self.flush_text();
        self.out.extend(self.usage.map(Piece::Usage).map(Ok));
        self.out.push(Err(error));
        self.over = true;
    }

    /// The provider sent an error object in the middle of its answer.
    pub(super) fn fail_with(&mut self, error: &Value) {
        self.fail(model_errors::from_error_object(self.label, &self.model, error));
    }

    /// The provider sent what cannot be read.
    pub(super) fn unreadable(&mut self) {
        self.fail(model_errors::unreadable(self.label));
    }

    pub(super) fn too_large(&mut self) {
        self.fail(model_errors::too_large(self.label));
    }

    /// The body is over: a whole answer if the provider had said why it ended, else an error.
    pub(super) fn close(&mut self) {
        if self.has_finish() { self.complete() } else { self.fail(model_errors::cut_off(self.label)) }
    }

    fn flush_text(&mut self) {
        let half = self.text.end().map(String::from).unwrap_or_default();
        let mut parts = self.splitter.push(half);
        parts.extend(self.splitter.end());
        parts.extend(self.thinking.end().map(|half| Part::Thinking(half.into())));
        self.emit_parts(parts);
    }

    fn emit_parts(&mut self, parts: impl IntoIterator<Item = Part>) {
        let pieces = parts.into_iter().filter_map(|part| match part {
            Part::Text(text) => (!text.is_empty()).then_some(Piece::Text(text)),
            Part::Thinking(text) => (!text.is_empty()).then_some(Piece::Thinking(text)),
        });
        self.out.extend(pieces.map(Ok));
    }

    fn counts(&mut self, text: &str) -> bool {
        !self.over && !text.is_empty() && self.counts_bytes(text.len())
    }

    fn counts_bytes(&mut self, bytes: usize) -> bool {
        self.bytes += bytes;
        if self.bytes > ANSWER_BYTES_MAX {
            self.too_large();
        }
        !self.over
    }
}

/// A part of a response body.
#[derive(Debug)]
pub(super) enum BodyPart {
    Event(SseEvent),
    /// The body was one JSON document instead of a stream: a server that ignores `stream`, or an error.
    Document(String),
    TooLong,
}

/// A response body that is a stream of events or one JSON document; its first byte tells.
#[derive(Debug, Default)]
pub(super) struct Body {
    kind: Kind,
}

#[derive(Debug, Default)]
enum Kind {
    #[default]
    Unknown,
    Stream(SseDecoder),
    Document(Vec<u8>),
    Over,
}

impl Body {
    pub(super) fn push(&mut self, mut bytes: &[u8]) -> Vec<BodyPart> {
        if matches!(self.kind, Kind::Unknown) {
            // Blank space and the bytes of a byte order mark tell nothing.
            let skipped =
                bytes.iter().take_while(|byte| byte.is_ascii_whitespace() || b"\xef\xbb\xbf".contains(byte)).count();
            bytes = &bytes[skipped..];
            match bytes.first() {
                None => return Vec::new(),
                Some(b'{' | b'[') => self.kind = Kind::Document(Vec::new()),
                Some(_) => self.kind = Kind::Stream(SseDecoder::default()),
            }
        }
        match &mut self.kind {
            Kind::Stream(decoder) => decoder.push(bytes).into_iter().map(BodyPart::from).collect(),
            Kind::Document(document) if document.len() + bytes.len() > LINE_BYTES_MAX => {
                self.kind = Kind::Over;
                vec![BodyPart::TooLong]
            }
            Kind::Document(document) => {
                document.extend_from_slice(bytes);
                Vec::new()
            }
            Kind::Unknown | Kind::Over => Vec::new(),
        }
    }

    pub(super) fn end(&mut self) -> Option<BodyPart> {
        match std::mem::replace(&mut self.kind, Kind::Over) {
            Kind::Stream(mut decoder) => decoder.end().map(BodyPart::from),
            Kind::Document(document) => Some(BodyPart::Document(String::from_utf8_lossy(&document).into_owned())),
            Kind::Unknown | Kind::Over => None,
        }
    }
}

impl From<Result<SseEvent, LineTooLong>> for BodyPart {
    fn from(event: Result<SseEvent, LineTooLong>) -> Self {
        event.map_or(Self::TooLong, Self::Event)
    }
}
