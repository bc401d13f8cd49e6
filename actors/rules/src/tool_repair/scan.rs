//! Finds calls in a reply: where they begin and end, and which forms they have.

use super::json::{self, Problem};
use super::{REPAIRED_CALLS_MAX, Repaired, arguments, python};
use crate::schema_check;
use protocol::model::ToolOffer;
use serde_json::{Map, Value};

const TOOL_CALL: &str = "<tool_call>";
const TOOL_CALL_END: &str = "</tool_call>";
const FUNCTION: &str = "<function=";
const FUNCTION_END: &str = "</function>";
const PARAMETER: &str = "<parameter=";
const PARAMETER_END: &str = "</parameter>";
const MISTRAL: &str = "[TOOL_CALLS]";
const MISTRAL_ARGUMENTS: &str = "[ARGS]";
const FENCE: &str = "```";
/// Llama's mark in front of a call.
const PYTHON_TAG: &str = "<|python_tag|>";
/// Marks that are tried in one reply; each that leads to no call costs a search.
const MARKS_MAX: usize = 256;

pub(super) type Call = (String, Value);

/// What a mark led to.
enum Found {
    /// Calls, and the byte behind them.
    Calls(Vec<Call>, usize),
    /// The text ends inside the call.
    Cut,
    /// Only text that looks like a mark.
    Nothing,
}

/// All marked calls of a reply.
pub(super) fn marked(text: &str, offered: &[ToolOffer]) -> Repaired {
    let mut found = Repaired::default();
    let mut at = 0;
    for _ in 0..MARKS_MAX {
        let Some((mark, begin)) = next_mark(text, at) else { break };
        let outcome = if in_explaining_fence(text, begin) { Found::Nothing } else { read(mark, text, begin, offered) };
        match outcome {
            Found::Calls(calls, end) => {
                found.text_left.push_str(&text[at..begin]);
                found.calls.extend(calls);
                at = end;
            }
            Found::Cut => {
                found.text_left.push_str(&text[at..begin]);
                found.incomplete = true;
                at = text.len();
                break;
            }
            Found::Nothing => {
                let behind = begin + mark.len();
                found.text_left.push_str(&text[at..behind]);
                at = behind;
            }
        }
        if found.calls.len() >= REPAIRED_CALLS_MAX {
            break;
        }
    }
    found.text_left.push_str(&text[at..]);
    found.calls.truncate(REPAIRED_CALLS_MAX);
    if !found.calls.is_empty() || found.incomplete {
        found.text_left = found.text_left.replace(&format!("{FENCE}\n{FENCE}"), "").trim().to_owned();
    }
    found
}

fn next_mark(text: &str, from: usize) -> Option<(&'static str, usize)> {
    let marks = [TOOL_CALL, FUNCTION, MISTRAL];
    let places = marks.into_iter().filter_map(|mark| text[from..].find(mark).map(|at| (mark, from + at)));
    places.min_by_key(|(_, at)| *at)
}

/// Whether `at` lies in a code block behind which the reply goes on: it shows a call, it makes none.
fn in_explaining_fence(text: &str, at: usize) -> bool {
    let inside = text[..at].matches(FENCE).count() % 2 == 1;
    inside && text[at..].find(FENCE).is_some_and(|end| !text[at + end + FENCE.len()..].trim().is_empty())
}

fn read(mark: &str, text: &str, begin: usize, offered: &[ToolOffer]) -> Found {
    let body = begin + mark.len();
    match mark {
        TOOL_CALL => tool_call(text, body, offered),
        FUNCTION => function(text, body, offered),
        _ => mistral(text, body, offered),
    }
}

