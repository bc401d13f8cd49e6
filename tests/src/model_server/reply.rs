//! What a test writes: the entries of a script, and the ways they can go wrong.

use super::Seen;
use protocol::model::{Finish, TokenUsage};
use serde_json::Value;

/// One piece of an answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Part {
    Thinking(String),
    Text(String),
    /// `arguments` is sent as it stands, so that a test can script arguments that are no JSON.
    Call {
        id: Option<String>,
        name: String,
        arguments: String,
    },
}

/// How an answer goes wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Every event comes this many milliseconds after the one before.
    Slow(u64),
    /// Nothing comes for this many milliseconds, then everything at once. Not a fault of a provider, but its usual way.
    LateStart(u64),
    /// The connection breaks in the middle of an event.
    CutMidStream,
    /// The body ends cleanly in the middle of the answer, without the provider's end mark.
    EndMidStream,
    /// One event is not what the wire promises.
    Malformed,
    /// The provider answers with this HTTP status and an error body of its wire.
    Status(u16),
    /// 429 with a `Retry-After` of this many seconds.
    RetryAfter(u64),
    /// An HTTP status with this very body.
    StatusBody(u16, String),
    /// The stream begins well and then says that the provider failed.
    MidStreamError,
    /// The request is read, and nothing ever comes back.
    HangBeforeHeaders,
    /// The status comes, and nothing after it.
    HangAfterHeaders,
    /// Half of the answer comes, and nothing after it.
    HangMidStream,
    /// The answer is whole and says nothing.
    EmptyAnswer,
}

/// One entry of a script: what one model call is answered with.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reply {
    pub(super) parts: Vec<Part>,
    pub(super) fault: Option<Fault>,
    pub(super) usage: Option<TokenUsage>,
    pub(super) finish: Option<Finish>,
    pub(super) when: Option<String>,
}

impl Reply {
    /// An answer of text. It is streamed word by word.
    pub fn text(text: impl Into<String>) -> Self {
        Self::default().then_text(text)
    }

    /// An answer that begins with thinking.
    pub fn thinking(text: impl Into<String>) -> Self {
        Self { parts: vec![Part::Thinking(text.into())], ..Self::default() }
    }

    /// An answer that asks for a tool.
    pub fn tool(name: impl Into<String>, arguments: Value) -> Self {
        Self::default().call(name, arguments)
    }

    /// An answer of `tokens` short words.
    pub fn tokens(tokens: usize) -> Self {
        Self::text("word ".repeat(tokens))
    }

    /// Adds text behind what is there.
    #[must_use]
    pub fn then_text(mut self, text: impl Into<String>) -> Self {
        self.parts.push(Part::Text(text.into()));
        self
    }

    /// Adds a tool call. Its id is made up unless [`Reply::call_id`] follows.
    #[must_use]
    pub fn call(self, name: impl Into<String>, arguments: Value) -> Self {
        self.raw_call(name, arguments.to_string())
    }

    /// Adds a tool call whose arguments are sent as they stand, JSON or not. (Ollama's wire sends arguments as a value:
    /// text that is no JSON goes out as a string.)
    #[must_use]
    pub fn raw_call(mut self, name: impl Into<String>, arguments: impl Into<String>) -> Self {
        self.parts.push(Part::Call { id: None, name: name.into(), arguments: arguments.into() });
        self
    }

    /// Gives the last call this id, for models that repeat ids.
    ///
    /// # Panics
    ///
    /// When there is no call yet.
    #[must_use]
    pub fn call_id(mut self, call_id: impl Into<String>) -> Self {
        match self.parts.last_mut() {
            Some(Part::Call { id, .. }) => *id = Some(call_id.into()),
            _ => panic!("call_id needs a call before it"),
        }
        self
    }

    #[must_use]
    pub fn fault(mut self, fault: Fault) -> Self {
        self.fault = Some(fault);
        self
    }

    /// The usage the provider reports; without it, counts made up from the lengths.
    #[must_use]
    pub fn usage(mut self, prompt: u64, cached: u64, completion: u64) -> Self {
        self.usage = Some(TokenUsage { prompt, cached, completion });
        self
    }

    /// Why the model says it stopped; without it, `ToolCalls` when there is a call and `Stop` otherwise.
    #[must_use]
    pub fn finish(mut self, finish: Finish) -> Self {
        self.finish = Some(finish);
        self
    }

    /// Keeps this entry for the first call whose body holds `text`; other calls pass it by.
    #[must_use]
    pub fn when(mut self, text: impl Into<String>) -> Self {
        self.when = Some(text.into());
        self
    }

    pub(super) fn waits_for(&self, seen: &Seen) -> bool {
        self.when.as_ref().is_some_and(|text| seen.contains(text))
    }

    /// What is really said: nothing at all with [`Fault::EmptyAnswer`].
    pub(super) fn said(&self) -> &[Part] {
        if self.fault == Some(Fault::EmptyAnswer) { &[] } else { &self.parts }
    }

    pub(super) fn why_finished(&self) -> Finish {
        let calls = self.said().iter().any(|part| matches!(part, Part::Call { .. }));
        self.finish.unwrap_or(if calls { Finish::ToolCalls } else { Finish::Stop })
    }

    /// The usage to report: as scripted, else one token for every four characters.
    pub(super) fn tokens_used(&self, body_chars: usize) -> TokenUsage {
        let chars = |part: &Part| match part {
            Part::Thinking(text) | Part::Text(text) => text.len(),
            Part::Call { name, arguments, .. } => name.len() + arguments.len(),
        };
        let completion: usize = self.said().iter().map(chars).sum();
        self.usage.unwrap_or(TokenUsage {
            prompt: body_chars.div_ceil(4) as u64,
            cached: 0,
            completion: completion.div_ceil(4) as u64,
        })
    }
}

/// A model Ollama says it has downloaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OllamaModel {
    pub name: String,
    pub size: u64,
    pub family: String,
    pub parameter_size: String,
    pub capabilities: Vec<String>,
    pub context_length: u64,
    /// Bytes on the graphics card, when it is loaded.
    pub size_vram: Option<u64>,
}

impl OllamaModel {
    /// A model for chats, with tools and thinking, that reads 40,960 tokens.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            size: 5_200_000_000,
            family: "qwen3".to_owned(),
            parameter_size: "8.2B".to_owned(),
            capabilities: ["completion", "tools", "thinking"].map(str::to_owned).to_vec(),
            context_length: 40_960,
            size_vram: None,
        }
    }

    /// A model for vectors.
    pub fn embedding(name: impl Into<String>) -> Self {
        Self {
            size: 274_000_000,
            family: "nomic-bert".to_owned(),
            parameter_size: "137M".to_owned(),
            context_length: 2_048,
            ..Self::new(name).capabilities(["embedding"])
        }
    }

    #[must_use]
    pub fn capabilities<const N: usize>(mut self, capabilities: [&str; N]) -> Self {
        self.capabilities = capabilities.map(str::to_owned).to_vec();
        self
    }

    #[must_use]
    pub fn context_length(mut self, tokens: u64) -> Self {
        self.context_length = tokens;
        self
    }

    #[must_use]
    pub fn loaded(mut self, size_vram: u64) -> Self {
        self.size_vram = Some(size_vram);
        self
    }

    /// Whether a request means this model; Ollama takes `name` for `name:latest`.
    pub(super) fn is(&self, asked: &str) -> bool {
        let full = |name: &str| if name.contains(':') { name.to_owned() } else { format!("{name}:latest") };
        full(&self.name) == full(asked)
    }
}
