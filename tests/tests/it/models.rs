//! The model adapters against a scripted model behind real HTTP: three wires, every way they break, keys and addresses.

use actors::ports::{Models, Secret, SecretStore};
use futures::{FutureExt, StreamExt};
use protocol::model::{
    Effort, Finish, ModelCall, ModelError, ModelErrorKind, ModelName, Piece, PromptMessage, TokenUsage, ToolCall,
    ToolOffer,
};
use sentient::adapters::models::{ModelRouter, ProviderSettings};
use sentient::adapters::secrets::{Environment, Keychain, KeychainError, KeychainStore, Secrets, Vault};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tests::model_server::{Fault, ModelServer, OllamaModel, Reply, embedding};

const KEY: &str = "sk-canary-4711";

/// One model for each wire.
const WIRES: [&str; 3] = ["openai/gpt-4o", "anthropic/claude-sonnet-4-5", "ollama_chat/qwen3:8b"];

/// A computer without a keychain: keys come from the environment.
struct NoKeychain;

impl Keychain for NoKeychain {
    fn read(&self, _: &str) -> Result<Option<String>, KeychainError> {
        Err(KeychainError::Missing("a test".to_owned()))
    }

    fn write(&self, _: &str, _: &str) -> Result<(), KeychainError> {
        Err(KeychainError::Missing("a test".to_owned()))
    }

    fn remove(&self, _: &str) -> Result<(), KeychainError> {
        Err(KeychainError::Missing("a test".to_owned()))
    }
}

fn secrets(variables: &[&str]) -> Arc<dyn SecretStore> {
    let environment = Environment::new(variables.iter().map(|name| ((*name).to_owned(), KEY.to_owned())));
    Arc::new(Secrets::new(Vault::Keychain(KeychainStore::new(Arc::new(NoKeychain))), environment))
}

fn bases(base: &str) -> BTreeMap<String, String> {
    let providers = ["openai", "anthropic", "ollama", "ollama_chat", "lm_studio", "mistral"];
    providers.into_iter().map(|id| (id.to_owned(), base.to_owned())).collect()
}

fn router_with(base: &str, settings: ProviderSettings, variables: &[&str]) -> ModelRouter {
    let settings = Arc::new(move |_: &str| settings.clone());
    ModelRouter::new(secrets(variables), settings, bases(base))
}

fn router(server: &ModelServer) -> ModelRouter {
    router_with(server.base(), ProviderSettings::default(), &["OPENAI_API_KEY", "ANTHROPIC_API_KEY", "MISTRAL_API_KEY"])
}

fn user(text: &str) -> PromptMessage {
    PromptMessage::User { text: text.to_owned(), pictures: Vec::new() }
}

fn system(text: &str) -> PromptMessage {
    PromptMessage::System { text: text.to_owned(), cache: true }
}

fn offer(name: &str) -> ToolOffer {
    let parameters = json!({"type": "object", "properties": {"city": {"type": "string"}}});
    ToolOffer { name: name.to_owned(), description: "A tool.".to_owned(), parameters }
}

fn call(model: &str, messages: Vec<PromptMessage>) -> ModelCall {
    ModelCall {
        model: ModelName(model.to_owned()),
        messages,
        tools: vec![offer("get_weather"), offer("find_city")],
        effort: Effort::None,
        temperature: None,
        context_length: 8_192,
        api_base: None,
        json: false,
        output_tokens_max: None,
    }
}

fn hello(model: &str) -> ModelCall {
    call(model, vec![system("You are kind."), user("hello")])
}

async fn answer(router: &ModelRouter, call: ModelCall) -> (Vec<Piece>, Option<ModelError>) {
    let mut pieces = Vec::new();
    let mut stream = router.stream(call);
    while let Some(piece) = stream.next().await {
        match piece {
            Ok(piece) => pieces.push(piece),
            Err(error) => {
                assert!(stream.next().await.is_none(), "an error is the last thing that comes");
                return (pieces, Some(error));
            }
        }
    }
    (pieces, None)
}

fn text(pieces: &[Piece]) -> String {
    pieces.iter().filter_map(|piece| if let Piece::Text(text) = piece { Some(text.as_str()) } else { None }).collect()
}

fn thinking(pieces: &[Piece]) -> String {
    pieces
        .iter()
        .filter_map(|piece| if let Piece::Thinking(text) = piece { Some(text.as_str()) } else { None })
        .collect()
}

