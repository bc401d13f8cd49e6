//! JSON schemas that a derive cannot write: maps keyed by a model role, lists of one format.
//!
//! Ranges in here stand beside nothing else: `check` reads them from the schema.

use crate::model::{Effort, ModelRole};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Value, json};

/// A map from any name to `T`.
pub(super) fn map_of<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    let entry = generator.subschema_for::<T>();
    json_schema!({ "type": "object", "additionalProperties": entry })
}

/// A map from a service's name to an address.
pub(super) fn http_url_map(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "object", "additionalProperties": { "type": "string", "format": "http-url" } })
}

fn list_of(format: &str) -> Schema {
    json_schema!({ "type": "array", "items": { "type": "string", "format": format } })
}

pub(super) fn emails(_: &mut SchemaGenerator) -> Schema {
    list_of("email")
}

pub(super) fn env_names(_: &mut SchemaGenerator) -> Schema {
    list_of("env-name")
}

pub(super) fn host_names(_: &mut SchemaGenerator) -> Schema {
    list_of("host-name")
}

fn roles() -> Vec<&'static str> {
    ModelRole::ALL.into_iter().map(ModelRole::as_str).collect()
}

/// One model role.
pub(super) fn role(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "string", "enum": roles() })
}

/// One model, `provider/model`.
pub(super) fn model(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "string", "format": "model" })
}

pub(super) fn model_or_null(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": ["string", "null"], "format": "model" })
}

/// A map from a model role to what `entry` describes; with `nullable`, the map itself may be missing.
fn by_role(entry: Value, nullable: bool) -> Schema {
    let kind = if nullable { json!(["object", "null"]) } else { json!("object") };
    json_schema!({ "type": kind, "propertyNames": { "enum": roles() }, "additionalProperties": entry })
}

fn models() -> Value {
    json!({ "type": "array", "items": { "type": "string", "format": "model" } })
}

fn effort() -> Value {
    json!({ "type": "string", "enum": [Effort::None, Effort::Low, Effort::Medium, Effort::High] })
}

/// Tokens of context a model can be told to use (config.tsv).
fn context() -> Value {
    json!({ "type": "integer", "minimum": 2048, "maximum": 1_048_576 })
}

pub(super) fn models_by_role(_: &mut SchemaGenerator) -> Schema {
    by_role(models(), false)
}

pub(super) fn models_by_role_or_null(_: &mut SchemaGenerator) -> Schema {
    by_role(models(), true)
}

pub(super) fn optional_model_by_role(_: &mut SchemaGenerator) -> Schema {
    by_role(json!({ "type": ["string", "null"], "format": "model" }), false)
}

pub(super) fn effort_by_role(_: &mut SchemaGenerator) -> Schema {
    by_role(effort(), false)
}

pub(super) fn effort_by_role_or_null(_: &mut SchemaGenerator) -> Schema {
    by_role(effort(), true)
}

pub(super) fn temperature_by_role(_: &mut SchemaGenerator) -> Schema {
    by_role(json!({ "type": "number", "minimum": 0, "maximum": 2 }), false)
}

pub(super) fn context_by_role(_: &mut SchemaGenerator) -> Schema {
    by_role(context(), false)
}

pub(super) fn context_by_role_or_null(_: &mut SchemaGenerator) -> Schema {
    by_role(context(), true)
}
