//! Which model answers a turn, and which ones may stand in for it (contract section 2, "The chat's model"; rule 12).

use protocol::model::{ModelName, ModelRole};
use std::collections::BTreeMap;

/// What the choice depends on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choice<'a> {
    /// Named with this message: it alone may answer.
    pub message_model: Option<&'a str>,
    pub chat_model: Option<&'a str>,
    /// Model of each role that has one of its own.
    pub roles: BTreeMap<ModelRole, &'a str>,
    /// `models.fallbacks`.
    pub fallbacks: BTreeMap<ModelRole, Vec<&'a str>>,
    /// The channel is spoken (`voice`, `glasses`, `phone`).
    pub spoken: bool,
    pub has_picture: bool,
    /// The role of work that has one of its own (helpers); a chat's turn finds its role itself.
    pub role: Option<ModelRole>,
}

/// One model that may answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    pub model: ModelName,
    pub role: ModelRole,
    /// It is the chat's own model: a stand-in after it is announced with a notice.
    pub is_chats_own: bool,
}

/// The models that may answer, the chosen one first, none twice.
pub fn candidates(choice: &Choice<'_>) -> Vec<Candidate> {
    let role = choice.role.unwrap_or_else(|| role(choice));
    let candidate = |model: &str, is_chats_own| Candidate { model: ModelName(model.into()), role, is_chats_own };
    if let Some(model) = choice.message_model {
        return vec![candidate(model, false)];
    }
    let default = choice.roles.get(&role).or_else(|| choice.roles.get(&ModelRole::Primary)).copied();
    let mut list: Vec<Candidate> = Vec::new();
    if let Some(own) = choice.chat_model.filter(|own| !own.is_empty() && Some(*own) != default) {
        list.push(candidate(own, true));
    }
    let fallbacks = choice.fallbacks.get(&role).into_iter().flatten().copied();
    for model in default.into_iter().chain(fallbacks) {
        if !list.iter().any(|known| known.model.as_str() == model) {
            list.push(candidate(model, false));
        }
    }
    list
}

/// The role a turn is for: pictures go to `vision` and spoken turns to `voice` when those are set, all else to `primary`.
fn role(choice: &Choice<'_>) -> ModelRole {
    let set = |role| choice.roles.get(&role).is_some_and(|model| !model.is_empty());
    if choice.has_picture && set(ModelRole::Vision) {
        ModelRole::Vision
    } else if choice.spoken && set(ModelRole::Voice) {
        ModelRole::Voice
    } else {
        ModelRole::Primary
    }
}

/// The notice when a chat's own model cannot answer (contract section 2).
pub fn fallback_notice(own: &ModelName, used: &ModelName, why: &str) -> String {
    let why = why.trim();
    let why = if why.is_empty() { String::new() } else { format!(" {why}") };
    format!(
        "This chat uses {}, which can't answer right now, so {} is answering instead.{why}",
        own.model(),
        used.model()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(choice: &Choice<'_>) -> String {
        let list = candidates(choice);
        list.iter()
            .map(|it| format!("{}{}", it.model, if it.is_chats_own { "*" } else { "" }))
            .collect::<Vec<_>>()
            .join(" ")
    }

    #[test]
    fn who_answers() {
        let roles =
            BTreeMap::from([(ModelRole::Primary, "o/p"), (ModelRole::Vision, "o/see"), (ModelRole::Voice, "o/say")]);
        let fallbacks = BTreeMap::from([(ModelRole::Primary, vec!["o/f", "o/p"])]);
        let base = Choice { roles, fallbacks, ..Choice::default() };
        for (name, choice, want) in [
            ("the role's model, then its fallbacks", base.clone(), "o/p o/f"),
            ("a message's model has no fallback", Choice { message_model: Some("x/y"), ..base.clone() }, "x/y"),
            (
                "a message's model beats the chat's",
                Choice { message_model: Some("x/y"), chat_model: Some("a/b"), ..base.clone() },
                "x/y",
            ),
            (
                "the chat's own model, then the default",
                Choice { chat_model: Some("a/b"), ..base.clone() },
                "a/b* o/p o/f",
            ),
            ("the chat's model is the default", Choice { chat_model: Some("o/p"), ..base.clone() }, "o/p o/f"),
            ("a picture", Choice { has_picture: true, ..base.clone() }, "o/see"),
            ("a spoken turn", Choice { spoken: true, ..base.clone() }, "o/say"),
            (
                "a spoken turn without a voice model",
                Choice { spoken: true, roles: BTreeMap::from([(ModelRole::Primary, "o/p")]), ..Choice::default() },
                "o/p",
            ),
        ] {
            assert_eq!(names(&choice), want, "{name}");
        }
    }
}