/// `<tool_call>` holds JSON or a `<function=…>`; its closing tag may be missing when what it holds is whole.
fn tool_call(text: &str, body: usize, offered: &[ToolOffer]) -> Found {
    let inner = body + blank(&text[body..]);
    let found = if text[inner..].starts_with(FUNCTION) {
        function(text, inner + FUNCTION.len(), offered)
    } else if text[inner..].is_empty() || (text[inner..].len() < FUNCTION.len() && FUNCTION.starts_with(&text[inner..]))
    {
        Found::Cut
    } else {
        json_calls(text, inner, offered)
    };
    match found {
        Found::Calls(calls, end) => {
            let close = end + blank(&text[end..]);
            let rest = &text[close..];
            if rest.starts_with(TOOL_CALL_END) {
                Found::Calls(calls, close + TOOL_CALL_END.len())
            } else if rest.is_empty() || rest.starts_with(TOOL_CALL) || rest.starts_with(FENCE) {
                Found::Calls(calls, end)
            } else if TOOL_CALL_END.starts_with(rest) {
                Found::Calls(calls, text.len())
            } else {
                Found::Nothing
            }
        }
        other => other,
    }
}

/// JSON with a name and arguments, or a list of such.
fn json_calls(text: &str, begin: usize, offered: &[ToolOffer]) -> Found {
    if !text[begin..].starts_with(['{', '[']) {
        return Found::Nothing;
    }
    match json::prefix(&text[begin..]) {
        Err(Problem::Truncated) => Found::Cut,
        Err(_) => Found::Nothing,
        Ok((value, length)) => match calls_of(value, offered, false) {
            Some(calls) => Found::Calls(calls, begin + length),
            None => Found::Nothing,
        },
    }
}

/// `<function=name>{…}</function>`, or with one `<parameter=key>` per argument.
fn function(text: &str, begin: usize, offered: &[ToolOffer]) -> Found {
    let Some(name_end) = text[begin..].find(['>', '<', '\n']) else { return Found::Cut };
    let name = text[begin..begin + name_end].trim();
    let Some(offer) = offer(name, offered).filter(|_| text[begin + name_end..].starts_with('>')) else {
        return Found::Nothing;
    };
    let body = begin + name_end + 1;
    let inner = body + blank(&text[body..]);
    if text[inner..].starts_with('{') {
        return match json::prefix(&text[inner..]) {
            Err(Problem::Truncated) => Found::Cut,
            Ok((object @ Value::Object(_), length)) => {
                let end = inner + length;
                let close = end + blank(&text[end..]);
                let end = if text[close..].starts_with(FUNCTION_END) { close + FUNCTION_END.len() } else { end };
                Found::Calls(vec![(name.to_owned(), object)], end)
            }
            _ => Found::Nothing,
        };
    }
    // Without JSON only the closing tag shows that nothing is missing.
    let Some(length) = text[inner..].find(FUNCTION_END) else { return Found::Cut };
    match parameters(&text[inner..inner + length], offer) {
        Some(arguments) => {
            Found::Calls(vec![(name.to_owned(), Value::Object(arguments))], inner + length + FUNCTION_END.len())
        }
        None => Found::Nothing,
    }
}

/// Values between the tags are text as it stands, or JSON where the tool wants something else than text.
fn parameters(text: &str, offer: &ToolOffer) -> Option<Map<String, Value>> {
    let mut arguments = Map::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let (key, behind) = rest.strip_prefix(PARAMETER)?.split_once('>')?;
        let (value, behind) = behind.split_once(PARAMETER_END)?;
        let value = value.strip_prefix('\n').unwrap_or(value);
        let value = value.strip_suffix('\n').unwrap_or(value);
        let rule = schema_check::resolve(&offer.parameters["properties"][key.trim()], &offer.parameters);
        let types = schema_check::types(rule);
        let wants_text = types.is_empty() || types.contains(&"string");
        let read = if wants_text { None } else { json::whole(value.trim()).ok() };
        if arguments.insert(key.trim().to_owned(), read.unwrap_or_else(|| Value::from(value))).is_some() {
            return None;
        }
        rest = behind.trim_start();
    }
    Some(arguments)
}

