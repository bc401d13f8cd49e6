//! Compares keys, defaults and ranges with the contract's list of settings, where it lies beside this checkout.

use super::tests::repository;
use super::*;
use serde_json::{Value, json};

/// One row of the contract's list of settings.
struct Row {
    key: String,
    kind: String,
    default: String,
    allowed: String,
}

/// The contract lies beside the checkout, or one folder above a worktree; elsewhere these tests say that they skip.
fn contract_rows() -> Option<Vec<Row>> {
    let folder = repository();
    let places = ["../shared", "../../shared"].map(|place| folder.join(place).join("contract/config.tsv"));
    let Some(text) = places.iter().find_map(|place| std::fs::read_to_string(place).ok()) else {
        eprintln!("SKIPPED: contract/config.tsv is not beside this checkout, so keys are not compared with it");
        return None;
    };
    let rows = text.lines().skip(1).map(|line| {
        let mut cells = line.split('\t').map(str::to_owned);
        let mut cell = || cells.next().unwrap_or_default();
        let (key, kind, default, _source) = (cell(), cell(), cell(), cell());
        Row { key, kind, default, allowed: cell() }
    });
    Some(rows.collect())
}

fn is_concrete(key: &str) -> bool {
    key.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || "_.".contains(c))
}

/// A row's key as our keys: one per messaging app, `*` for a name in a map.
fn spelled_out(key: &str) -> Vec<String> {
    match key.split_once("<id>") {
        Some((before, after)) => Channels::IDS.iter().map(|id| format!("{before}{id}{after}")).collect(),
        None => vec![key.replace("models.providers.nous.", "models.providers.*.")],
    }
}

#[test]
fn every_key_of_the_contract_is_there() {
    let Some(rows) = contract_rows() else { return };
    let keys = keys();
    let settings: Vec<&Row> = rows.iter().filter(|row| !row.key.starts_with("env ")).collect();
    assert!(250 < settings.len(), "the list is complete: {}", settings.len());
    let mut missing = Vec::new();
    for row in settings {
        assert!(is_concrete(&row.key) || row.key.contains(['*', '<']), "a key nobody can write: {}", row.key);
        for key in spelled_out(&row.key) {
            let section = format!("{key}.");
            if !keys.contains(&key) && !keys.iter().any(|known| known.starts_with(&section)) {
                missing.push(key.clone());
            }
            if row.kind.starts_with("map") {
                assert!(is_map(&key), "{key} is a map");
            }
        }
    }
    assert_eq!(missing, Vec::<String>::new());
}

/// The default of a row as JSON, where the cell says it in a form that can be read.
fn default_of(row: &Row) -> Option<Value> {
    let text = row.default.as_str();
    let without_note = text.split(" (").next().unwrap_or_default().trim();
    match row.kind.as_str() {
        "bool" | "int" | "float" => serde_json::from_str(without_note).ok(),
        "string" | "HH:MM" | "string|null" | "path" => match without_note {
            "\"\"" => Some(json!("")),
            "null" => Some(Value::Null),
            "Documents/Sentient Backups" => Some(json!("")), // the contract: used where the setting is empty
            plain => Some(json!(plain)),
        },
        _ if without_note.starts_with('[') => serde_json::from_str(without_note).ok(),
        _ if without_note == "{}" => Some(json!({})),
        _ => None,
    }
}

fn equal(a: &Value, b: &Value) -> bool {
    a == b || matches!((a.as_f64(), b.as_f64()), (Some(a), Some(b)) if (a - b).abs() < 1e-9)
}

#[test]
fn every_default_of_the_contract_holds() {
    let Some(rows) = contract_rows() else { return };
    let config = Config::default().to_value();
    let mut compared = 0;
    for row in rows.iter().filter(|row| is_concrete(&row.key) || row.key.contains("<id>")) {
        if row.key == "models.providers.nous.api_base" {
            continue; // built in, and never stored
        }
        let Some(want) = default_of(row) else { continue };
        for key in spelled_out(&row.key) {
            let want = if key == "channels.whatsapp.edit_interval_s" { json!(2.0) } else { want.clone() };
            let found = config.pointer(&format!("/{}", key.replace('.', "/"))).unwrap_or(&Value::Null);
            assert!(equal(found, &want), "{key}: {found} instead of {want}");
            compared += 1;
        }
    }
    assert!(290 < compared, "{compared} defaults compared");
}

/// `a..b`, `a to b`, `>= a` at the place in a cell where a range is said.
fn range_of(allowed: &str) -> Option<(f64, Option<f64>)> {
    let number = |text: &str| text.trim().parse::<f64>().ok();
    let last_word = |text: &str| text.rsplit([' ', ';', '(']).next().and_then(number);
    let first_word = |text: &str| text.split([' ', ';', ')']).next().and_then(number);
    if let Some((_, after)) = allowed.split_once(">= ") {
        return Some((first_word(after)?, None));
    }
    let (before, after) = allowed.split_once("..").or_else(|| allowed.split_once(" to "))?;
    Some((last_word(before)?, Some(first_word(after)?)))
}

#[test]
fn every_range_of_the_contract_holds() {
    let Some(rows) = contract_rows() else { return };
    let schema = schema();
    let mut compared = 0;
    for row in rows.iter().filter(|row| matches!(row.kind.as_str(), "int" | "float")) {
        let Some((min, max)) = range_of(&row.allowed) else { continue };
        for key in spelled_out(&row.key) {
            let pointer = format!("/properties/{}", key.replace('.', "/properties/"));
            let property = schema.pointer(&pointer).unwrap_or_else(|| panic!("{key} is in the schema"));
            let limit = |name: &str| property.get(name).and_then(Value::as_f64);
            assert_eq!((limit("minimum"), limit("maximum")), (Some(min), max), "{key}: {}", row.allowed);
            compared += 1;
        }
    }
    assert!(130 < compared, "{compared} ranges compared");
}
