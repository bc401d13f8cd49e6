//! How the engine talks about language models: one request, a stream of typed pieces, and errors it can act on.
//!
//! Adapters translate these to a provider's wire; nothing here names a provider's field.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt;

/// The engine's own sentence model: the one name of a model without a provider. It makes vectors and nothing else.
pub const BUILTIN_MODEL: &str = "builtin";

/// Whether a model's name is that of the engine's own sentence model.
pub fn is_builtin(name: &str) -> bool {
    name == BUILTIN_MODEL
}

/// `provider/model`, e.g. `ollama_chat/qwen3:8b` or `openrouter/meta-llama/llama-4`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ModelName(pub String);

impl ModelName {
    /// Reads `provider/model`; both parts must be there and hold no space or control character. [`BUILTIN_MODEL`] is the
    /// one name without a provider.
    pub fn parse(text: &str) -> Option<Self> {
        if is_builtin(text) {
            return Some(Self(text.to_owned()));
        }
        let (provider, model) = text.split_once('/')?;
        let clean = |part: &str| !part.is_empty() && !part.chars().any(|c| c.is_whitespace() || c.is_control());
        (clean(provider) && clean(model)).then(|| Self(text.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The part before the first `/`.
    pub fn provider(&self) -> &str {
        self.0.split_once('/').map_or("", |(provider, _)| provider)
    }

    /// The provider's own name of the model: all after the first `/`.
    pub fn model(&self) -> &str {
        self.0.split_once('/').map_or(self.0.as_str(), |(_, model)| model)
    }
}

impl fmt::Display for ModelName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What a model is used for (contract section 3, `models.roles`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ModelRole {
    Primary,
    Fast,
    Planner,
    Executor,
    Embedding,
    Vision,
    Voice,
}

impl ModelRole {
    pub const ALL: [Self; 7] =
        [Self::Primary, Self::Fast, Self::Planner, Self::Executor, Self::Embedding, Self::Vision, Self::Voice];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Primary => "primary",
            Self::Fast => "fast",
            Self::Planner => "planner",
            Self::Executor => "executor",
            Self::Embedding => "embedding",
            Self::Vision => "vision",
            Self::Voice => "voice",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.as_str() == text)
    }
}

/// How hard a model should think (`models.reasoning`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Effort {
    #[default]
    None,
    Low,
    Medium,
    High,
}

/// One picture for a model that sees.
#[derive(Clone, PartialEq, Eq)]
pub struct Picture {
    /// `image/png`, `image/jpeg`, `image/webp` or `image/gif`.
    pub mime: String,
    pub bytes: Vec<u8>,
}

impl fmt::Debug for Picture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Picture({}, {} bytes)", self.mime, self.bytes.len())
    }
}

/// One message of a prompt.
#[derive(Clone, Debug, PartialEq)]
pub enum PromptMessage {
    /// Instructions of the engine. `cache` marks the end of the part that stays the same between turns.
    System {
        text: String,
        cache: bool,
    },
    User {
        text: String,
        pictures: Vec<Picture>,
    },
    Assistant {
        text: String,
        /// What the model thought before it asked for `calls`, in its order; wires send it where the provider wants it.
        thinking: Vec<Thought>,
        calls: Vec<ToolCall>,
    },
    /// The result of one call. Every call of an assistant message is followed by exactly one of these.
    Tool {
        call_id: String,
        name: String,
        text: String,
    },
}

/// One stretch of a model's thinking, as its provider may want it back with the calls it led to. Never changed on the
/// way: a signed stretch that differs by a byte is refused.
#[derive(Clone, PartialEq, Eq)]
pub enum Thought {
    /// `signature` is the provider's proof of the text (Anthropic); empty where a provider gives none.
    Text { text: String, signature: String },
    /// Encrypted by the provider (Anthropic's `redacted_thinking`).
    Sealed { data: String },
}

