//! How a configuration changes: a patch merged into it, or a whole new one in its place (contract section 2, "Config").
//!
//! Pure. It never saves, and it never answers a configuration that `Config::check` would complain about.

use protocol::config::{Config, Problem, normalize};
use serde_json::{Map, Value};

/// The maps in which `null` takes an entry out (contract section 2, "Config"). Everywhere else `null` is a value.
pub const FREE_FORM_MAPS: [&str; 8] = [
    "models.fallbacks",
    "models.reasoning",
    "models.temperature",
    "models.context_length_per_role",
    "models.providers",
    "integrations.mcp_servers",
    "tools.approvals.rules",
    "tools.approvals.rule_origins",
];

/// The configuration after `PATCH /api/config`: objects are merged key by key, all else is replaced.
///
/// Fails with every problem of the result, in the shape of the 422 answer.
pub fn apply_patch(current: &Config, patch: &Value) -> Result<Config, Vec<Problem>> {
    let Value::Object(_) = patch else {
        return Config::from_value(patch.clone()); // says that it must be a group of settings
    };
    let mut patch = patch.clone();
    normalize(&mut patch); // so that a name with a space around it is the entry it means
    let mut merged = current.to_value();
    merge(&mut merged, patch, "");
    settled(current, Config::from_value(merged)?)
}

/// The configuration after `PUT /api/config`: what the body leaves out has its default.
pub fn replace(current: &Config, body: &Value) -> Result<Config, Vec<Problem>> {
    settled(current, Config::from_value(body.clone())?)
}

/// The configuration after the engine itself changed it with `change`.
pub fn change(current: &Config, change: impl FnOnce(&mut Config)) -> Result<Config, Vec<Problem>> {
    let mut changed = current.clone();
    change(&mut changed);
    // Through the same door as everybody's, so that names are trimmed and app lists tidied here too.
    settled(current, Config::from_value(changed.to_value())?)
}

/// The names of the sections that differ, sorted: what `config.updated` tells.
pub fn changed_sections(old: &Config, new: &Config) -> Vec<String> {
    let (Value::Object(old), Value::Object(new)) = (old.to_value(), new.to_value()) else { return Vec::new() };
    let mut sections: Vec<String> =
        new.into_iter().filter(|(name, value)| old.get(name) != Some(value)).map(|(name, _)| name).collect();
    sections.sort();
    sections
}

fn merge(current: &mut Value, patch: Value, path: &str) {
    match (current, patch) {
        (Value::Object(current), Value::Object(patch)) => merge_fields(current, patch, path),
        (current, patch) => *current = patch,
    }
}

fn merge_fields(current: &mut Map<String, Value>, patch: Map<String, Value>, path: &str) {
    let null_removes = FREE_FORM_MAPS.contains(&path);
    for (key, value) in patch {
        if value.is_null() && null_removes {
            current.remove(&key);
            continue;
        }
        let inside = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
        merge(current.entry(key).or_insert(Value::Null), value, &inside);
    }
}

