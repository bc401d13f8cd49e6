//! What `sentient mcp` asks of the engine: the proof, the status, the closed list of addresses, and what an MCP app's
//! writes become. Real MCP clients talk to the program in `tests/peers`.

use super::Api;
use axum::body::Body;
use expect_test::expect;
use http::{Request, StatusCode, header};
use rules::callers::proof;
use sentient::gateway::ConnectionEnds;
use serde_json::{Value, json};

const ON: &str = r#"{"integrations":{"mcp_server_enabled":true}}"#;
const OFF: &str = r#"{"integrations":{"mcp_server_enabled":false}}"#;

/// The token, read where `sentient mcp` reads it.
async fn token(api: &Api) -> String {
    api.engine().mcp_token().await.expect("read").expect("issued").expose().to_owned()
}

async fn ask(api: &Api, token: &str, line: (&str, &str, &str)) -> (StatusCode, Value) {
    let (method, path, body) = line;
    let mut request = Request::builder().method(method).uri(path).header(header::HOST, "127.0.0.1:7777");
    if !token.is_empty() {
        request = request.header(header::AUTHORIZATION, format!("Bearer {token}"));
    }
    let at = "127.0.0.1:7777".parse().expect("an address");
    request = request.extension(ConnectionEnds { local: Some(at), peer: "127.0.0.1:50000".parse().expect("one") });
    let request = request.header(header::CONTENT_TYPE, "application/json").body(Body::from(body.to_owned()));
    let (status, bytes) = api.send(request.expect("a request")).await;
    let text = String::from_utf8(bytes).expect("text");
    (status, serde_json::from_str(&text).unwrap_or(Value::String(text)))
}

#[tokio::test]
async fn the_token_is_issued_with_the_switch_and_never_shown() {
    let api = Api::start().await;
    let nonce = "0123456789abcdef";
    let proof_of = format!("/api/mcp/proof?nonce={nonce}");
    assert_eq!(ask(&api, "", ("GET", &proof_of, "")).await.0, StatusCode::NOT_FOUND, "no token yet");
    let status = api.get("/api/mcp/status").await;
    assert_eq!(status, json!({ "enabled": false, "memories_skip_review": false, "token_issued": false }));
    assert_eq!(api.call("PATCH", "/api/config", ON).await.0, StatusCode::OK);
    assert_eq!(
        api.get("/api/mcp/status").await,
        json!({ "enabled": true, "memories_skip_review": false, "token_issued": true })
    );

    let first = token(&api).await;
    let at = "127.0.0.1:7777".parse().expect("an address");
    let (status, answer) = ask(&api, "", ("GET", &proof_of, "")).await;
    assert_eq!((status, &answer["proof"]), (StatusCode::OK, &json!(proof::proof(&first, nonce, at))));
    assert_eq!(ask(&api, "", ("GET", "/api/mcp/proof?nonce=short", "")).await.0, StatusCode::BAD_REQUEST);
    assert_eq!(ask(&api, "", ("GET", "/api/mcp/proof", "")).await.0, StatusCode::BAD_REQUEST);
    let unknown_end = api.call("GET", &proof_of, "").await.0;
    assert_eq!(unknown_end, StatusCode::SERVICE_UNAVAILABLE, "where it arrived is not taken from a header");

    api.call("PATCH", "/api/config", OFF).await;
    api.call("PATCH", "/api/config", ON).await;
    assert_eq!(token(&api).await, first, "it stays when the switch is turned off and on");
    assert_eq!(api.call("POST", "/api/mcp/token/rotate", "").await, (StatusCode::OK, json!({ "rotated": true })));
    assert_ne!(token(&api).await, first);
    assert_eq!(ask(&api, &first, ("GET", "/api/mcp/status", "")).await.0, StatusCode::UNAUTHORIZED, "at once");
    let config = api.get("/api/config").await.to_string() + &api.get("/api/secrets").await.to_string();
    assert!(!config.contains("mcp-sentient-"), "in no answer");
    api.end().await;
}

