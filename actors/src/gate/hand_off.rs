//! What is handed to the person instead of being done (contract section 2, `hand_off`).

use super::{Call, Judged, Words};
use serde_json::{Value, json};

/// Arguments shown of a call that has no preview. Ours.
const DETAILS_MAX: usize = 20;
/// Characters of one of them. Ours; the same as of a preview's text.
const DETAIL_CHARS_MAX: usize = 4_000;

impl Judged {
    /// The **HandOff** the model and the "Ready for you" card get.
    pub(super) fn handed_off(&self, message: &str) -> Value {
        let Words { tool, app, .. } = &self.words;
        json!({
            "handed_off": true,
            "message": message,
            "label": self.words.risk_label,
            "title": if app.is_empty() { tool.clone() } else { format!("{tool} in {app}") },
            "preview": self.preview,
            "details": self.details,
        })
    }
}

/// The plain arguments of a call, for a person.
pub(super) fn details(call: &Call<'_>) -> Vec<Value> {
    let Some(arguments) = call.arguments.as_object() else { return Vec::new() };
    let shown = arguments.iter().filter(|(_, value)| !value.is_null()).take(DETAILS_MAX);
    shown.map(|(name, value)| json!({ "label": label(name), "value": text(value) })).collect()
}

fn label(name: &str) -> String {
    rules::gate::plain_name(name, "")
}

fn text(value: &Value) -> String {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    text.chars().take(DETAIL_CHARS_MAX).collect()
}
