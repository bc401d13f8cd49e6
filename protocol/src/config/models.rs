//! `models`: which model does what, where it runs, what it may cost and when background work waits.

use super::schemas;
use super::section::{choice, section};
use crate::model::{Effort, ModelName, ModelRole};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

fn model(text: &str) -> ModelName {
    ModelName(text.to_owned())
}

section! {
    /// Which model does what.
    pub struct ModelRoles {
        /// Answers chats and uses tools.
        #[schemars(schema_with = "schemas::model")]
        pub primary: ModelName = model("ollama_chat/qwen3:8b"),
        /// Small jobs in the background: finding facts, summaries, sorting.
        #[schemars(schema_with = "schemas::model")]
        pub fast: ModelName = model("ollama_chat/qwen3:8b"),
        /// Works out task descriptions and plans. Empty: the primary model.
        #[schemars(schema_with = "schemas::model_or_null")]
        pub planner: Option<ModelName> = None,
        /// Carries out long tasks and, unless set otherwise, runs helpers. Empty: the primary model.
        #[schemars(schema_with = "schemas::model_or_null")]
        pub executor: Option<ModelName> = None,
        /// Turns memories and folder pieces into vectors; a change reads all of them again. `builtin`: Sentient's own.
        #[schemars(schema_with = "schemas::model")]
        pub embedding: ModelName = model("ollama/nomic-embed-text"),
        /// Looks at pictures. Empty: the primary model.
        #[schemars(schema_with = "schemas::model_or_null")]
        pub vision: Option<ModelName> = None,
        /// Answers what is spoken: voice, glasses and phone. Empty: the primary model.
        #[schemars(schema_with = "schemas::model_or_null")]
        pub voice: Option<ModelName> = None,
    }
}

impl ModelRoles {
    /// The model that does this role's work: its own, else the primary one (contract section 3).
    pub fn get(&self, role: ModelRole) -> &ModelName {
        self.own(role).unwrap_or(&self.primary)
    }

    /// The model set for exactly this role; `None` when it follows the primary one.
    pub fn own(&self, role: ModelRole) -> Option<&ModelName> {
        match role {
            ModelRole::Primary => Some(&self.primary),
            ModelRole::Fast => Some(&self.fast),
            ModelRole::Planner => self.planner.as_ref(),
            ModelRole::Executor => self.executor.as_ref(),
            ModelRole::Embedding => Some(&self.embedding),
            ModelRole::Vision => self.vision.as_ref(),
            ModelRole::Voice => self.voice.as_ref(),
        }
    }
}

/// Where one provider is reached and where its key may come from. The key itself is never in the configuration.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Provider {
    /// Address of the provider. Empty: the one built in.
    #[schemars(extend("format" = "http-url"))]
    pub api_base: Option<String>,
    /// Name of the environment variable that may hold the key. It is taken out of what terminal commands see.
    #[schemars(extend("format" = "env-name"))]
    pub api_key_env: Option<String>,
}

/// A named set-up that switches every role in one step (contract section 3, "Model presets").
///
/// A role left out keeps its model; a field left out keeps its value.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Preset {
    /// Model per role; `null` makes a role follow the primary model. Primary, fast and embedding cannot be empty.
    #[schemars(schema_with = "schemas::optional_model_by_role")]
    pub roles: BTreeMap<ModelRole, Option<ModelName>>,
    /// Models to fall back to, per role.
    #[schemars(schema_with = "schemas::models_by_role_or_null")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fallbacks: Option<BTreeMap<ModelRole, Vec<ModelName>>>,
    /// Reasoning effort per role.
    #[schemars(schema_with = "schemas::effort_by_role_or_null")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<BTreeMap<ModelRole, Effort>>,
    /// Context length in tokens.
    #[schemars(range(min = 2048, max = 1_048_576))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_length: Option<u32>,
    /// Context length in tokens, per role.
    #[schemars(schema_with = "schemas::context_by_role_or_null")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_length_per_role: Option<BTreeMap<ModelRole, u32>>,
}

choice! {
    /// What happens when the month's budget is used up.
    pub enum BudgetAtLimit { Ask, Stop, }
}