/// Drops what tells of a rule that is no longer so (contract section 2, `rule_origins`): the rule was changed or taken
/// out, and the note about it was not renewed with it.
fn settled(old: &Config, mut new: Config) -> Result<Config, Vec<Problem>> {
    let (before, now) = (&old.tools.approvals, &mut new.tools.approvals);
    let rules = &now.rules;
    now.rule_origins.retain(|key, origin| {
        let rule = rules.get(key);
        let tells_of_it = rule.is_some() && origin.rule.is_none_or(|told| Some(&told) == rule);
        let rule_changed = before.rules.get(key) != rule;
        let renewed = before.rule_origins.get(key) != Some(origin);
        tells_of_it && (!rule_changed || renewed)
    });
    Ok(new)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use protocol::config::{ApprovalRule, keys};
    use serde_json::json;

    fn patched(patches: &[Value]) -> Config {
        let apply = |config: Config, patch: &Value| apply_patch(&config, patch).expect("an allowed patch");
        patches.iter().fold(Config::default(), apply)
    }

    #[test]
    fn patches_merge_and_null_takes_out_only_where_it_may() {
        let rules = |config: &Config| json!(config.tools.approvals.rules);
        for (name, patches, read, want) in [
            (
                "a value beside others",
                &[json!({"chat": {"auto_title": false}})][..],
                (|config| json!([config.chat.auto_title, config.chat.show_thinking])) as fn(&Config) -> Value,
                json!([false, true]),
            ),
            (
                "a rule beside others, trimmed and in lower case",
                &[
                    json!({"tools": {"approvals": {"rules": {"gmail": "ask"}}}}),
                    json!({"tools": {"approvals": {"rules": {" slack ": "NEVER"}}}}),
                ],
                rules,
                json!({"gmail": "ask", "slack": "never"}),
            ),
            (
                "a rule taken out, by a name with spaces around it",
                &[
                    json!({"tools": {"approvals": {"rules": {"gmail": "ask", "slack": "ask"}}}}),
                    json!({"tools": {"approvals": {"rules": {" gmail": null}}}}),
                ],
                rules,
                json!({"slack": "ask"}),
            ),
            (
                "a provider taken out",
                &[json!({"models": {"providers": {"groq": null, "nobody": null}}})],
                |config| json!(config.models.providers.contains_key("groq")),
                json!(false),
            ),
            (
                "one field of a provider",
                &[json!({"models": {"providers": {"openai": {"api_base": "http://a"}}}})],
                |config| json!(config.models.providers["openai"]),
                json!({"api_base": "http://a", "api_key_env": "OPENAI_API_KEY"}),
            ),
            (
                "null is a value elsewhere",
                &[json!({"models": {"roles": {"voice": "a/b"}}}), json!({"models": {"roles": {"voice": null}}})],
                |config| json!(config.models.roles.voice),
                Value::Null,
            ),
            (
                "a list is replaced",
                &[json!({"proactivity": {"sources": ["x"]}})],
                |config| json!(config.proactivity.sources),
                json!(["x"]),
            ),
        ] {
            assert_eq!(read(&patched(patches)), want, "{name}");
        }
    }

    #[test]
    fn a_patch_that_is_not_allowed_says_where() {
        for (patch, loc) in [
            (json!({"models": {"presets": {"mine": null}}}), "models.presets.mine"),
            (json!({"browser": {"profiles": {"default": null}}}), "browser.profiles.default"),
            (json!({"models": {"fallbacks": null}}), "models.fallbacks"),
            (json!({"tools": {"approvals": {"rules": {"gmail": "sometimes"}}}}), "tools.approvals.rules.gmail"),
            (json!({"nothing": null}), "nothing"),
            (json!(null), ""),
            (json!("x"), ""),
        ] {
            let problems = apply_patch(&Config::default(), &patch).expect_err("a problem");
            assert_eq!(problems.iter().map(Problem::key).collect::<Vec<_>>(), [loc], "{patch}");
        }
    }

    #[test]
    fn what_tells_of_a_rule_goes_when_the_rule_changes() {
        let rules =
            |rules: Value, origins: Value| json!({"tools": {"approvals": {"rules": rules, "rule_origins": origins}}});
        let begin = patched(&[rules(
            json!({"gmail": "ask", "slack": "never"}),
            json!({"gmail": {"rule": "ask", "said": "ask me"}, "slack": {"rule": "never"}}),
        )]);
        for (name, patch, want) in [
            ("another setting", json!({"chat": {"auto_title": false}}), &["gmail", "slack"][..]),
            ("changed", rules(json!({"gmail": "never"}), json!({})), &["slack"]),
            ("taken out", rules(json!({"gmail": null}), json!({})), &["slack"]),
            ("the same again", rules(json!({"gmail": "ask"}), json!({})), &["gmail", "slack"]),
            (
                "changed, with a new origin",
                rules(json!({"gmail": "allow"}), json!({"gmail": {"rule": "allow", "source": "approval"}})),
                &["gmail", "slack"],
            ),
            ("an origin of no rule", rules(json!({}), json!({"notion": {"rule": "ask"}})), &["gmail", "slack"]),
        ] {
            let config = apply_patch(&begin, &patch).expect("allowed");
            assert_eq!(config.tools.approvals.rule_origins.keys().collect::<Vec<_>>(), want, "{name}");
        }
        let mut body = begin.to_value();
        body["tools"]["approvals"]["rules"] = json!({"gmail": "ask"});
        let replaced = replace(&begin, &body).expect("allowed");
        assert_eq!(replaced.tools.approvals.rule_origins.keys().collect::<Vec<_>>(), ["gmail"]);
        let changed = change(&begin, |config| {
            config.tools.approvals.rules.insert("slack".into(), ApprovalRule::Allow);
        });
        assert_eq!(changed.expect("allowed").tools.approvals.rule_origins.keys().collect::<Vec<_>>(), ["gmail"]);
    }

    #[test]
    fn a_change_of_the_engines_own_is_judged_too() {
        let problems =
            change(&Config::default(), |config| config.chat.alarm_snooze_minutes = 0).expect_err("too small");
        assert_eq!(problems[0].key(), "chat.alarm_snooze_minutes");
        let config = change(&Config::default(), |config| config.integrations.read_only = vec![" gmail ".into()]);
        assert_eq!(config.expect("allowed").integrations.read_only, ["gmail"]);
    }

    #[test]
    fn sections_that_changed_are_named() {
        let old = Config::default();
        let new = patched(&[json!({"ui": {"theme": "light"}, "chat": {"auto_title": false}, "voice": {}})]);
        assert_eq!(changed_sections(&old, &new), ["chat", "ui"]);
        assert_eq!(changed_sections(&new, &new), Vec::<String>::new());
    }

    /// `{"a": {"b": value}}` for `a.b`.
    fn nested(path: &str, value: Value) -> Value {
        path.rsplit('.').fold(value, |value, key| json!({ key: value }))
    }

    /// Patches at real places, with values that often are and often are not allowed there.
    fn patches() -> impl Strategy<Value = Value> {
        let places: Vec<String> = keys().into_iter().filter(|key| !key.contains('*')).collect();
        let scalar = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            (0_u32..2000).prop_map(Value::from),
            (0.0..1.0_f64).prop_map(Value::from),
            prop::sample::select(vec!["", "ask", "none", "never", " Allow", "a/b", "fast", "http://localhost:1", "x"])
                .prop_map(Value::from),
        ];
        let name = prop::sample::select(vec!["primary", "fast", "gmail", " gmail ", "default", "mine", "api_base"]);
        let value = scalar.prop_recursive(2, 8, 3, move |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
                prop::collection::btree_map(name.clone().prop_map(str::to_owned), inner, 0..3)
                    .prop_map(|fields| Value::Object(fields.into_iter().collect())),
            ]
        });
        (prop::sample::select(places), value).prop_map(|(place, value)| nested(&place, value))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(96))]

        /// Whatever was patched in before: nothing changes nothing, twice is once, a round trip is the same, other
        /// sections are left alone, and the result is always allowed.
        #[test]
        fn laws_of_patching(before in prop::collection::vec(patches(), 0..4), patch in patches()) {
            let current = before.iter().fold(Config::default(), |config, patch| {
                apply_patch(&config, patch).unwrap_or(config)
            });
            prop_assert_eq!(apply_patch(&current, &json!({})), Ok(current.clone()));
            prop_assert_eq!(replace(&current, &current.to_value()), Ok(current.clone()));
            match apply_patch(&current, &patch) {
                Ok(once) => {
                    prop_assert_eq!(once.check(), vec![]);
                    prop_assert_eq!(apply_patch(&once, &patch), Ok(once.clone()));
                    let sections = changed_sections(&current, &once);
                    prop_assert!(sections.iter().all(|section| patch.get(section).is_some()), "{:?}", sections);
                }
                Err(problems) => prop_assert!(!problems.is_empty()),
            }
        }
    }
}
