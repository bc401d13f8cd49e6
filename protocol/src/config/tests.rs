//! Tests of the configuration as a whole: what is allowed, what is reported, and that its docs are up to date.

use super::*;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

pub(super) fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

#[test]
fn every_field_says_what_it_is() {
    fn look(schema: &Value, path: &str, silent: &mut Vec<String>) {
        let Some(Value::Object(properties)) = schema.get("properties") else { return };
        for (name, property) in properties {
            let path = format!("{path}.{name}");
            if property.get("description").and_then(Value::as_str).is_none_or(str::is_empty) {
                silent.push(format!("{path}: description"));
            }
            if property.get("default").is_none() {
                silent.push(format!("{path}: default"));
            }
            look(property, &path, silent);
        }
    }
    let (schema, mut silent) = (schema(), Vec::new());
    look(&schema, "", &mut silent);
    assert_eq!(silent, Vec::<String>::new());
    assert!(!schema.to_string().contains("$ref"), "forms are made from it, without looking anything up");
}

#[test]
fn the_defaults_are_allowed() {
    assert_eq!(Config::default().check(), Vec::new());
    assert_eq!(Config::from_value(json!({})), Ok(Config::default()));
    assert_eq!(Config::from_value(Config::default().to_value()), Ok(Config::default()));
}

