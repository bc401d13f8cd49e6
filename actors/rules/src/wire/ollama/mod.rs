//! Ollama's own wire: `/api/chat` with one JSON object per line, `/api/show` and `/api/embed`.
//!
//! Its own wire and not its OpenAI one, because only here the context length (`options.num_ctx`) and thinking can be set.
//! It must never ask a model to think, see or call tools when `/api/show` says it cannot: Ollama refuses such requests.

mod decode;
mod request;
#[cfg(test)]
mod tests;

pub use decode::Decoder;
pub use request::request_body;

use protocol::model::ModelCall;
use serde_json::{Value, json};

/// What Ollama tells about a downloaded model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OllamaModel {
    /// Tokens the model reads at most; `None` when Ollama did not say.
    pub context_length_max: Option<u32>,
    /// Such as `completion`, `tools`, `thinking`, `vision`, `embedding`; empty when Ollama is too old to say.
    pub capabilities: Vec<String>,
    /// How the model's family is called, e.g. `gptoss`; empty when unknown.
    pub family: String,
}

impl OllamaModel {
    /// Reads the answer of `/api/show`. Whatever is missing stays unknown.
    pub fn from_show(show: &Value) -> Self {
        let info = &show["model_info"];
        let architecture = info["general.architecture"].as_str().unwrap_or_default();
        let length = info[format!("{architecture}.context_length")].as_u64();
        let words = show["capabilities"].as_array().into_iter().flatten();
        Self {
            context_length_max: length.and_then(|length| u32::try_from(length).ok()).filter(|length| *length > 0),
            capabilities: words.filter_map(|word| word.as_str().map(str::to_owned)).collect(),
            family: show["details"]["family"].as_str().unwrap_or(architecture).to_owned(),
        }
    }

    /// Whether the model can do something. An Ollama that tells no capabilities is believed to have none but answering
    /// and calling tools.
    pub fn can(&self, capability: &str) -> bool {
        let known = self.capabilities.iter().any(|word| word == capability);
        known || (self.capabilities.is_empty() && matches!(capability, "completion" | "tools"))
    }

    /// The `num_ctx` to send: what was asked for, at most what the model reads (contract section 1, "Context meter").
    pub fn context_length(&self, call: &ModelCall) -> u32 {
        self.context_length_max.map_or(call.context_length, |max| call.context_length.min(max))
    }
}

/// The body of `/api/embed`. `truncate` makes a text longer than the model reads an embedding of its start.
pub fn embed_body(model: &str, texts: &[String]) -> Value {
    json!({"model": model, "input": texts, "truncate": true})
}

/// The vectors of an `/api/embed` answer; `None` when it is not one vector per text.
pub fn embeddings(body: &str, texts: usize) -> Option<Vec<Vec<f32>>> {
    let value: Value = serde_json::from_str(body).ok()?;
    let vectors: Vec<Vec<f32>> = value["embeddings"].as_array()?.iter().map(vector).collect::<Option<_>>()?;
    (vectors.len() == texts).then_some(vectors)
}

/// One vector: a list of finite numbers, not empty.
pub(super) fn vector(value: &Value) -> Option<Vec<f32>> {
    let number = |value: &Value| value.as_f64().map(|number| number as f32).filter(|number| number.is_finite());
    let vector: Vec<f32> = value.as_array()?.iter().map(number).collect::<Option<_>>()?;
    (!vector.is_empty()).then_some(vector)
}
