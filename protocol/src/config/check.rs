//! Judges a configuration: value by value against the schema, and values against each other.
//!
//! It names all problems at once and repairs none. The ranges are the schema's; no number stands here.

use super::formats;
use super::problem::{Problem, kinds};
use super::schema::entry_schema;
use super::{Config, DEFAULT_PROFILE, McpAuth, McpTransport, ProfileKind};
use crate::limits::{CONFIG_ENTRIES_MAX, CONFIG_NAME_CHARS_MAX, CONFIG_TEXT_CHARS_MAX};
use crate::model::ModelRole;
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// Names of the presets that come with Sentient (contract section 3, "Model presets"); nobody else's may be called so.
const PRESETS_BUILT_IN: [&str; 3] = ["Local only", "Cloud", "Mixed"];
/// Characters of a preset's and of a browser profile's name (contract sections 3 and 12).
const PRESET_NAME_CHARS_MAX: usize = 40;
const PROFILE_NAME_CHARS_MAX: usize = 40;

/// Everything in `value` that the schema does not allow.
pub(super) fn values(schema: &Value, value: &Value) -> Vec<Problem> {
    let mut visit = Visit { loc: Vec::new(), problems: Vec::new() };
    visit.value(schema, value);
    visit.problems
}

/// Whether a letter of a name is not seen or turns others around: a rule for `file_write` with one in it would read like
/// a rule and be none.
fn is_hidden(letter: char) -> bool {
    letter.is_control()
        || matches!(letter, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

struct Visit {
    loc: Vec<String>,
    problems: Vec<Problem>,
}

impl Visit {
    fn problem(&mut self, kind: &str, msg: impl Into<String>) {
        self.problems.push(Problem::new(&self.loc, kind, msg));
    }

    fn inside(&mut self, name: &str, schema: &Value, value: &Value) {
        self.loc.push(name.to_owned());
        self.value(schema, value);
        self.loc.pop();
    }

    fn value(&mut self, schema: &Value, value: &Value) {
        let shape = Shape::of(schema);
        if value.is_null() && shape.nullable {
            return;
        }
        if let Some(allowed) = choices(shape.schema) {
            if !allowed.contains(&value) {
                self.problem(kinds::CHOICE, format!("Must be one of: {}.", listed(&allowed)));
            }
            return;
        }
        match (shape.kind, value) {
            ("object", Value::Object(fields)) => self.object(shape.schema, fields),
            ("array", Value::Array(items)) => self.list(shape.schema, items),
            ("string", Value::String(text)) => self.text(shape.schema, text),
            ("integer", Value::Number(number)) => match number.as_i128() {
                Some(_) => self.number(shape.schema, number),
                None => self.problem(kinds::INTEGER, "Must be a whole number."),
            },
            ("number", Value::Number(number)) => self.number(shape.schema, number),
            ("boolean", Value::Bool(_)) => {}
            ("object", _) => self.problem(kinds::MAP, "Must be a group of settings."),
            ("array", _) => self.problem(kinds::LIST, "Must be a list."),
            ("string", _) => self.problem(kinds::TEXT, "Must be text."),
            ("integer", _) => self.problem(kinds::INTEGER, "Must be a whole number."),
            ("number", _) => self.problem(kinds::NUMBER, "Must be a number."),
            ("boolean", _) => self.problem(kinds::BOOL, "Must be true or false."),
            _ => {}
        }
    }

    fn object(&mut self, schema: &Value, fields: &Map<String, Value>) {
        if let Some(entry) = entry_schema(schema) {
            return self.map(schema, entry, fields);
        }
        let no_properties = Map::new();
        let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&no_properties);
        for (name, value) in fields {
            match properties.get(name) {
                Some(property) => self.inside(name, property, value),
                None => {
                    let msg = match nearest(name, properties.keys()) {
                        Some(known) => format!("There is no such setting. Did you mean `{known}`?"),
                        None => "There is no such setting.".to_owned(),
                    };
                    self.loc.push(name.clone());
                    self.problem(kinds::UNKNOWN, msg);
                    self.loc.pop();
                }
            }
        }
    }

    fn map(&mut self, schema: &Value, entry: &Value, fields: &Map<String, Value>) {
        self.count(fields.len());
        let names = schema.pointer("/propertyNames/enum").and_then(Value::as_array);
        for (name, value) in fields {
            let known = names.is_none_or(|names| names.iter().any(|known| known == name));
            self.loc.push(name.clone());
            if name.trim().is_empty() {
                self.problem(kinds::TOO_SHORT, "A name cannot be empty.");
            } else if name.chars().any(is_hidden) {
                self.problem(kinds::VALUE, "A name has only letters that can be seen.");
            } else if CONFIG_NAME_CHARS_MAX < name.chars().count() {
                self.problem(kinds::TOO_LONG, format!("A name has at most {CONFIG_NAME_CHARS_MAX} characters."));
            } else if known {
                self.value(entry, value);
            } else {
                let allowed: Vec<&Value> = names.into_iter().flatten().collect();
                self.problem(kinds::UNKNOWN, format!("Must be one of: {}.", listed(&allowed)));
            }
            self.loc.pop();
        }
    }

    fn list(&mut self, schema: &Value, items: &[Value]) {
        let max = schema.get("maxItems").and_then(Value::as_u64);
        match max.filter(|max| *max < items.len() as u64) {
            Some(max) => self.problem(kinds::TOO_MANY, format!("Has at most {max} entries.")),
            None => self.count(items.len()),
        }
        let Some(item) = schema.get("items") else { return };
        for (index, value) in items.iter().enumerate() {
            self.inside(&index.to_string(), item, value);
        }
    }

    fn count(&mut self, entries: usize) {
        if CONFIG_ENTRIES_MAX < entries {
            self.problem(kinds::TOO_MANY, format!("Has at most {CONFIG_ENTRIES_MAX} entries."));
        }
    }

    fn text(&mut self, schema: &Value, text: &str) {
        let limit = |key: &str| schema.get(key).and_then(Value::as_u64).and_then(|limit| usize::try_from(limit).ok());
        let (min, max) = (limit("minLength").unwrap_or(0), limit("maxLength").unwrap_or(CONFIG_TEXT_CHARS_MAX));
        let chars = text.chars().count();
        // What must not be empty must not look empty either.
        if chars < min || (0 < min && text.trim().is_empty()) {
            self.problem(kinds::TOO_SHORT, if min == 1 { "Cannot be empty.".into() } else { too_short(min) });
        } else if max < chars {
            self.problem(kinds::TOO_LONG, format!("Has at most {max} characters."));
        } else if let Some(complaint) =
            schema.get("format").and_then(Value::as_str).and_then(|format| formats::complaint(format, text))
        {
            let mut msg = complaint.to_owned();
            msg.replace_range(..1, &complaint[..1].to_uppercase());
            self.problem(kinds::VALUE, msg + ".");
        }
    }

    fn number(&mut self, schema: &Value, number: &serde_json::Number) {
        let Some(given) = number.as_f64() else {
            return self.problem(kinds::NUMBER, "Must be a number.");
        };
        let implied = match schema.get("format").and_then(Value::as_str) {
            Some("uint16") => f64::from(u16::MAX),
            Some("uint32") => f64::from(u32::MAX),
            Some("uint64") => u64::MAX as f64,
            _ => f64::MAX,
        };
        let limit = |key: &str| schema.get(key).filter(|limit| limit.is_number());
        if let Some(min) = limit("minimum")
            && min.as_f64().is_some_and(|min| given < min)
        {
            self.problem(kinds::TOO_SMALL, format!("Must be at least {}.", plain(min)));
        } else if let Some(max) = limit("maximum")
            && max.as_f64().is_some_and(|max| max < given)
        {
            self.problem(kinds::TOO_BIG, format!("Must be at most {}.", plain(max)));
        } else if implied < given {
            self.problem(kinds::TOO_BIG, format!("Must be at most {implied}."));
        }
    }
}

fn too_short(min: usize) -> String {
    format!("Has at least {min} characters.")
}

/// A schema without the ways to say "or null".
struct Shape<'a> {
    schema: &'a Value,
    kind: &'a str,
    nullable: bool,
}