fn calls(pieces: &[Piece]) -> Vec<(String, Value)> {
    let call = |piece: &Piece| match piece {
        Piece::Call { name, arguments, .. } => Some((name.clone(), serde_json::from_str(arguments).expect("JSON"))),
        _ => None,
    };
    pieces.iter().filter_map(call).collect()
}

#[tokio::test]
async fn every_wire_brings_thinking_text_calls_and_usage() {
    for model in WIRES {
        let reply = Reply::thinking("Two cities.")
            .then_text("Let me look.")
            .call("get_weather", json!({"city": "Köln"}))
            .call("find_city", json!({}))
            .usage(100, 0, 20);
        let server = ModelServer::start([reply]).await;
        server.canary(KEY);
        let (pieces, error) = answer(&router(&server), hello(model)).await;
        assert_eq!(error, None, "{model}");
        assert_eq!(thinking(&pieces), "Two cities.", "{model}");
        assert_eq!(text(&pieces), "Let me look.", "{model}");
        assert!(1 < pieces.iter().filter(|piece| matches!(piece, Piece::Text(_))).count(), "{model}: it streams");
        let want = [("get_weather".to_owned(), json!({"city": "Köln"})), ("find_city".to_owned(), json!({}))];
        assert_eq!(calls(&pieces), want, "{model}");
        let usage = TokenUsage { prompt: 100, cached: 0, completion: 20 };
        assert!(pieces.contains(&Piece::Usage(usage)), "{model}: {pieces:?}");
        assert!(matches!(pieces.last(), Some(Piece::Finish(Finish::ToolCalls))), "{model}: {pieces:?}");
        server.finish();
    }
}

#[tokio::test]
async fn a_history_with_calls_is_one_every_provider_takes() {
    let asked =
        |id: &str, name: &str| ToolCall { id: id.to_owned(), name: name.to_owned(), arguments: json!({"city": "x"}) };
    let result = |id: &str, name: &str| PromptMessage::Tool {
        call_id: id.to_owned(),
        name: name.to_owned(),
        text: "r".to_owned(),
    };
    let messages = vec![
        system("You are kind."),
        user("two cities"),
        PromptMessage::Assistant {
            text: String::new(),
            thinking: Vec::new(),
            calls: vec![asked("call_1", "get_weather"), asked("call_2", "find_city")],
        },
        result("call_1", "get_weather"),
        result("call_2", "find_city"),
        PromptMessage::Assistant { text: "Sunny.".to_owned(), thinking: Vec::new(), calls: Vec::new() },
        user("and now"),
        user("something else"),
        PromptMessage::System { text: "It is noon.".to_owned(), cache: false },
    ];
    for model in WIRES.into_iter().chain(["mistral/mistral-large-latest", "lm_studio/qwen"]) {
        let server = ModelServer::start([Reply::text("done")]).await;
        let (pieces, error) = answer(&router(&server), call(model, messages.clone())).await;
        assert_eq!((text(&pieces).as_str(), error), ("done", None), "{model}");
        let body = &server.requests()[0].body;
        assert_eq!(body["model"], ModelName(model.to_owned()).model(), "{model}");
        server.finish();
    }
}

#[tokio::test]
async fn ollama_reads_no_more_than_the_model_can() {
    for (max, want) in [(4_096, 4_096), (40_960, 8_192)] {
        let server = ModelServer::start([Reply::text("one"), Reply::text("two")]).await;
        server.ollama_models([OllamaModel::new("qwen3:8b").context_length(max)]);
        let router = router(&server);
        for _ in 0..2 {
            let (pieces, error) = answer(&router, hello("ollama_chat/qwen3:8b")).await;
            assert_eq!(error, None);
            assert_eq!(pieces.first(), Some(&Piece::ContextLength(want)));
        }
        assert_eq!(server.requests()[0].body["options"]["num_ctx"], want);
        let shows = server.other_requests().iter().filter(|seen| seen.route == "POST /api/show").count();
        assert_eq!(shows, 1, "a model is described once");
        server.finish();
    }
}

