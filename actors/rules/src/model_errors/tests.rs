//! Refusals of real providers, and what the person reads.

use super::*;
use ModelErrorKind as Kind;

const FREE_PER_DAY: &str = "OpenRouter's free models have reached today's limit. Add credits on openrouter.ai, wait \
                            until tomorrow, or pick another model in Settings > Models.";

fn of(label: &str, model: &str, status: u16, body: &str) -> ModelError {
    from_status(label, &ModelName(model.to_owned()), status, body, None)
}

/// Label, model, status, body, and what is expected of kind and sentence.
type Case<'a> = (&'a str, &'a str, u16, &'a str, Kind, &'a str);

fn check(cases: &[Case<'_>]) {
    for (label, model, status, body, kind, begins) in cases {
        let error = of(label, model, *status, body);
        assert_eq!(error.kind, *kind, "{label} {status} {body}");
        assert!(error.message.starts_with(begins), "{label} {status}: {}", error.message);
    }
}

#[test]
fn limits_and_money() {
    check(&[
        ("Groq", "groq/llama", 429, "", Kind::RateLimited, "Groq is getting too many requests"),
        (
            "OpenRouter",
            "openrouter/a/b:free",
            429,
            r#"{"error":{"message":"Rate limit exceeded: free-models-per-day. Add 10 credits","code":429}}"#,
            Kind::RateLimited,
            FREE_PER_DAY,
        ),
        (
            "OpenRouter",
            "openrouter/a/b:free",
            429,
            r#"{"error":{"message":"Rate limit exceeded: free-models-per-min. ","code":429}}"#,
            Kind::RateLimited,
            "OpenRouter's free models only take a few requests a minute.",
        ),
        (
            "OpenAI",
            "openai/gpt-5",
            429,
            r#"{"error":{"message":"You exceeded your current quota","type":"insufficient_quota","code":"insufficient_quota"}}"#,
            Kind::NoCredits,
            "There are no credits left at OpenAI.",
        ),
        ("OpenRouter", "openrouter/a/b", 402, "{}", Kind::NoCredits, "There are no credits left"),
        (
            "Anthropic",
            "anthropic/claude-sonnet-5",
            400,
            r#"{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the API"}}"#,
            Kind::NoCredits,
            "There are no credits left",
        ),
    ]);
}

#[test]
fn keys_and_models() {
    check(&[
        ("OpenAI", "openai/gpt-5", 401, "not json", Kind::KeyRejected, "OpenAI doesn't accept the saved key."),
        ("OpenAI", "openai/gpt-5", 403, "", Kind::KeyRejected, "OpenAI doesn't let the saved key use gpt-5."),
        (
            "Moonshot",
            "openai/kimi-for-coding",
            403,
            r#"{"error":{"message":"Kimi is currently only available for Coding Agents such as …","type":"access_terminated_error"}}"#,
            Kind::Unsupported,
            "Moonshot keeps kimi-for-coding for coding tools.",
        ),
        (
            "Ollama",
            "ollama_chat/qwen3:8b",
            404,
            r#"{"error":"model 'qwen3:8b' not found"}"#,
            Kind::ModelMissing,
            "qwen3:8b isn't downloaded in Ollama. Download it in Settings > Models (or run `ollama pull qwen3:8b`)",
        ),
        (
            "LM Studio",
            "lm_studio/x",
            400,
            r#"{"error":{"message":"No models loaded. Please load a model."}}"#,
            Kind::ModelMissing,
            "LM Studio doesn't have a model called x.",
        ),
        ("Groq", "groq/gone", 404, "", Kind::ModelMissing, "Groq doesn't have a model called gone."),
        (
            "Groq",
            "groq/gone",
            400,
            r#"{"error":{"message":"x","type":"invalid_request_error","code":"model_decommissioned"}}"#,
            Kind::ModelMissing,
            "Groq doesn't have a model called gone.",
        ),
        ("Ollama", "ollama_chat/gpt-oss:120b-cloud", 401, "", Kind::KeyRejected, "Ollama isn't signed in"),
    ]);
}

#[test]
fn what_a_request_asked_too_much_of() {
    check(&[
        (
            "OpenAI",
            "openai/gpt-4o",
            400,
            r#"{"error":{"message":"This model's…","code":"context_length_exceeded"}}"#,
            Kind::TooLong,
            "This chat is longer than gpt-4o can read at once.",
        ),
        (
            "Anthropic",
            "anthropic/claude-sonnet-5",
            400,
            r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}}"#,
            Kind::TooLong,
            "This chat is longer",
        ),
        (
            "a prompt that is only quoted is no reason",
            "anthropic/claude-sonnet-5",
            400,
            r#"{"type":"error","error":{"type":"invalid_request_error","message":"messages.0: invalid: 'prompt is too long'"}}"#,
            Kind::Other,
            "a prompt that is only quoted is no reason didn't accept this request.",
        ),
        (
            "vLLM",
            "vllm/qwen",
            400,
            r#"{"object":"error","message":"This model's maximum context length is 4096 tokens.","type":"BadRequestError","code":400}"#,
            Kind::TooLong,
            "This chat is longer",
        ),
        ("Anthropic", "anthropic/claude-sonnet-5", 413, "", Kind::TooLong, "This chat is longer"),
        (
            "Ollama",
            "ollama_chat/gemma3:4b",
            400,
            r#"{"error":"registry.ollama.ai/library/gemma3:4b does not support tools"}"#,
            Kind::Unsupported,
            "gemma3:4b can't use tools.",
        ),
        (
            "OpenRouter",
            "openrouter/a/b",
            404,
            r#"{"error":{"message":"No endpoints found that support tool use. To learn…","code":404}}"#,
            Kind::Unsupported,
            "a/b can't use tools.",
        ),
    ]);
}

