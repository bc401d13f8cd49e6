//! `/v1`: who is let in, what is answered, and what an app's turn may do. The official SDKs talk to it in `tests/peers`.

use super::Api;
use axum::body::Body;
use expect_test::expect;
use futures::StreamExt;
use http::{Request, Response, StatusCode, header};
use sentient::gateway::ConnectionEnds;
use serde_json::{Value, json};
use std::net::SocketAddr;
use tower::ServiceExt;

const CHAT: &str = "/v1/chat/completions";

fn local() -> ConnectionEnds {
    ends("127.0.0.1:7777", "127.0.0.1:50000")
}

fn ends(local: &str, peer: &str) -> ConnectionEnds {
    let address = |text: &str| text.parse::<SocketAddr>().expect("an address");
    ConnectionEnds { local: Some(address(local)), peer: address(peer) }
}

/// One request, as it would come in over a socket.
struct Asked<'a> {
    method: &'a str,
    path: &'a str,
    key: &'a str,
    body: String,
    ends: Option<ConnectionEnds>,
    headers: &'a [(&'a str, &'a str)],
}

impl<'a> Asked<'a> {
    fn of(method: &'a str, path: &'a str, key: &'a str) -> Self {
        Self { method, path, key, body: String::new(), ends: Some(local()), headers: &[] }
    }

    fn chat(key: &'a str, body: &Value) -> Self {
        Self { body: body.to_string(), ..Self::of("POST", CHAT, key) }
    }

    async fn send(self, api: &Api) -> Response<Body> {
        let mut request = Request::builder().method(self.method).uri(self.path).header(header::HOST, "127.0.0.1:7777");
        if !self.key.is_empty() {
            request = request.header(header::AUTHORIZATION, format!("Bearer {}", self.key));
        }
        for (name, value) in self.headers {
            request = request.header(*name, *value);
        }
        if let Some(ends) = self.ends {
            request = request.extension(ends);
        }
        let request = request.header(header::CONTENT_TYPE, "application/json").body(Body::from(self.body));
        api.router.clone().oneshot(request.expect("a request")).await.expect("a service that always answers")
    }

    /// The status and the body.
    async fn answer(self, api: &Api) -> (u16, Value) {
        let response = self.send(api).await;
        let status = response.status();
        let retried = response.headers().get("x-should-retry").cloned();
        assert_eq!(retried.is_some_and(|value| value == "false"), !status.is_success(), "errors are not tried again");
        assert!(!response.headers().contains_key(header::ACCESS_CONTROL_ALLOW_ORIGIN), "no page may read it");
        (status.as_u16(), serde_json::from_slice(&text(response).await.into_bytes()).expect("JSON"))
    }
}

async fn text(response: Response<Body>) -> String {
    let bytes = axum::body::to_bytes(response.into_body(), 16 * 1024 * 1024).await.expect("a whole body");
    String::from_utf8(bytes.to_vec()).expect("text")
}

