//! How the providers differ: one table, a row per provider.
//!
//! Addresses, keys and the small print of each wire live here and nowhere else. A row never holds a secret. Facts are from
//! the providers' own API references and, where they are silent, from what their servers were seen to refuse.

use super::call_ids::CallIdRule;
use protocol::model::{Effort, ModelName};

/// Which of the three wires a provider speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wire {
    OpenAi,
    Ollama,
    Anthropic,
}

/// How a key is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Auth {
    /// `Authorization: Bearer <key>`; left out when there is no key.
    Bearer,
    /// `x-api-key: <key>` (Anthropic), with `anthropic-version`.
    XApiKey,
}

/// The field that limits the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputField {
    MaxTokens,
    MaxCompletionTokens,
}

impl OutputField {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::MaxTokens => "max_tokens",
            Self::MaxCompletionTokens => "max_completion_tokens",
        }
    }
}

/// How the reasoning effort is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EffortStyle {
    /// Nothing is sent: the model's own default.
    Silent,
    OpenAi,
    Gemini,
    OpenRouter,
    Groq,
    Xai,
    /// vLLM hands `chat_template_kwargs.enable_thinking` to the model's template, which may ignore it.
    Template,
}

/// Where instructions may stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SystemPlacement {
    Anywhere,
    /// Only in front. Chat templates of local models refuse a later one, so it becomes part of the user's turn, in place,
    /// which also keeps the prefix the server has cached.
    FrontOnly,
}

/// Whether a model's thinking goes back to it with the calls it led to, and in which field of the assistant's message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ThinkingBack {
    /// The field is not known there, or refused.
    No,
    /// Helps the model to go on where it was.
    Welcome(&'static str),
    /// A message with calls but without the field is refused, also when nothing was thought.
    Required(&'static str),
}

/// One provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dialect {
    /// The prefix of its models.
    pub id: &'static str,
    /// Its name for people.
    pub label: &'static str,
    pub wire: Wire,
    /// A runtime on the person's own computer (it may still be set to another address).
    pub local: bool,
    /// Where it answers when the person set nothing.
    pub base: &'static str,
    pub chat_path: &'static str,
    pub models_path: &'static str,
    pub embed_path: &'static str,
    pub auth: Auth,
    pub key_required: bool,
    /// Environment variables that may hold the key, best first.
    pub key_env: &'static [&'static str],
    /// Whether `stream_options.include_usage` is sent (contract section 4: to all but Ollama; Mistral refuses the field
    /// and sends its usage unasked).
    pub asks_usage: bool,
    pub output_field: OutputField,
    pub effort: EffortStyle,
    pub system: SystemPlacement,
    pub call_ids: CallIdRule,
    pub pictures: bool,
    /// Whether an assistant message without text has `content: null`; otherwise it is `""`.
    pub null_for_no_text: bool,
    /// Whether a reply may begin with `<think>`.
    pub think_tags: bool,
    /// Whether a user message may directly follow a tool's result.
    pub user_after_tool: bool,
    /// For OpenAI's wire; Ollama's and Anthropic's have fields of their own.
    pub thinking_back: ThinkingBack,
}

const OPENAI: Dialect = Dialect {
    id: "openai",
    label: "OpenAI",
    wire: Wire::OpenAi,
    local: false,
    base: "https://api.openai.com/v1",
    chat_path: "/chat/completions",
    models_path: "/models",
    embed_path: "/embeddings",
    auth: Auth::Bearer,
    key_required: true,
    key_env: &["OPENAI_API_KEY"],
    asks_usage: true,
    output_field: OutputField::MaxCompletionTokens,
    effort: EffortStyle::OpenAi,
    system: SystemPlacement::Anywhere,
    call_ids: CallIdRule::Common,
    pictures: true,
    null_for_no_text: false,
    think_tags: false,
    user_after_tool: true,
    thinking_back: ThinkingBack::No,
};

/// A cloud that speaks OpenAI's wire with its older field names.
const COMPATIBLE: Dialect =
    Dialect { output_field: OutputField::MaxTokens, effort: EffortStyle::Silent, key_env: &[], ..OPENAI };

const LOCAL: Dialect =
    Dialect { local: true, key_required: false, system: SystemPlacement::FrontOnly, think_tags: true, ..COMPATIBLE };