/// A value, and the one problem it must be: place, kind, and part of the words.
type Case = (Value, &'static str, &'static str, &'static str);

fn each_is_one_problem<const N: usize>(cases: [Case; N]) {
    for (value, loc, kind, msg) in cases {
        let problems = Config::from_value(value.clone()).expect_err("a problem");
        assert_eq!(problems.len(), 1, "{value}: {problems:?}");
        let problem = &problems[0];
        assert_eq!((problem.key().as_str(), problem.r#type.as_str()), (loc, kind), "{value}");
        assert!(problem.msg.contains(msg), "{value}: {}", problem.msg);
    }
}

#[test]
fn a_wrong_value_is_named_with_its_place() {
    each_is_one_problem([
        (json!({"chat": {"alarm_snooze_minutes": 0}}), "chat.alarm_snooze_minutes", "greater_than_equal", "at least 1"),
        (json!({"chat": {"alarm_snooze_minutes": 61}}), "chat.alarm_snooze_minutes", "less_than_equal", "at most 60"),
        (json!({"chat": {"alarm_snooze_minutes": 5.5}}), "chat.alarm_snooze_minutes", "int_type", "whole number"),
        (json!({"chat": {"alarm_snooze_minutes": "5"}}), "chat.alarm_snooze_minutes", "int_type", "whole number"),
        (
            json!({"chat": {"history_window": 5_000_000_000_u64}}),
            "chat.history_window",
            "less_than_equal",
            "4294967295",
        ),
        (json!({"chat": {"history_window": -3}}), "chat.history_window", "greater_than_equal", "at least 2"),
        (json!({"chat": {"quick_commands": 1}}), "chat.quick_commands", "bool_type", "true or false"),
        (json!({"chat": null}), "chat", "dict_type", "group of settings"),
        (json!({"chat": {"snooze": 1}}), "chat.snooze", "extra_forbidden", "no such setting."),
        (json!({"chat": {"auto_titel": true}}), "chat.auto_titel", "extra_forbidden", "`auto_title`"),
        (json!({"chta": {}}), "chta", "extra_forbidden", "`chat`"),
        (json!({"ui": {"theme": "blue"}}), "ui.theme", "literal_error", "system, dark, light"),
        (json!({"assistant": {"name": ""}}), "assistant.name", "string_too_short", "empty"),
        (json!({"assistant": {"name": "x".repeat(61)}}), "assistant.name", "string_too_long", "at most 60"),
        (json!({"assistant": {"location": "x".repeat(10_001)}}), "assistant.location", "string_too_long", "10000"),
        (json!({"assistant": {"name": null}}), "assistant.name", "string_type", "text"),
    ]);
}

#[test]
fn a_value_that_breaks_a_rule_of_its_section_is_named_with_its_place() {
    each_is_one_problem([
        (json!({"models": {"roles": {"primary": ""}}}), "models.roles.primary", "value_error", "`provider/model`"),
        (json!({"models": {"roles": {"primary": null}}}), "models.roles.primary", "string_type", "text"),
        (json!({"models": {"temperature": {"fast": 3}}}), "models.temperature.fast", "less_than_equal", "at most 2"),
        (
            json!({"models": {"temperature": {"slow": 1}}}),
            "models.temperature.slow",
            "extra_forbidden",
            "primary, fast",
        ),
        (json!({"models": {"reasoning": {"fast": "max"}}}), "models.reasoning.fast", "literal_error", "none, low"),
        (json!({"models": {"fallbacks": {"fast": ["a"]}}}), "models.fallbacks.fast.0", "value_error", "provider/model"),
        (json!({"models": {"presets": {"cloud": {}}}}), "models.presets.cloud", "value_error", "comes with Sentient"),
        (json!({"models": {"presets": {"a/b": {}}}}), "models.presets.a/b", "value_error", "no slashes"),
        (
            json!({"models": {"presets": {"a": {"roles": {"fast": null}}}}}),
            "models.presets.a.roles.fast",
            "value_error",
            "needs a model",
        ),
        (
            json!({"tools": {"approvals": {"rules": {"a": "maybe"}}}}),
            "tools.approvals.rules.a",
            "literal_error",
            "if_asked",
        ),
        (
            json!({"tools": {"approvals": {"rules": {" ": "ask"}}}}),
            "tools.approvals.rules.",
            "string_too_short",
            "empty",
        ),
        (json!({"tools": {"approvals": {"mode": "Off"}}}), "tools.approvals.mode", "literal_error", "off, ask, always"),
        (json!({"proactivity": {"quiet_hours": "22-7"}}), "proactivity.quiet_hours", "value_error", "22:00-07:00"),
        (
            json!({"proactivity": {"brief": {"news_topics": ["a", "b", "c", "d", "e", "f"]}}}),
            "proactivity.brief.news_topics",
            "too_long",
            "at most 5",
        ),
        (json!({"terminal": {"default_folder": "/x"}}), "terminal.default_folder", "value_error", "allowed folders"),
        (json!({"browser": {"profiles": {"Work": {}}}}), "browser.profiles.Work", "value_error", "lowercase letters"),
        (
            json!({"browser": {"profiles": {"a": {"kind": "attach", "endpoint": "http://evil.com:1"}}}}),
            "browser.profiles.a.endpoint",
            "value_error",
            "on this computer",
        ),
        (
            json!({"integrations": {"mcp_servers": {"a": {"transport": "http"}}}}),
            "integrations.mcp_servers.a.url",
            "value_error",
            "address",
        ),
        (
            json!({"channels": {"telegram": {"memory_scope": "always"}}}),
            "channels.telegram.memory_scope",
            "value_error",
            "always",
        ),
        (json!([]), "", "dict_type", "group of settings"),
    ]);
}

#[test]
fn all_problems_come_at_once_and_in_the_shape_of_the_contract() {
    let value = json!({"chat": {"alarm_snooze_minutes": 99, "auto_title": "x"}, "ui": {"theme": 1}});
    let problems = Config::from_value(value).expect_err("three problems");
    assert_eq!(problems.len(), 3);
    let detail = serde_json::to_value(&problems).expect("JSON");
    assert!(detail.as_array().into_iter().flatten().any(|problem| *problem
        == json!({"loc": ["chat", "alarm_snooze_minutes"], "msg": "Must be at most 60.", "type": "less_than_equal"})));
}

#[test]
fn one_bad_value_never_costs_the_others() {
    let value = json!({
        "chat": {"alarm_snooze_minutes": 999, "auto_title": false, "unheard_of": 1},
        "integrations": {"mcp_servers": {"good": {"command": "x"}, "bad": {"transport": "http"}}, "read_only": ["a", 5]},
        "models": {"presets": {"mixed": {}, "mine": {}}},
        "ui": {"minimize_to_tray": "no", "theme": null},
        "voice": null,
        "terminal": 7,
    });
    let (config, problems) = Config::from_value_lenient(value);
    let mut want = Config::default();
    want.chat.auto_title = false;
    want.integrations.mcp_servers =
        BTreeMap::from([("good".to_owned(), McpServer { command: "x".to_owned(), ..McpServer::default() })]);
    want.integrations.read_only = vec!["a".to_owned()];
    want.models.presets = BTreeMap::from([("mine".to_owned(), Preset::default())]);
    want.ui.minimize_to_tray = false;
    assert_eq!(config, want);
    let mut keys: Vec<String> = problems.iter().map(Problem::key).collect();
    keys.sort();
    assert_eq!(
        keys,
        [
            "chat.alarm_snooze_minutes",
            "chat.unheard_of",
            "integrations.mcp_servers.bad.url",
            "integrations.read_only.1",
            "models.presets.mixed",
            "terminal",
        ]
    );
    assert_eq!(Config::from_value_lenient(json!("nonsense")).0, Config::default());
}

#[test]
fn what_whatsapp_leaves_out_has_whatsapps_default() {
    let config =
        Config::from_value(json!({"channels": {"whatsapp": {"enabled": false}, "discord": {}}})).expect("fine");
    assert_eq!(config.channels.whatsapp.edit_interval_s, 2.0);
    assert!(!config.channels.whatsapp.enabled);
    assert_eq!(config.channels.discord.edit_interval_s, 1.0);
}

#[test]
fn a_dream_time_nobody_can_read_is_three_in_the_morning() {
    for (time, want) in [("03:00", 180), ("23:30", 1410), ("late", 180), ("", 180)] {
        let config = Config::from_value(json!({"dreaming": {"time": time}})).expect("allowed");
        assert_eq!(config.dreaming.minute_of_day(), want, "{time:?}");
    }
}

#[test]
fn roles_without_a_model_follow_the_primary_one() {
    let roles = ModelRoles::default();
    for role in crate::model::ModelRole::ALL {
        let want = match role {
            crate::model::ModelRole::Embedding => &roles.embedding,
            _ => &roles.primary,
        };
        assert_eq!(roles.get(role), want, "{role:?}");
    }
}

/// Compares a generated file with the committed one; `UPDATE_DOCS=1 cargo test -p protocol` writes it.
fn check_generated(path: &str, want: &str) {
    let file = repository().join(path);
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::create_dir_all(file.parent().expect("a folder")).expect("the folder can be made");
        std::fs::write(&file, want).expect("the file can be written");
    }
    let found = std::fs::read_to_string(&file).unwrap_or_default().replace("\r\n", "\n");
    assert!(found == want, "{path} is out of date: run `UPDATE_DOCS=1 cargo test -p protocol`");
}

#[test]
fn the_page_of_settings_is_up_to_date() {
    let page = docs::markdown();
    let missing: Vec<String> = keys().into_iter().filter(|key| !page.contains(&format!("| `{key}` |"))).collect();
    assert_eq!(missing, Vec::<String>::new());
    check_generated("docs/config.md", &page);
}

#[test]
fn the_example_file_is_up_to_date() {
    check_generated("config.example.yaml", &docs::example_yaml());
}
