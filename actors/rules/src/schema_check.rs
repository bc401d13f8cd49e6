//! Checks arguments against a tool's JSON Schema, in sentences that a model can act on.
//!
//! A small part of the standard: `type`, `enum`, `const`, bounds of numbers, lengths and lists, `items`, `properties`,
//! `required`, `additionalProperties`, `anyOf`, `oneOf`, `allOf` and `$ref` within the schema. Other keywords are let
//! pass: a tool still reads its arguments itself. Stricter than the standard in one point: an argument that the tool
//! does not list is a problem, since a model that invents one means something else. It must never change a value.

use serde_json::Value;

/// Problems that are told at once.
pub const PROBLEMS_MAX: usize = 5;
/// How deep a schema is followed, references included.
const DEPTH_MAX: usize = 32;
/// Values looked at in one check. A schema whose alternatives refer to themselves would else never end; what lies beyond
/// is let pass, like a keyword that is not known.
const STEPS_MAX: usize = 20_000;
/// Values of an `enum` that a sentence lists.
const CHOICES_SHOWN_MAX: usize = 20;

/// Everything wrong with `arguments`, at most [`PROBLEMS_MAX`] sentences; empty means they fit.
pub fn problems(arguments: &Value, parameters: &Value) -> Vec<String> {
    let mut check = Check { root: parameters, problems: Vec::new(), steps: 0 };
    check.unknown_keys(arguments, parameters);
    check.value("", arguments, parameters, 0);
    check.problems.truncate(PROBLEMS_MAX);
    check.problems
}

/// The schema behind a `$ref` of the form `#/…`, or `schema` itself.
pub(crate) fn resolve<'a>(schema: &'a Value, root: &'a Value) -> &'a Value {
    let mut schema = schema;
    for _ in 0..DEPTH_MAX {
        let Some(pointer) = schema["$ref"].as_str().and_then(|reference| reference.strip_prefix('#')) else { break };
        let Some(target) = root.pointer(pointer) else { break };
        schema = target;
    }
    schema
}