const OLLAMA: Dialect = Dialect {
    wire: Wire::Ollama,
    id: "ollama",
    label: "Ollama",
    base: "http://localhost:11434",
    chat_path: "/api/chat",
    models_path: "/api/tags",
    embed_path: "/api/embed",
    asks_usage: false,
    system: SystemPlacement::Anywhere,
    ..LOCAL
};

const VLLM: Dialect = Dialect {
    id: "vllm",
    label: "vLLM",
    base: "http://localhost:8000/v1",
    effort: EffortStyle::Template,
    thinking_back: ThinkingBack::Welcome("reasoning"),
    ..LOCAL
};

/// Every provider that speaks one of the three wires. ChatGPT plans and Claude Code have wires of their own.
pub const DIALECTS: &[Dialect] = &[
    OLLAMA,
    Dialect { id: "ollama_chat", ..OLLAMA },
    Dialect { id: "lm_studio", label: "LM Studio", base: "http://localhost:1234/v1", ..LOCAL },
    Dialect { id: "llamafile", label: "llamafile", base: "http://localhost:8080/v1", ..LOCAL },
    VLLM,
    Dialect { id: "hosted_vllm", ..VLLM },
    Dialect {
        id: "anthropic",
        label: "Anthropic",
        wire: Wire::Anthropic,
        base: "https://api.anthropic.com",
        chat_path: "/v1/messages",
        models_path: "/v1/models",
        embed_path: "",
        auth: Auth::XApiKey,
        key_env: &["ANTHROPIC_API_KEY"],
        asks_usage: false,
        ..COMPATIBLE
    },
    OPENAI,
    Dialect {
        id: "gemini",
        label: "Google Gemini",
        base: "https://generativelanguage.googleapis.com/v1beta/openai",
        key_env: &["GEMINI_API_KEY"],
        effort: EffortStyle::Gemini,
        null_for_no_text: true,
        ..COMPATIBLE
    },
    Dialect {
        id: "openrouter",
        label: "OpenRouter",
        base: "https://openrouter.ai/api/v1",
        key_env: &["OPENROUTER_API_KEY"],
        effort: EffortStyle::OpenRouter,
        thinking_back: ThinkingBack::Welcome("reasoning"),
        ..COMPATIBLE
    },
    Dialect {
        id: "groq",
        label: "Groq",
        base: "https://api.groq.com/openai/v1",
        key_env: &["GROQ_API_KEY"],
        effort: EffortStyle::Groq,
        think_tags: true,
        ..COMPATIBLE
    },
    Dialect {
        id: "mistral",
        label: "Mistral",
        base: "https://api.mistral.ai/v1",
        key_env: &["MISTRAL_API_KEY"],
        asks_usage: false,
        call_ids: CallIdRule::NineAlphanumerics,
        user_after_tool: false,
        ..COMPATIBLE
    },
    Dialect {
        id: "deepseek",
        label: "DeepSeek",
        base: "https://api.deepseek.com/v1",
        key_env: &["DEEPSEEK_API_KEY"],
        pictures: false,
        embed_path: "",
        thinking_back: ThinkingBack::Required("reasoning_content"),
        ..COMPATIBLE
    },
    Dialect {
        id: "xai",
        label: "xAI",
        base: "https://api.x.ai/v1",
        key_env: &["XAI_API_KEY"],
        effort: EffortStyle::Xai,
        ..COMPATIBLE
    },
    Dialect {
        id: "nous",
        label: "Nous Portal",
        base: "https://inference-api.nousresearch.com/v1",
        key_env: &["NOUS_API_KEY"],
        think_tags: true,
        embed_path: "",
        ..COMPATIBLE
    },
];

/// The provider with this id (`ModelName::provider`).
pub fn dialect(provider: &str) -> Option<&'static Dialect> {
    DIALECTS.iter().find(|dialect| dialect.id == provider)
}

impl Dialect {
    /// The address for chats. `api_base` is the person's own; one without a path gets the provider's.
    pub fn chat_url(&self, api_base: Option<&str>) -> String {
        self.url(api_base, self.chat_path)
    }

