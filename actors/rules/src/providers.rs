//! The model providers a person can choose from, and the secrets they and the integrations need.
//!
//! Data and plain decisions only. Model names in `suggested` are offers a person can change, never a promise that the
//! provider still has them. Nothing here reads a key.

use protocol::secrets::SecretKind;
use serde::Serialize;

/// Where a provider's models run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ProviderKind {
    Local,
    Cloud,
}

/// One provider of `GET /api/models/providers` (contract models.md, "Providers").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Provider {
    /// The prefix of its model names, and the name of its secret.
    pub id: &'static str,
    pub label: &'static str,
    pub kind: ProviderKind,
    pub key_required: bool,
    /// The environment variable that holds its key unless `models.providers.<id>.api_key_env` names another.
    pub env: Option<&'static str>,
    pub docs_url: &'static str,
    /// Model names with the provider's prefix.
    pub suggested: &'static [&'static str],
    /// Connected by signing in, never by a pasted key.
    pub sign_in: bool,
}

/// A provider answered with a key the person pastes.
const fn cloud(
    id: &'static str,
    label: &'static str,
    env: &'static str,
    docs_url: &'static str,
    suggested: &'static [&'static str],
) -> Provider {
    Provider {
        id,
        label,
        kind: ProviderKind::Cloud,
        key_required: true,
        env: Some(env),
        docs_url,
        suggested,
        sign_in: false,
    }
}

/// A server on this computer; it needs no key.
const fn local(
    id: &'static str,
    label: &'static str,
    docs_url: &'static str,
    suggested: &'static [&'static str],
) -> Provider {
    Provider {
        id,
        label,
        kind: ProviderKind::Local,
        key_required: false,
        env: None,
        docs_url,
        suggested,
        sign_in: false,
    }
}

/// The table of models.md, in the order clients show it.
pub const PROVIDERS: &[Provider] = &[
    local(
        "ollama_chat",
        "Ollama (local)",
        "https://ollama.com/download",
        &["ollama_chat/qwen3:8b", "ollama_chat/qwen3:14b", "ollama_chat/llama3.1:8b", "ollama_chat/gpt-oss:20b"],
    ),
    local("lm_studio", "LM Studio (local)", "https://lmstudio.ai/", &[]),
    cloud(
        "anthropic",
        "Anthropic",
        "ANTHROPIC_API_KEY",
        "https://console.anthropic.com/",
        &["anthropic/claude-sonnet-5", "anthropic/claude-haiku-4-5"],
    ),
    cloud(
        "openai",
        "OpenAI",
        "OPENAI_API_KEY",
        "https://platform.openai.com/api-keys",
        &["openai/gpt-5", "openai/gpt-5-mini", "openai/text-embedding-3-small"],
    ),
    cloud(
        "gemini",
        "Google Gemini",
        "GEMINI_API_KEY",
        "https://aistudio.google.com/apikey",
        &["gemini/gemini-2.5-pro", "gemini/gemini-2.5-flash", "gemini/gemini-embedding-001"],
    ),
    cloud(
        "openrouter",
        "OpenRouter",
        "OPENROUTER_API_KEY",
        "https://openrouter.ai/keys",
        &["openrouter/anthropic/claude-sonnet-5.5", "openrouter/meta-llama/llama-4-maverick"],
    ),
    cloud("groq", "Groq", "GROQ_API_KEY", "https://console.groq.com/keys", &["groq/llama-3.3-70b-versatile"]),
    cloud(
        "mistral",
        "Mistral",
        "MISTRAL_API_KEY",
        "https://console.mistral.ai/api-keys",
        &["mistral/mistral-large-latest"],
    ),
    cloud(
        "deepseek",
        "DeepSeek",
        "DEEPSEEK_API_KEY",
        "https://platform.deepseek.com/api_keys",
        &["deepseek/deepseek-chat"],
    ),
    cloud("xai", "xAI", "XAI_API_KEY", "https://console.x.ai/", &["xai/grok-4"]),
    cloud("nous", "Nous Portal", "NOUS_API_KEY", "https://portal.nousresearch.com/", &[]),
    Provider {
        id: "chatgpt",
        label: "ChatGPT plan",
        kind: ProviderKind::Cloud,
        key_required: false,
        env: None,
        docs_url: "https://chatgpt.com/",
        suggested: &[],
        sign_in: true,
    },
];

/// The provider with this id; `None` for prefixes outside the table (`ollama`, `vllm`, a person's own).
pub fn find(id: &str) -> Option<&'static Provider> {
    PROVIDERS.iter().find(|provider| provider.id == id)
}

/// One row of `GET /api/models/providers`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ProviderRow {
    pub id: &'static str,
    pub label: &'static str,
    pub kind: ProviderKind,
    pub key_required: bool,
    /// A key is set, or none is needed; for a sign-in, whether it is signed in.
    pub key_set: bool,
    pub api_base: Option<String>,
    pub docs_url: &'static str,
    pub suggested: &'static [&'static str],
    pub sign_in: bool,
}

