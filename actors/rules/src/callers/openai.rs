//! Reads the body of `POST /v1/chat/completions` (contract section 2, "OpenAI-compatible API").
//!
//! Only the last message of the user is taken: the chat's history is kept here, so what else a client sends along is looked
//! at no closer than its shape. Fields this engine has no use for (`temperature`, `tools`…) are passed over.

use protocol::limits::{MESSAGE_CHARS_MAX, TITLE_CHARS_MAX};
use serde_json::{Map, Value};

/// The chat of requests that name none.
pub const DEFAULT_NAME: &str = "API";
/// Characters of a chat's name; it is the chat's title.
pub const NAME_CHARS_MAX: usize = TITLE_CHARS_MAX;

/// A request that can be answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChatRequest {
    /// The last user message; never empty.
    pub text: String,
    /// The name of the chat (`user`).
    pub name: String,
    pub stream: bool,
    /// `stream_options.include_usage`: a last piece says what was used.
    pub include_usage: bool,
}

/// A request that cannot be answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BadRequest {
    /// What is wrong, and the field it is about.
    Invalid { message: String, field: Option<&'static str> },
    /// There is no user message, or the last one has no text.
    NoUserMessage,
}

impl ChatRequest {
    /// # Errors
    /// A body that is not such a request, with a sentence for whoever wrote the client.
    pub fn read(body: &[u8]) -> Result<Self, BadRequest> {
        let body: Value =
            serde_json::from_slice(body).map_err(|cause| invalid(None, format!("The body is not JSON: {cause}.")))?;
        let Value::Object(body) = body else { return Err(invalid(None, "The body has to be a JSON object.")) };
        if !matches!(body.get("model"), None | Some(Value::Null | Value::String(_))) {
            return Err(invalid(Some("model"), "`model` has to be text."));
        }
        let stream = flag(&body, "stream")?;
        let include_usage = match body.get("stream_options") {
            Some(Value::Object(options)) => options.get("include_usage") == Some(&Value::Bool(true)),
            None | Some(Value::Null) => false,
            Some(_) => return Err(invalid(Some("stream_options"), "`stream_options` has to be an object.")),
        };
        Ok(Self { name: name(&body)?, text: last_user_text(&body)?, stream, include_usage })
    }
}

fn invalid(field: Option<&'static str>, message: impl Into<String>) -> BadRequest {
    BadRequest::Invalid { message: message.into(), field }
}

fn flag(body: &Map<String, Value>, field: &'static str) -> Result<bool, BadRequest> {
    match body.get(field) {
        None | Some(Value::Null) => Ok(false),
        Some(Value::Bool(flag)) => Ok(*flag),
        Some(_) => Err(invalid(Some(field), format!("`{field}` has to be true or false."))),
    }
}

fn name(body: &Map<String, Value>) -> Result<String, BadRequest> {
    let name = match body.get("user") {
        None | Some(Value::Null) => "",
        Some(Value::String(name)) => name.trim(),
        Some(_) => return Err(invalid(Some("user"), "`user` has to be text: the name of a chat.")),
    };
    if name.is_empty() {
        return Ok(DEFAULT_NAME.to_owned());
    }
    if NAME_CHARS_MAX < name.chars().count() || name.chars().any(char::is_control) {
        let message = format!("`user` names a chat: one line of at most {NAME_CHARS_MAX} characters.");
        return Err(invalid(Some("user"), message));
    }
    Ok(name.to_owned())
}

fn last_user_text(body: &Map<String, Value>) -> Result<String, BadRequest> {
    let field = Some("messages");
    let Some(Value::Array(messages)) = body.get("messages") else {
        return Err(invalid(field, "`messages` has to be a list."));
    };
    let mut text = None;
    for (index, message) in messages.iter().enumerate() {
        let role = message.get("role").and_then(Value::as_str);
        let Some(role) = role else {
            return Err(invalid(field, format!("`messages[{index}]` has to be an object with a `role`.")));
        };
        let content = message.get("content").unwrap_or(&Value::Null);
        if role == "user" {
            text = Some(content_text(content).ok_or_else(|| bad_content(index))?);
        } else if !matches!(content, Value::Null | Value::String(_) | Value::Array(_)) {
            return Err(bad_content(index));
        }
    }
    let text = text.filter(|text| !text.trim().is_empty()).ok_or(BadRequest::NoUserMessage)?;
    if MESSAGE_CHARS_MAX < text.chars().count() {
        return Err(invalid(field, format!("A message may have {MESSAGE_CHARS_MAX} characters.")));
    }
    Ok(text)
}

fn bad_content(index: usize) -> BadRequest {
    invalid(Some("messages"), format!("`messages[{index}].content` has to be text or a list of parts."))
}