#[tokio::test]
async fn failures_are_plain_and_never_look_like_answers() {
    use ModelErrorKind::{KeyRejected, Malformed, RateLimited, Unreachable};
    let cases: [(Fault, &[ModelErrorKind]); 10] = [
        (Fault::Status(401), &[KeyRejected]),
        (Fault::Status(429), &[RateLimited]),
        (Fault::Status(500), &[Unreachable]),
        (Fault::Status(302), &[Malformed]),
        (Fault::StatusBody(503, "<html>RAW-PROVIDER-TEXT</html>".to_owned()), &[Unreachable]),
        (Fault::RetryAfter(7), &[RateLimited]),
        (Fault::CutMidStream, &[Malformed]),
        (Fault::EndMidStream, &[Malformed]),
        (Fault::Malformed, &[Malformed]),
        (Fault::MidStreamError, &[Unreachable]),
    ];
    for model in WIRES {
        for (fault, kinds) in cases.clone() {
            let server = ModelServer::start([Reply::text("one two three four").fault(fault.clone())]).await;
            let (pieces, error) = answer(&router(&server), hello(model)).await;
            let error = error.unwrap_or_else(|| panic!("{model} {fault:?}: {pieces:?} is no whole answer"));
            assert!(kinds.contains(&error.kind), "{model} {fault:?}: {error:?}");
            assert!(!error.message.contains("RAW-PROVIDER-TEXT") && error.message.ends_with('.'), "{error:?}");
            assert!(!pieces.iter().any(|piece| matches!(piece, Piece::Finish(_))), "{model} {fault:?}: {pieces:?}");
            let wait = if fault == Fault::RetryAfter(7) { Some(7) } else { None };
            assert_eq!(error.retry_after_s, wait, "{model} {fault:?}");
            server.finish();
        }
    }
}

#[tokio::test]
async fn silence_ends_a_call() {
    for model in WIRES {
        for fault in [Fault::HangBeforeHeaders, Fault::HangAfterHeaders] {
            let server = ModelServer::start([Reply::text("never").fault(fault.clone())]).await;
            let settings =
                ProviderSettings { request_timeout: Duration::from_millis(300), ..ProviderSettings::default() };
            let router = router_with(server.base(), settings, &["OPENAI_API_KEY", "ANTHROPIC_API_KEY"]);
            let (pieces, error) = answer(&router, hello(model)).await;
            let error = error.unwrap_or_else(|| panic!("{model} {fault:?}: {pieces:?}"));
            assert_eq!(error.kind, ModelErrorKind::Unreachable, "{model} {fault:?}");
            server.idle().await;
            server.finish();
        }
    }
}

#[tokio::test]
async fn an_empty_answer_is_whole() {
    for model in WIRES {
        let server = ModelServer::start([Reply::text("x").fault(Fault::EmptyAnswer)]).await;
        let (pieces, error) = answer(&router(&server), hello(model)).await;
        assert_eq!((text(&pieces).as_str(), error), ("", None), "{model}");
        assert!(pieces.contains(&Piece::Finish(Finish::Stop)), "{model}: {pieces:?}");
        server.finish();
    }
}

#[tokio::test]
async fn nothing_is_sent_before_the_stream_is_polled_and_dropping_it_hangs_up() {
    for model in WIRES {
        let server = ModelServer::start([Reply::text("one two three four").fault(Fault::HangMidStream)]).await;
        let router = router(&server);
        let mut stream = router.stream(hello(model));
        assert!(server.requests().is_empty() && server.other_requests().is_empty(), "{model}");
        loop {
            match stream.next().await.expect("it hangs, it does not end").expect("no error") {
                Piece::Text(_) => break,
                _ => continue,
            }
        }
        assert!(stream.next().now_or_never().is_none_or(|piece| piece.is_some_and(|piece| piece.is_ok())), "{model}");
        drop(stream);
        server.idle().await;
        server.finish();
    }
}

#[tokio::test]
async fn keys_travel_in_their_header_and_nowhere_else() {
    for (model, header, want) in [
        ("openai/gpt-4o", "authorization", format!("Bearer {KEY}")),
        ("anthropic/claude-sonnet-4-5", "x-api-key", KEY.to_owned()),
    ] {
        let server = ModelServer::start([Reply::text("x")]).await;
        server.canary(KEY);
        answer(&router(&server), hello(model)).await;
        assert_eq!(server.requests()[0].header(header), Some(want.as_str()), "{model}");
        server.finish();
    }
    let server = ModelServer::start([Reply::text("x")]).await;
    answer(&router(&server), hello("ollama_chat/qwen3:8b")).await;
    assert_eq!(server.requests()[0].header("authorization"), None, "a local model gets nobody's key");
    server.finish();
}

#[tokio::test]
async fn a_missing_key_is_noticed_before_anything_is_sent() {
    let server = ModelServer::start([]).await;
    let settings = ProviderSettings { api_key_env: Some("MY_KEY".to_owned()), ..ProviderSettings::default() };
    let without = router_with(server.base(), settings.clone(), &[]);
    for model in ["openai/gpt-4o", "anthropic/claude-sonnet-4-5"] {
        let (_, error) = answer(&without, hello(model)).await;
        assert_eq!(error.expect("no key").kind, ModelErrorKind::KeyMissing, "{model}");
        let error = without.ready(ModelName(model.to_owned()), None).await.expect_err("no key");
        assert_eq!(error.kind, ModelErrorKind::KeyMissing, "{model}");
    }
    assert!(server.requests().is_empty());
    let own_variable = router_with(server.base(), settings, &["MY_KEY"]);
    own_variable.ready(ModelName("openai/gpt-4o".to_owned()), None).await.expect("the person's own variable counts");
    server.finish();
}

