//! The scripted model itself: what every other test leans on.

use serde_json::{Value, json};
use tests::model_server::{Fault, ModelServer, OllamaModel, Reply};

fn chat(text: &str) -> Value {
    json!({"model": "m", "stream": true, "messages": [
        {"role": "system", "content": "s"}, {"role": "user", "content": text},
    ]})
}

/// Without certificates: reading the system's takes a while, and nothing here is encrypted.
fn client() -> reqwest::Client {
    reqwest::Client::builder().tls_certs_only([]).no_proxy().build().expect("a client without certificates")
}

async fn post(server: &ModelServer, path: &str, body: &Value) -> (u16, String) {
    let answer = client().post(format!("{}{path}", server.base())).json(body).send().await;
    let answer = answer.expect("the server answers");
    (answer.status().as_u16(), answer.text().await.unwrap_or_else(|_| "(broken)".to_owned()))
}

#[tokio::test]
async fn the_script_is_answered_in_order_and_requests_are_kept() {
    let server = ModelServer::start([Reply::text("one"), Reply::text("two")]).await;
    for (want, question) in [("one", "first?"), ("two", "second?")] {
        let (status, body) = post(&server, "/v1/chat/completions", &chat(question)).await;
        assert_eq!(status, 200);
        assert!(body.contains(want) && body.ends_with("data: [DONE]\n\n"), "{body}");
    }
    let requests = server.requests();
    assert_eq!(requests[1].body["messages"][1]["content"], "second?");
    server.finish();
}

#[tokio::test]
async fn an_entry_with_a_mark_waits_for_its_call() {
    let script = [Reply::text("a title").when("Name this chat"), Reply::text("hello")];
    let server = ModelServer::start(script).await;
    let (_, first) = post(&server, "/v1/chat/completions", &chat("hi")).await;
    assert!(first.contains("hello"), "{first}");
    let (_, second) = post(&server, "/v1/chat/completions", &chat("Name this chat")).await;
    assert!(second.contains("title"), "{second}");
    server.finish();
}

#[tokio::test]
async fn complaints_name_what_went_wrong() {
    let server = ModelServer::start([Reply::text("one"), Reply::text("never used")]).await;
    server.canary("sk-secret");
    let body = json!({"model": "m", "messages": [{"role": "user", "content": "sk-secret"}]});
    post(&server, "/v1/chat/completions", &body).await;
    let complaints = server.complaints().join("\n");
    for want in ["call 1: the body holds the canary", "call 1: the system prompt does not come first", "never used"] {
        assert!(complaints.contains(want), "{want} in {complaints}");
    }
    post(&server, "/v1/chat/completions", &chat("2")).await;
    let (status, _) = post(&server, "/v1/chat/completions", &chat("3")).await;
    assert_eq!(status, 500, "a surplus call is no answer");
    assert!(server.complaints().join("\n").contains("call 3 was a surplus"));
    server.forgive();
    server.finish();
}

#[tokio::test]
#[should_panic(expected = "no call came for")]
async fn an_unused_entry_fails_the_test() {
    ModelServer::start([Reply::text("unused")]).await.finish();
}

#[tokio::test]
async fn every_wire_streams_and_answers_whole() {
    for (path, whole_text) in [
        ("/v1/chat/completions", "/choices/0/message/content"),
        ("/api/chat", "/message/content"),
        ("/v1/messages", "/content/1/text"),
    ] {
        let reply = Reply::thinking("let me see").then_text("two words").call("f", json!({"a": 1}));
        let server = ModelServer::start([reply.clone(), reply]).await;
        let mut body = chat("hi");
        body["model"] = "qwen3:8b".into();
        if path == "/v1/messages" {
            body["max_tokens"] = 10.into();
            body["system"] = "s".into();
            body["messages"] = json!([{"role": "user", "content": "hi"}]);
        }
        let (status, streamed) = post(&server, path, &body).await;
        assert_eq!(status, 200, "{path}");
        assert!(
            streamed.contains("two ") && streamed.contains("let ") && !streamed.contains("two words"),
            "{streamed}"
        );
        body["stream"] = false.into();
        let (_, whole) = post(&server, path, &body).await;
        let whole: Value = serde_json::from_str(&whole).expect("JSON");
        assert_eq!(whole.pointer(whole_text).and_then(Value::as_str), Some("two words"), "{path}: {whole}");
        server.finish();
    }
}

#[tokio::test]
async fn faults_look_like_the_real_ones() {
    let long = || Reply::text("one two three four five six");
    for (fault, status, whole) in [
        (Fault::Status(429), 429, true),
        (Fault::Status(500), 500, true),
        (Fault::StatusBody(404, "gone".to_owned()), 404, true),
        (Fault::CutMidStream, 200, false),
        (Fault::EndMidStream, 200, true),
        (Fault::Malformed, 200, true),
        (Fault::MidStreamError, 200, true),
        (Fault::EmptyAnswer, 200, true),
        (Fault::Slow(1), 200, true),
    ] {
        let server = ModelServer::start([long().fault(fault.clone())]).await;
        let (seen, body) = post(&server, "/v1/chat/completions", &chat("hi")).await;
        assert_eq!(seen, status, "{fault:?}");
        assert_eq!(body != "(broken)", whole, "{fault:?}: {body}");
        let ends = matches!(fault, Fault::Slow(_) | Fault::EmptyAnswer | Fault::Malformed);
        assert_eq!(body.ends_with("[DONE]\n\n"), ends, "{fault:?}: {body}");
        server.finish();
    }
}

#[tokio::test]
async fn a_client_that_hangs_up_is_noticed() {
    for fault in [Fault::HangAfterHeaders, Fault::HangMidStream, Fault::HangBeforeHeaders] {
        let server = ModelServer::start([Reply::text("one two three").fault(fault)]).await;
        let url = format!("{}/v1/chat/completions", server.base());
        let call = client().post(url).json(&chat("hi")).send();
        tokio::select! {
            biased;
            answer = async { call.await.expect("headers").bytes().await } => panic!("it answered {answer:?}"),
            () = server.streaming(1) => (),
        }
        server.idle().await;
        server.finish();
    }
}

#[tokio::test]
async fn ollama_has_the_models_it_was_given() {
    let server = ModelServer::start([]).await;
    server.ollama_models([OllamaModel::new("llama3.1:8b").capabilities(["completion"]).loaded(5)]);
    let mut body = chat("hi");
    let (status, text) = post(&server, "/api/chat", &body).await;
    assert_eq!((status, text.contains("not found")), (404, true), "{text}");
    body["model"] = "llama3.1:8b".into();
    body["tools"] = json!([{"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}]);
    let (status, text) = post(&server, "/api/chat", &body).await;
    assert_eq!((status, text.contains("does not support tools")), (400, true), "{text}");
    let (_, show) = post(&server, "/api/show", &json!({"model": "llama3.1:8b"})).await;
    assert!(show.contains("\"qwen3.context_length\":40960"), "{show}");
    server.finish();
}

#[tokio::test]
async fn a_responder_answers_every_call_alike() {
    let server = ModelServer::responder(Reply::tokens(8)).await;
    for _ in 0..3 {
        let (_, body) = post(&server, "/v1/chat/completions", &chat("hi")).await;
        assert_eq!(body.matches("word ").count(), 8);
    }
    assert!(server.requests().is_empty(), "nothing is kept");
    server.finish();
}
