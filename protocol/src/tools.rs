//! What a tool is, as the model, the gate and the settings page see it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// How far a call reaches, mildest first (contract section 10, rule 51). The order is used by the gate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Risk {
    /// Looks something up.
    #[default]
    Read,
    /// Changes something here.
    Write,
    /// Something leaves the person's hands.
    Send,
    /// Runs code.
    Exec,
}

impl Risk {
    /// The plain label of an approval card when a tool has none of its own (contract section 10).
    pub fn label(self) -> &'static str {
        match self {
            Self::Read => "Looks something up",
            Self::Write => "Changes something",
            Self::Send => "Sends",
            Self::Exec => "Runs code",
        }
    }
}

/// A tool as it is declared: what the model reads and what the gate decides by.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolSpec {
    /// The name the model calls, `[a-z0-9_]+`.
    pub name: &'static str,
    /// The app it belongs to (`GET /api/tools` `id`).
    pub plugin: &'static str,
    /// Written for the model; never shown on an approval card.
    pub description: &'static str,
    /// JSON Schema of the arguments, an object schema.
    pub parameters: Value,
    pub risk: Risk,
    /// Part of the assistant itself: at `write` it does not ask in mode `ask` (contract section 10).
    pub internal: bool,
    /// Whether "Allow for this chat" may cover it.
    pub allow_for_chat: bool,
    /// Whether its result can carry words someone else wrote.
    pub untrusted_output: bool,
}

/// Where a reply goes (contract section 5, "Replies and forwards", `destinations_fn`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Destination {
    pub address: String,
    pub why: DestinationWhy,
    /// The address of who wrote the message that is answered.
    pub sender: String,
}

/// Why a reply goes to an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DestinationWhy {
    /// It wrote the message.
    Sender,
    /// The message asks replies to go there.
    ReplyTo,
    /// The person's own message went there, and this follows it up.
    Yours,
    /// It is in the To or Cc of the message, and the reply goes to all.
    Thread,
}

/// A group of tools with one name in Settings (contract section 2 "Tools").
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PluginInfo {
    pub id: String,
    pub display_name: String,
    pub description: String,
    pub category: String,
    pub icon: String,
    pub auth: String,
    pub selection_hint: String,
    pub tools: Vec<ToolInfo>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ToolInfo {
    pub name: String,
    pub description: String,
    pub risk: Risk,
}

/// What a call came to. `is_error` results are shown to the model as they are, so it can try again.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolOutcome {
    pub result: Value,
    pub is_error: bool,
}

impl ToolOutcome {
    pub fn ok(result: Value) -> Self {
        Self { result, is_error: false }
    }

    /// `{"error": message}`.
    pub fn error(message: impl Into<String>) -> Self {
        Self { result: serde_json::json!({ "error": message.into() }), is_error: true }
    }
}

/// Output of a long call before its result (contract section 10, `tool_progress`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProgressKind {
    Stdout,
    Stderr,
    Status,
    Frame,
    Subagent,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    pub kind: ProgressKind,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// A picture as a `data:` address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<Value>,
}

impl Progress {
    pub fn status(text: impl Into<String>) -> Self {
        Self { kind: ProgressKind::Status, text: Some(text.into()), image: None, data: None }
    }
}
