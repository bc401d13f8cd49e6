//! The one short question to a fast model, and its answer read tolerantly.

use super::{Instruction, Known};
use crate::gate::Rule;
use serde_json::Value;

/// Keys of one answer that are looked at. Ours.
const KEYS_MAX: usize = 20;
/// Characters of a tool's description in the question. Ours.
const DESCRIPTION_CHARS_MAX: usize = 120;

/// What a model made of it: keys out of the list, and never or ask.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mapped {
    pub keys: Vec<String>,
    pub rule: Rule,
}

/// The question. It shows the person's sentences and the candidates, and nothing else.
pub fn question(found: &[Instruction], candidates: &[Known<'_>]) -> String {
    let mut apps: Vec<(&str, &str)> = candidates.iter().map(|tool| (tool.plugin, tool.app)).collect();
    apps.sort_unstable();
    apps.dedup();
    let said: Vec<&str> = found.iter().map(|instruction| instruction.said.as_str()).collect();
    let mut text = format!(
        "A person told their assistant:\n\"{}\"\n\nWhich of these does it speak about? Apps:\n",
        said.join(" ").replace('"', "'")
    );
    for (id, name) in apps {
        text += &format!("- {id}: all of {name}\n");
    }
    text += "Tools:\n";
    for tool in candidates {
        let description: String = tool.description.chars().take(DESCRIPTION_CHARS_MAX).collect();
        text += &format!("- {}: {description}\n", tool.name);
    }
    text += "\nAnswer with JSON only: {\"keys\": [names from the lists above that must not be used, or only after asking], \
             \"rule\": \"never\" or \"ask\"}. Choose single tools unless a whole app is meant. When none fits: \
             {\"keys\": [], \"rule\": \"ask\"}.";
    text
}

/// Reads the answer: the first JSON object in it, whatever is around it. Keys that are not candidates are left out.
/// `None`: there is nothing to go by.
pub fn parse(answer: &str, candidates: &[Known<'_>]) -> Option<Mapped> {
    let object = answer.match_indices('{').find_map(|(at, _)| {
        let mut values = serde_json::Deserializer::from_str(&answer[at..]).into_iter::<Value>();
        values.next().and_then(Result::ok).filter(Value::is_object)
    })?;
    let listed = match &object["keys"] {
        Value::Array(keys) => keys.iter().filter_map(Value::as_str).collect(),
        Value::String(key) => vec![key.as_str()],
        _ => Vec::new(),
    };
    let is_candidate = |key: &&str| candidates.iter().any(|tool| tool.name == *key || tool.plugin == *key);
    let mut keys: Vec<String> = Vec::new();
    for key in listed.into_iter().map(str::trim).filter(is_candidate).take(KEYS_MAX) {
        if !keys.iter().any(|known| known == key) {
            keys.push(key.to_owned());
        }
    }
    let never = object["rule"].as_str().is_some_and(|rule| rule.trim().eq_ignore_ascii_case("never"));
    (!keys.is_empty()).then_some(Mapped { keys, rule: if never { Rule::Never } else { Rule::Ask } })
}
