//! Reading a call's arguments, and waiting for a service without outliving the turn.
//!
//! Arguments were checked against the schema before; they are still read as what they are, words of a model: nothing
//! here panics, and numbers are clamped to the limits the schema names.

use super::ToolCtx;
use crate::ports::WebError;
use protocol::tools::ToolOutcome;
use serde_json::Value;
use std::fmt::Display;
use std::future::Future;

/// The words of an argument, without the blanks around them; `None` when it is missing, not text, or blank.
pub(crate) fn words(arguments: &Value, key: &str) -> Option<String> {
    let text = arguments.get(key)?.as_str()?.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// The words of an argument the tool cannot do without.
pub(crate) fn needed(arguments: &Value, key: &str) -> Result<String, ToolOutcome> {
    words(arguments, key).ok_or_else(|| ToolOutcome::error(format!("`{key}` is missing or empty.")))
}

/// A whole number, `default` when it is missing, clamped to `min..=max`. Models write numbers as text or as `5.0` too.
pub(crate) fn whole(arguments: &Value, key: &str, default: u64, (min, max): (u64, u64)) -> u64 {
    let number = match arguments.get(key) {
        Some(Value::String(text)) => text.trim().parse::<f64>().ok(),
        Some(value) => value.as_u64().map(|whole| whole as f64).or_else(|| value.as_f64()),
        None => None,
    };
    // A cast from f64 saturates, and not-a-number becomes 0.
    number.map_or(default, |number| number as u64).clamp(min, max)
}

/// A file name as the files folder knows it. The engine tells models `files/outputs/...`, so that start is taken off.
pub(crate) fn file_name(text: &str) -> String {
    let text = text.trim().replace('\\', "/");
    let mut name = text.as_str();
    while let Some(rest) = name.strip_prefix("./") {
        name = rest;
    }
    name.strip_prefix("files/").unwrap_or(name).to_owned()
}

/// Waits for a service, but not longer than the turn lasts. Errors become the call's outcome.
pub(crate) async fn wait<T, E: Display>(
    ctx: &ToolCtx,
    work: impl Future<Output = Result<T, E>>,
) -> Result<T, ToolOutcome> {
    tokio::select! {
        biased;
        () = ctx.cancel.cancelled() => Err(ToolOutcome::error("Stopped before it was done.")),
        answer = work => answer.map_err(|error| ToolOutcome::error(error.to_string())),
    }
}

/// A result for the model, or the outcome that explains why there is none.
pub(crate) fn outcome(result: Result<Value, ToolOutcome>) -> ToolOutcome {
    result.map_or_else(|failed| failed, ToolOutcome::ok)
}

/// Turns an answer of a port into JSON. Our own shapes always convert; if one ever does not, the model hears so.
pub(crate) fn json(answer: &impl serde::Serialize) -> Result<Value, ToolOutcome> {
    serde_json::to_value(answer)
        .map_err(|_| ToolOutcome::error(WebError("The answer could not be read.".to_owned()).to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn numbers_of_every_kind_are_clamped() {
        for (value, want) in [
            (json!({}), 8),
            (json!({"n": null}), 8),
            (json!({"n": 3}), 3),
            (json!({"n": 3.9}), 3),
            (json!({"n": "12"}), 12),
            (json!({"n": "many"}), 8),
            (json!({"n": 0}), 1),
            (json!({"n": -5}), 1),
            (json!({"n": 1e300}), 20),
            (json!({"n": u64::MAX}), 20),
            (json!({"n": [1]}), 8),
            (json!([]), 8),
        ] {
            assert_eq!(whole(&value, "n", 8, (1, 20)), want, "{value}");
        }
    }

    #[test]
    fn file_names_as_models_write_them() {
        for (text, want) in [
            ("notes.txt", "notes.txt"),
            (" files/outputs/tool-1.txt ", "outputs/tool-1.txt"),
            ("./notes.txt", "notes.txt"),
            (r"outputs\tool-1.txt", "outputs/tool-1.txt"),
            ("../secret", "../secret"),
        ] {
            assert_eq!(file_name(text), want);
        }
    }
}