#[test]
fn providers_in_trouble() {
    check(&[
        ("OpenAI", "openai/gpt-5", 500, "<html>", Kind::Unreachable, "OpenAI is having trouble right now."),
        ("Anthropic", "anthropic/x", 529, "", Kind::Unreachable, "Anthropic is having trouble right now."),
        ("OpenAI", "openai/gpt-5", 504, "", Kind::Unreachable, "OpenAI took too long to answer."),
        (
            "OpenAI",
            "openai/gpt-5",
            400,
            r#"{"error":{"message":"Unsupported parameter: 'max_tokens' is not supported","code":"unsupported_parameter"}}"#,
            Kind::Other,
            "OpenAI didn't accept this request.",
        ),
    ]);
}

#[test]
fn errors_in_mid_stream_are_read_like_statuses() {
    for (object, kind) in [
        (r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#, Kind::Unreachable),
        (r#"{"error":{"code":429,"message":"slow down"}}"#, Kind::RateLimited),
        (r#"{"error":{"code":"rate_limit_exceeded","message":"slow down"}}"#, Kind::RateLimited),
        (r#"[{"error":{"code":400,"status":"INVALID_ARGUMENT","message":"no"}}]"#, Kind::Other),
        (r#"{"object":"error","message":"no","code":401}"#, Kind::KeyRejected),
        (r#"{"error":"something broke"}"#, Kind::Unreachable),
        ("null", Kind::Unreachable),
    ] {
        let object: Value = serde_json::from_str(object).expect("JSON");
        let error = from_error_object("X", &ModelName("x/y".into()), &object);
        assert_eq!(error.kind, kind, "{object}");
    }
}

#[test]
fn waiting_times_are_told_and_kept() {
    for (seconds, want) in [
        (None, "Wait a minute"),
        (Some(1), "Try again in a second"),
        (Some(20), "in 20 seconds"),
        (Some(3600), "in 60 minutes"),
    ] {
        let error = from_status("Groq", &ModelName("groq/x".into()), 429, "", seconds);
        assert_eq!(error.retry_after_s, seconds);
        assert!(error.message.contains(want), "{}", error.message);
    }
}

#[test]
fn transport_failures_say_what_to_do() {
    for (model, failure, want) in [
        ("ollama_chat/qwen3:8b", TransportFailure::Connect, "Start Ollama"),
        ("lm_studio/x", TransportFailure::Connect, "Start its server"),
        ("openai/gpt-5", TransportFailure::Connect, "Check the internet connection"),
        ("openai/gpt-5", TransportFailure::Tls, "certificate"),
        ("openai/gpt-5", TransportFailure::Timeout, "took too long"),
        ("openai/gpt-5", TransportFailure::Broken, "broke before"),
    ] {
        let error = from_transport("The provider", &ModelName(model.into()), failure);
        assert_eq!(error.kind, Kind::Unreachable);
        assert!(error.message.contains(want), "{}", error.message);
    }
}

#[test]
fn the_providers_words_never_reach_the_person() {
    let secret = "sk-live-4242";
    for status in [400, 401, 402, 403, 404, 408, 413, 418, 422, 429, 500, 503, 529] {
        let body = format!(r#"{{"error":{{"message":"{secret}","code":"{secret}","type":"{secret}"}}}}"#);
        for error in [of("OpenAI", "openai/gpt-5", status, &body), of("OpenAI", "openai/gpt-5", status, secret)] {
            assert!(!error.message.contains(secret), "{status}: {}", error.message);
            assert!(error.message.ends_with('.'), "{}", error.message);
        }
    }
}
