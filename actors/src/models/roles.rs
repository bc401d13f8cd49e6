//! Which model does what, as the window changes it (contract section 3, `PUT /api/models/roles` and `/fallbacks`).
//!
//! Pure: reads a body against the configuration and says what it comes to, or the first thing that is wrong.

use protocol::config::{Config, ModelRoles};
use protocol::model::{ModelName, ModelRole, is_builtin};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Models one role may fall back to. Ours.
const FALLBACKS_MAX: usize = 10;
/// Models through the person's own Claude Code begin so.
const CLAUDE_CODE: &str = "claude-code";

/// One plain sentence: what is wrong (400).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoleProblem(pub String);

/// The roles after these changes; a role that is not named stays.
///
/// # Errors
/// An unknown role, a text that is no model, an empty model for a role that needs one, or Claude Code where it may not
/// work.
pub fn roles(config: &Config, body: &Map<String, Value>) -> Result<ModelRoles, RoleProblem> {
    let mut roles = config.models.roles.clone();
    for (name, value) in body {
        let role = known(name)?;
        let model = named(name, value)?;
        if let Some(model) = &model {
            claude_code_allowed(config, role, model)?;
            builtin_allowed(role, model)?;
        }
        let needed = || RoleProblem(format!("The {name} role needs a model."));
        match role {
            ModelRole::Primary => roles.primary = model.ok_or_else(needed)?,
            ModelRole::Fast => roles.fast = model.ok_or_else(needed)?,
            ModelRole::Embedding => roles.embedding = model.ok_or_else(needed)?,
            ModelRole::Planner => roles.planner = model,
            ModelRole::Executor => roles.executor = model,
            ModelRole::Vision => roles.vision = model,
            ModelRole::Voice => roles.voice = model,
        }
    }
    Ok(roles)
}

/// The fallbacks after these changes; a role that is not named stays, an empty list takes its fallbacks away.
///
/// # Errors
/// As for [`roles`].
pub fn fallbacks(
    config: &Config,
    body: &Map<String, Value>,
) -> Result<BTreeMap<ModelRole, Vec<ModelName>>, RoleProblem> {
    let mut fallbacks = config.models.fallbacks.clone();
    for (name, value) in body {
        let role = known(name)?;
        let Some(values) = value.as_array() else {
            return Err(RoleProblem(format!("The fallbacks of {name} are a list of models.")));
        };
        if values.len() > FALLBACKS_MAX {
            return Err(RoleProblem(format!("A role can fall back to {FALLBACKS_MAX} models at most.")));
        }
        let mut models: Vec<ModelName> = Vec::with_capacity(values.len());
        for value in values {
            let model = named(name, value)?.ok_or_else(|| RoleProblem(format!("A fallback of {name} is empty.")))?;
            claude_code_allowed(config, role, &model)?;
            builtin_allowed(role, &model)?;
            if !models.contains(&model) {
                models.push(model);
            }
        }
        if models.is_empty() {
            fallbacks.remove(&role)
        } else {
            fallbacks.insert(role, models)
        };
    }
    Ok(fallbacks)
}

fn known(name: &str) -> Result<ModelRole, RoleProblem> {
    ModelRole::parse(name).ok_or_else(|| RoleProblem(format!("unknown role {name}"))) // models.md, "Roles"
}

/// The model of a value; `None` for `null` and an empty text.
fn named(role: &str, value: &Value) -> Result<Option<ModelName>, RoleProblem> {
    let text = match value {
        Value::Null => return Ok(None),
        Value::String(text) => text.trim(),
        _ => return Err(RoleProblem(format!("The model of {role} is a text such as ollama_chat/qwen3:8b."))),
    };
    if text.is_empty() {
        return Ok(None);
    }
    let model = ModelName::parse(text);
    model.map(Some).ok_or_else(|| RoleProblem(format!("\"{text}\" is not a model. Write it as provider/model.")))
}