/// `[TOOL_CALLS][{…}]`, or `[TOOL_CALLS]name[ARGS]{…}`.
fn mistral(text: &str, body: usize, offered: &[ToolOffer]) -> Found {
    let inner = body + blank(&text[body..]);
    if text[inner..].is_empty() {
        return Found::Cut;
    }
    if text[inner..].starts_with(['[', '{']) {
        return json_calls(text, inner, offered);
    }
    let name_length = text[inner..].find(|c: char| !is_name(c)).unwrap_or(text.len() - inner);
    let name = &text[inner..inner + name_length];
    let rest = &text[inner + name_length..];
    let is_offered = offer(name, offered).is_some();
    let Some(behind) = rest.strip_prefix(MISTRAL_ARGUMENTS) else {
        return if is_offered && MISTRAL_ARGUMENTS.starts_with(rest) { Found::Cut } else { Found::Nothing };
    };
    let begin = text.len() - behind.len();
    match json::prefix(behind) {
        _ if !is_offered => Found::Nothing,
        Err(Problem::Truncated) => Found::Cut,
        Ok((object @ Value::Object(_), length)) => Found::Calls(vec![(name.to_owned(), object)], begin + length),
        _ => Found::Nothing,
    }
}

/// Calls without a mark: the last fenced block of a reply, or the whole reply.
pub(super) fn unmarked(text: &str, offered: &[ToolOffer]) -> Option<Repaired> {
    let trimmed = text.trim();
    let whole = trimmed.strip_prefix(PYTHON_TAG).map_or(trimmed, str::trim);
    if let Some(calls) = bare(whole, offered) {
        return Some(Repaired { calls, ..Repaired::default() });
    }
    let before_close = trimmed.strip_suffix(FENCE)?;
    let open = before_close.rfind(FENCE)?;
    // The fence must open here: an even number of marks stands in front of it.
    if text[..text.find(trimmed)? + open].matches(FENCE).count() % 2 == 1 {
        return None;
    }
    let inner = &before_close[open + FENCE.len()..];
    let language = inner.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(inner.len());
    let calls = bare(inner[language..].trim(), offered)?;
    Some(Repaired { text_left: before_close[..open].trim().to_owned(), calls, incomplete: false })
}

/// A text that is nothing but calls: JSON or Python.
fn bare(text: &str, offered: &[ToolOffer]) -> Option<Vec<Call>> {
    let calls = match json::whole(text) {
        Ok(value) => calls_of(value, offered, true)?,
        Err(_) => python::calls(text, &|name| offer(name, offered).is_some())?,
    };
    (calls.len() <= REPAIRED_CALLS_MAX).then_some(calls)
}

/// The calls a JSON value stands for. All of them must be of offered tools. Where nothing marks the value as a call,
/// `strict` demands that it has arguments and nothing that calls do not have.
fn calls_of(value: Value, offered: &[ToolOffer], strict: bool) -> Option<Vec<Call>> {
    match value {
        Value::Array(items) if !items.is_empty() => {
            items.into_iter().map(|item| call_of(item, offered, strict)).collect()
        }
        Value::Object(_) => Some(vec![call_of(value, offered, strict)?]),
        _ => None,
    }
}

fn call_of(value: Value, offered: &[ToolOffer], strict: bool) -> Option<Call> {
    let Value::Object(mut members) = value else { return None };
    // OpenAI's form has one more layer.
    if let Some(Value::Object(inner)) = members.get("function") {
        members = inner.clone();
    }
    let known = ["name", "function", "arguments", "parameters", "id", "type", "index"];
    if strict && members.keys().any(|key| !known.contains(&key.as_str())) {
        return None;
    }
    let name = members.get("name").or_else(|| members.get("function")).and_then(Value::as_str)?.to_owned();
    offer(&name, offered)?;
    let given = members.remove("arguments").or_else(|| members.remove("parameters"));
    let arguments = match given {
        Some(object @ Value::Object(_)) => object,
        Some(Value::String(text)) => arguments::object(&text).ok()?,
        None if !strict => Value::Object(Map::new()),
        _ => return None,
    };
    Some((name, arguments))
}

fn offer<'a>(name: &str, offered: &'a [ToolOffer]) -> Option<&'a ToolOffer> {
    offered.iter().find(|offer| offer.name == name)
}

pub(super) fn is_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '.')
}

/// Bytes of blank space at the start.
fn blank(text: &str) -> usize {
    text.len() - text.trim_start().len()
}
