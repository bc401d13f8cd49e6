//! Anthropic's messages wire.
//!
//! The system prompt and the tool list carry `cache_control`, so an unchanged prefix is read from Anthropic's cache
//! (contract section 10). It must never send a message list that Anthropic refuses: turns alternate, all results of one
//! round stand in one user message, and calls have ids it takes.

mod decode;
mod request;
#[cfg(test)]
mod tests;

pub use decode::Decoder;
pub use request::request_body;

/// The value of the `anthropic-version` header.
pub const VERSION: &str = "2023-06-01";

/// How a model is asked to think.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Thinking {
    /// It cannot.
    Never,
    /// `budget_tokens` (3.7 up to 4.5).
    Budget,
    /// `adaptive` with an effort (4.6 and later); these models also refuse a temperature.
    Adaptive,
}

/// Read off the name: the older models are known, every later one is adaptive.
fn thinking_of(model: &str) -> Thinking {
    const NEVER: [&str; 4] = ["claude-2", "claude-instant", "claude-3-5", "claude-3.5"];
    const BUDGET: [&str; 10] = [
        "claude-3-7",
        "claude-opus-4-0",
        "claude-opus-4-1",
        "claude-opus-4-2025",
        "claude-opus-4-5",
        "claude-sonnet-4-0",
        "claude-sonnet-4-2025",
        "claude-sonnet-4-5",
        "claude-haiku-4-5",
        "claude-haiku-4-2025",
    ];
    let model = model.to_ascii_lowercase();
    if BUDGET.iter().any(|prefix| model.starts_with(prefix)) {
        Thinking::Budget
    } else if NEVER.iter().any(|prefix| model.starts_with(prefix)) || model.starts_with("claude-3") {
        Thinking::Never
    } else {
        Thinking::Adaptive
    }
}
