//! Judges a request as the strictest provider would, and as the engine's own promises demand.
//!
//! Each wire is first read into one plain form; the rules then speak of that form only.

use super::Wire;
use serde_json::Value;
use std::collections::BTreeSet;

/// What a request is held to.
pub(super) struct Rules<'a> {
    pub(super) budget: usize,
    pub(super) canaries: &'a [String],
    pub(super) system_first: bool,
}

/// A message, as far as the rules look at it.
#[derive(Clone, Debug, PartialEq)]
enum Message {
    System,
    User,
    Assistant {
        calls: Vec<Call>,
    },
    /// Ollama's wire has no ids: results follow in the order of the calls.
    Result {
        id: Option<String>,
    },
}

#[derive(Clone, Debug, PartialEq)]
struct Call {
    id: Option<String>,
    name: String,
    arguments_are_an_object: bool,
}

/// Everything that is wrong with a request.
pub(super) fn check(wire: Wire, body: &Value, text: &str, rules: Rules<'_>) -> Vec<String> {
    let mut violations = Vec::new();
    if rules.budget < text.len() {
        violations.push(format!("the body has {} bytes, the budget is {}", text.len(), rules.budget));
    }
    violations.extend(rules.canaries.iter().filter(|canary| text.contains(canary.as_str())).map(|canary| {
        let start: String = canary.chars().take(6).collect();
        format!("the body holds the canary {start:?}...")
    }));
    if body["model"].as_str().is_none_or(str::is_empty) {
        violations.push("no model is named".to_owned());
    }
    match read(wire, body) {
        Ok(messages) => {
            if rules.system_first && messages.first() != Some(&Message::System) {
                violations.push("the system prompt does not come first".to_owned());
            }
            violations.extend(check_order(wire, &messages));
            violations.extend(check_calls(&messages));
        }
        Err(problem) => violations.push(problem),
    }
    violations.extend(check_tools(wire, body));
    violations
}

fn check_order(wire: Wire, messages: &[Message]) -> Vec<String> {
    let mut violations = Vec::new();
    let spoken: Vec<&Message> = messages.iter().filter(|message| **message != Message::System).collect();
    let system_later =
        messages.iter().skip_while(|message| **message == Message::System).any(|m| *m == Message::System);
    if system_later && wire == Wire::Anthropic {
        violations.push("Anthropic takes no system message among the others".to_owned());
    }
    match spoken.first() {
        None => violations.push("there is nothing to answer".to_owned()),
        Some(Message::User) => (),
        Some(other) => violations.push(format!("the conversation begins with {other:?}, not with the user")),
    }
    if matches!(spoken.last(), Some(Message::Assistant { .. })) {
        violations.push("the conversation ends with the assistant".to_owned());
    }
    let two = spoken.windows(2).any(|pair| matches!(pair, [Message::Assistant { .. }, Message::Assistant { .. }]));
    if two {
        violations.push("two assistant messages follow each other".to_owned());
    }
    violations
}

/// Each call has exactly one result, right behind it and before anything else is said; no result is an orphan.
fn check_calls(messages: &[Message]) -> Vec<String> {
    let mut violations = Vec::new();
    let mut seen_ids = BTreeSet::new();
    // Calls that wait for their result.
    let mut waiting: Vec<Call> = Vec::new();
    for message in messages {
        match message {
            Message::Result { id } => {
                let at = match id {
                    Some(id) => waiting.iter().position(|call| call.id.as_ref() == Some(id)),
                    None => (!waiting.is_empty()).then_some(0),
                };
                match at {
                    Some(at) => drop(waiting.remove(at)),
                    None => violations.push(format!("a result belongs to no call: {id:?}")),
                }
            }
            Message::System => (),
            Message::User | Message::Assistant { .. } => {
                violations
                    .extend(waiting.drain(..).map(|call| format!("call {} {:?} has no result", call.name, call.id)));
                let Message::Assistant { calls } = message else { continue };
                for call in calls {
                    if let Some(id) = call.id.as_ref().filter(|id| !seen_ids.insert((*id).clone())) {
                        violations.push(format!("two calls have the id {id:?}"));
                    }
                    if !call.arguments_are_an_object {
                        violations.push(format!("the arguments of {} are no JSON object", call.name));
                    }
                    waiting.push(call.clone());
                }
            }
        }
    }
    violations.extend(waiting.iter().map(|call| format!("call {} {:?} has no result", call.name, call.id)));
    violations
}

fn check_tools(wire: Wire, body: &Value) -> Vec<String> {
    let mut violations = Vec::new();
    let mut names = BTreeSet::new();
    for tool in body["tools"].as_array().into_iter().flatten() {
        let (name, schema) = match wire {
            Wire::Anthropic => (&tool["name"], &tool["input_schema"]),
            Wire::OpenAi | Wire::Ollama => (&tool["function"]["name"], &tool["function"]["parameters"]),
        };
        let name = name.as_str().unwrap_or_default();
        let legal = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        if name.is_empty() || 64 < name.len() || !name.chars().all(legal) {
            violations.push(format!("no provider takes the tool name {name:?}"));
        }
        if schema["type"] != "object" {
            violations.push(format!("the parameters of {name} are no object schema"));
        }
        if !names.insert(name.to_owned()) {
            violations.push(format!("the tool {name} is offered twice"));
        }
    }
    violations
}

