//! Turns what a model wrote as arguments into an object that fits the tool, or says why not.
//!
//! The law: a tool never runs with arguments that nobody wrote. Repairs change how a value is written, never what it is:
//! no missing value is filled in, no cut text completed, no bare text put into a parameter by guess.

use super::json::{self, Problem};
use crate::schema_check;
use serde_json::{Map, Value};
use std::fmt;

/// Bytes of the arguments of one call. Ours: as much as a whole chat message of text, four bytes a character.
pub const ARGUMENT_BYTES_MAX: usize = 1024 * 1024;
/// How often JSON may be wrapped in a JSON string.
const WRAPPINGS_MAX: usize = 2;
/// How deep values are adjusted to their schema.
const DEPTH_MAX: usize = 32;

/// Why arguments were not taken. Its text is written for the model, which may try again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArgumentError {
    Empty,
    TooLong,
    /// The text ends in the middle.
    Truncated,
    /// Not JSON, with the reason.
    NotJson(String),
    NotAnObject,
    /// JSON, but not what the tool takes.
    Unfit(Vec<String>),
}

impl fmt::Display for ArgumentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("there were none; write a JSON object, {} when the tool needs nothing"),
            Self::TooLong => write!(f, "they are longer than {ARGUMENT_BYTES_MAX} bytes"),
            Self::Truncated => f.write_str("they were cut off before their end; write them again, shorter if need be"),
            Self::NotJson(reason) => write!(f, "they are not valid JSON ({reason})"),
            Self::NotAnObject => f.write_str("they must be one JSON object"),
            Self::Unfit(problems) => f.write_str(&problems.join("; ")),
        }
    }
}

impl std::error::Error for ArgumentError {}

/// The sentence of the contract (section 10): `Invalid arguments for <tool>: …`.
pub fn invalid_arguments(tool: &str, error: &ArgumentError) -> String {
    format!("Invalid arguments for {tool}: {error}.")
}

/// Reads the arguments of a call and fits them to the tool's `parameters` (a JSON Schema).
pub fn arguments(text: &str, parameters: &Value) -> Result<Value, ArgumentError> {
    fit(object(text)?, parameters)
}

/// Reads an object without looking at a schema.
pub(super) fn object(text: &str) -> Result<Value, ArgumentError> {
    if text.len() > ARGUMENT_BYTES_MAX {
        return Err(ArgumentError::TooLong);
    }
    let mut text = text.to_owned();
    for _ in 0..=WRAPPINGS_MAX {
        let inner = without_fence(text.trim());
        if inner.is_empty() {
            return Err(ArgumentError::Empty);
        }
        match json::whole(inner).map_err(ArgumentError::from)? {
            Value::String(wrapped) => text = wrapped,
            object @ Value::Object(_) => return Ok(object),
            _ => break,
        }
    }
    Err(ArgumentError::NotAnObject)
}

/// Fits an object that was read already: values written in a near form are rewritten where the schema leaves no doubt,
/// then everything is checked.
pub fn fit(arguments: Value, parameters: &Value) -> Result<Value, ArgumentError> {
    if !arguments.is_object() {
        return Err(ArgumentError::NotAnObject);
    }
    let arguments = adjust(arguments, parameters, parameters, 0);
    let problems = schema_check::problems(&arguments, parameters);
    if problems.is_empty() { Ok(arguments) } else { Err(ArgumentError::Unfit(problems)) }
}

/// The inside of a text that is one fenced code block, else the text.
fn without_fence(text: &str) -> &str {
    let Some(inner) = text.strip_prefix("```").and_then(|rest| rest.strip_suffix("```")) else { return text };
    let language = inner.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(inner.len());
    inner[language..].trim()
}

