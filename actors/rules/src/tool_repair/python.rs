//! Calls written as Python: `name(city="Ulm", days=3)`, `name({"city": "Ulm"})`, or a list of such.
//!
//! Only a text that is nothing but calls is read, and only with named arguments: which parameter a bare value belongs to
//! would be a guess.

use super::json;
use super::scan::{Call, is_name};
use serde_json::{Map, Value};

/// The calls of a text, when all of it is calls of tools that `is_offered` knows.
pub(super) fn calls(text: &str, is_offered: &dyn Fn(&str) -> bool) -> Option<Vec<Call>> {
    let mut reader = Reader { rest: text.trim() };
    let in_list = reader.take("[");
    let mut calls = Vec::new();
    loop {
        calls.push(reader.call(is_offered)?);
        let more = reader.take(",") || (!in_list && reader.take(";"));
        if in_list && reader.take("]") {
            break;
        }
        if reader.rest.is_empty() {
            // A list that was not closed was cut.
            return if in_list { None } else { Some(calls) };
        }
        if in_list && !more {
            return None;
        }
    }
    reader.rest.is_empty().then_some(calls)
}

struct Reader<'a> {
    rest: &'a str,
}

impl Reader<'_> {
    /// Takes `token` and the blank space behind it, if it is next.
    fn take(&mut self, token: &str) -> bool {
        let Some(rest) = self.rest.strip_prefix(token) else { return false };
        self.rest = rest.trim_start();
        true
    }

    fn word(&mut self) -> Option<String> {
        let length = self.rest.find(|c: char| !is_name(c)).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(length);
        self.rest = rest.trim_start();
        (!word.is_empty()).then(|| word.to_owned())
    }

    fn value(&mut self) -> Option<Value> {
        let (value, length) = json::prefix(self.rest).ok()?;
        self.rest = self.rest[length..].trim_start();
        Some(value)
    }

    fn call(&mut self, is_offered: &dyn Fn(&str) -> bool) -> Option<Call> {
        let name = self.word().filter(|name| is_offered(name))?;
        if !self.take("(") {
            return None;
        }
        let arguments = if self.rest.starts_with('{') {
            self.value().filter(|value| value.is_object() && self.take(")"))?
        } else {
            Value::Object(self.named()?)
        };
        Some((name, arguments))
    }

    fn named(&mut self) -> Option<Map<String, Value>> {
        let mut arguments = Map::new();
        while !self.take(")") {
            let key = self.word()?;
            if !self.take("=") {
                return None;
            }
            let value = self.value()?;
            if arguments.insert(key, value).is_some() {
                return None;
            }
            if !self.take(",") && !self.rest.starts_with(')') {
                return None;
            }
        }
        Some(arguments)
    }
}
