//! Turns a provider's refusal into one plain sentence and a kind the engine can act on (contract section 1, "Model
//! errors").
//!
//! The provider's own words are only looked at, in the body of an error and nowhere else, to tell known reasons apart.
//! They must never get into a sentence: they may hold parts of the prompt, addresses or keys.

use protocol::model::{ModelError, ModelErrorKind, ModelName};
use serde_json::Value;

/// Bytes of an error body that are looked at. Error pages of proxies can be long.
const ERROR_BODY_BYTES_MAX: usize = 64 * 1024;
/// Longest wait that is told in seconds; above it the sentence says minutes.
const WAIT_IN_SECONDS_MAX: u64 = 90;

/// How reaching a provider failed before any status came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransportFailure {
    /// No connection: refused, no such host, no network.
    Connect,
    /// The certificate or the handshake was not accepted.
    Tls,
    /// No answer, or no next piece of it, within the time limit.
    Timeout,
    /// The connection broke while the answer came.
    Broken,
}

/// Why a provider turned a request down, as far as the sentences differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reason {
    RateLimited,
    FreeModelsPerDay,
    FreeModelsPerMinute,
    NoCredits,
    KeyRejected,
    NotAllowed,
    CodingOnly,
    ModelMissing,
    TooLong,
    NoTools,
    NoPictures,
    NoThinking,
    Slow,
    Down,
    Refused,
}

/// The error for an HTTP status of 400 or more. `retry_after_s` is the parsed `Retry-After` header, in seconds.
pub fn from_status(label: &str, model: &ModelName, status: u16, body: &str, retry_after_s: Option<u64>) -> ModelError {
    let body = if body.len() > ERROR_BODY_BYTES_MAX { "" } else { body };
    let said = Said::read(&serde_json::from_str(body).unwrap_or(Value::Null));
    let reason = said.reason(model, Some(status));
    error(reason, label, model, retry_after_s)
}

/// The error for an error object that came in the middle of a stream, or with status 200.
pub fn from_error_object(label: &str, model: &ModelName, object: &Value) -> ModelError {
    let said = Said::read(object);
    let reason = said.reason(model, None);
    error(reason, label, model, None)
}

/// The error when the provider could not be talked to at all.
pub fn from_transport(label: &str, model: &ModelName, failure: TransportFailure) -> ModelError {
    let ollama = matches!(model.provider(), "ollama" | "ollama_chat");
    let message = match failure {
        TransportFailure::Connect if ollama => {
            "Ollama isn't answering. Start Ollama, or pick another model in Settings > Models.".to_owned()
        }
        TransportFailure::Connect if crate::prices::is_local_runtime(model) => {
            format!("{label} isn't answering. Start its server, or pick another model in Settings > Models.")
        }
        TransportFailure::Connect => format!(
            "Couldn't reach {label}. Check the internet connection, or pick another model in Settings > Models."
        ),
        TransportFailure::Tls => format!(
            "Couldn't make a safe connection to {label}: its certificate wasn't accepted. Check the address in \
             Settings > Models and this computer's clock."
        ),
        TransportFailure::Timeout => slow(label),
        TransportFailure::Broken => {
            return ModelError::new(
                ModelErrorKind::Unreachable,
                format!("The connection to {label} broke before the answer was finished. Try again."),
            );
        }
    };
    ModelError::new(ModelErrorKind::Unreachable, message)
}

/// No key is set for a provider that needs one.
pub fn key_missing(label: &str) -> ModelError {
    ModelError::new(
        ModelErrorKind::KeyMissing,
        format!("There is no key for {label} yet. Add one in Settings > Models."),
    )
}

/// The stream ended without the provider's end mark.
pub fn cut_off(label: &str) -> ModelError {
    ModelError::new(
        ModelErrorKind::Malformed,
        format!("The answer from {label} was cut off before it was finished. Try again."),
    )
}

/// The provider sent something that is not an answer of its wire.
pub fn unreadable(label: &str) -> ModelError {
    ModelError::new(
        ModelErrorKind::Malformed,
        format!("{label} sent an answer that couldn't be read. Try again, or check its address in Settings > Models."),
    )
}

/// The answer was larger than the engine keeps.
pub fn too_large(label: &str) -> ModelError {
    ModelError::new(ModelErrorKind::Malformed, format!("{label} sent an answer that was too large to keep. Try again."))
}

/// What an error body says, in lower case.
#[derive(Debug, Default)]
struct Said {
    /// A status inside the body (OpenRouter, vLLM, Gemini).
    status: Option<u16>,
    /// `code`, `type` and `status` words.
    codes: Vec<String>,
    message: String,
}

