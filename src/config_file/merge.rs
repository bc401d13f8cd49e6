//! What of a configuration goes into the file: the difference, so that all else in it stays as the person wrote it.
//!
//! Pure, and it never removes what it does not know.

use protocol::config::is_map;
use serde_json::{Map, Value};

/// The configuration at three moments, each as JSON.
#[derive(Clone, Copy)]
pub(super) struct Change<'a> {
    /// As it was when the file was last read or written.
    pub base: &'a Map<String, Value>,
    pub new: &'a Map<String, Value>,
    /// As it is with no file at all.
    pub default: &'a Map<String, Value>,
}

/// Writes into `file` what changed between `base` and `new`, and what differs from the default and is not there.
///
/// A value that did not change stays as it is in the file, also one that could not be used, and one that the person
/// changed meanwhile. A value that is the default and was never in the file is left out.
pub(super) fn merge(file: &mut Map<String, Value>, change: Change<'_>) {
    fields(file, change, "", Place::Section);
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Keys are settings, which have defaults.
    Section,
    /// Keys are names of the person's choosing: what is not there does not exist.
    Map,
}

fn fields(file: &mut Map<String, Value>, change: Change<'_>, path: &str, place: Place) {
    for gone in change.base.keys().filter(|key| !change.new.contains_key(*key)) {
        file.remove(gone);
    }
    for (key, new) in change.new {
        let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
        let inside = if place == Place::Map || is_map(&path) { Place::Map } else { Place::Section };
        let (base, default) = (change.base.get(key), change.default.get(key));
        let unchanged = base == Some(new);
        let there = file.get_mut(key).filter(|value| !value.is_null());
        match (there, new) {
            (Some(Value::Object(there)), Value::Object(new)) => {
                fields(there, change_inside(base, new, default), &path, inside);
            }
            (Some(_), _) if unchanged => {}
            (there, Value::Object(new)) if inside == Place::Section => {
                let mut part = Map::new();
                fields(&mut part, change_inside(base, new, default), &path, inside);
                if !part.is_empty() || there.is_some() {
                    file.insert(key.clone(), Value::Object(part));
                }
            }
            (Some(there), new) => *there = new.clone(),
            (None, new) => {
                let left_out = match place {
                    Place::Section => default == Some(new),
                    Place::Map => unchanged,
                };
                if !left_out {
                    file.insert(key.clone(), new.clone());
                }
            }
        }
    }
}

fn change_inside<'a>(base: Option<&'a Value>, new: &'a Map<String, Value>, default: Option<&'a Value>) -> Change<'a> {
    let object = |value: Option<&'a Value>| value.and_then(Value::as_object).unwrap_or(&EMPTY);
    Change { base: object(base), new, default: object(default) }
}

