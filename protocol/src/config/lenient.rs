//! Helps to read a configuration that people wrote by hand: what is plainly meant is taken, what is wrong is taken out.

use super::problem::Problem;
use super::schema::entry_schema;
use serde_json::{Number, Value};
use std::cmp::Reverse;

/// Who wrote the value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Author {
    /// A program, in JSON.
    Program,
    /// A person, in YAML: `yes` and `off` mean booleans, and a key without a value means "not set".
    Person,
}

/// Turns what means the right type into it: `5.0` where a whole number belongs and, for a person, `on` where a boolean
/// belongs; and drops a person's keys that have nothing behind them.
pub(super) fn coerce(schema: &Value, value: &mut Value, author: Author) {
    let schema = non_null(schema);
    match value {
        Value::Object(fields) => {
            let entry = entry_schema(schema);
            let of = |name: &str| entry.or_else(|| schema.get("properties")?.get(name));
            if author == Author::Person {
                fields.retain(|name, value| !value.is_null() || of(name).is_none_or(is_nullable));
            }
            for (name, value) in fields {
                if let Some(schema) = of(name) {
                    coerce(schema, value, author);
                }
            }
        }
        Value::Array(items) => {
            if let Some(schema) = schema.get("items") {
                items.iter_mut().for_each(|item| coerce(schema, item, author));
            }
        }
        Value::Number(number) if is(schema, "integer") && number.is_f64() => {
            let float = number.as_f64().filter(|float| float.fract() == 0.0 && float.abs() < 9.0e15);
            if let Some(float) = float {
                *number = Number::from(float as i64); // exact: whole and far inside the range
            }
        }
        Value::String(text) if author == Author::Person && is(schema, "boolean") => {
            match text.to_ascii_lowercase().as_str() {
                "yes" | "on" | "y" | "true" => *value = Value::Bool(true),
                "no" | "off" | "n" | "false" => *value = Value::Bool(false),
                _ => {}
            }
        }
        _ => {}
    }
}

fn is(schema: &Value, kind: &str) -> bool {
    match schema.get("type") {
        Some(Value::String(one)) => one == kind,
        Some(Value::Array(kinds)) => kinds.iter().any(|one| one == kind),
        _ => false,
    }
}

fn non_null(schema: &Value) -> &Value {
    let branches = schema.get("anyOf").and_then(Value::as_array);
    branches.and_then(|branches| branches.iter().find(|branch| !is(branch, "null"))).unwrap_or(schema)
}

fn is_nullable(schema: &Value) -> bool {
    let branches = schema.get("anyOf").and_then(Value::as_array);
    is(schema, "null") || branches.is_some_and(|branches| branches.iter().any(|branch| is(branch, "null")))
}

/// Takes out every value a problem is about. Where it is not there, something around it is at fault: that goes.
pub(super) fn remove_all(value: &mut Value, problems: &[Problem]) {
    let mut places: Vec<&[String]> = problems.iter().map(|problem| problem.loc.as_slice()).collect();
    // From the back, so that taking one entry out of a list does not move the next one.
    places.sort_by_key(|loc| Reverse(loc.iter().map(|part| (part.parse::<usize>().ok(), part)).collect::<Vec<_>>()));
    for loc in places {
        remove(value, loc);
    }
}

fn remove(value: &mut Value, loc: &[String]) {
    let Some((last, parents)) = loc.split_last() else {
        *value = Value::Object(serde_json::Map::new());
        return;
    };
    let parent = parents.iter().try_fold(&mut *value, |value, part| step(value, part));
    let removed = match parent {
        Some(Value::Object(fields)) => fields.remove(last).is_some(),
        Some(Value::Array(items)) => match last.parse::<usize>() {
            Ok(index) if index < items.len() => {
                items.remove(index);
                true
            }
            _ => false,
        },
        _ => false,
    };
    if !removed {
        remove(value, parents);
    }
}

fn step<'a>(value: &'a mut Value, part: &str) -> Option<&'a mut Value> {
    match value {
        Value::Array(items) => items.get_mut(part.parse::<usize>().ok()?),
        other => other.get_mut(part),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::problem::kinds;
    use serde_json::json;

    #[test]
    fn what_is_plainly_meant_is_taken() {
        let schema = json!({"properties": {
            "count": {"type": "integer"}, "on": {"type": "boolean"}, "name": {"type": "string"},
            "maybe": {"type": ["string", "null"]}, "part": {"properties": {"x": {"type": "integer"}}},
        }});
        for (author, value, want) in [
            (Author::Program, json!({"count": 5.0, "on": "yes"}), json!({"count": 5, "on": "yes"})),
            (Author::Program, json!({"count": 5.5, "name": null}), json!({"count": 5.5, "name": null})),
            (Author::Person, json!({"on": "Off", "name": "off"}), json!({"on": false, "name": "off"})),
            (Author::Person, json!({"name": null, "maybe": null, "part": null}), json!({"maybe": null})),
            (Author::Person, json!({"part": {"x": 1e300}}), json!({"part": {"x": 1e300}})),
        ] {
            let mut coerced = value.clone();
            coerce(&schema, &mut coerced, author);
            assert_eq!(coerced, want, "{value}");
        }
    }

    #[test]
    fn what_is_wrong_is_taken_out() {
        let at = |loc: &[&str]| {
            Problem::new(&loc.iter().map(|part| (*part).to_owned()).collect::<Vec<_>>(), kinds::VALUE, "")
        };
        for (name, value, problems, want) in [
            ("a key", json!({"a": {"b": 1, "c": 2}}), vec![at(&["a", "b"])], json!({"a": {"c": 2}})),
            (
                "two entries of a list",
                json!({"a": [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]}),
                vec![at(&["a", "2"]), at(&["a", "10"])],
                json!({"a": [0, 1, 3, 4, 5, 6, 7, 8, 9]}),
            ),
            ("what is missing takes its parent", json!({"a": {"b": {}}}), vec![at(&["a", "b", "c"])], json!({"a": {}})),
            ("everything", json!({"a": 1}), vec![at(&[])], json!({})),
        ] {
            let mut left = value;
            remove_all(&mut left, &problems);
            assert_eq!(left, want, "{name}");
        }
    }
}
