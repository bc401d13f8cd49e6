//! The tools another AI app gets: a fixed list. None of them sends, deletes or runs anything by itself; what
//! `ask_sentient` leads to goes through the engine's gate and asks the person like any request of another app.
//!
//! `task_*` of the contract join with the part of the engine they speak to.

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde::Deserialize;
use serde_json::{Value, json};

/// A call that can be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ToolCall {
    Notify { title: String, message: String },
    Ask { text: String },
    SearchMemories { words: String },
    GetMemory { id: u64 },
    AddMemory { content: String },
}

#[derive(Deserialize)]
struct Notify {
    message: String,
    #[serde(default)]
    title: String,
}

#[derive(Deserialize)]
struct Ask {
    text: String,
}

#[derive(Deserialize)]
struct Search {
    q: String,
}

#[derive(Deserialize)]
struct Get {
    id: u64,
}

/// What the app calls itself goes along from its handshake, whatever `app` it may send.
#[derive(Deserialize)]
struct Add {
    content: String,
}

/// What `tools/list` answers.
pub(super) fn tools() -> Vec<Tool> {
    let mut tools = vec![
        tool(
            "notify_me",
            "Leave the user a note in Sentient. It appears in Sentient's notifications under your app's name.",
            &json!({
                "message": { "type": "string", "description": "The note, in Markdown." },
                "title": { "type": "string", "description": "A short title.", "default": "" },
            }),
            "message",
        )
        .with_title("Notify me")
        .with_annotations(ToolAnnotations::new().read_only(false).destructive(false).open_world(false)),
        tool(
            "ask_sentient",
            "Ask Sentient, the user's own assistant, and get its reply. It has the user's apps and tools; whatever would \
             send, delete or run something asks the user first, so an answer may take a while.",
            &json!({ "text": { "type": "string", "description": "What to ask, with all it needs to know." } }),
            "text",
        )
        .with_title("Ask Sentient")
        .with_annotations(ToolAnnotations::new().read_only(false).destructive(false).open_world(true)),
    ];
    tools.extend(memory_tools());
    tools
}

fn memory_tools() -> [Tool; 3] {
    let looks = || ToolAnnotations::new().read_only(true).open_world(false);
    [
        tool(
            "memory_search",
            "Search what Sentient remembers about the user. Answers the memories that fit best, each with its id.",
            &json!({ "q": { "type": "string", "description": "What to look for, in a few words." } }),
            "q",
        )
        .with_title("Search memories")
        .with_annotations(looks()),
        tool(
            "memory_get",
            "Read one memory by its id, with where it came from.",
            &json!({ "id": { "type": "integer", "description": "The id, as memory_search gives it.", "minimum": 1 } }),
            "id",
        )
        .with_title("Read a memory")
        .with_annotations(looks()),
        tool(
            "memory_add",
            "Suggest one lasting fact about the user for Sentient to remember. It waits in Sentient's review until the \
             user approves it.",
            &json!({
                "content": { "type": "string", "description": "The fact, as one short sentence." },
                "app": { "type": "string", "description": "Your app's name.", "default": "" },
            }),
            "content",
        )
        .with_title("Add a memory")
        .with_annotations(ToolAnnotations::new().read_only(false).destructive(false).open_world(false)),
    ]
}

fn tool(name: &'static str, description: &'static str, properties: &Value, required: &str) -> Tool {
    let schema = json!({ "type": "object", "properties": properties, "required": [required] });
    let schema: JsonObject = schema.as_object().cloned().unwrap_or_default();
    Tool::new(name, description, schema)
}

/// Reads a call; `None` for a tool that is not on the list.
pub(super) fn read(name: &str, arguments: JsonObject) -> Option<Result<ToolCall, String>> {
    let arguments = Value::Object(arguments);
    let read = match name {
        "notify_me" => {
            serde_json::from_value(arguments).map(|Notify { message, title }| ToolCall::Notify { title, message })
        }
        "ask_sentient" => serde_json::from_value(arguments).map(|Ask { text }| ToolCall::Ask { text }),
        "memory_search" => serde_json::from_value(arguments).map(|Search { q }| ToolCall::SearchMemories { words: q }),
        "memory_get" => serde_json::from_value(arguments).map(|Get { id }| ToolCall::GetMemory { id }),
        "memory_add" => serde_json::from_value(arguments).map(|Add { content }| ToolCall::AddMemory { content }),
        _ => return None,
    };
    Some(read.map_err(|cause| format!("The arguments of {name} don't fit: {cause}.")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(name: &str, arguments: &Value) -> Option<Result<ToolCall, String>> {
        read(name, arguments.as_object().cloned().expect("an object"))
    }

    #[test]
    fn every_tool_on_the_list_can_be_called_and_no_other() {
        for tool in tools() {
            let required = tool.input_schema["required"][0].as_str().expect("one");
            let is_number = tool.input_schema["properties"][required]["type"] == "integer";
            let (right, wrong) = if is_number { (json!(5), json!("x")) } else { (json!("x"), json!(5)) };
            assert!(call(&tool.name, &json!({ required: right })).expect("known").is_ok(), "{}", tool.name);
            assert!(call(&tool.name, &json!({})).expect("known").is_err(), "{}", tool.name);
            assert!(call(&tool.name, &json!({ required: wrong })).expect("known").is_err(), "{}", tool.name);
        }
        assert!(call("config_set", &json!({})).is_none());
        let notify = call("notify_me", &json!({ "message": "m", "title": "t", "app": "me" })).expect("known");
        assert_eq!(notify, Ok(ToolCall::Notify { title: "t".into(), message: "m".into() }));
    }
}