/// The rows of `GET /api/models/providers`. `has_secret` answers whether the provider's key or sign-in is kept
/// somewhere, `api_base` the address the person set.
pub fn rows(has_secret: impl Fn(&str) -> bool, api_base: impl Fn(&str) -> Option<String>) -> Vec<ProviderRow> {
    let row = |provider: &'static Provider| ProviderRow {
        id: provider.id,
        label: provider.label,
        kind: provider.kind,
        key_required: provider.key_required,
        key_set: if provider.key_required || provider.sign_in { has_secret(provider.id) } else { true },
        api_base: api_base(provider.id),
        docs_url: provider.docs_url,
        suggested: provider.suggested,
        sign_in: provider.sign_in,
    };
    PROVIDERS.iter().map(row).collect()
}

/// A secret that `GET /api/secrets` lists. Its name is also its entry in the keychain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SecretName {
    pub name: &'static str,
    pub env: Option<&'static str>,
    pub kind: SecretKind,
}

/// Integrations that are nothing but a key (contract 1458-1460), with the environment variable that may hold it (ours,
/// decision 0051).
pub const INTEGRATION_SECRETS: &[SecretName] = &[
    integration("integration:brave_search", "BRAVE_SEARCH_API_KEY"),
    integration("integration:google_cse", "GOOGLE_CSE_API_KEY"),
    integration("integration:accuweather", "ACCUWEATHER_API_KEY"),
    integration("integration:newsapi", "NEWSAPI_API_KEY"),
    integration("integration:google_maps", "GOOGLE_MAPS_API_KEY"),
];

const fn integration(name: &'static str, env: &'static str) -> SecretName {
    SecretName { name, env: Some(env), kind: SecretKind::Integration }
}

/// Every secret of `GET /api/secrets`: the providers that need one, then the keyed integrations.
pub fn secret_names() -> Vec<SecretName> {
    let of_provider =
        |provider: &'static Provider| SecretName { name: provider.id, env: provider.env, kind: SecretKind::Provider };
    let needs_one = |provider: &&Provider| provider.key_required || provider.sign_in;
    PROVIDERS.iter().filter(needs_one).map(of_provider).chain(INTEGRATION_SECRETS.iter().copied()).collect()
}

/// The prefix of the engine's own scripted model, which needs no network, no key and no download.
pub const SCRIPTED: &str = "scripted";

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    #[test]
    fn every_suggestion_carries_its_provider_and_every_key_has_a_variable() {
        for provider in PROVIDERS {
            assert_eq!(provider.key_required, provider.env.is_some(), "{}", provider.id);
            assert!(provider.docs_url.starts_with("https://"), "{}", provider.id);
            for suggested in provider.suggested {
                let name = protocol::model::ModelName::parse(suggested).expect("a model name");
                assert_eq!(name.provider(), provider.id, "{suggested}");
            }
        }
        let mut ids: Vec<_> = PROVIDERS.iter().map(|provider| provider.id).collect();
        ids.dedup();
        assert_eq!(ids.len(), 12, "one row per provider of the contract");
    }

    #[test]
    fn a_row_has_the_shape_of_the_contract() {
        let rows = rows(|id| id == "anthropic", |id| (id == "anthropic").then(|| "http://proxy".to_owned()));
        let row = rows.iter().find(|row| row.id == "anthropic").expect("there");
        expect![[r#"
            {
              "id": "anthropic",
              "label": "Anthropic",
              "kind": "cloud",
              "key_required": true,
              "key_set": true,
              "api_base": "http://proxy",
              "docs_url": "https://console.anthropic.com/",
              "suggested": [
                "anthropic/claude-sonnet-5",
                "anthropic/claude-haiku-4-5"
              ],
              "sign_in": false
            }"#]]
        .assert_eq(&serde_json::to_string_pretty(row).expect("JSON"));
        let set = |id: &str| rows.iter().find(|row| row.id == id).map(|row| row.key_set);
        assert_eq!(set("ollama_chat"), Some(true), "no key needed");
        assert_eq!(set("openai"), Some(false));
        assert_eq!(set("chatgpt"), Some(false), "not signed in");
    }

    #[test]
    fn the_listed_secrets_are_those_that_someone_needs() {
        let names: Vec<_> = secret_names().iter().map(|secret| secret.name).collect();
        assert_eq!(
            names,
            [
                "anthropic",
                "openai",
                "gemini",
                "openrouter",
                "groq",
                "mistral",
                "deepseek",
                "xai",
                "nous",
                "chatgpt",
                "integration:brave_search",
                "integration:google_cse",
                "integration:accuweather",
                "integration:newsapi",
                "integration:google_maps",
            ]
        );
    }
}