impl Said {
    fn read(body: &Value) -> Self {
        let body = body.as_array().and_then(|items| items.first()).unwrap_or(body);
        let inner = if body["error"].is_null() { body } else { &body["error"] };
        let text = |value: &Value| value.as_str().map(str::to_lowercase);
        let code = inner["code"].as_u64().or_else(|| inner["code"].as_str().and_then(|code| code.parse().ok()));
        Self {
            status: code.and_then(|code| u16::try_from(code).ok()).filter(|code| (400..600).contains(code)),
            codes: [&inner["code"], &inner["type"], &inner["status"]].into_iter().filter_map(text).collect(),
            message: text(inner).or_else(|| text(&inner["message"])).unwrap_or_default(),
        }
    }

    fn has(&self, code: &str) -> bool {
        self.codes.iter().any(|word| word == code)
    }

    /// The reason: first what a structured code says, then fixed phrases that providers use where they have no code,
    /// then the status.
    fn reason(&self, model: &ModelName, http: Option<u16>) -> Reason {
        let status = http.or(self.status).unwrap_or_else(|| self.status_of_codes());
        self.reason_of_codes()
            .or_else(|| self.reason_of_phrases(model, status))
            .unwrap_or_else(|| reason_of_status(status))
    }

    fn reason_of_codes(&self) -> Option<Reason> {
        let table: [(&str, Reason); 10] = [
            ("context_length_exceeded", Reason::TooLong),
            ("exceed_context_size_error", Reason::TooLong),
            ("request_too_large", Reason::TooLong),
            ("insufficient_quota", Reason::NoCredits),
            ("billing_error", Reason::NoCredits),
            ("billing_hard_limit_reached", Reason::NoCredits),
            ("model_not_found", Reason::ModelMissing),
            ("model_decommissioned", Reason::ModelMissing),
            ("invalid_api_key", Reason::KeyRejected),
            ("access_terminated_error", Reason::CodingOnly),
        ];
        table.into_iter().find(|(code, _)| self.has(code)).map(|(_, reason)| reason)
    }

    /// Phrases at a fixed place of the message: never just somewhere in it, since a message may quote the prompt.
    fn reason_of_phrases(&self, model: &ModelName, status: u16) -> Option<Reason> {
        let begins = |phrases: &[&str]| phrases.iter().any(|phrase| self.message.starts_with(phrase));
        let ends = |phrases: &[&str]| phrases.iter().any(|phrase| self.message.ends_with(phrase));
        match status {
            429 if model.provider() == "openrouter" && begins(&["rate limit exceeded: free-models-per-day"]) => {
                Some(Reason::FreeModelsPerDay)
            }
            429 if model.provider() == "openrouter" && begins(&["rate limit exceeded: free-models-per-min"]) => {
                Some(Reason::FreeModelsPerMinute)
            }
            400..=404 if self.message.contains("available for coding agents") => Some(Reason::CodingOnly),
            400 if self.has("invalid_request_error") && begins(&["prompt is too long"]) => Some(Reason::TooLong),
            400 if begins(&[
                "this model's maximum context length is",
                "this endpoint's maximum context length is",
                "the input length exceeds the context length",
                "input length exceeds the context length",
            ]) =>
            {
                Some(Reason::TooLong)
            }
            400..=404 if begins(&["no models loaded"]) => Some(Reason::ModelMissing),
            400 if begins(&["your credit balance is too low"]) => Some(Reason::NoCredits),
            400..=404 if ends(&["does not support tools"]) || begins(&["no endpoints found that support tool use"]) => {
                Some(Reason::NoTools)
            }
            400 if ends(&["does not support thinking"]) || ends(&["think value is not supported for this model"]) => {
                Some(Reason::NoThinking)
            }
            400..=404 if begins(&["no endpoints found that support image input"]) => Some(Reason::NoPictures),
            _ => None,
        }
    }

    /// The status that an error word stands for, in streams that carry none.
    fn status_of_codes(&self) -> u16 {
        let table: [(&str, u16); 16] = [
            ("authentication_error", 401),
            ("unauthenticated", 401),
            ("permission_error", 403),
            ("permission_denied", 403),
            ("not_found_error", 404),
            ("not_found", 404),
            ("rate_limit_error", 429),
            ("rate_limit_exceeded", 429),
            ("resource_exhausted", 429),
            ("timeout_error", 504),
            ("deadline_exceeded", 504),
            ("overloaded_error", 529),
            ("unavailable", 503),
            ("server_error", 500),
            ("invalid_request_error", 400),
            ("invalid_argument", 400),
        ];
        table.into_iter().find(|(code, _)| self.has(code)).map_or(500, |(_, status)| status)
    }
}