impl Thought {
    /// Thinking that nobody signed.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text { text: text.into(), signature: String::new() }
    }

    /// Whether the provider can tell that it is its own.
    pub fn is_signed(&self) -> bool {
        match self {
            Self::Text { signature, .. } => !signature.is_empty(),
            Self::Sealed { .. } => true,
        }
    }

    /// What can be read of it.
    pub fn readable(&self) -> &str {
        match self {
            Self::Text { text, .. } => text,
            Self::Sealed { .. } => "",
        }
    }

    /// Bytes it takes in a prompt.
    pub fn len(&self) -> usize {
        match self {
            Self::Text { text, signature } => text.len() + signature.len(),
            Self::Sealed { data } => data.len(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl fmt::Debug for Thought {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let signed = if self.is_signed() { "signed, " } else { "" };
        write!(f, "Thought({:?}, {signed}{} bytes)", self.readable(), self.len())
    }
}

/// A call a model asked for, with arguments that were read as a JSON object.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    /// The id the provider must see again with the result. Made unique within a prompt by the engine.
    pub id: String,
    pub name: String,
    /// A JSON object.
    pub arguments: Value,
}

/// A tool as it is offered to a model.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolOffer {
    pub name: String,
    pub description: String,
    /// JSON Schema, an object schema.
    pub parameters: Value,
}

/// One call of a language model.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelCall {
    pub model: ModelName,
    pub messages: Vec<PromptMessage>,
    pub tools: Vec<ToolOffer>,
    pub effort: Effort,
    /// `None` leaves it to the provider.
    pub temperature: Option<f64>,
    /// Tokens a local model is asked to read at once (Ollama's `num_ctx`); the adapter clamps it to the model's own
    /// maximum and reports what it used in [`Piece::ContextLength`].
    pub context_length: u32,
    /// Where the provider answers, when the person set another address (`models.providers.<id>.api_base`).
    pub api_base: Option<String>,
    /// The answer must be one JSON object.
    pub json: bool,
    /// The longest answer to ask for; `None` leaves it to the provider.
    pub output_tokens_max: Option<u32>,
}

/// A piece of a streamed answer, in the order the provider sent it.
#[derive(Clone, Debug, PartialEq)]
pub enum Piece {
    Text(String),
    Thinking(String),
    /// A stretch of thinking is over and came with its provider's proof: the whole of it, whose words were given out
    /// before. Providers without such proofs never send this piece.
    Thought(Thought),
    /// A whole call, given out once its arguments are complete. `arguments` is the text the model wrote.
    Call {
        id: Option<String>,
        name: String,
        arguments: String,
    },
    Usage(TokenUsage),
    /// The context length that was really used for this call.
    ContextLength(u32),
    /// The provider said why it ended. Without this piece the stream was cut.
    Finish(Finish),
}

/// Why a model stopped writing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Finish {
    /// It had said all it wanted.
    Stop,
    /// It asked for tools.
    ToolCalls,
    /// It ran into the output limit: text may be cut, and calls may be incomplete.
    Length,
    /// The provider's filter ended it.
    Filtered,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenUsage {
    /// All tokens of the prompt, cached ones included.
    pub prompt: u64,
    /// How many of them the provider read from its cache.
    pub cached: u64,
    pub completion: u64,
}

/// Why a model call failed, as far as the engine acts on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ModelErrorKind {
    /// 429: too many requests. Another try may help after a while.
    RateLimited,
    /// 402 or an exhausted balance.
    NoCredits,
    /// 401 or 403.
    KeyRejected,
    /// No key is set for the provider.
    KeyMissing,
    /// The provider does not have the model, or it is not downloaded.
    ModelMissing,
    /// Down, slow, or unreachable.
    Unreachable,
    /// The prompt was longer than the model reads. Decided by the adapter from the provider's structured error code or
    /// status, never from words in a chat.
    TooLong,
    /// The model cannot do what was asked (tools, pictures).
    Unsupported,
    /// It answered something the adapter cannot read, or the stream ended in the middle.
    Malformed,
    /// Local only, and the model is not on this computer.
    LocalOnly,
    /// The month's budget is used up.
    BudgetReached,
    Cancelled,
    Other,
}

/// A failed model call: a kind to act on and one plain sentence for the person (contract section 1, "Model errors").
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelError {
    pub kind: ModelErrorKind,
    /// One plain sentence that says what happened and what to do. Never the provider's raw reply.
    pub message: String,
    /// Seconds the provider asked to wait.
    pub retry_after_s: Option<u64>,
}

impl ModelError {
    pub fn new(kind: ModelErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), retry_after_s: None }
    }
}

impl fmt::Display for ModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for ModelError {}