    /// The address that lists models.
    pub fn models_url(&self, api_base: Option<&str>) -> String {
        self.url(api_base, self.models_path)
    }

    /// The address for vectors; `None` when the provider makes none.
    pub fn embed_url(&self, api_base: Option<&str>) -> Option<String> {
        (!self.embed_path.is_empty()).then(|| self.url(api_base, self.embed_path))
    }

    /// `path` (with its leading slash) at the person's address or the provider's own. A first segment that the address
    /// already ends with is not repeated (`…/v1` and `/v1/messages`).
    pub fn url(&self, api_base: Option<&str>, path: &str) -> String {
        let set = api_base.map(|base| base.trim().trim_end_matches('/')).filter(|base| !base.is_empty());
        let mut base = set.unwrap_or(self.base).to_owned();
        if !base.contains("://") {
            base.insert_str(0, "http://");
        }
        if path_of(&base).is_empty() {
            base.push_str(path_of(self.base));
        }
        let segment = path.get(1..).and_then(|rest| rest.find('/')).map_or("", |end| &path[..=end]);
        let path = if !segment.is_empty() && base.ends_with(segment) { &path[segment.len()..] } else { path };
        format!("{base}{path}")
    }
}

/// The path of an address, with its leading slash; empty when there is none.
fn path_of(address: &str) -> &str {
    let host_at = address.find("://").map_or(0, |at| at + 3);
    address[host_at..].find('/').map_or("", |at| &address[host_at + at..])
}

/// The members of a request body that ask for `effort`, for a provider of OpenAI's wire. Models that do not reason get
/// none, since several providers refuse the field for them.
pub(super) fn effort_members(
    dialect: &Dialect,
    model: &ModelName,
    effort: Effort,
) -> Vec<(&'static str, serde_json::Value)> {
    use serde_json::json;
    let name = model.model().to_ascii_lowercase();
    let level = match effort {
        Effort::None => None,
        Effort::Low => Some("low"),
        Effort::Medium => Some("medium"),
        Effort::High => Some("high"),
    };
    let field = |value: &str| vec![("reasoning_effort", json!(value))];
    match dialect.effort {
        EffortStyle::Silent => Vec::new(),
        EffortStyle::OpenAi if reasons_at_openai(&name) => field(level.unwrap_or(lightest_at_openai(&name))),
        EffortStyle::OpenAi => Vec::new(),
        // 2.5 Flash can be told not to think; the others of 2.5 and later only to think little.
        EffortStyle::Gemini if name.starts_with("gemini-1") || name.starts_with("gemini-2.0") => Vec::new(),
        EffortStyle::Gemini if name.starts_with("gemini-2.5-flash") => field(level.unwrap_or("none")),
        EffortStyle::Gemini if name.starts_with("gemini-") => field(level.unwrap_or("low")),
        EffortStyle::Gemini => Vec::new(),
        // Models that must reason refuse to be told not to, so nothing is said then.
        EffortStyle::OpenRouter => level.map(|level| ("reasoning", json!({"effort": level}))).into_iter().collect(),
        EffortStyle::Groq if name.contains("gpt-oss") => field(level.unwrap_or("low")),
        EffortStyle::Groq if name.contains("qwen3") => {
            vec![
                ("reasoning_effort", json!(if level.is_some() { "default" } else { "none" })),
                ("reasoning_format", json!("parsed")),
            ]
        }
        EffortStyle::Groq => Vec::new(),
        // Of xAI's models only these take an effort, and only two of them.
        EffortStyle::Xai if name.starts_with("grok-3-mini") => {
            field(if matches!(effort, Effort::Medium | Effort::High) { "high" } else { "low" })
        }
        EffortStyle::Xai => Vec::new(),
        EffortStyle::Template => vec![("chat_template_kwargs", json!({"enable_thinking": level.is_some()}))],
    }
}

/// Whether an OpenAI model reasons: it then takes an effort and no temperature.
pub(super) fn reasons_at_openai(name: &str) -> bool {
    let numbered =
        |prefix: &str| name.strip_prefix(prefix).is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_digit()));
    let o_series = ["o1", "o3", "o4"].into_iter().any(numbered);
    (o_series || name.starts_with("gpt-5")) && !name.contains("-chat")
}

