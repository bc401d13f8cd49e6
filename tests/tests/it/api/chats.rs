//! Chats over HTTP: a streamed reply, and what is kept of it.

use super::{Api, refusals};
use expect_test::expect;
use http::StatusCode;
use serde_json::Value;

#[tokio::test]
async fn a_reply_streams_line_by_line_and_is_kept() {
    let api = Api::start().await;
    let (status, text) = api.call("POST", "/api/chat", r#"{"text":"Hello"}"#).await;
    assert_eq!(status, StatusCode::OK);
    let lines: Vec<Value> = text
        .as_str()
        .expect("lines are no single JSON value")
        .lines()
        .map(|line| serde_json::from_str(line).expect("one JSON object per line"))
        .collect();
    assert_eq!(lines.first().expect("lines")["type"], "session");
    let done = lines.iter().filter(|line| line["type"] == "done").count();
    assert_eq!((done, &lines.last().expect("lines")["type"]), (1, &Value::from("done")));
    let streamed: String =
        lines.iter().filter(|line| line["type"] == "text_delta").filter_map(|line| line["text"].as_str()).collect();
    assert_eq!(lines.last().expect("lines")["content"].as_str().expect("content").trim(), streamed.trim());

    let session = lines[0]["session_id"].as_str().expect("an id").to_owned();
    let kept = api.get(&format!("/api/sessions/{session}/messages")).await;
    assert_eq!((kept[0]["role"].clone(), kept[0]["content"].clone()), ("user".into(), "Hello".into()));
    assert_eq!(api.get("/api/sessions").await[0]["id"], session.as_str());

    let address = format!("/api/sessions/{session}");
    let (status, patched) = api.call("PATCH", &address, r#"{"title":" Trip "}"#).await;
    assert_eq!((status, patched["title"].clone()), (StatusCode::OK, "Trip".into()));
    assert_eq!(api.call("DELETE", &address, "").await.0, StatusCode::OK);
    assert_eq!(api.call("GET", &format!("{address}/messages"), "").await.0, StatusCode::NOT_FOUND);
    api.end().await;
}

#[tokio::test]
async fn chats_that_cannot_be_say_why() {
    let api = Api::start().await;
    let told = refusals(
        &api,
        &[
            ("POST", "/api/chat", r#"{"text":" "}"#),
            ("POST", "/api/chat", r#"{"text":"hi","session_id":"gone"}"#),
            ("POST", "/api/chat", r#"{"text":"hi","model":"gpt"}"#),
            ("POST", "/api/sessions?model=gpt", ""),
            ("POST", "/api/sessions?memory_scope=always", ""),
            ("GET", "/api/sessions/gone/messages", ""),
            ("PATCH", "/api/sessions/gone", r#"{"title":"x"}"#),
            ("POST", "/api/sessions/gone/trust", ""),
            ("POST", "/api/approvals", r#"{"approval_id":"gone","decision":"allow"}"#),
            ("POST", "/api/approvals", r#"{"approval_id":"gone","decision":"perhaps"}"#),
        ],
    )
    .await;
    expect![[r#"
        POST /api/chat 400 "The message is empty."
        POST /api/chat 404 "This chat does not exist any more."
        POST /api/chat 422 "\"gpt\" is not a model. Write it as provider/model, for example ollama_chat/qwen3:8b."
        POST /api/sessions?model=gpt 422 "\"gpt\" is not a model. Write it as provider/model."
        POST /api/sessions?memory_scope=always 422 "\"always\" is part of every chat; pick personal, work or a project."
        GET /api/sessions/gone/messages 404 "This chat does not exist any more."
        PATCH /api/sessions/gone 404 "This chat does not exist any more."
        POST /api/sessions/gone/trust 404 "This chat does not exist any more."
        POST /api/approvals 404 "Nothing is waiting for this answer any more."
        POST /api/approvals 404 "That is not an answer this request offers."
    "#]]
    .assert_eq(&told);
    api.end().await;
}

#[tokio::test]
async fn a_chat_is_trusted_up_to_what_was_seen() {
    let api = Api::start().await;
    let (_, created) = api.call("POST", "/api/sessions", "").await;
    let address = format!("/api/sessions/{}/trust", created["session_id"].as_str().expect("an id"));
    let want = serde_json::json!({ "ok": true, "was": "", "trusted": true, "untrusted": "", "writer": "" });
    for body in ["", "{}", r#"{"upto":null}"#] {
        assert_eq!(api.call("POST", &address, body).await, (StatusCode::OK, want.clone()), "{body}");
    }
    let (status, told) = api.call("POST", &address, r#"{"upto":"nowhere"}"#).await;
    assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY);
    assert_eq!(told["detail"], "That message is not in this chat, so it is not known what you have seen.");
    api.end().await;
}
