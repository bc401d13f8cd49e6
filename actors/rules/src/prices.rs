//! What models cost, how much they read at once, who pays for them and where they run.
//!
//! All numbers come from `data/prices.json`, which names its source and its day; none stands in the code. An unknown
//! model has no price and no window: nothing here guesses from a similar name.

use crate::providers::SCRIPTED;
use crate::wire::dialect;
use protocol::model::{ModelName, TokenUsage, is_builtin};
use protocol::usage::Billing;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Prompt tokens above which some providers charge more for the whole call.
const LONG_PROMPT_TOKENS: u64 = 200_000;
const TOKENS_PER_PRICE: f64 = 1_000_000.0;

/// The whole price file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PriceList {
    /// Where the numbers are from.
    pub source: String,
    /// `YYYY-MM-DD`: the day they were taken.
    pub as_of: String,
    /// What to know before relying on them.
    pub note: String,
    models: BTreeMap<String, Price>,
}

/// What is known of one model. Prices are US dollars per million tokens.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Price {
    pub input: Option<f64>,
    pub output: Option<f64>,
    /// For prompt tokens that the provider read from its cache.
    pub cached: Option<f64>,
    pub input_above_200k: Option<f64>,
    pub output_above_200k: Option<f64>,
    /// Tokens the model reads at once.
    pub window: Option<u32>,
    /// Tokens of its longest answer.
    pub output_max: Option<u32>,
}

static LIST: LazyLock<PriceList> = LazyLock::new(|| {
    serde_json::from_str(include_str!("../data/prices.json")).expect("the price file is part of the program and tested")
});

/// The price file, for showing its source and day.
pub fn list() -> &'static PriceList {
    &LIST
}

/// What is known of a model: by its own name, else by its name without a date, `-latest` or a variant that costs the
/// same. OpenRouter passes on the list prices of the labs it is asked for by name.
pub fn price(model: &ModelName) -> Option<&'static Price> {
    let name = normal(model.as_str());
    if let Some(price) = find(&name) {
        return Some(price);
    }
    let (lab, rest) = name.strip_prefix("openrouter/")?.split_once('/')?;
    let lab = match lab {
        "anthropic" | "openai" => lab,
        "google" => "gemini",
        "x-ai" => "xai",
        _ => return None,
    };
    // OpenRouter writes versions with a point where Anthropic writes a dash, and has variants behind a colon.
    let rest = rest.split_once(':').map_or(rest, |(model, _)| model);
    find(&format!("{lab}/{rest}")).or_else(|| find(&format!("{lab}/{}", rest.replace('.', "-"))))
}

fn find(name: &str) -> Option<&'static Price> {
    LIST.models.get(name).or_else(|| LIST.models.get(without_date(name)))
}

/// Lower case, without blank space around it.
fn normal(name: &str) -> String {
    name.trim().to_lowercase()
}

/// `name` without a version date (`-20250929`, `-2025-08-07`, `-2507`) or `-latest` at its end.
fn without_date(name: &str) -> &str {
    let name = name.strip_suffix("-latest").unwrap_or(name);
    let mut rest = name;
    let mut digits = 0;
    while let Some((before, part)) = rest.rsplit_once('-') {
        let is_number = !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        if !is_number || digits + part.len() > 8 {
            break;
        }
        digits += part.len();
        rest = before;
        if matches!(digits, 4 | 8) && part.len() >= 4 {
            return rest;
        }
    }
    name
}

/// What a call cost, in US dollars; `None` when the price is not known. Free variants cost nothing.
pub fn cost(model: &ModelName, usage: &TokenUsage) -> Option<f64> {
    if model.provider() == "openrouter" && model.model().ends_with(":free") {
        return Some(0.0);
    }
    let price = price(model)?;
    let long = usage.prompt > LONG_PROMPT_TOKENS;
    let input = price.input_above_200k.filter(|_| long).or(price.input)?;
    let output = price.output_above_200k.filter(|_| long).or(price.output)?;
    let cached_tokens = usage.cached.min(usage.prompt);
    let cached = price.cached.unwrap_or(input);
    let dollars = (usage.prompt - cached_tokens) as f64 * input
        + cached_tokens as f64 * cached
        + usage.completion as f64 * output;
    Some(dollars / TOKENS_PER_PRICE)
}

