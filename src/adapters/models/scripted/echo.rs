//! `scripted/echo`: says back what it heard, and calls a tool when told `call NAME {arguments}`.

use super::{Turn, start, turn};
use protocol::model::{ModelCall, Piece};
use serde_json::{Value, json};

/// Characters of a result that are repeated.
const RESULT_CHARS_MAX: usize = 500;

pub(super) fn answer(call: &ModelCall) -> Vec<Piece> {
    let text = match turn(&call.messages) {
        Turn::Said(said) => match order(said) {
            Some((name, arguments)) => return vec![Piece::Call { id: None, name, arguments }],
            None => format!("You said: {said}"),
        },
        Turn::Results(results) => {
            let lines: Vec<_> = results
                .iter()
                .map(|(name, text)| format!("{name} answered: {}", start(text, RESULT_CHARS_MAX)))
                .collect();
            lines.join("\n")
        }
        Turn::Nothing => "Nothing was said.".to_owned(),
    };
    vec![Piece::Text(if call.json { json!({ "text": text }).to_string() } else { text })]
}

/// `call NAME` or `call NAME {…}`, on a line of its own.
fn order(said: &str) -> Option<(String, String)> {
    let rest = said.lines().find_map(|line| line.trim().strip_prefix("call "))?.trim();
    let (name, arguments) = rest.split_once(char::is_whitespace).unwrap_or((rest, "{}"));
    let arguments: Value = serde_json::from_str(arguments).ok()?;
    arguments.is_object().then(|| (name.to_owned(), arguments.to_string()))
}