#[tokio::test]
async fn the_token_opens_a_closed_list_and_nothing_while_the_switch_is_off() {
    let api = Api::start().await;
    api.call("PATCH", "/api/config", ON).await;
    let token = token(&api).await;
    let lines = [
        ("GET", "/api/mcp/status", ""),
        ("POST", "/api/notifications", r#"{"message":"hi"}"#),
        ("POST", "/api/chat", r#"{"text":" "}"#),
        ("GET", "/api/config", ""),
        ("PATCH", "/api/config", OFF),
        ("POST", "/api/approvals", r#"{"approval_id":"a","decision":"allow"}"#),
        ("GET", "/api/notifications", ""),
        ("GET", "/api/sessions", ""),
        ("POST", "/api/mcp/token/rotate", ""),
        ("POST", "/api/openai-api/key", ""),
        ("GET", "/api/unknown", ""),
        ("GET", "/v1/models", ""),
    ];
    let mut told = String::new();
    for line in lines {
        told += &format!("{} {} {}\n", line.0, line.1, ask(&api, &token, line).await.0.as_u16());
    }
    expect![[r#"
        GET /api/mcp/status 200
        POST /api/notifications 200
        POST /api/chat 400
        GET /api/config 403
        PATCH /api/config 403
        POST /api/approvals 403
        GET /api/notifications 403
        GET /api/sessions 403
        POST /api/mcp/token/rotate 403
        POST /api/openai-api/key 403
        GET /api/unknown 403
        GET /v1/models 404
    "#]]
    .assert_eq(&told);
    api.call("PATCH", "/api/config", OFF).await;
    let mut told = String::new();
    for line in &lines[..4] {
        told += &format!("{} {} {}\n", line.0, line.1, ask(&api, &token, *line).await.0.as_u16());
    }
    expect![[r#"
        GET /api/mcp/status 200
        POST /api/notifications 403
        POST /api/chat 403
        GET /api/config 403
    "#]]
    .assert_eq(&told);
    api.end().await;
}

#[tokio::test]
async fn what_an_mcp_app_writes_says_whose_it_is() {
    let api = Api::start().await;
    api.call("PATCH", "/api/config", ON).await;
    let token = token(&api).await;
    let note = r#"{"message":"Done","title":"Approve","kind":"approval","source":"window","app":"Claude\nCode"}"#;
    let (_, note) = ask(&api, &token, ("POST", "/api/notifications", note)).await;
    assert_eq!((&note["title"], &note["kind"]), (&json!("From MCP app (ClaudeCode): Approve"), &json!("info")));
    assert_eq!(note["payload"], json!({ "source": "mcp", "app": "ClaudeCode" }));
    let (_, nameless) = ask(&api, &token, ("POST", "/api/notifications", r#"{"message":"Done"}"#)).await;
    assert_eq!(nameless["title"], "From An MCP app: Note");

    // Model, files and incognito are not the app's to choose.
    let body = r#"{"text":"Hello","app":"Cursor","model":"openai/gpt-5","incognito":true,"attachments":["x.txt"],"channel":"desktop"}"#;
    let (status, lines) = ask(&api, &token, ("POST", "/api/chat", body)).await;
    assert_eq!(status, StatusCode::OK, "{lines}");
    let chat = &api.get("/api/sessions").await[0];
    let shown = (&chat["channel"], &chat["untrusted"], &chat["incognito"], &chat["model"]);
    assert_eq!(shown, (&json!("mcp"), &json!("an app called Cursor"), &json!(false), &Value::Null));
    let id = chat["id"].as_str().expect("an id").to_owned();
    let rows = api.get(&format!("/api/sessions/{id}/messages")).await;
    assert_eq!((&rows[0]["name"], &rows[0]["attachments"]), (&json!("an app called Cursor"), &json!([])));

    // Its own chat can be continued, the person's cannot.
    let more = json!({ "text": "help", "session_id": id }).to_string();
    assert_eq!(ask(&api, &token, ("POST", "/api/chat", &more)).await.0, StatusCode::OK);
    api.call("POST", "/api/chat", r#"{"text":"Hello"}"#).await;
    let chats = api.get("/api/sessions").await;
    let own = chats.as_array().expect("chats").iter().find(|chat| chat["channel"] == "desktop").expect("the person's");
    let theirs = json!({ "text": "help", "session_id": own["id"] }).to_string();
    let (status, refused) = ask(&api, &token, ("POST", "/api/chat", &theirs)).await;
    assert_eq!((status, refused["detail"].is_string()), (StatusCode::FORBIDDEN, true));
    let gone = r#"{"text":"help","session_id":"gone"}"#;
    assert_eq!(ask(&api, &token, ("POST", "/api/chat", gone)).await.0, StatusCode::NOT_FOUND);
    api.end().await;
}