fn read(wire: Wire, body: &Value) -> Result<Vec<Message>, String> {
    let messages = body["messages"].as_array().ok_or("the request has no messages")?;
    match wire {
        Wire::OpenAi => messages.iter().map(|message| read_openai(message, true)).collect(),
        Wire::Ollama => messages.iter().map(|message| read_openai(message, false)).collect(),
        Wire::Anthropic => read_anthropic(body, messages),
    }
}

/// OpenAI and Ollama write messages alike; Ollama's arguments are values, and ids may be missing.
fn read_openai(message: &Value, strict: bool) -> Result<Message, String> {
    match message["role"].as_str().unwrap_or_default() {
        "system" | "developer" => Ok(Message::System),
        "user" => Ok(Message::User),
        "assistant" => {
            let call = |call: &Value| {
                let function = &call["function"];
                let arguments = &function["arguments"];
                let parsed = arguments.as_str().and_then(|text| serde_json::from_str::<Value>(text).ok());
                let is_object =
                    if strict { parsed.is_some_and(|value| value.is_object()) } else { arguments.is_object() };
                let id = call["id"].as_str().map(str::to_owned);
                if strict && id.is_none() {
                    return Err("a call has no id".to_owned());
                }
                let name = function["name"].as_str().ok_or("a call has no name")?.to_owned();
                Ok(Call { id, name, arguments_are_an_object: is_object })
            };
            let calls = message["tool_calls"].as_array().into_iter().flatten().map(call);
            Ok(Message::Assistant { calls: calls.collect::<Result<_, _>>()? })
        }
        "tool" => {
            let id = message["tool_call_id"].as_str().map(str::to_owned);
            if strict && id.is_none() { Err("a result has no call id".to_owned()) } else { Ok(Message::Result { id }) }
        }
        other => Err(format!("no provider knows the role {other:?}")),
    }
}

