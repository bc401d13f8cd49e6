//! `docs/config.md` and `config.example.yaml`, written from the schema. Pure: a test compares them with the files.

use super::check::{choices, plain};
use super::formats;
use super::schema::{Key, entry_schema, known, sorted, walk};
use serde_json::Value;
use std::fmt::Write as _;

const MARKDOWN_HEAD: &str = "\
# Settings

This page is generated from the settings' own descriptions (`protocol/src/config`); do not edit it by hand.

Settings are kept in `config.yaml` in the data folder. They are changed with `PATCH /api/config` while Sentient runs, or in
the file with any editor while it does not; `sentient config path` says where it is. `*` in a key stands for a name of your
choosing.

- What is not in the file has its default. A map in the file (such as `models.providers`) stands for the whole map.
- A value that is not allowed is reported and its default is used; it stays in the file until you change it. So does a
  key that Sentient does not know.
- A file that cannot be read at all is never written over: Sentient starts with the defaults and says so, and changes are
  refused until the file can be read again.
- When Sentient saves, it writes only what you changed, and keeps the file it replaces as `config.yaml.bak`. Comments are
  not kept in the new file; they are still in the `.bak`.
- Keys and passwords are never in this file.
";

const YAML_HEAD: &str = "\
# Every setting with its meaning and default. Generated from protocol/src/config; do not edit it by hand.
# Copy what you want to change to config.yaml in the data folder: what is not there has its default.
";

/// `docs/config.md`: one table per section.
pub fn markdown() -> String {
    let keys = walk(known());
    let mut out = MARKDOWN_HEAD.to_owned();
    for (section, part) in sections(known()) {
        let meaning = description(part);
        write!(
            out,
            "\n## {section}\n\n{meaning}\n\n| Key | Type | Default | Allowed | Meaning |\n|---|---|---|---|---|\n"
        )
        .expect("writing to a string does not fail");
        let inside = |key: &&Key<'_>| key.path.split('.').next() == Some(section);
        for key in keys.iter().filter(inside) {
            let default = key.default.map_or_else(|| "–".to_owned(), |default| code(&default.to_string()));
            let (kind, allowed) = (kind(key.schema), allowed(key.schema));
            let cells = [code(&key.path), kind, default, allowed, description(key.schema)];
            let cells = cells.map(|cell| cell.replace('|', "\\|").replace('\n', " "));
            writeln!(out, "| {} |", cells.join(" | ")).expect("writing to a string does not fail");
        }
    }
    out
}

/// `config.example.yaml`: every key with a comment above it and its default behind it. It reads as the default
/// configuration.
pub fn example_yaml() -> String {
    let mut out = YAML_HEAD.to_owned();
    for (section, part) in sections(known()) {
        out.push('\n');
        yaml_part(&mut out, 0, section, part);
    }
    out
}

fn sections(schema: &Value) -> Vec<(&str, &Value)> {
    schema.get("properties").and_then(Value::as_object).map(sorted).unwrap_or_default()
}

fn yaml_part(out: &mut String, depth: usize, name: &str, part: &Value) {
    let indent = "  ".repeat(depth);
    let mut line = |text: String| {
        out.push_str(&indent);
        out.push_str(&text);
        out.push('\n');
    };
    for text in wrapped(&description(part), 118 - indent.len()) {
        line(format!("# {text}"));
    }
    if let Some(Value::Object(properties)) = part.get("properties") {
        line(format!("{name}:"));
        for (name, property) in sorted(properties) {
            yaml_part(out, depth + 1, name, property);
        }
        return;
    }
    let allowed = allowed(part);
    if !allowed.is_empty() {
        line(format!("# Allowed: {}.", allowed.replace('`', "")));
    }
    if let Some(Value::Object(fields)) = entry_schema(part).and_then(|entry| entry.get("properties")) {
        let names: Vec<&str> = sorted(fields).into_iter().map(|(name, _)| name).collect();
        line(format!("# Each entry has: {}.", names.join(", ")));
    }
    match part.get("default").unwrap_or(&Value::Null) {
        Value::Object(entries) if !entries.is_empty() => {
            line(format!("{name}:"));
            for (entry, value) in sorted(entries) {
                line(format!("  {entry}: {value}"));
            }
        }
        // JSON is YAML, and unambiguous in it.
        value => line(format!("{name}: {value}")),
    }
}

fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

fn description(schema: &Value) -> String {
    schema.get("description").and_then(Value::as_str).unwrap_or_default().replace('\n', " ")
}

fn code(text: &str) -> String {
    format!("`{text}`")
}

/// The type in a person's words.
fn kind(schema: &Value) -> String {
    let (schema, nullable) = match schema.get("anyOf").and_then(Value::as_array) {
        Some(branches) => (branches.first().unwrap_or(schema), 1 < branches.len()),
        None => (schema, false),
    };
    let kinds: Vec<&str> = match schema.get("type") {
        Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).collect(),
        Some(Value::String(kind)) => vec![kind],
        _ => Vec::new(),
    };
    let name = match kinds.iter().find(|kind| **kind != "null") {
        Some(&"boolean") => "true or false",
        Some(&"integer") => "whole number",
        Some(&"number") => "number",
        Some(&"array") => "list",
        Some(&"object") => "map",
        _ => "text",
    };
    if nullable || kinds.contains(&"null") { format!("{name} or null") } else { name.to_owned() }
}

/// The allowed values in a person's words; empty when all of the type are.
fn allowed(schema: &Value) -> String {
    let schema = schema.get("anyOf").and_then(|branches| branches.get(0)).unwrap_or(schema);
    if let Some(choices) = choices(schema) {
        return choices.into_iter().map(|choice| code(&plain(choice))).collect::<Vec<_>>().join(", ");
    }
    if let Some(entry) = entry_schema(schema).or_else(|| schema.get("items")) {
        let names = schema.pointer("/propertyNames/enum").and_then(Value::as_array);
        let names = names.map(|names| names.iter().map(plain).map(|name| code(&name)).collect::<Vec<_>>().join(", "));
        let max = schema.get("maxItems").map(|max| format!("at most {} entries", plain(max)));
        let each = allowed(entry);
        let each = match each.strip_prefix("each: ").unwrap_or(&each) {
            "" => None,
            each => Some(format!("each: {each}")),
        };
        return [names.map(|names| format!("names: {names}")), max, each]
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join("; ");
    }
    let limit = |key: &str| schema.get(key).map(plain);
    let unsigned = schema.get("format").and_then(Value::as_str).is_some_and(|format| format.starts_with("uint"));
    let size = match (limit("minimum"), limit("maximum"), limit("minLength"), limit("maxLength")) {
        (Some(min), Some(max), ..) => Some(format!("{min} to {max}")),
        (Some(min), None, ..) => Some(format!("{min} or more")),
        (None, Some(max), ..) => Some(format!("{} {max}", if unsigned { "0 to" } else { "at most" })),
        (None, None, Some(min), Some(max)) => Some(format!("{min} to {max} characters")),
        (None, None, None, Some(max)) => Some(format!("at most {max} characters")),
        (None, None, Some(_), None) => Some("not empty".to_owned()),
        (None, None, None, None) => None,
    };
    let meaning = schema.get("format").and_then(Value::as_str).and_then(formats::meaning).map(str::to_owned);
    [size, meaning].into_iter().flatten().collect::<Vec<_>>().join("; ")
}