/// `minimal` came with gpt-5 and became `none` with 5.1; the o series knows neither.
fn lightest_at_openai(name: &str) -> &'static str {
    match name.strip_prefix("gpt-5") {
        Some(rest) if rest.starts_with('.') => "none",
        Some(rest) if rest.starts_with("-pro") => "high",
        Some(_) => "minimal",
        None => "low",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_provider_once_and_with_what_it_needs() {
        for (at, row) in DIALECTS.iter().enumerate() {
            assert_eq!(DIALECTS.iter().position(|other| other.id == row.id), Some(at), "{} is there twice", row.id);
            assert_eq!(row.key_required, !row.key_env.is_empty(), "{}: a key has an environment name", row.id);
            assert_eq!(row.local, !row.base.starts_with("https://"), "{}", row.id);
            assert!(row.chat_path.starts_with('/') && !row.base.ends_with('/'), "{}", row.id);
        }
        assert_eq!(dialect("mistral").map(|row| row.label), Some("Mistral"));
        assert_eq!(dialect("chatgpt"), None);
    }

    #[test]
    fn addresses() {
        for (provider, api_base, want) in [
            ("openai", None, "https://api.openai.com/v1/chat/completions"),
            ("openai", Some("http://127.0.0.1:9002"), "http://127.0.0.1:9002/v1/chat/completions"),
            ("openai", Some("https://proxy.example/llm/"), "https://proxy.example/llm/chat/completions"),
            ("openai", Some(" "), "https://api.openai.com/v1/chat/completions"),
            ("anthropic", None, "https://api.anthropic.com/v1/messages"),
            ("anthropic", Some("https://proxy.example/v1"), "https://proxy.example/v1/messages"),
            ("ollama_chat", None, "http://localhost:11434/api/chat"),
            ("ollama_chat", Some("localhost:11434/"), "http://localhost:11434/api/chat"),
            ("lm_studio", Some("http://localhost:1234"), "http://localhost:1234/v1/chat/completions"),
            ("gemini", None, "https://generativelanguage.googleapis.com/v1beta/openai/chat/completions"),
        ] {
            let row = dialect(provider).expect("a provider");
            assert_eq!(row.chat_url(api_base), want, "{provider} {api_base:?}");
        }
        assert_eq!(dialect("deepseek").expect("a provider").embed_url(None), None);
    }

    #[test]
    fn effort_is_asked_only_of_models_that_take_it() {
        for (model, effort, want) in [
            ("openai/gpt-4o", Effort::High, json!({})),
            ("openai/gpt-5-mini", Effort::None, json!({"reasoning_effort": "minimal"})),
            ("openai/gpt-5.1", Effort::None, json!({"reasoning_effort": "none"})),
            ("openai/o3", Effort::None, json!({"reasoning_effort": "low"})),
            ("openai/gpt-5", Effort::High, json!({"reasoning_effort": "high"})),
            ("openai/gpt-5-chat-latest", Effort::High, json!({})),
            ("gemini/gemini-2.5-flash", Effort::None, json!({"reasoning_effort": "none"})),
            ("gemini/gemini-2.5-pro", Effort::None, json!({"reasoning_effort": "low"})),
            ("gemini/gemini-2.0-flash", Effort::High, json!({})),
            ("openrouter/a/b", Effort::None, json!({})),
            ("openrouter/a/b", Effort::Low, json!({"reasoning": {"effort": "low"}})),
            ("groq/qwen/qwen3-32b", Effort::None, json!({"reasoning_effort": "none", "reasoning_format": "parsed"})),
            ("groq/llama-3.3-70b-versatile", Effort::High, json!({})),
            ("xai/grok-4", Effort::High, json!({})),
            ("xai/grok-3-mini", Effort::Medium, json!({"reasoning_effort": "high"})),
            ("mistral/mistral-large-latest", Effort::High, json!({})),
            ("vllm/qwen", Effort::None, json!({"chat_template_kwargs": {"enable_thinking": false}})),
        ] {
            let model = ModelName(model.to_owned());
            let row = dialect(model.provider()).expect("a provider");
            let members: serde_json::Map<_, _> =
                effort_members(row, &model, effort).into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
            assert_eq!(serde_json::Value::Object(members), want, "{model} {effort:?}");
        }
    }
}