/// Claude Code answers chats; everything else but embedding only when the person said so (contract section 3).
fn claude_code_allowed(config: &Config, role: ModelRole, model: &ModelName) -> Result<(), RoleProblem> {
    if model.provider() != CLAUDE_CODE {
        return Ok(());
    }
    let everywhere = config.models.experimental_claude_code && config.models.claude_code_everywhere;
    let work = match role {
        ModelRole::Primary | ModelRole::Voice | ModelRole::Vision => return Ok(()),
        ModelRole::Embedding => "make vectors for memory search",
        _ if everywhere => return Ok(()),
        ModelRole::Fast => "do background work",
        ModelRole::Planner => "plan tasks",
        ModelRole::Executor => "run tasks",
    };
    let role = role.as_str();
    Err(RoleProblem(format!(
        "Claude Code only answers your chats, so it can't {work}. Pick another {role} model in Settings > Models."
    )))
}

/// The engine's own sentence model makes vectors and says nothing.
fn builtin_allowed(role: ModelRole, model: &ModelName) -> Result<(), RoleProblem> {
    if role == ModelRole::Embedding || !is_builtin(model.as_str()) {
        return Ok(());
    }
    let role = role.as_str();
    Err(RoleProblem(format!(
        "The built-in model only makes vectors for memory search. Pick another {role} model in Settings > Models."
    )))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn body(value: &Value) -> Map<String, Value> {
        value.as_object().expect("an object").clone()
    }

    #[test]
    fn roles_change_only_to_what_they_can_be() {
        let config = Config::default();
        for (name, change, want) in [
            ("nothing", json!({}), ""),
            ("one", json!({ "primary": "openai/gpt-5" }), ""),
            ("back to the primary model", json!({ "voice": null, "planner": "" }), ""),
            ("Claude Code for chats", json!({ "primary": "claude-code/sonnet" }), ""),
            ("unknown", json!({ "chef": "openai/gpt-5" }), "unknown role chef"),
            ("needed", json!({ "primary": null }), "The primary role needs a model."),
            ("needed too", json!({ "embedding": " " }), "The embedding role needs a model."),
            ("no model", json!({ "fast": "gpt-5" }), "\"gpt-5\" is not a model. Write it as provider/model."),
            ("no text", json!({ "fast": 5 }), "The model of fast is a text such as ollama_chat/qwen3:8b."),
            (
                "Claude Code for plans",
                json!({ "planner": "claude-code/opus" }),
                "Claude Code only answers your chats, so it can't plan tasks. Pick another planner model in Settings > \
                 Models.",
            ),
        ] {
            let said = roles(&config, &body(&change)).err().map(|problem| problem.0).unwrap_or_default();
            assert_eq!(said, want, "{name}");
        }
        let changed = roles(&config, &body(&json!({ "voice": "openai/gpt-5" }))).expect("fine");
        assert_eq!(changed.voice, Some(ModelName("openai/gpt-5".into())));
        assert_eq!(changed.primary, config.models.roles.primary);
    }

    #[test]
    fn claude_code_does_everything_but_vectors_when_the_person_says_so() {
        let mut config = Config::default();
        config.models.experimental_claude_code = true;
        config.models.claude_code_everywhere = true;
        assert!(roles(&config, &body(&json!({ "planner": "claude-code/opus" }))).is_ok());
        assert!(roles(&config, &body(&json!({ "embedding": "claude-code/opus" }))).is_err());
    }

    #[test]
    fn fallbacks_are_lists_of_models() {
        let config = Config::default();
        let many: Vec<String> = (0..=FALLBACKS_MAX).map(|n| format!("openai/m{n}")).collect();
        for (name, change, well) in [
            ("two", json!({ "primary": ["openai/gpt-5", "groq/llama"] }), true),
            ("none", json!({ "primary": [] }), true),
            ("no list", json!({ "primary": "openai/gpt-5" }), false),
            ("an empty one", json!({ "primary": [""] }), false),
            ("unknown role", json!({ "chef": [] }), false),
            ("too many", json!({ "primary": many }), false),
        ] {
            assert_eq!(fallbacks(&config, &body(&change)).is_ok(), well, "{name}");
        }
        let twice = fallbacks(&config, &body(&json!({ "fast": ["openai/a", "openai/a"] }))).expect("fine");
        assert_eq!(twice[&ModelRole::Fast].len(), 1);
    }
}