impl<'a> Shape<'a> {
    fn of(schema: &'a Value) -> Self {
        if let Some(Value::Array(branches)) = schema.get("anyOf") {
            let null = |branch: &&Value| branch.get("type").is_some_and(|kind| kind == "null");
            if let Some(branch) = branches.iter().find(|branch| !null(branch)) {
                return Self { nullable: branches.iter().any(|branch| null(&branch)), ..Self::of(branch) };
            }
        }
        let kinds: Vec<&str> = match schema.get("type") {
            Some(Value::String(kind)) => vec![kind],
            Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        };
        let kind = kinds.iter().find(|kind| **kind != "null").copied().unwrap_or_default();
        Self { schema, kind, nullable: kinds.contains(&"null") }
    }
}

/// The closed set of values a schema allows, where it is one.
pub(super) fn choices(schema: &Value) -> Option<Vec<&Value>> {
    if let Some(Value::Array(branches)) = schema.get("oneOf") {
        return branches.iter().map(|branch| branch.get("const")).collect();
    }
    let values = schema.get("enum")?.as_array()?;
    Some(values.iter().filter(|value| !value.is_null()).collect())
}

fn listed(values: &[&Value]) -> String {
    values.iter().map(|value| plain(value)).collect::<Vec<_>>().join(", ")
}