/// Tokens a cloud model reads at once; `None` when not known.
pub fn context_window(model: &ModelName) -> Option<u32> {
    price(model)?.window
}

/// Tokens of the longest answer a model gives; `None` when not known.
pub fn output_max(model: &ModelName) -> Option<u32> {
    price(model)?.output_max
}

/// How a call of the model is paid for (contract section 2, "Cost meter").
pub fn billing(model: &ModelName, api_base: Option<&str>) -> Billing {
    if matches!(model.provider(), "claude-code" | "chatgpt") {
        Billing::Plan
    } else if runs_here(model, api_base) {
        Billing::Local
    } else {
        Billing::Paid
    }
}

/// Whether the model is of a runtime that people run themselves, wherever that is (models.md, "kind: local"). The
/// engine's own scripted model counts as one.
pub fn is_local_runtime(model: &ModelName) -> bool {
    model.provider() == SCRIPTED
        || is_builtin(model.as_str())
        || dialect::dialect(model.provider()).is_some_and(|dialect| dialect.local)
}

/// An Ollama model that runs at Ollama's own cloud: `…-cloud`, or the tag `cloud`.
pub fn is_ollama_cloud(model: &ModelName) -> bool {
    let name = normal(model.model());
    matches!(model.provider(), "ollama" | "ollama_chat") && (name.ends_with("-cloud") || name.ends_with(":cloud"))
}

/// Whether the model runs on this computer (contract section 2, "Local only"): a local runtime whose address is
/// `localhost`, `127.x.x.x` or `::1`, and not an Ollama cloud model. Without an address of the person's own the runtime's
/// usual one counts, which is on this computer.
pub fn runs_here(model: &ModelName, api_base: Option<&str>) -> bool {
    if model.provider() == SCRIPTED || is_builtin(model.as_str()) {
        return true;
    }
    let Some(dialect) = dialect::dialect(model.provider()).filter(|dialect| dialect.local) else { return false };
    !is_ollama_cloud(model) && is_loopback(&dialect.url(api_base, ""))
}