/// The types a schema allows; empty means any.
pub(crate) fn types(schema: &Value) -> Vec<&str> {
    match &schema["type"] {
        Value::String(name) if schema["nullable"] == true => vec![name, "null"],
        Value::String(name) => vec![name],
        Value::Array(names) => names.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

/// Whether a value is of a JSON Schema type.
pub(crate) fn is_of_type(value: &Value, name: &str) -> bool {
    match name {
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64() || value.as_f64().is_some_and(|number| number.fract() == 0.0),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        "null" => value.is_null(),
        // A type the standard does not have forbids nothing.
        _ => true,
    }
}

/// Whether a number keeps a bound.
type Holds = fn(f64, f64) -> bool;

struct Check<'a> {
    root: &'a Value,
    problems: Vec<String>,
    steps: usize,
}

impl Check<'_> {
    fn say(&mut self, problem: String) {
        if self.problems.len() < PROBLEMS_MAX && !self.problems.contains(&problem) {
            self.problems.push(problem);
        }
    }

    /// Arguments of the call itself that the tool does not list.
    fn unknown_keys(&mut self, arguments: &Value, schema: &Value) {
        let schema = resolve(schema, self.root);
        let open = matches!(schema["additionalProperties"], Value::Bool(true) | Value::Object(_))
            || schema["patternProperties"].is_object()
            || ["anyOf", "oneOf", "allOf"].iter().any(|key| schema[key].is_array());
        if open {
            return;
        }
        if let (Some(members), Some(known)) = (arguments.as_object(), schema["properties"].as_object()) {
            for key in members.keys().filter(|key| !known.contains_key(*key)) {
                self.say(unknown(key, known.keys()));
            }
        }
    }

    fn value(&mut self, path: &str, value: &Value, schema: &Value, depth: usize) {
        let schema = resolve(schema, self.root);
        self.steps += 1;
        if depth > DEPTH_MAX || self.steps > STEPS_MAX {
            return;
        }
        if *schema == Value::Bool(false) {
            return self.say(format!("{} is not allowed", named(path)));
        }
        let allowed = types(schema);
        if !allowed.is_empty() && !allowed.iter().any(|name| is_of_type(value, name)) {
            return self.say(format!("{} must be {}", named(path), type_words(&allowed)));
        }
        self.choices(path, value, schema);
        match value {
            Value::Number(_) => self.bounds(path, value, schema),
            Value::String(text) => self.lengths(path, text.chars().count(), schema, ["minLength", "maxLength"]),
            Value::Array(items) => {
                self.lengths(path, items.len(), schema, ["minItems", "maxItems"]);
                for (at, item) in items.iter().enumerate().filter(|_| schema["items"].is_object()) {
                    self.value(&format!("{path}[{at}]"), item, &schema["items"], depth + 1);
                }
            }
            Value::Object(_) => self.members(path, value, schema, depth),
            Value::Null | Value::Bool(_) => {}
        }
        self.combined(path, value, schema, depth);
    }

    fn choices(&mut self, path: &str, value: &Value, schema: &Value) {
        let one = schema.get("const").map(std::slice::from_ref);
        let Some(choices) = schema["enum"].as_array().map(Vec::as_slice).or(one) else { return };
        if !choices.contains(value) {
            let shown: Vec<String> = choices.iter().take(CHOICES_SHOWN_MAX).map(Value::to_string).collect();
            let more = if choices.len() > CHOICES_SHOWN_MAX { ", …" } else { "" };
            self.say(format!("{} must be one of {}{more}", named(path), shown.join(", ")));
        }
    }

    fn bounds(&mut self, path: &str, value: &Value, schema: &Value) {
        let Some(number) = value.as_f64() else { return };
        let bound = |key: &str| schema[key].as_f64();
        let rules: [(&str, &str, Holds); 4] = [
            ("minimum", "at least", |number, bound| number >= bound),
            ("maximum", "at most", |number, bound| number <= bound),
            ("exclusiveMinimum", "more than", |number, bound| number > bound),
            ("exclusiveMaximum", "less than", |number, bound| number < bound),
        ];
        for (key, words, holds) in rules {
            if let Some(bound) = bound(key)
                && !holds(number, bound)
            {
                self.say(format!("{} must be {words} {}", named(path), schema[key]));
            }
        }
    }

    fn lengths(&mut self, path: &str, length: usize, schema: &Value, [least, most]: [&str; 2]) {
        let unit = if least == "minItems" { "items" } else { "characters" };
        let length = length as u64;
        if let Some(bound) = schema[least].as_u64().filter(|bound| length < *bound) {
            self.say(format!("{} must have at least {bound} {unit}", named(path)));
        }
        if let Some(bound) = schema[most].as_u64().filter(|bound| length > *bound) {
            self.say(format!("{} must have at most {bound} {unit}", named(path)));
        }
    }

    fn members(&mut self, path: &str, value: &Value, schema: &Value, depth: usize) {
        let Some(members) = value.as_object() else { return };
        for key in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
            if !members.contains_key(key) {
                self.say(format!("{} is missing", named(&join(path, key))));
            }
        }
        let known = schema["properties"].as_object();
        for (key, member) in members {
            let rule = known.and_then(|known| known.get(key)).or_else(|| match &schema["additionalProperties"] {
                Value::Bool(false) if !schema["patternProperties"].is_object() => None,
                rule => Some(rule),
            });
            match rule {
                Some(rule) => self.value(&join(path, key), member, rule, depth + 1),
                None => self.say(unknown(&join(path, key), known.into_iter().flat_map(|known| known.keys()))),
            }
        }
    }

    /// `anyOf` and `oneOf` want one that fits (that it is only one is not checked), `allOf` wants all.
    fn combined(&mut self, path: &str, value: &Value, schema: &Value, depth: usize) {
        for rule in schema["allOf"].as_array().into_iter().flatten() {
            self.value(path, value, rule, depth + 1);
        }
        for key in ["anyOf", "oneOf"] {
            let Some(rules) = schema[key].as_array().filter(|rules| !rules.is_empty()) else { continue };
            let mut first = None;
            let fits = rules.iter().any(|rule| {
                let mut attempt = Check { root: self.root, problems: Vec::new(), steps: self.steps };
                attempt.value(path, value, rule, depth + 1);
                self.steps = attempt.steps;
                let fits = attempt.problems.is_empty();
                first.get_or_insert(attempt.problems);
                fits
            });
            if !fits {
                let several = rules.len() > 1;
                let reason = first.unwrap_or_default().into_iter().next().unwrap_or_default();
                self.say(if several {
                    format!("{} has none of the allowed forms ({reason})", named(path))
                } else {
                    reason
                });
            }
        }
    }
}

fn unknown<'a>(key: &str, known: impl Iterator<Item = &'a String>) -> String {
    let known: Vec<&str> = known.take(CHOICES_SHOWN_MAX).map(String::as_str).collect();
    if known.is_empty() {
        format!("there is no argument `{key}` (no arguments are taken)")
    } else {
        format!("there is no argument `{key}` (known: {})", known.join(", "))
    }
}

fn join(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}

fn named(path: &str) -> String {
    if path.is_empty() { "the whole".to_owned() } else { format!("`{path}`") }
}