/// A value as people write it: text without quotation marks, whole numbers without a point.
pub(super) fn plain(value: &Value) -> String {
    match value {
        Value::String(text) if text.is_empty() => "\"\"".to_owned(),
        Value::String(text) => text.clone(),
        Value::Number(number) => match number.as_f64() {
            Some(float) if float.fract() == 0.0 && float.abs() < 1e15 => format!("{float:.0}"),
            _ => number.to_string(),
        },
        other => other.to_string(),
    }
}

/// The known name a mistyped one is closest to: at most two letters off, and no more than half of it.
fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a String>) -> Option<&'a str> {
    let close = |other: &&'a String| {
        let off = letters_off(name, other);
        (off <= 2 && off * 2 <= name.chars().count()).then_some(off)
    };
    known.filter_map(|other| close(&other).map(|off| (off, other))).min().map(|(_, other)| other.as_str())
}

/// Levenshtein's distance: letters to add, drop or change to get from one word to the other.
fn letters_off(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (index, letter) in from.chars().take(CONFIG_NAME_CHARS_MAX).enumerate() {
        let mut diagonal = row[0];
        row[0] = index + 1;
        for (column, other) in to.iter().enumerate() {
            let changed = diagonal + usize::from(letter != *other);
            diagonal = row[column + 1];
            row[column + 1] = changed.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[to.len()]
}

/// What single values cannot tell: values that do not fit each other.
pub(super) fn together(config: &Config) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut complain = |path: &[&str], msg: &str| {
        let loc: Vec<String> = path.iter().map(|part| (*part).to_owned()).collect();
        problems.push(Problem::new(&loc, kinds::VALUE, msg));
    };
    presets(config, &mut complain);
    for (name, server) in &config.integrations.mcp_servers {
        let path = |field| ["integrations", "mcp_servers", name.as_str(), field];
        match server.transport {
            McpTransport::Stdio if server.command.trim().is_empty() => {
                complain(&path("command"), "A local server needs the command that starts it.");
            }
            McpTransport::Stdio if server.auth != McpAuth::None || !server.header_keys.is_empty() => {
                complain(&path("auth"), "Only a remote server has headers or a sign-in.");
            }
            McpTransport::Http if server.url.is_empty() => {
                complain(&path("url"), "A remote server needs its address.");
            }
            McpTransport::Stdio | McpTransport::Http => {}
        }
    }
    let terminal = &config.terminal;
    if !terminal.default_folder.is_empty() && !terminal.allowed_folders.contains(&terminal.default_folder) {
        complain(&["terminal", "default_folder"], "Must be one of the allowed folders, or empty.");
    }
    profiles(config, &mut complain);
    for key in config.tools.approvals.rules.keys() {
        if key.trim() != key {
            complain(&["tools", "approvals", "rules", key], "A name has no spaces around it.");
        }
    }
    problems
}

fn presets(config: &Config, complain: &mut impl FnMut(&[&str], &str)) {
    let mut names = BTreeSet::new();
    for (name, preset) in &config.models.presets {
        let path = ["models", "presets", name.as_str()];
        let plain = name.trim().to_lowercase();
        if plain.is_empty() || PRESET_NAME_CHARS_MAX < name.chars().count() || name.contains(['/', '\\']) {
            complain(&path, "A preset's name has 1 to 40 characters and no slashes.");
        } else if PRESETS_BUILT_IN.iter().any(|built_in| built_in.to_lowercase() == plain) {
            complain(&path, "This name belongs to a preset that comes with Sentient.");
        } else if !names.insert(plain) {
            complain(&path, "Another preset has the same name, capitals aside.");
        }
        for role in [ModelRole::Primary, ModelRole::Fast, ModelRole::Embedding] {
            if preset.roles.get(&role) == Some(&None) {
                complain(&["models", "presets", name, "roles", role.as_str()], "This role needs a model.");
            }
        }
    }
}

fn profiles(config: &Config, complain: &mut impl FnMut(&[&str], &str)) {
    let letter = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    for (name, profile) in &config.browser.profiles {
        let path = ["browser", "profiles", name.as_str()];
        if PROFILE_NAME_CHARS_MAX < name.len() || !name.chars().all(letter) {
            complain(&path, "A profile's name has up to 40 lowercase letters, digits and dashes.");
        }
        if profile.kind == ProfileKind::Attach && profile.endpoint.is_empty() {
            let path = ["browser", "profiles", name, "endpoint"];
            complain(&path, "A profile that joins a browser needs its address.");
        }
    }
    let default = config.browser.profiles.get(DEFAULT_PROFILE);
    if default.is_none_or(|default| default.kind != ProfileKind::Launch) {
        complain(&["browser", "profiles", DEFAULT_PROFILE], "Must be there, as a `launch` profile.");
    }
}
