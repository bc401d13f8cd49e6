//! The JSON schema of the configuration and the list of its keys. Both are derived from the structs; there is no second list.

use super::Config;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};
use std::sync::LazyLock;

/// Written once, since it is as much a constant as the structs it comes from: nothing can change it.
static SCHEMA: LazyLock<Value> = LazyLock::new(derive);

/// The whole schema, without references, for `GET /api/config/schema`: every field has `description` and `default`, and
/// `minimum`, `maximum`, `enum` or `format` where not every value is allowed.
pub fn schema() -> Value {
    SCHEMA.clone()
}

/// The same for reading.
pub(super) fn known() -> &'static Value {
    &SCHEMA
}

fn derive() -> Value {
    let generator = SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true).into_generator();
    let mut schema = generator.into_root_schema_for::<Config>().to_value();
    set_defaults(&mut schema, &Config::default().to_value());
    schema
}

/// A nested struct may have other defaults than its type (`channels.whatsapp`): the default configuration decides.
fn set_defaults(schema: &mut Value, default: &Value) {
    let Some(Value::Object(properties)) = schema.get_mut("properties") else { return };
    for (key, property) in properties {
        let Some(value) = default.get(key) else { continue };
        set_defaults(property, value);
        if let Value::Object(property) = property {
            property.insert("default".to_owned(), value.clone());
        }
    }
}

/// One key of the configuration as the schema describes it.
pub(super) struct Key<'a> {
    /// Dotted path; `*` stands for any name in a map.
    pub path: String,
    pub schema: &'a Value,
    pub default: Option<&'a Value>,
}

/// Every dotted key, sorted. A map is one key; the fields of its entries are `map.*.field`.
pub fn keys() -> Vec<String> {
    walk(known()).into_iter().map(|key| key.path).collect()
}

/// Whether a dotted path is a map with names of the person's choosing, such as `models.providers`.
pub fn is_map(path: &str) -> bool {
    let found = path.split('.').try_fold(known(), |at, key| at.get("properties")?.get(key));
    found.is_some_and(|property| entry_schema(property).is_some())
}

/// What a map's entries look like; `None` for anything that is not a map.
pub(super) fn entry_schema(schema: &Value) -> Option<&Value> {
    schema.get("additionalProperties").filter(|entry| entry.is_object())
}

/// Every key below a section, sorted.
pub(super) fn walk(schema: &Value) -> Vec<Key<'_>> {
    let mut keys = Vec::new();
    collect(schema, "", &mut keys);
    keys.sort_by(|a, b| a.path.cmp(&b.path));
    keys
}

fn collect<'a>(schema: &'a Value, path: &str, keys: &mut Vec<Key<'a>>) {
    let Some(Value::Object(properties)) = schema.get("properties") else { return };
    for (name, property) in sorted(properties) {
        let path = if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
        if property.get("properties").is_some() {
            collect(property, &path, keys);
            continue;
        }
        keys.push(Key { path: path.clone(), schema: property, default: property.get("default") });
        if let Some(entry) = entry_schema(property) {
            collect(entry, &format!("{path}.*"), keys);
        }
    }
}

/// Whether `serde_json` keeps the order of fields depends on who else is built; the order of ours never does.
pub(super) fn sorted(map: &Map<String, Value>) -> Vec<(&str, &Value)> {
    let mut entries: Vec<(&str, &Value)> = map.iter().map(|(name, value)| (name.as_str(), value)).collect();
    entries.sort_by_key(|(name, _)| *name);
    entries
}