fn reason_of_status(status: u16) -> Reason {
    match status {
        401 => Reason::KeyRejected,
        402 => Reason::NoCredits,
        403 => Reason::NotAllowed,
        404 => Reason::ModelMissing,
        408 | 504 | 524 => Reason::Slow,
        413 => Reason::TooLong,
        429 => Reason::RateLimited,
        500.. => Reason::Down,
        _ => Reason::Refused,
    }
}

fn error(reason: Reason, label: &str, model: &ModelName, retry_after_s: Option<u64>) -> ModelError {
    let name = model.model();
    let pick = "pick another model in Settings > Models";
    let ollama = matches!(model.provider(), "ollama" | "ollama_chat");
    let (kind, message) = match reason {
        Reason::RateLimited => (
            ModelErrorKind::RateLimited,
            format!("{label} is getting too many requests right now. {}, or {pick}.", wait(retry_after_s)),
        ),
        // The sentence the contract fixes.
        Reason::FreeModelsPerDay => (
            ModelErrorKind::RateLimited,
            format!(
                "{label}'s free models have reached today's limit. Add credits on openrouter.ai, wait until tomorrow, or \
                 {pick}."
            ),
        ),
        Reason::FreeModelsPerMinute => (
            ModelErrorKind::RateLimited,
            format!("{label}'s free models only take a few requests a minute. {}, or {pick}.", wait(retry_after_s)),
        ),
        Reason::NoCredits => {
            (ModelErrorKind::NoCredits, format!("There are no credits left at {label}. Add credits there, or {pick}."))
        }
        Reason::KeyRejected if ollama => (
            ModelErrorKind::KeyRejected,
            format!("Ollama isn't signed in for {name}. Run `ollama signin` in a terminal, or {pick}."),
        ),
        Reason::KeyRejected => (
            ModelErrorKind::KeyRejected,
            format!("{label} doesn't accept the saved key. Check it in Settings > Models."),
        ),
        Reason::NotAllowed => (
            ModelErrorKind::KeyRejected,
            format!("{label} doesn't let the saved key use {name}. Check the key's permissions at {label}, or {pick}."),
        ),
        Reason::CodingOnly => {
            (ModelErrorKind::Unsupported, format!("{label} keeps {name} for coding tools. Please {pick}."))
        }
        Reason::ModelMissing if ollama => (
            ModelErrorKind::ModelMissing,
            format!(
                "{name} isn't downloaded in Ollama. Download it in Settings > Models (or run `ollama pull {name}`), or \
                 {pick}."
            ),
        ),
        Reason::ModelMissing => {
            (ModelErrorKind::ModelMissing, format!("{label} doesn't have a model called {name}. Please {pick}."))
        }
        Reason::TooLong => (
            ModelErrorKind::TooLong,
            format!(
                "This chat is longer than {name} can read at once. Start a new chat, or pick a model that reads more."
            ),
        ),
        Reason::NoTools => (ModelErrorKind::Unsupported, format!("{name} can't use tools. Please {pick}.")),
        Reason::NoPictures => (ModelErrorKind::Unsupported, format!("{name} can't see pictures. Please {pick}.")),
        Reason::NoThinking => (
            ModelErrorKind::Unsupported,
            format!("{name} can't think before it answers. Set its reasoning to none in Settings > Models."),
        ),
        Reason::Slow => (ModelErrorKind::Unreachable, slow(label)),
        Reason::Down => (
            ModelErrorKind::Unreachable,
            format!("{label} is having trouble right now. Try again in a few minutes, or {pick}."),
        ),
        Reason::Refused => {
            (ModelErrorKind::Other, format!("{label} didn't accept this request. Try again, or {pick}."))
        }
    };
    ModelError { kind, message, retry_after_s }
}

fn slow(label: &str) -> String {
    format!("{label} took too long to answer. Try again, or pick another model in Settings > Models.")
}

fn wait(seconds: Option<u64>) -> String {
    match seconds {
        None => "Wait a minute and try again".to_owned(),
        Some(0 | 1) => "Try again in a second".to_owned(),
        Some(seconds @ ..=WAIT_IN_SECONDS_MAX) => format!("Try again in {seconds} seconds"),
        Some(seconds) => format!("Try again in {} minutes", seconds.div_ceil(60)),
    }
}

#[cfg(test)]
mod tests;