/// An engine whose API is on, and its key.
async fn started() -> (Api, String) {
    let api = Api::start().await;
    let (status, _) = api.call("PATCH", "/api/config", r#"{"openai_api":{"enabled":true}}"#).await;
    assert_eq!(status, StatusCode::OK);
    let (status, made) = api.call("POST", "/api/openai-api/key", "").await;
    assert_eq!((status, made["base_url"].clone()), (StatusCode::OK, "http://127.0.0.1:7777/v1".into()));
    let key = made["key"].as_str().expect("a key").to_owned();
    assert!(key.starts_with("sk-sentient-") && key.len() > 60, "a key nobody guesses");
    (api, key)
}

fn says(text: &str) -> Value {
    json!({ "model": "sentient", "messages": [{ "role": "user", "content": text }] })
}

#[tokio::test]
async fn only_an_app_on_this_computer_with_the_key_is_let_in() {
    let (api, key) = started().await;
    let outside = ends("192.168.1.5:7777", "192.168.1.9:50000");
    let mut told = String::new();
    for (name, asked) in [
        ("the key", Asked::of("GET", "/v1/models", &key)),
        ("no key", Asked::of("GET", "/v1/models", "")),
        ("a wrong key", Asked::of("GET", "/v1/models", "sk-sentient-0")),
        ("the window's token", Asked::of("GET", "/v1/models", super::TOKEN)),
        ("the key in the address", Asked { path: &format!("/v1/models?token={key}"), ..Asked::of("GET", "", "") }),
        ("from outside", Asked { ends: Some(outside), ..Asked::of("GET", "/v1/models", &key) }),
        ("from who knows where", Asked { ends: None, ..Asked::of("GET", "/v1/models", &key) }),
        ("a bad body without a key", Asked { body: "{".into(), ..Asked::of("POST", CHAT, "") }),
        (
            "a foreign page",
            Asked { headers: &[("origin", "https://evil.example")], ..Asked::of("GET", "/v1/models", &key) },
        ),
        ("an unknown address", Asked::of("POST", "/v1/embeddings", &key)),
        ("an unknown address without a key", Asked::of("POST", "/v1/embeddings", "")),
        ("another method", Asked::of("GET", CHAT, &key)),
    ] {
        let (status, body) = asked.answer(&api).await;
        told += &format!("{name}: {status} {} {}\n", body["error"]["code"], body["error"]["type"]);
    }
    expect![[r#"
        the key: 200 null null
        no key: 401 "invalid_api_key" "invalid_request_error"
        a wrong key: 401 "invalid_api_key" "invalid_request_error"
        the window's token: 401 "invalid_api_key" "invalid_request_error"
        the key in the address: 401 "invalid_api_key" "invalid_request_error"
        from outside: 403 "local_only" "invalid_request_error"
        from who knows where: 403 "local_only" "invalid_request_error"
        a bad body without a key: 401 "invalid_api_key" "invalid_request_error"
        a foreign page: 403 "local_only" "invalid_request_error"
        an unknown address: 404 "unknown_url" "invalid_request_error"
        an unknown address without a key: 401 "invalid_api_key" "invalid_request_error"
        another method: 405 "unknown_url" "invalid_request_error"
    "#]]
    .assert_eq(&told);

    let (_, again) = api.call("POST", "/api/openai-api/key", "").await;
    let second = again["key"].as_str().expect("a key");
    assert_eq!(Asked::of("GET", "/v1/models", &key).answer(&api).await.0, 401, "the old key is gone");
    assert_eq!(Asked::of("GET", "/v1/models", second).answer(&api).await.0, 200);
    api.call("PATCH", "/api/config", r#"{"openai_api":{"enabled":false}}"#).await;
    let (status, body) = Asked { ends: None, ..Asked::of("GET", "/v1/models", "") }.answer(&api).await;
    assert_eq!((status, &body["error"]["code"]), (404, &json!("api_off")), "off comes before all else");
    assert_eq!(api.call("POST", "/api/openai-api/key", "").await.0, StatusCode::OK, "a key can be made before");
    api.end().await;
}

#[tokio::test]
async fn a_reply_comes_whole_in_the_shape_of_openai() {
    let (api, key) = started().await;
    let (_, models) = Asked::of("GET", "/v1/models", &key).answer(&api).await;
    expect![[
        r#"{"data":[{"created":1795996800,"id":"sentient","object":"model","owned_by":"sentient"}],"object":"list"}"#
    ]]
    .assert_eq(&models.to_string());
    let (status, reply) = Asked::chat(&key, &says("Hello")).answer(&api).await;
    assert_eq!(status, 200, "{reply}");
    let choice = &reply["choices"][0];
    assert!(choice["message"]["content"].as_str().expect("text").starts_with("Welcome!"), "{reply}");
    assert_eq!((&choice["finish_reason"], &choice["message"]["role"]), (&json!("stop"), &json!("assistant")));
    assert!(reply["id"].as_str().expect("an id").starts_with("chatcmpl-"));
    assert_eq!((&reply["object"], &reply["model"]), (&json!("chat.completion"), &json!("sentient")));
    let usage = &reply["usage"];
    let count = |field: &str| usage[field].as_u64().expect("a number");
    assert!(0 < count("prompt_tokens") && count("total_tokens") == count("prompt_tokens") + count("completion_tokens"));

    // Its chat is an app's: named, marked from the start, and its words are not the person's.
    let chats = api.get("/api/sessions").await;
    assert_eq!(chats.as_array().expect("chats").len(), 1);
    let shown = (&chats[0]["title"], &chats[0]["channel"], &chats[0]["untrusted"]);
    assert_eq!(shown, (&json!("API"), &json!("api"), &json!("another app (API)")));
    let id = chats[0]["id"].as_str().expect("an id");
    let rows = api.get(&format!("/api/sessions/{id}/messages")).await;
    assert_eq!((&rows[0]["content"], &rows[0]["name"]), (&json!("Hello"), &json!("another app (API)")));

    // The history a client sends along is not taken; the chat goes on where it was. Another name is another chat.
    let long = json!({ "messages": [
        { "role": "system", "content": "x" }, { "role": "user", "content": "Hello" },
        { "role": "assistant", "content": "made up" }, { "role": "user", "content": [{ "type": "text", "text": "help" }] },
    ], "temperature": 0.1, "user": "API" });
    assert_eq!(Asked::chat(&key, &long).answer(&api).await.0, 200);
    let rows = api.get(&format!("/api/sessions/{id}/messages")).await;
    let said: Vec<&str> = rows.as_array().expect("rows").iter().filter_map(|row| row["content"].as_str()).collect();
    assert_eq!((said.len(), said[2]), (4, "help"), "{said:?}");
    let other = json!({ "messages": long["messages"], "user": "My editor" });
    assert_eq!(Asked::chat(&key, &other).answer(&api).await.0, 200);
    let titles: Vec<Value> =
        api.get("/api/sessions").await.as_array().expect("chats").iter().map(|chat| chat["title"].clone()).collect();
    assert_eq!(titles, ["My editor", "API"]);

    // A chat the person deleted begins anew.
    assert_eq!(api.call("DELETE", &format!("/api/sessions/{id}"), "").await.0, StatusCode::OK);
    assert_eq!(Asked::chat(&key, &says("Hello")).answer(&api).await.0, 200);
    assert_ne!(api.get("/api/sessions").await[0]["id"], json!(id));
    api.end().await;
}

#[tokio::test]
async fn what_is_no_request_is_answered_in_the_shape_of_openai() {
    let (api, key) = started().await;
    let mut told = String::new();
    let large = "x".repeat(17 * 1024 * 1024);
    let long = "x".repeat(protocol::limits::MESSAGE_CHARS_MAX + 1);
    for (name, body) in [
        ("no JSON", "{".to_owned()),
        ("no messages", json!({ "model": "sentient" }).to_string()),
        ("no user message", json!({ "messages": [{ "role": "system", "content": "hi" }] }).to_string()),
        ("an empty one", says(" ").to_string()),
        ("a name that is none", json!({ "messages": says("hi")["messages"], "user": "a\nb" }).to_string()),
        ("too long a message", says(&long).to_string()),
        ("too large", large),
        ("far too deep", "[".repeat(100_000)),
    ] {
        let (status, answer) = Asked { body, ..Asked::of("POST", CHAT, &key) }.answer(&api).await;
        let error = &answer["error"];
        let sentence: String = error["message"].as_str().expect("a sentence").chars().take(70).collect();
        told += &format!("{name}: {status} {} {} {sentence}\n", error["code"], error["param"]);
    }
    expect![[r#"
        no JSON: 400 "invalid_request" null The body is not JSON: EOF while parsing an object at line 1 column 1.
        no messages: 400 "invalid_request" "messages" `messages` has to be a list.
        no user message: 400 "no_user_message" "messages" There is no message of the user to answer: the last one with that role
        an empty one: 400 "no_user_message" "messages" There is no message of the user to answer: the last one with that role
        a name that is none: 400 "invalid_request" "user" `user` names a chat: one line of at most 120 characters.
        too long a message: 400 "invalid_request" "messages" A message may have 200000 characters.
        too large: 413 "invalid_request" null The body is too large. Send at most 16 MB.
        far too deep: 400 "invalid_request" null The body is not JSON: recursion limit exceeded at line 1 column 128.
    "#]]
    .assert_eq(&told);
    assert_eq!(api.get("/api/sessions").await, json!([]), "none of them has made a chat");
    api.end().await;
}

/// The data of the stream so far, as far as it has come.
async fn events(body: &mut axum::body::BodyDataStream, until: &str) -> String {
    let mut seen = String::new();
    while !seen.contains(until) {
        let bytes = body.next().await.expect("more comes").expect("bytes");
        seen.push_str(std::str::from_utf8(&bytes).expect("text"));
    }
    seen
}

#[tokio::test]
async fn a_stream_goes_on_without_its_client_and_a_second_request_meanwhile_is_turned_away() {
    let (api, key) = started().await;
    let streamed = json!({ "messages": says("count 200")["messages"], "stream": true });
    let response = Asked::chat(&key, &streamed).send(&api).await;
    assert_eq!(response.headers()[header::CONTENT_TYPE], "text/event-stream; charset=utf-8");
    let mut body = response.into_body().into_data_stream();
    let seen = events(&mut body, "\"content\":").await;
    assert!(seen.starts_with("data: {") && seen.contains(r#""delta":{"role":"assistant"}"#), "{seen}");

    let (status, busy) = Asked::chat(&key, &says("Hello")).answer(&api).await;
    assert_eq!((status, &busy["error"]["code"]), (409, &json!("chat_busy")));
    let named = json!({ "messages": says("Hello")["messages"], "user": "another" });
    assert_eq!(Asked::chat(&key, &named).answer(&api).await.0, 200, "another chat is free");

    drop(body);
    let mut hear = api.engine().live.subscribe(Some(0));
    let id = session_called(&api, "API").await;
    until_free(&api, &mut hear, &id).await;
    let rows = api.get(&format!("/api/sessions/{id}/messages")).await;
    let reply = rows[1]["content"].as_str().expect("a reply");
    assert!(reply.contains("200") && !reply.contains("(stopped)"), "it was written to its end: {reply}");
    api.end().await;
}

async fn session_called(api: &Api, title: &str) -> String {
    let chats = api.get("/api/sessions").await;
    let found = chats.as_array().expect("chats").iter().find(|chat| chat["title"] == title).expect("the chat");
    found["id"].as_str().expect("an id").to_owned()
}

/// Waits until the chat has its reply.
async fn until_free(api: &Api, hear: &mut actors::live::Subscription, session: &str) {
    loop {
        let rows = api.get(&format!("/api/sessions/{session}/messages")).await;
        if rows.as_array().is_some_and(|rows| rows.len() == 2) {
            return;
        }
        hear.next().await;
    }
}

#[tokio::test]
async fn a_question_is_answered_in_the_window_while_the_app_waits() {
    let (api, key) = started().await;
    for (decision, starts) in
        [("deny", "Not done: \"file_write\" needed your OK in Sentient and didn't get it.\n\n"), ("allow", "")]
    {
        let ask = says("write a file");
        let request = Asked::chat(&key, &ask).answer(&api);
        let answer = async {
            let note = open_note(&api).await;
            let id = note["payload"]["approval_id"].as_str().expect("an id");
            let body = json!({ "approval_id": id, "decision": decision }).to_string();
            assert_eq!(api.call("POST", "/api/approvals", &body).await.0, StatusCode::OK);
            note
        };
        let ((status, reply), note) = futures::future::join(request, answer).await;
        assert_eq!(status, 200, "{reply}");
        let content = reply["choices"][0]["message"]["content"].as_str().expect("text");
        assert!(content.starts_with(starts), "{content}");
        assert_eq!(content.contains("Not done"), !starts.is_empty());
        assert_eq!((&note["kind"], &note["read"]), (&json!("approval"), &json!(false)));
        assert_eq!(note["message"], "Another app asked Sentient to use \"file_write\". Allow it?");
        let payload = &note["payload"];
        for (field, want) in [("name", "file_write"), ("channel", "api"), ("source", "api"), ("risk", "write")] {
            assert_eq!(payload[field], want, "{field}");
        }
        assert_eq!((&payload["untrusted"], &payload["status"]), (&json!("another app (API)"), &json!("pending")));
        assert!(payload["arguments"]["content"].is_string() && payload["session_id"].is_string(), "{payload}");
        let settled = &api.get("/api/notifications").await["notifications"][0];
        assert_eq!((&settled["payload"]["status"], &settled["read"]), (&json!(decision), &json!(true)));
    }
    api.end().await;
}

/// Waits for a question in the notification centre.
async fn open_note(api: &Api) -> Value {
    let mut hear = api.engine().live.subscribe(Some(0));
    loop {
        let list = api.get("/api/notifications?unread_only=true").await;
        if let Some(note) = list["notifications"].get(0) {
            return note.clone();
        }
        hear.next().await;
    }
}

#[tokio::test]
async fn a_turn_that_is_stopped_says_so_and_its_question_expires() {
    let (api, key) = started().await;
    let streamed = json!({ "messages": says("write a file")["messages"], "stream": true });
    let mut body = Asked::chat(&key, &streamed).send(&api).await.into_body().into_data_stream();
    open_note(&api).await;
    let (status, stopped) = api.call("POST", "/api/stop-all", "").await;
    assert_eq!((status, &stopped["cancelled"]), (StatusCode::OK, &json!(1)));
    let seen = events(&mut body, "[DONE]").await;
    assert!(seen.contains(r#""code":"stopped","message":"Stopped.""#), "{seen}");
    assert!(!seen.contains("finish_reason\":\"stop\""), "it did not end well");
    let settled = &api.get("/api/notifications").await["notifications"][0];
    assert_eq!((&settled["payload"]["status"], &settled["read"]), (&json!("expired"), &json!(true)));
    let again = Asked::chat(&key, &says("table")).answer(&api).await;
    assert_eq!(again.0, 200, "a new request is the app's explicit wish: {}", again.1);
    api.end().await;
}