static EMPTY: std::sync::LazyLock<Map<String, Value>> = std::sync::LazyLock::new(Map::new);

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::config::Config;
    use serde_json::json;

    fn object(value: Value) -> Map<String, Value> {
        match value {
            Value::Object(map) => map,
            other => panic!("{other} is an object"),
        }
    }

    /// `file` after the configuration changed by `patch`, when the file was read before.
    fn saved(file: Value, patch: Value) -> Value {
        let base = Config::from_value_lenient(file.clone()).0;
        let new = rules::config_patch::apply_patch(&base, &patch).expect("allowed").to_value();
        let mut file = object(file);
        let (base, default) = (object(base.to_value()), object(Config::default().to_value()));
        merge(&mut file, Change { base: &base, new: &object(new), default: &default });
        Value::Object(file)
    }

    #[test]
    fn only_what_changed_is_written() {
        for (name, file, patch, want) in [
            ("nothing", json!({}), json!({}), json!({})),
            ("a value", json!({}), json!({"chat": {"auto_title": false}}), json!({"chat": {"auto_title": false}})),
            (
                "deep down",
                json!({}),
                json!({"tools": {"approvals": {"undo_seconds": 0}}}),
                json!({"tools": {"approvals": {"undo_seconds": 0}}}),
            ),
            (
                "back to the default, which was in the file",
                json!({"chat": {"auto_title": false}}),
                json!({"chat": {"auto_title": true}}),
                json!({"chat": {"auto_title": true}}),
            ),
            (
                "unknown keys stay",
                json!({"mine": [1], "chat": {"theirs": {"a": 1}}}),
                json!({"chat": {"auto_title": false}}),
                json!({"mine": [1], "chat": {"theirs": {"a": 1}, "auto_title": false}}),
            ),
            (
                "values that cannot be used stay",
                json!({"chat": {"alarm_snooze_minutes": 999}, "terminal": 7}),
                json!({"chat": {"auto_title": false}}),
                json!({"chat": {"alarm_snooze_minutes": 999, "auto_title": false}, "terminal": 7}),
            ),
            (
                "until they are changed",
                json!({"chat": {"alarm_snooze_minutes": 999}, "terminal": 7}),
                json!({"chat": {"alarm_snooze_minutes": 5}, "terminal": {"enabled": true}}),
                json!({"chat": {"alarm_snooze_minutes": 5}, "terminal": {"enabled": true}}),
            ),
            (
                "a section without anything in it",
                json!({"chat": null}),
                json!({"chat": {"auto_title": false}}),
                json!({"chat": {"auto_title": false}}),
            ),
            (
                "a map is written whole",
                json!({}),
                json!({"models": {"reasoning": {"fast": "low"}}}),
                json!({"models": {"reasoning": {
                    "primary": "medium", "fast": "low", "planner": "none", "executor": "none", "voice": "none"}}}),
            ),
            (
                "an entry beside those in the file, and an odd one that stays",
                json!({"tools": {"approvals": {"rules": {"gmail": "ask", "odd": "maybe"}}}}),
                json!({"tools": {"approvals": {"rules": {"slack": "never"}}}}),
                json!({"tools": {"approvals": {"rules": {"gmail": "ask", "odd": "maybe", "slack": "never"}}}}),
            ),
            (
                "an entry taken out",
                json!({"tools": {"approvals": {"rules": {"gmail": "ask", "slack": "ask"}}}}),
                json!({"tools": {"approvals": {"rules": {"gmail": null}}}}),
                json!({"tools": {"approvals": {"rules": {"slack": "ask"}}}}),
            ),
            (
                "an entry the same as a default one, in a map of the person's own",
                json!({"models": {"providers": {"mine": {"api_base": "http://a"}}}}),
                json!({"models": {"providers": {"groq": {"api_key_env": "GROQ_API_KEY"}}}}),
                json!({"models": {"providers": {
                    "mine": {"api_base": "http://a"}, "groq": {"api_base": null, "api_key_env": "GROQ_API_KEY"}}}}),
            ),
        ] {
            assert_eq!(saved(file, patch), want, "{name}");
        }
    }

    #[test]
    fn what_the_person_changed_meanwhile_stays() {
        let (base, mut new) = (Config::default(), Config::default());
        new.ui.minimize_to_tray = false;
        let mut file = object(json!({"chat": {"auto_title": false}, "models": {"providers": {"mine": {}}}}));
        let (base, new) = (object(base.to_value()), object(new.to_value()));
        merge(&mut file, Change { base: &base, new: &new, default: &base });
        let want = json!({"chat": {"auto_title": false}, "models": {"providers": {"mine": {}}}, "ui": {"minimize_to_tray": false}});
        assert_eq!(Value::Object(file), want);
    }

    #[test]
    fn a_file_that_went_away_is_written_anew() {
        let mut config = Config::default();
        config.chat.auto_title = false;
        let (config, default) = (object(config.to_value()), object(Config::default().to_value()));
        let mut file = Map::new();
        merge(&mut file, Change { base: &config, new: &config, default: &default });
        assert_eq!(Value::Object(file), json!({"chat": {"auto_title": false}}));
    }
}