/// Anthropic keeps the system prompt apart, and results are blocks at the start of a user message.
fn read_anthropic(body: &Value, messages: &[Value]) -> Result<Vec<Message>, String> {
    let mut read = Vec::new();
    let empty =
        |value: &Value| value.is_null() || value.as_str() == Some("") || value.as_array().is_some_and(Vec::is_empty);
    if !empty(&body["system"]) {
        read.push(Message::System);
    }
    if body["max_tokens"].as_u64().is_none_or(|tokens| tokens == 0) {
        return Err("Anthropic needs max_tokens".to_owned());
    }
    let mut last_role = "";
    for message in messages {
        let role = message["role"].as_str().unwrap_or_default();
        if role == last_role {
            return Err(format!("Anthropic's roles must alternate, but two {role} messages follow each other"));
        }
        last_role = role;
        let blocks = message["content"].as_array();
        if blocks.is_some_and(Vec::is_empty) || message["content"].as_str() == Some("") {
            return Err("Anthropic takes no empty content".to_owned());
        }
        let blocks = blocks.into_iter().flatten();
        match role {
            "user" => {
                let mut spoke = message["content"].is_string();
                for block in blocks {
                    if block["type"] == "tool_result" {
                        if spoke {
                            return Err("Anthropic wants results before the user's words".to_owned());
                        }
                        read.push(Message::Result { id: block["tool_use_id"].as_str().map(str::to_owned) });
                    } else {
                        spoke = true;
                    }
                }
                if spoke {
                    read.push(Message::User);
                }
            }
            "assistant" => {
                let call = |block: &Value| Call {
                    id: block["id"].as_str().map(str::to_owned),
                    name: block["name"].as_str().unwrap_or_default().to_owned(),
                    arguments_are_an_object: block["input"].is_object(),
                };
                let calls = blocks.filter(|block| block["type"] == "tool_use").map(call).collect();
                read.push(Message::Assistant { calls });
            }
            other => return Err(format!("Anthropic does not know the role {other:?}")),
        }
    }
    Ok(read)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn rules(canaries: &[String]) -> Rules<'_> {
        Rules { budget: 4_000, canaries, system_first: true }
    }

    fn openai(messages: Value) -> Value {
        json!({"model": "m", "messages": messages})
    }

    fn call(id: &str) -> Value {
        json!({"id": id, "type": "function", "function": {"name": "f", "arguments": "{}"}})
    }

    fn result(id: &str) -> Value {
        json!({"role": "tool", "tool_call_id": id, "content": "r"})
    }

    #[test]
    fn openai_requests() {
        let s = json!({"role": "system", "content": "s"});
        let u = json!({"role": "user", "content": "u"});
        let a = json!({"role": "assistant", "content": "a"});
        let calls = |ids: &[&str]| {
            let calls: Vec<_> = ids.iter().map(|id| call(id)).collect();
            json!({"role": "assistant", "content": null, "tool_calls": calls})
        };
        for (name, messages, want) in [
            ("plain", json!([s, u]), ""),
            ("a chat with a note in the middle", json!([s, u, a, u, s]), ""),
            ("calls and results in another order", json!([s, u, calls(&["1", "2"]), result("2"), result("1")]), ""),
            ("no system prompt", json!([u]), "does not come first"),
            ("a result is missing", json!([s, u, calls(&["1", "2"]), result("1")]), "has no result"),
            ("a result comes too late", json!([s, u, calls(&["1"]), u, result("1")]), "has no result"),
            ("two results", json!([s, u, calls(&["1"]), result("1"), result("1")]), "belongs to no call"),
            ("an orphan", json!([s, u, result("9")]), "belongs to no call"),
            ("an id twice", json!([s, u, calls(&["1"]), result("1"), calls(&["1"]), result("1")]), "have the id"),
            ("two answers", json!([s, u, a, a, u]), "follow each other"),
            ("ends with an answer", json!([s, u, a]), "ends with the assistant"),
            ("begins with an answer", json!([s, a, u]), "begins with"),
            ("nobody spoke", json!([s]), "nothing to answer"),
            ("an unknown role", json!([s, {"role": "robot"}]), "role"),
            ("no list", json!("x"), "no messages"),
        ] {
            let body = openai(messages);
            let violations = check(Wire::OpenAi, &body, &body.to_string(), rules(&[]));
            match want {
                "" => assert_eq!(violations, Vec::<String>::new(), "{name}"),
                want => assert!(violations.iter().any(|text| text.contains(want)), "{name}: {violations:?}"),
            }
        }
    }

    #[test]
    fn arguments_that_are_no_object_are_noticed() {
        let mut bad = call("1");
        bad["function"]["arguments"] = "[1]".into();
        let assistant = json!({"role": "assistant", "tool_calls": [bad]});
        let s = json!({"role": "system", "content": "s"});
        let body = openai(json!([s, {"role": "user", "content": "u"}, assistant, result("1")]));
        let violations = check(Wire::OpenAi, &body, "", rules(&[]));
        assert_eq!(violations, ["the arguments of f are no JSON object"]);
    }

    #[test]
    fn ollama_results_follow_in_order() {
        let call = json!({"function": {"name": "f", "arguments": {}}});
        let result = json!({"role": "tool", "tool_name": "f", "content": "r"});
        let begin = [json!({"role": "system", "content": "s"}), json!({"role": "user", "content": "u"})];
        let with = |results: usize| {
            let mut messages = begin.to_vec();
            messages.push(json!({"role": "assistant", "content": "", "tool_calls": [call, call]}));
            messages.extend(std::iter::repeat_n(result.clone(), results));
            openai(messages.into())
        };
        for (results, want) in [(1, 1), (2, 0), (3, 1)] {
            assert_eq!(check(Wire::Ollama, &with(results), "", rules(&[])).len(), want, "{results} results");
        }
    }

    #[test]
    fn anthropic_requests() {
        let u = json!({"role": "user", "content": "u"});
        let a = json!({"role": "assistant", "content": [{"type": "tool_use", "id": "1", "name": "f", "input": {}}]});
        let block = json!({"type": "tool_result", "tool_use_id": "1", "content": "r"});
        let text = json!({"type": "text", "text": "t"});
        for (name, messages, want) in [
            ("plain", json!([u]), ""),
            ("a call", json!([u, a, {"role": "user", "content": [block, text]}]), ""),
            (
                "words before the result",
                json!([u, a, {"role": "user", "content": [text, block]}]),
                "before the user's words",
            ),
            ("no result", json!([u, a, u]), "has no result"),
            ("roles do not alternate", json!([u, u]), "alternate"),
            ("empty content", json!([{"role": "user", "content": []}]), "empty"),
        ] {
            let body = json!({"model": "m", "max_tokens": 9, "system": "s", "messages": messages});
            let violations = check(Wire::Anthropic, &body, "", rules(&[]));
            match want {
                "" => assert_eq!(violations, Vec::<String>::new(), "{name}"),
                want => assert!(violations.iter().any(|text| text.contains(want)), "{name}: {violations:?}"),
            }
        }
    }

    #[test]
    fn secrets_sizes_and_tools() {
        let s = json!({"role": "system", "content": "s"});
        let mut body = openai(json!([s, {"role": "user", "content": "the key is sk-canary-1"}]));
        let tool =
            |name: &str, schema: Value| json!({"type": "function", "function": {"name": name, "parameters": schema}});
        let object = json!({"type": "object", "properties": {}});
        body["tools"] =
            json!([tool("a", object.clone()), tool("a", object.clone()), tool("a b", object), tool("c", json!({}))]);
        let text = format!("{body}{}", " ".repeat(4_000));
        let violations = check(Wire::OpenAi, &body, &text, rules(&["sk-canary-1".to_owned()]));
        for want in ["budget", "canary", "offered twice", "\"a b\"", "of c are no object"] {
            assert!(violations.iter().any(|text| text.contains(want)), "{want}: {violations:?}");
        }
        assert!(!violations.join("").contains("sk-canary-1"), "the secret is not spread further");
    }
}