/// The words of a message: its text, or its parts that are text, each on a line of its own. Pictures and files in other
/// parts are passed over.
fn content_text(content: &Value) -> Option<String> {
    match content {
        Value::Null => Some(String::new()),
        Value::String(text) => Some(text.clone()),
        Value::Array(parts) => {
            let mut lines = Vec::new();
            for part in parts {
                match (part.get("type")?.as_str()?, part.get("text")) {
                    ("text", text) => lines.push(text?.as_str()?),
                    _ => continue,
                }
            }
            Some(lines.join("\n"))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(body: &Value) -> Result<ChatRequest, BadRequest> {
        ChatRequest::read(body.to_string().as_bytes())
    }

    #[test]
    fn the_last_user_message_is_the_request() {
        for (name, messages, want) in [
            ("one", json!([{"role": "user", "content": "hi"}]), "hi"),
            (
                "a history",
                json!([
                    {"role": "system", "content": "Be a pirate."},
                    {"role": "user", "content": "first"},
                    {"role": "assistant", "content": null, "tool_calls": [{"id": "1"}]},
                    {"role": "tool", "tool_call_id": "1", "content": "done"},
                    {"role": "user", "content": "second"},
                    {"role": "assistant", "content": "half an answer"},
                ]),
                "second",
            ),
            (
                "parts",
                json!([{"role": "user", "content": [
                    {"type": "text", "text": "What is"},
                    {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}},
                    {"type": "text", "text": "this?"},
                ]}]),
                "What is\nthis?",
            ),
        ] {
            let request = read(&json!({"model": "sentient", "messages": messages})).expect(name);
            assert_eq!(request.text, want, "{name}");
            assert_eq!((request.name.as_str(), request.stream, request.include_usage), ("API", false, false), "{name}");
        }
    }

    #[test]
    fn a_chat_has_a_name() {
        let messages = json!([{"role": "user", "content": "hi"}]);
        for (user, want) in [
            (json!(null), Some("API")),
            (json!("  "), Some("API")),
            (json!(" My editor "), Some("My editor")),
            (json!("x".repeat(NAME_CHARS_MAX)), Some(&*"x".repeat(NAME_CHARS_MAX))),
            (json!("x".repeat(NAME_CHARS_MAX + 1)), None),
            (json!("a\nb"), None),
            (json!(7), None),
        ] {
            let read = read(&json!({"messages": messages, "user": user}));
            assert_eq!(read.as_ref().ok().map(|request| request.name.as_str()), want, "{user}: {read:?}");
        }
    }

    #[test]
    fn what_is_no_request_says_why() {
        let user = json!([{"role": "user", "content": "hi"}]);
        for (name, body, want) in [
            ("no object", json!([]), None),
            ("a model that is no text", json!({"model": 5, "messages": user}), Some("model")),
            ("no messages", json!({"model": "sentient"}), Some("messages")),
            ("messages that are no list", json!({"messages": "hi"}), Some("messages")),
            ("a message that is none", json!({"messages": ["hi"]}), Some("messages")),
            ("no role", json!({"messages": [{"content": "hi"}]}), Some("messages")),
            ("content that is none", json!({"messages": [{"role": "user", "content": 5}]}), Some("messages")),
            ("a part that is none", json!({"messages": [{"role": "user", "content": ["hi"]}]}), Some("messages")),
            (
                "a text part without text",
                json!({"messages": [{"role": "user", "content": [{"type": "text"}]}]}),
                Some("messages"),
            ),
            (
                "too long a message",
                json!({"messages": [{"role": "user", "content": "x".repeat(MESSAGE_CHARS_MAX + 1)}]}),
                Some("messages"),
            ),
            ("stream that is no flag", json!({"messages": user, "stream": "yes"}), Some("stream")),
            ("options that are none", json!({"messages": user, "stream_options": true}), Some("stream_options")),
        ] {
            let Err(BadRequest::Invalid { message, field }) = read(&body) else { panic!("{name} was taken") };
            assert_eq!(field, want, "{name}");
            assert!(message.ends_with('.'), "{name}: {message}");
        }
        assert!(matches!(ChatRequest::read(b"{"), Err(BadRequest::Invalid { field: None, .. })));
        assert!(matches!(ChatRequest::read(&[0xff]), Err(BadRequest::Invalid { field: None, .. })));
    }

    #[test]
    fn without_words_of_the_user_there_is_nothing_to_answer() {
        for messages in [
            json!([]),
            json!([{"role": "system", "content": "hi"}]),
            json!([{"role": "user", "content": " "}]),
            json!([{"role": "user", "content": null}]),
            json!([{"role": "user", "content": "earlier"}, {"role": "user", "content": [{"type": "image_url"}]}]),
        ] {
            assert_eq!(read(&json!({"messages": messages})), Err(BadRequest::NoUserMessage), "{messages}");
        }
    }

    #[test]
    fn streaming_is_asked_for() {
        let user = json!([{"role": "user", "content": "hi"}]);
        let options = json!({"include_usage": true});
        let request = read(&json!({"messages": user, "stream": true, "stream_options": options})).expect("a request");
        assert!(request.stream && request.include_usage);
    }
}