/// Whether an address is this computer's own. An address that cannot be read is not.
pub fn is_loopback(address: &str) -> bool {
    let Ok(address) = url::Url::parse(address) else { return false };
    match address.host() {
        Some(url::Host::Domain(name)) => name.eq_ignore_ascii_case("localhost"),
        Some(url::Host::Ipv4(address)) => address.is_loopback(),
        Some(url::Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> ModelName {
        ModelName(text.to_owned())
    }

    #[test]
    fn the_file_names_its_source_and_holds_sane_numbers() {
        let list = list();
        assert!(!list.source.is_empty() && list.as_of.len() == 10 && !list.note.is_empty());
        assert!(list.models.len() > 100);
        for (model, price) in &list.models {
            assert_eq!(*model, normal(model), "{model} is written in its normal form");
            assert!(dialect::dialect(name(model).provider()).is_some_and(|row| !row.local), "{model}");
            assert_eq!(price.input.is_some(), price.output.is_some(), "{model}");
            for dollars in [price.input, price.output, price.cached].into_iter().flatten() {
                assert!((0.0..=1_000.0).contains(&dollars), "{model}: {dollars}");
            }
            assert!(price.cached.unwrap_or(0.0) <= price.input.unwrap_or(0.0), "{model}: a cache never costs more");
        }
    }

    #[test]
    fn names_find_their_own_price_or_none() {
        for (model, like) in [
            ("anthropic/claude-sonnet-4-5", Some("anthropic/claude-sonnet-4-5")),
            ("Anthropic/Claude-Sonnet-4-5", Some("anthropic/claude-sonnet-4-5")),
            ("anthropic/claude-sonnet-4-5-20990101", Some("anthropic/claude-sonnet-4-5")),
            ("openai/gpt-5-mini-2099-08-07", Some("openai/gpt-5-mini")),
            ("openai/gpt-5-mini-latest", Some("openai/gpt-5-mini")),
            ("openrouter/anthropic/claude-sonnet-4.5", Some("anthropic/claude-sonnet-4-5")),
            ("openrouter/openai/gpt-5-mini:nitro", Some("openai/gpt-5-mini")),
            ("openai/gpt-5-tiny", None),
            ("openai/gpt-5.99", None),
            ("openai/gpt-5-mini-20", None),
            ("openrouter/someone/model", None),
            ("ollama_chat/qwen3:8b", None),
            ("nothing", None),
        ] {
            let want = like.map(|like| LIST.models.get(like).expect("in the file"));
            assert_eq!(price(&name(model)), want, "{model}");
        }
    }

    #[test]
    fn a_call_costs_what_its_tokens_cost() {
        let sonnet = name("anthropic/claude-sonnet-4-5");
        let price = price(&sonnet).copied().expect("in the file");
        let (input, output) = (price.input.expect("a price"), price.output.expect("a price"));
        let cached = price.cached.expect("a price");
        let usage = |prompt, cached, completion| TokenUsage { prompt, cached, completion };
        for (usage, want) in [
            (usage(0, 0, 0), 0.0),
            (usage(1_000_000, 0, 0), price.input_above_200k.unwrap_or(input)),
            (usage(100_000, 40_000, 10_000), 0.06 * input + 0.04 * cached + 0.01 * output),
            (usage(10, 50, 0), 10.0 * cached / 1e6),
        ] {
            let got = cost(&sonnet, &usage).expect("a price");
            assert!((got - want).abs() < 1e-9, "{usage:?}: {got} != {want}");
        }
        let long = name("gemini/gemini-2.5-pro");
        let rate = super::price(&long).expect("in the file").input_above_200k.expect("a price for long prompts");
        let got = cost(&long, &usage(400_000, 0, 0)).expect("a price");
        assert!((got - 0.4 * rate).abs() < 1e-9);
        assert_eq!(cost(&name("openrouter/a/b:free"), &usage(9, 0, 9)), Some(0.0));
        assert_eq!(cost(&name("openrouter/a/b"), &usage(9, 0, 9)), None);
        assert_eq!(cost(&name("ollama_chat/qwen3:8b"), &usage(9, 0, 9)), None);
    }

    #[test]
    fn who_pays_and_what_runs_here() {
        use Billing::{Local, Paid, Plan};
        for (model, api_base, want) in [
            ("ollama_chat/qwen3:8b", None, Local),
            ("ollama/nomic-embed-text", Some("http://localhost:11434"), Local),
            ("ollama_chat/qwen3:8b", Some("localhost:11434"), Local),
            ("ollama_chat/qwen3:8b", Some("http://LOCALHOST:11434"), Local),
            ("ollama_chat/qwen3:8b", Some("http://127.8.9.1:11434"), Local),
            ("ollama_chat/qwen3:8b", Some("http://[::1]:11434"), Local),
            ("lm_studio/x", None, Local),
            ("hosted_vllm/x", Some("http://127.0.0.1:8000/v1"), Local),
            ("llamafile/x", None, Local),
            ("scripted/tour", None, Local),
            ("builtin", None, Local),
            ("ollama_chat/gpt-oss:120b-cloud", None, Paid),
            ("ollama_chat/glm-4.6:cloud", None, Paid),
            ("ollama_chat/qwen3:8b", Some("http://192.168.1.7:11434"), Paid),
            ("ollama_chat/qwen3:8b", Some("http://127.0.0.1.evil.example"), Paid),
            ("ollama_chat/qwen3:8b", Some("http://localhost@evil.example"), Paid),
            ("ollama_chat/qwen3:8b", Some("http://localhost.evil.example"), Paid),
            ("ollama_chat/qwen3:8b", Some("http://[::2]"), Paid),
            ("ollama_chat/qwen3:8b", Some("http://"), Paid),
            ("openai/gpt-5", Some("http://localhost:9000/v1"), Paid),
            ("anthropic/claude-sonnet-5", None, Paid),
            ("claude-code/sonnet", None, Plan),
            ("chatgpt/gpt-5", None, Plan),
            ("unknown/x", None, Paid),
        ] {
            assert_eq!(billing(&name(model), api_base), want, "{model} {api_base:?}");
            assert_eq!(runs_here(&name(model), api_base), want == Local, "{model} {api_base:?}");
        }
    }
}