fn adjust(value: Value, schema: &Value, root: &Value, depth: usize) -> Value {
    let schema = schema_check::resolve(schema, root);
    let types = schema_check::types(schema);
    if depth > DEPTH_MAX {
        return value;
    }
    match value {
        Value::Object(members) => Value::Object(adjust_members(members, schema, root, depth)),
        Value::Array(items) if schema["items"].is_object() => {
            items.into_iter().map(|item| adjust(item, &schema["items"], root, depth + 1)).collect()
        }
        Value::String(text) if !types.is_empty() && !types.contains(&"string") => match reread(&text, &types) {
            Some(value) => adjust(value, schema, root, depth + 1),
            None => Value::String(text),
        },
        // 3.0 is a whole number in JSON Schema, and tools read whole numbers.
        Value::Number(number) if types.contains(&"integer") && !types.contains(&"number") => {
            let whole = number.as_f64().filter(|float| number.is_f64() && float.fract() == 0.0 && float.abs() < 9e15);
            whole.map_or(Value::Number(number), |float| Value::from(float as i64))
        }
        value => value,
    }
}

fn adjust_members(members: Map<String, Value>, schema: &Value, root: &Value, depth: usize) -> Map<String, Value> {
    let required = |key: &str| schema["required"].as_array().is_some_and(|keys| keys.iter().any(|name| name == key));
    let mut out = Map::new();
    for (key, member) in members {
        let rule = &schema["properties"][&key];
        // `null` for something optional means that it was left out, unless the tool knows null.
        if member.is_null() && rule.is_object() && !required(&key) && refuses_null(rule, root) {
            continue;
        }
        let member = if rule.is_object() { adjust(member, rule, root, depth + 1) } else { member };
        out.insert(key, member);
    }
    out
}

fn refuses_null(rule: &Value, root: &Value) -> bool {
    let types = schema_check::types(schema_check::resolve(rule, root));
    !types.is_empty() && !types.contains(&"null")
}

/// A text where the schema wants something else: the value it spells out exactly, if it does.
fn reread(text: &str, types: &[&str]) -> Option<Value> {
    let text = text.trim();
    let value = match text {
        "True" => Value::Bool(true),
        "False" => Value::Bool(false),
        text => json::whole(text).ok()?,
    };
    let fits =
        types.iter().any(|name| schema_check::is_of_type(&value, name)) && !value.is_string() && !value.is_null();
    fits.then_some(value)
}