#[tokio::test]
async fn a_saved_key_that_no_header_can_hold_is_said_so() {
    struct Odd;
    impl SecretStore for Odd {
        fn get(
            &self,
            _: String,
            _: Option<String>,
        ) -> futures::future::BoxFuture<
            'static,
            Result<Option<(Secret, protocol::secrets::SecretSource)>, protocol::Error>,
        > {
            let found = (Secret::new("sk-canary\n2".to_owned()), protocol::secrets::SecretSource::Keychain);
            futures::future::ready(Ok(Some(found))).boxed()
        }
        fn set(&self, _: String, _: Secret) -> futures::future::BoxFuture<'static, Result<(), protocol::Error>> {
            futures::future::ready(Ok(())).boxed()
        }
        fn delete(&self, _: String) -> futures::future::BoxFuture<'static, Result<(), protocol::Error>> {
            futures::future::ready(Ok(())).boxed()
        }
        fn state(&self) -> futures::future::BoxFuture<'static, actors::ports::SecretStoreState> {
            unreachable!("nobody asks")
        }
    }
    let server = ModelServer::start([]).await;
    let settings = Arc::new(|_: &str| ProviderSettings::default());
    let router = ModelRouter::new(Arc::new(Odd), settings, bases(server.base()));
    let (_, error) = answer(&router, hello("openai/gpt-4o")).await;
    let error = error.expect("refused");
    assert!(error.kind == ModelErrorKind::KeyRejected && !error.message.contains("canary"), "{error:?}");
    server.finish();
}

#[tokio::test]
async fn local_only_lets_nothing_out() {
    let server = ModelServer::start([Reply::text("here")]).await;
    let settings = ProviderSettings { local_only: true, ..ProviderSettings::default() };
    let router = router_with(server.base(), settings, &["OPENAI_API_KEY"]);
    for model in ["openai/gpt-4o", "ollama_chat/gpt-oss:120b-cloud"] {
        let (_, error) = answer(&router, hello(model)).await;
        assert_eq!(error.expect("refused").kind, ModelErrorKind::LocalOnly, "{model}");
        let error = router.embed(ModelName(model.to_owned()), None, vec!["x".to_owned()]).await.expect_err("refused");
        assert_eq!(error.kind, ModelErrorKind::LocalOnly, "{model}");
    }
    assert!(server.requests().is_empty() && server.other_requests().is_empty());
    let (pieces, error) = answer(&router, hello("ollama_chat/qwen3:8b")).await;
    assert_eq!((text(&pieces).as_str(), error), ("here", None));
    server.finish();
}

#[tokio::test]
async fn whether_a_model_is_ready_is_found_out_without_calling_it() {
    let server = ModelServer::start([]).await;
    let router = router(&server);
    for (model, want) in [
        ("ollama_chat/qwen3:8b", None),
        ("ollama_chat/llama3.1:8b", Some(ModelErrorKind::ModelMissing)),
        ("openai/anything", None),
        ("nobody/knows", Some(ModelErrorKind::ModelMissing)),
        ("scripted/tour", None),
        ("scripted/nothing", Some(ModelErrorKind::ModelMissing)),
    ] {
        let ready = router.ready(ModelName(model.to_owned()), None).await;
        assert_eq!(ready.err().map(|error| error.kind), want, "{model}");
    }
    let nobody = router_with("http://127.0.0.1:9", ProviderSettings::default(), &[]);
    let error = nobody.ready(ModelName("ollama_chat/qwen3:8b".to_owned()), None).await.expect_err("nobody is there");
    assert!(error.kind == ModelErrorKind::Unreachable && error.message.contains("Start Ollama"), "{error:?}");
    server.finish();
}

#[tokio::test]
async fn a_model_that_is_not_downloaded_says_how_to_get_it() {
    let server = ModelServer::start([]).await;
    let (_, error) = answer(&router(&server), hello("ollama_chat/llama3.1:8b")).await;
    let error = error.expect("missing");
    assert!(error.message.contains("llama3.1:8b isn't downloaded"), "{error:?}");
    server.finish();
}