fn type_words(allowed: &[&str]) -> String {
    let word = |name: &&str| match *name {
        "string" => "text",
        "integer" => "a whole number",
        "number" => "a number",
        "boolean" => "true or false",
        "array" => "a list",
        "object" => "an object",
        _ => "null",
    };
    allowed.iter().map(word).collect::<Vec<_>>().join(" or ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn schema() -> Value {
        json!({
            "type": "object",
            "properties": {
                "city": {"type": "string", "minLength": 2, "maxLength": 5},
                "days": {"type": "integer", "minimum": 1, "maximum": 7},
                "unit": {"enum": ["c", "f"]},
                "tags": {"type": "array", "items": {"type": "string"}, "maxItems": 2},
                "where": {"$ref": "#/$defs/point"},
                "when": {"anyOf": [{"type": "string"}, {"type": "null"}]},
                "ratio": {"type": ["number", "null"], "exclusiveMaximum": 1},
            },
            "required": ["city"],
            "$defs": {"point": {
                "type": "object",
                "properties": {"x": {"type": "number"}},
                "required": ["x"],
                "additionalProperties": false,
            }},
        })
    }

    #[test]
    fn each_rule_in_words() {
        let cases: [(Value, &[&str]); 20] = [
            (json!({"city": "Ulm"}), &[]),
            (json!({"city": "Ulm", "days": 7.0, "tags": ["a"], "where": {"x": 1}, "when": null, "ratio": null}), &[]),
            (json!({}), &["`city` is missing"]),
            (json!({"city": 5}), &["`city` must be text"]),
            (json!({"city": "U"}), &["`city` must have at least 2 characters"]),
            (json!({"city": "Straßburg"}), &["`city` must have at most 5 characters"]),
            (json!({"city": "Ulm", "days": 1.5}), &["`days` must be a whole number"]),
            (json!({"city": "Ulm", "days": "3"}), &["`days` must be a whole number"]),
            (json!({"city": "Ulm", "days": 0}), &["`days` must be at least 1"]),
            (json!({"city": "Ulm", "days": 8}), &["`days` must be at most 7"]),
            (json!({"city": "Ulm", "unit": "k"}), &["`unit` must be one of \"c\", \"f\""]),
            (json!({"city": "Ulm", "tags": ["a", 1]}), &["`tags[1]` must be text"]),
            (json!({"city": "Ulm", "tags": ["a", "b", "c"]}), &["`tags` must have at most 2 items"]),
            (json!({"city": "Ulm", "where": {}}), &["`where.x` is missing"]),
            (json!({"city": "Ulm", "where": {"x": 1, "y": 2}}), &["there is no argument `where.y` (known: x)"]),
            (json!({"city": "Ulm", "when": 3}), &["`when` has none of the allowed forms (`when` must be text)"]),
            (json!({"city": "Ulm", "ratio": 1}), &["`ratio` must be less than 1"]),
            (json!({"city": "Ulm", "ratio": "x"}), &["`ratio` must be a number or null"]),
            (
                json!({"city": "Ulm", "town": 1}),
                &["there is no argument `town` (known: city, days, ratio, tags, unit, when, where)"],
            ),
            (json!([]), &["the whole must be an object"]),
        ];
        for (arguments, want) in cases {
            assert_eq!(problems(&arguments, &schema()), want, "{arguments}");
        }
    }

    #[test]
    fn which_schemas_take_unknown_arguments() {
        for (schema, fits) in [
            (json!({"type": "object"}), true),
            (json!({}), true),
            (json!({"type": "object", "properties": {}}), false),
            (json!({"type": "object", "properties": {}, "additionalProperties": true}), true),
            (json!({"type": "object", "additionalProperties": {"type": "integer"}}), true),
            (json!({"type": "object", "additionalProperties": {"type": "string"}}), false),
            (json!({"type": "object", "properties": {}, "patternProperties": {"^a": {}}}), true),
        ] {
            assert_eq!(problems(&json!({"a": 1}), &schema).is_empty(), fits, "{schema}");
        }
    }

    #[test]
    fn schemas_that_refer_to_themselves_end() {
        let looped = json!({"$ref": "#"});
        assert!(problems(&json!({"a": 1}), &looped).is_empty());
        let tree = json!({"type": "object", "properties": {"next": {"$ref": "#"}}});
        let mut value = json!({});
        for _ in 0..100 {
            value = json!({ "next": value });
        }
        assert!(problems(&value, &tree).is_empty());
        let wide = json!({"anyOf": [{"$ref": "#"}, {"$ref": "#"}]});
        assert!(problems(&json!(1), &wide).len() <= PROBLEMS_MAX);
    }

    #[test]
    fn problems_are_bounded() {
        let many: serde_json::Map<String, Value> = (0..50).map(|number| (format!("k{number}"), json!(1))).collect();
        assert_eq!(problems(&Value::Object(many), &schema()).len(), PROBLEMS_MAX);
    }
}