impl From<Problem> for ArgumentError {
    fn from(problem: Problem) -> Self {
        match problem {
            Problem::Truncated => Self::Truncated,
            Problem::Unexpected(at) => Self::NotJson(format!("it stops making sense at byte {at}")),
            Problem::TwoValues(key) => Self::NotJson(format!("`{key}` is there twice with different values")),
            Problem::Inexact(number) => {
                Self::NotJson(format!("the number {number} is too large to carry exactly; write it as text"))
            }
            Problem::TooDeep => Self::NotJson("it is nested too deeply".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn parameters() -> Value {
        json!({
            "type": "object",
            "properties": {
                "city": {"type": "string"},
                "days": {"type": "integer"},
                "ratio": {"type": "number"},
                "rain": {"type": "boolean"},
                "tags": {"type": "array", "items": {"type": "integer"}},
                "unit": {"type": "string", "enum": ["c", "f"]},
                "either": {"type": ["string", "integer"]},
            },
            "required": ["city"],
        })
    }

    #[test]
    fn arguments_that_can_be_read() {
        let cases: [(&str, &str, Value); 15] = [
            ("exact", r#"{"city":"Ulm","days":3}"#, json!({"city": "Ulm", "days": 3})),
            ("trailing comma", r#"{"city":"Ulm",}"#, json!({"city": "Ulm"})),
            ("single quotes and Python", "{'city': 'Ulm', 'rain': True}", json!({"city": "Ulm", "rain": true})),
            ("keys without quotes", "{city: \"Ulm\"}", json!({"city": "Ulm"})),
            ("JSON in a string", r#""{\"city\":\"Ulm\"}""#, json!({"city": "Ulm"})),
            ("fenced", "```json\n{\"city\":\"Ulm\"}\n```", json!({"city": "Ulm"})),
            ("a line break in a string", "{\"city\":\"Ulm\nDonau\"}", json!({"city": "Ulm\nDonau"})),
            (
                "a number as text",
                r#"{"city":"Ulm","days":"3","ratio":"-0.5"}"#,
                json!({"city": "Ulm", "days": 3, "ratio": -0.5}),
            ),
            ("a boolean as text", r#"{"city":"Ulm","rain":"false"}"#, json!({"city": "Ulm", "rain": false})),
            ("a whole float", r#"{"city":"Ulm","days":3.0}"#, json!({"city": "Ulm", "days": 3})),
            ("a list as text", r#"{"city":"Ulm","tags":"[1, \"2\"]"}"#, json!({"city": "Ulm", "tags": [1, 2]})),
            ("null for something optional", r#"{"city":"Ulm","days":null}"#, json!({"city": "Ulm"})),
            (
                "text stays text where text is allowed",
                r#"{"city":"5","either":"7"}"#,
                json!({"city": "5", "either": "7"}),
            ),
            ("blank space around", " \n{\"city\":\"Ulm\"}\n ", json!({"city": "Ulm"})),
            ("empty text is text", r#"{"city":""}"#, json!({"city": ""})),
        ];
        for (name, text, want) in cases {
            assert_eq!(arguments(text, &parameters()), Ok(want), "{name}");
        }
    }

    #[test]
    fn arguments_that_are_refused() {
        let unfit = |problem: &str| ArgumentError::Unfit(vec![problem.to_owned()]);
        let known = "known: city, days, either, rain, ratio, tags, unit";
        for (name, text, want) in [
            ("nothing", "", ArgumentError::Empty),
            ("an empty fence", "```json\n```", ArgumentError::Empty),
            ("cut", r#"{"city":"Ul"#, ArgumentError::Truncated),
            ("cut after a whole value", r#"{"city":"Ulm""#, ArgumentError::Truncated),
            ("cut inside a wrapping", r#""{\"city\":\"Ulm\"""#, ArgumentError::Truncated),
            ("prose", "the city is Ulm", ArgumentError::NotJson("it stops making sense at byte 0".into())),
            (
                "a bare text for the only required argument",
                "\"Ulm\"",
                ArgumentError::NotJson("it stops making sense at byte 0".into()),
            ),
            ("a list", "[\"Ulm\"]", ArgumentError::NotAnObject),
            ("a number", "5", ArgumentError::NotAnObject),
            ("missing", "{}", unfit("`city` is missing")),
            ("null for something required", r#"{"city":null}"#, unfit("`city` must be text")),
            ("unknown", r#"{"city":"Ulm","town":"x"}"#, unfit(&format!("there is no argument `town` ({known})"))),
            ("not in the list", r#"{"city":"Ulm","unit":"k"}"#, unfit("`unit` must be one of \"c\", \"f\"")),
            ("a number that is not whole", r#"{"city":"Ulm","days":"3.5"}"#, unfit("`days` must be a whole number")),
            ("a number with words", r#"{"city":"Ulm","days":"3 days"}"#, unfit("`days` must be a whole number")),
            ("a yes is no boolean", r#"{"city":"Ulm","rain":"yes"}"#, unfit("`rain` must be true or false")),
            ("a number where text is wanted", r#"{"city":5}"#, unfit("`city` must be text")),
        ] {
            assert_eq!(arguments(text, &parameters()), Err(want), "{name}");
        }
        let long = format!("{{\"city\":\"{}\"}}", "x".repeat(ARGUMENT_BYTES_MAX));
        assert_eq!(arguments(&long, &parameters()), Err(ArgumentError::TooLong));
    }

    #[test]
    fn the_sentence_names_the_tool_and_the_problem() {
        let error = arguments("{}", &parameters()).expect_err("city is missing");
        assert_eq!(invalid_arguments("get_weather", &error), "Invalid arguments for get_weather: `city` is missing.");
    }
}