section! {
    /// Which model does what, where it runs, what it may cost and when background work waits.
    pub struct Models {
        /// Model per role, as `provider/model`.
        pub roles: ModelRoles = ModelRoles::default(),
        /// Models to try in order when a role's model fails.
        #[schemars(schema_with = "schemas::models_by_role")]
        pub fallbacks: BTreeMap<ModelRole, Vec<ModelName>> = BTreeMap::new(),
        /// How hard a model thinks, per role: `none`, `low`, `medium` or `high`.
        #[schemars(schema_with = "schemas::effort_by_role")]
        pub reasoning: BTreeMap<ModelRole, Effort> = BTreeMap::from([
            (ModelRole::Primary, Effort::Medium),
            (ModelRole::Fast, Effort::None),
            (ModelRole::Planner, Effort::None),
            (ModelRole::Executor, Effort::None),
            (ModelRole::Voice, Effort::None),
        ]),
        /// How freely a model words things, per role, from 0 to 2. A role left out uses the provider's own value.
        #[schemars(schema_with = "schemas::temperature_by_role")]
        pub temperature: BTreeMap<ModelRole, f64> = BTreeMap::new(),
        /// How many tokens of a conversation a model sees at once.
        #[schemars(range(min = 2048, max = 1_048_576))]
        pub context_length: u32 = 8192,
        /// Context length for single roles, in tokens.
        #[schemars(schema_with = "schemas::context_by_role")]
        pub context_length_per_role: BTreeMap<ModelRole, u32> = BTreeMap::new(),
        /// Address and key variable per provider.
        #[schemars(schema_with = "schemas::map_of::<Provider>")]
        pub providers: BTreeMap<String, Provider> = default_providers(),
        /// Your own model presets by name.
        #[schemars(schema_with = "schemas::map_of::<Preset>")]
        pub presets: BTreeMap<String, Preset> = BTreeMap::new(),
        /// Name of the preset applied last.
        pub active_preset: Option<String> = None,
        /// Use only models on this computer; every other model is refused.
        pub local_only: bool = false,
        /// What paid models in the cloud may cost in a month, in US dollars. 0: no budget.
        #[schemars(range(min = 0))]
        pub monthly_budget_usd: f64 = 0.0,
        /// At the budget: ask before going on, or stop.
        pub budget_at_limit: BudgetAtLimit = BudgetAtLimit::Ask,
        /// Let only one job at a time use the model on this computer.
        pub local_queue: bool = true,
        /// Seconds after a chat reply during which background work waits.
        #[schemars(range(min = 0, max = 3600))]
        pub background_quiet_s: u32 = 30,
        /// On battery, upkeep runs only above this charge, in percent.
        #[schemars(range(min = 0, max = 100))]
        pub battery_min_percent: u32 = 40,
        /// On battery, upkeep runs only when you have not chatted for this many seconds.
        #[schemars(range(min = 0, max = 86_400))]
        pub battery_idle_s: u32 = 300,
        /// On battery, upkeep runs in bursts at least this many seconds apart.
        #[schemars(range(min = 60, max = 86_400))]
        pub battery_upkeep_every_s: u32 = 1800,
        /// Let upkeep run on battery as if plugged in.
        pub background_on_battery: bool = false,
        /// At or below this charge, in percent, upkeep waits whatever else is set.
        #[schemars(range(min = 0, max = 100))]
        pub battery_critical_percent: u32 = 15,
        /// The longest any call waits because of the battery, in seconds.
        #[schemars(range(min = 0, max = 86_400))]
        pub battery_max_wait_s: u32 = 7200,
        /// Offer Claude through the Claude Code installed on this computer.
        pub experimental_claude_code: bool = false,
        /// Let Claude Code do every role but embedding. Counts only while `experimental_claude_code` is on.
        pub claude_code_everywhere: bool = false,
        /// How many Claude Code processes may run at once.
        #[schemars(range(min = 1, max = 8))]
        pub claude_code_max_concurrent: u32 = 2,
        /// Client id used for Sign in with ChatGPT. Empty turns that sign-in off.
        pub chatgpt_client_id: String = "dynamic_agent_client".into(),
        /// How many rounds of tool calls one chat reply may take.
        #[schemars(range(min = 1, max = 100))]
        pub max_tool_rounds: u32 = 12,
        /// Seconds one model request may take.
        #[schemars(range(min = 10))]
        pub request_timeout_s: u32 = 180,
    }
}

/// The providers known from the start. `nous` is missing on purpose: its address and variable are built in.
fn default_providers() -> BTreeMap<String, Provider> {
    let local = ["ollama", "ollama_chat"].map(|name| (name, Some("http://localhost:11434"), None));
    let cloud = [
        ("openai", "OPENAI_API_KEY"),
        ("anthropic", "ANTHROPIC_API_KEY"),
        ("gemini", "GEMINI_API_KEY"),
        ("openrouter", "OPENROUTER_API_KEY"),
        ("groq", "GROQ_API_KEY"),
        ("mistral", "MISTRAL_API_KEY"),
        ("deepseek", "DEEPSEEK_API_KEY"),
        ("xai", "XAI_API_KEY"),
    ]
    .map(|(name, variable)| (name, None, Some(variable)));
    local
        .into_iter()
        .chain(cloud)
        .chain([("lm_studio", Some("http://localhost:1234/v1"), None)])
        .map(|(name, base, variable)| {
            let provider = Provider { api_base: base.map(str::to_owned), api_key_env: variable.map(str::to_owned) };
            (name.to_owned(), provider)
        })
        .collect()
}
