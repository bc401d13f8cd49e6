//! Brings a configuration, or a part of one, into the one form values are kept in, before it is judged.
//!
//! It only tidies: what makes no sense is left as it is, for `check` to say so. Doing it twice is doing it once.

use super::DEFAULT_PROFILE;
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// Tidies in place. Works on a whole configuration, on a patch, and on what a file holds.
///
/// - approval rules: keys trimmed, values lower-cased (contract section 2, "Lasting approval rules");
/// - senders: split at commas and semicolons, lower-cased (section 4); app lists: trimmed, no blanks, nothing twice;
/// - empty where `null` is meant becomes `null`;
/// - browser profiles: `default` is there and launches; `9333` becomes `http://127.0.0.1:9333` (section 12).
pub fn normalize(value: &mut Value) {
    for key in ["rules", "rule_origins"] {
        if let Some(Value::Object(map)) = at(value, &["tools", "approvals", key]) {
            trim_keys(map);
        }
    }
    if let Some(Value::Object(rules)) = at(value, &["tools", "approvals", "rules"]) {
        for rule in rules.values_mut() {
            if let Value::String(text) = rule {
                *text = text.to_lowercase();
            }
        }
    }
    for path in [&["integrations", "read_only"][..], &["tools", "disabled"]] {
        if let Some(list) = at(value, path) {
            tidy_list(list, |text| vec![text.trim().to_owned()]);
        }
    }
    if let Some(senders) = at(value, &["tasks", "email", "allowed_senders"]) {
        if let Value::String(text) = senders {
            *senders = Value::Array(vec![Value::String(std::mem::take(text))]);
        }
        tidy_list(senders, |text| text.split([',', ';']).map(|part| part.trim().to_lowercase()).collect());
    }
    for role in ["planner", "executor", "vision", "voice"] {
        empty_is_null(at(value, &["models", "roles", role]));
    }
    empty_is_null(at(value, &["models", "active_preset"]));
    if let Some(Value::Object(providers)) = at(value, &["models", "providers"]) {
        for provider in providers.values_mut() {
            empty_is_null(provider.get_mut("api_base"));
            empty_is_null(provider.get_mut("api_key_env"));
        }
    }
    if let Some(Value::Object(profiles)) = at(value, &["browser", "profiles"]) {
        tidy_profiles(profiles);
    }
}

fn at<'a>(value: &'a mut Value, path: &[&str]) -> Option<&'a mut Value> {
    path.iter().try_fold(value, |value, key| value.get_mut(*key))
}

fn trim_keys(map: &mut Map<String, Value>) {
    let untidy: Vec<String> = map.keys().filter(|key| key.trim() != *key).cloned().collect();
    for key in untidy {
        if let Some(value) = map.remove(&key) {
            map.insert(key.trim().to_owned(), value);
        }
    }
}

/// Splits and cleans every text of a list; drops blanks and repeats. What is not text stays, to be complained about.
fn tidy_list(list: &mut Value, split: impl Fn(&str) -> Vec<String>) {
    let Value::Array(items) = list else { return };
    let mut seen = BTreeSet::new();
    let mut tidy = Vec::with_capacity(items.len());
    for item in items.drain(..) {
        match item {
            Value::String(text) => {
                let parts = split(&text).into_iter().filter(|part| !part.is_empty() && seen.insert(part.clone()));
                tidy.extend(parts.map(Value::String));
            }
            other => tidy.push(other),
        }
    }
    *items = tidy;
}

fn empty_is_null(value: Option<&mut Value>) {
    if let Some(value) = value
        && value.as_str().is_some_and(|text| text.trim().is_empty())
    {
        *value = Value::Null;
    }
}

fn tidy_profiles(profiles: &mut Map<String, Value>) {
    let default = profiles.entry(DEFAULT_PROFILE).or_insert_with(|| Value::Object(Map::new()));
    if let Some(kind) = default.get_mut("kind")
        && kind == "attach"
    {
        *kind = Value::String("launch".to_owned());
    }
    for profile in profiles.values_mut() {
        if let Some(Value::String(endpoint)) = profile.get_mut("endpoint") {
            *endpoint = full_endpoint(endpoint);
        }
    }
}

/// `9333` and `127.0.0.1:9333` are both `http://127.0.0.1:9333`.
fn full_endpoint(text: &str) -> String {
    let text = text.trim();
    if text.is_empty() || text.contains("://") {
        text.to_owned()
    } else if text.bytes().all(|byte| byte.is_ascii_digit()) {
        format!("http://127.0.0.1:{text}")
    } else {
        format!("http://{text}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_are_tidied_once_and_for_all() {
        for (name, value, want) in [
            (
                "rules",
                json!({"tools": {"approvals": {"rules": {" gmail ": "NEVER", "slack": null}}}}),
                json!({"tools": {"approvals": {"rules": {"gmail": "never", "slack": null}}}}),
            ),
            (
                "senders as one text",
                json!({"tasks": {"email": {"allowed_senders": "A@b; c@d,, a@b"}}}),
                json!({"tasks": {"email": {"allowed_senders": ["a@b", "c@d"]}}}),
            ),
            (
                "app lists",
                json!({"integrations": {"read_only": [" gmail", "", "gmail", 5]}}),
                json!({"integrations": {"read_only": ["gmail", 5]}}),
            ),
            (
                "empty is null",
                json!({"models": {"roles": {"voice": ""}, "providers": {"x": {"api_base": " "}}, "active_preset": ""}}),
                json!({"models": {"roles": {"voice": null}, "providers": {"x": {"api_base": null}}, "active_preset": null}}),
            ),
            (
                "profiles",
                json!({"browser": {"profiles": {"a": {"endpoint": "9333"}, "b": {"endpoint": "localhost:1"}}}}),
                json!({"browser": {"profiles": {
                    "a": {"endpoint": "http://127.0.0.1:9333"}, "b": {"endpoint": "http://localhost:1"}, "default": {},
                }}}),
            ),
            (
                "the default profile launches",
                json!({"browser": {"profiles": {"default": {"kind": "attach"}}}}),
                json!({"browser": {"profiles": {"default": {"kind": "launch"}}}}),
            ),
            ("nonsense stays", json!({"tools": 5, "models": [1]}), json!({"tools": 5, "models": [1]})),
        ] {
            let mut once = value;
            normalize(&mut once);
            assert_eq!(once, want, "{name}");
            let mut twice = once.clone();
            normalize(&mut twice);
            assert_eq!(twice, once, "{name}, twice");
        }
    }
}