#[tokio::test]
async fn an_address_that_is_none_is_said_so() {
    let settings = Arc::new(|_: &str| ProviderSettings::default());
    let router = ModelRouter::new(secrets(&["OPENAI_API_KEY"]), settings, BTreeMap::new());
    for base in ["ftp://example.com", "http://[", "not an address"] {
        let asked = ModelCall { api_base: Some(base.to_owned()), ..hello("openai/gpt-4o") };
        let (_, error) = answer(&router, asked).await;
        let error = error.expect("refused");
        assert!(error.message.contains("address"), "{base}: {error:?}");
    }
}

#[tokio::test]
async fn vectors_come_in_the_order_of_their_texts() {
    let texts: Vec<String> = (0..100).map(|number| format!("text number {number}")).collect();
    for model in ["ollama/nomic-embed-text", "openai/text-embedding-3-small"] {
        let server = ModelServer::start([]).await;
        let vectors = router(&server).embed(ModelName(model.to_owned()), None, texts.clone()).await.expect("vectors");
        let want: Vec<_> = texts.iter().map(|text| embedding(text, 64)).collect();
        assert_eq!(vectors, want, "{model}");
        let sizes: Vec<_> =
            server.other_requests().iter().map(|seen| seen.body["input"].as_array().map_or(0, Vec::len)).collect();
        assert_eq!(sizes, [64, 36], "{model}: in two requests");
        server.finish();
    }
    let server = ModelServer::start([]).await;
    let router = router(&server);
    let none = router.embed(ModelName("openai/x".to_owned()), None, Vec::new()).await;
    assert_eq!(none, Ok(Vec::new()));
    for (model, want) in
        [("ollama/missing", ModelErrorKind::ModelMissing), ("anthropic/claude-sonnet-4-5", ModelErrorKind::Unsupported)]
    {
        let error = router.embed(ModelName(model.to_owned()), None, vec!["x".to_owned()]).await.expect_err("refused");
        assert_eq!(error.kind, want, "{model}");
    }
    server.finish();
}

#[tokio::test]
async fn local_servers_tell_what_they_have() {
    let server = ModelServer::start([]).await;
    let local = router(&server).local().await;
    assert!(local.ollama.reachable && local.lm_studio.reachable);
    let models: Vec<_> = local
        .ollama
        .models
        .iter()
        .map(|model| (model.name.as_str(), model.is_embedding, model.capabilities.len()))
        .collect();
    assert_eq!(models, [("qwen3:8b", false, 3), ("nomic-embed-text", true, 1)]);
    assert_eq!(local.ollama.models[0].parameter_size.as_deref(), Some("8.2B"));
    let embeds = local.lm_studio.models.iter().filter(|model| model.is_embedding).count();
    assert_eq!((local.lm_studio.models.len(), embeds), (2, 1));
    server.finish();
    let nobody = router_with("http://127.0.0.1:9", ProviderSettings::default(), &[]).local().await;
    assert_eq!(nobody, actors::ports::LocalModels::default());
}

#[tokio::test]
async fn a_download_reports_each_step_and_fails_in_plain_words() {
    let server = ModelServer::start([]).await;
    let router = router(&server);
    let lines = async |name: &str| -> Vec<_> {
        router.pull(name.to_owned()).map(|line| line.expect("a failure is a line")).collect().await
    };
    let good = lines("qwen3:8b").await;
    let statuses: Vec<_> = good.iter().map(|line| line.status.as_str()).collect();
    assert_eq!(statuses, ["pulling manifest", "pulling 0f", "pulling 0f", "success"]);
    assert_eq!(good[2].completed, good[2].total);
    for (name, words) in
        [("missing:1b", "no model called missing:1b"), ("", "isn't the name"), ("a b", "isn't the name")]
    {
        let bad = lines(name).await;
        let last = bad.last().expect("a line");
        assert_eq!(last.status, "error", "{name}");
        assert!(last.error.as_deref().is_some_and(|error| error.contains(words)), "{name}: {last:?}");
    }
    let asked = server.other_requests();
    assert!(asked.iter().all(|seen| seen.body["stream"] == true), "{asked:?}");
    server.finish();
}

#[tokio::test]
async fn the_tour_needs_nobody() {
    let router = router_with("http://127.0.0.1:9", ProviderSettings::default(), &[]).scripted_pace(Duration::ZERO);
    let (pieces, error) = answer(&router, hello("scripted/tour")).await;
    assert_eq!(error, None);
    assert!(text(&pieces).contains("Sentient") && !thinking(&pieces).is_empty());
}
