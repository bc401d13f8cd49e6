//! What is allowed for now and which rules are proposed, over HTTP.

use super::{Api, refusals};
use expect_test::expect;
use serde_json::json;

#[tokio::test]
async fn nothing_is_allowed_or_proposed_at_first_and_unknown_names_say_so() {
    let api = Api::start().await;
    assert_eq!(api.get("/api/approvals/grants").await, json!({ "grants": [] }));
    let told = refusals(
        &api,
        &[
            ("DELETE", "/api/approvals/grants/gone", ""),
            ("POST", "/api/rule-proposals/gone", r#"{"decision":"accept"}"#),
            ("POST", "/api/rule-proposals/gone", r#"{"decision":"perhaps"}"#),
            ("GET", "/api/sessions/gone/rule-proposals?status=odd", ""),
        ],
    )
    .await;
    let lines: Vec<&str> = told.lines().collect();
    assert!(lines[2].starts_with("POST /api/rule-proposals/gone 422"), "{told}");
    expect![[r#"
        DELETE /api/approvals/grants/gone 404 "This is not allowed for now any more."
        POST /api/rule-proposals/gone 404 "There is no such proposal."
        GET /api/sessions/gone/rule-proposals?status=odd 422 "status is pending, accepted, declined or all."
    "#]]
    .assert_eq(&format!("{}\n{}\n{}\n", lines[0], lines[1], lines[3]));
    let (_, text) = api.call("POST", "/api/chat", r#"{"text":"Hello"}"#).await;
    let first = text.as_str().expect("lines").lines().next().expect("a line").to_owned();
    let session: serde_json::Value = serde_json::from_str(&first).expect("JSON");
    let session = session["session_id"].as_str().expect("an id").to_owned();
    assert_eq!(api.get(&format!("/api/sessions/{session}/rule-proposals?status=all")).await, json!([]));
    api.end().await;
}
