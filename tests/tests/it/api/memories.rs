//! Memories over HTTP: exact shapes, and what is refused (contract section 7).

use super::{Api, refusals};
use expect_test::expect;
use http::StatusCode;
use serde_json::{Value, json};

const MAYA: &str = r#"{"assistant":{"user_name":"Maya"}}"#;

async fn start() -> Api {
    let api = Api::start().await;
    assert_eq!(api.call("PATCH", "/api/config", MAYA).await.0, StatusCode::OK);
    api
}

async fn add(api: &Api, body: Value) -> Value {
    let (status, saved) = api.call("POST", "/api/memories", &body.to_string()).await;
    assert_eq!(status, StatusCode::OK, "{saved}");
    saved
}

/// Moments are not the same every time.
fn without_times(mut value: Value) -> Value {
    match &mut value {
        Value::Object(fields) => {
            for (name, field) in fields.iter_mut() {
                let is_time = name.ends_with("_at") || name == "at";
                *field = if is_time && field.is_string() { json!("(a moment)") } else { without_times(field.take()) };
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| *item = without_times(item.take())),
        _ => (),
    }
    value
}

#[tokio::test]
async fn a_memory_has_the_shape_of_the_contract() {
    let api = start().await;
    let saved = add(&api, json!({ "content": "Maya lives in Pune" })).await;
    assert_eq!(saved, json!({ "action": "ADD", "id": 1, "content": "Maya lives in Pune", "scope": "personal" }));
    let moved = add(&api, json!({ "content": "Maya moved to Bengaluru" })).await;
    let want = json!({ "action": "UPDATE", "id": 1, "content": "Maya moved to Bengaluru", "scope": "personal",
        "previous": "Maya lives in Pune" });
    assert_eq!(moved, want);
    expect![[r#"
        {
          "confidence": 1.0,
          "content": "Maya moved to Bengaluru",
          "created_at": "(a moment)",
          "expires_at": null,
          "id": 1,
          "memory_type": "long-term",
          "previous_content": "Maya lives in Pune",
          "ref": null,
          "review": null,
          "scope": "personal",
          "source": "manual",
          "sources": [
            {
              "at": "(a moment)",
              "own": true,
              "ref": null,
              "source": "manual"
            }
          ],
          "state": "current",
          "status": "active",
          "superseded_by": null,
          "topics": [
            "Personal Identity"
          ],
          "updated_at": "(a moment)"
        }"#]]
    .assert_eq(&format!("{:#}", without_times(api.get("/api/memories/1").await)));
    let found = api.get("/api/memories?q=Bengaluru").await;
    assert!(found[0]["similarity"].is_number() && found[0]["score"].is_number(), "{found}");
    assert_eq!(api.get("/api/bootstrap").await["memory_enabled"], true);
    api.end().await;
}

#[tokio::test]
async fn what_waits_has_the_shape_of_the_contract() {
    let api = start().await;
    let held =
        add(&api, json!({ "content": "Maya flies on 5 May", "hold_for_review": true, "review_from": "Gmail" })).await;
    assert_eq!(held["status"], "pending");
    expect![[r#"
        {
          "count": 1,
          "expire_days": 30,
          "items": [
            {
              "created_at": "(a moment)",
              "dated": null,
              "expires_at": "(a moment)",
              "export": null,
              "from": "Gmail",
              "id": 1,
              "kind": "fact",
              "reason": null,
              "scope": "personal",
              "session_id": null,
              "snippet": null,
              "source": "manual",
              "text": "Maya flies on 5 May",
              "title": null
            }
          ],
          "merged": []
        }"#]]
    .assert_eq(&format!("{:#}", without_times(api.get("/api/memories/review").await)));
    let approve = "/api/memories/review/fact/1/approve";
    assert_eq!(
        api.call("POST", approve, r#"{"content":"Maya flies on 6 May"}"#).await,
        (StatusCode::OK, json!({ "ok": true }))
    );
    assert_eq!(api.get("/api/memories").await[0]["content"], "Maya flies on 6 May");
    api.end().await;
}

#[tokio::test]
async fn forgetting_answers_what_went() {
    let api = start().await;
    for (content, scope) in [("Maya likes tea", "personal"), ("Maya leads Kestrel", "work"), ("Maya is Em", "always")] {
        add(&api, json!({ "content": content, "scope": scope })).await;
    }
    let preview = api.get("/api/memories/forget-preview?source=app:gmail").await;
    let want = json!({ "source": "app:gmail", "memories": 0, "shared": 0, "chats": 0, "messages": 0, "summaries": 0,
        "results": 0, "items": 0, "insights": 0, "item_noun": "emails" });
    assert_eq!(preview, want);
    assert_eq!(api.call("DELETE", "/api/memories/1", "").await, (StatusCode::OK, json!({ "deleted": true })));
    assert_eq!(api.call("DELETE", "/api/memories/scope/work", "").await, (StatusCode::OK, json!({ "deleted": 1 })));
    let source = api.call("DELETE", "/api/memories/source/manual", "").await;
    assert_eq!(source, (StatusCode::OK, json!({ "deleted": 1, "unlinked": 0 })));
    assert_eq!(api.get("/api/memories?state=all").await, json!([]));
    api.end().await;
}

#[tokio::test]
async fn what_makes_no_sense_is_refused_with_a_sentence() {
    let api = start().await;
    add(&api, json!({ "content": "Maya likes tea" })).await;
    let told = refusals(
        &api,
        &[
            ("POST", "/api/memories", r#"{"content":" "}"#),
            ("PUT", "/api/memories/1", r#"{"content":""}"#),
            ("PUT", "/api/memories/9", r#"{"content":"x"}"#),
            ("PATCH", "/api/memories/1", r"{}"),
            ("PATCH", "/api/memories/1", r#"{"scope":" "}"#),
            ("PATCH", "/api/memories/1", r#"{"state":"superseded"}"#),
            ("GET", "/api/memories/9", ""),
            ("DELETE", "/api/memories/9", ""),
            ("GET", "/api/memories/forget-preview?source=manual", ""),
            ("POST", "/api/memories/export", r#"{"format":"pdf"}"#),
            ("POST", "/api/memories/review/thing/1/approve", r"{}"),
            ("POST", "/api/memories/review/fact/1/approve", ""),
            ("DELETE", "/api/memories/review/insight/1", ""),
            ("POST", "/api/memories/review/approve-all", r"{}"),
            ("POST", "/api/memories/review/merged/1/undo", ""),
        ],
    )
    .await;
    expect![[r#"
        POST /api/memories 400 "A memory needs words."
        PUT /api/memories/1 400 "A memory has between 1 and 2000 characters."
        PUT /api/memories/9 404 "This memory is not there any more."
        PATCH /api/memories/1 400 "Say which scope the memory moves to, or whether it is right."
        PATCH /api/memories/1 400 "Give the scope a name: personal, work, always or a project's own name."
        PATCH /api/memories/1 400 "A memory can be `disputed` or `current`."
        GET /api/memories/9 404 "This memory is not there any more."
        DELETE /api/memories/9 404 "This memory is not there any more."
        GET /api/memories/forget-preview?source=manual 400 "This source can't be disconnected."
        POST /api/memories/export 400 "An export is `markdown` or `sqlite`."
        POST /api/memories/review/thing/1/approve 400 "What waits for review is a `fact` or an `insight`."
        POST /api/memories/review/fact/1/approve 404 "This is not waiting for review any more."
        DELETE /api/memories/review/insight/1 404 "This is not waiting for review any more."
        POST /api/memories/review/approve-all 400 "Say whose memories to approve."
        POST /api/memories/review/merged/1/undo 404 "This memory is not folded into another one any more."
    "#]]
    .assert_eq(&told);
    api.end().await;
}

#[tokio::test]
async fn what_was_said_at_the_first_start_is_remembered() {
    let api = Api::start().await;
    let answers = r#"{"user_name":"Maya","assistant_name":"Iris","timezone":"auto","location":"Pune, India","professional_context":"","personal_context":"","persona":"friendly","daily_brief":false}"#;
    let (status, answer) = api.call("POST", "/api/onboarding", answers).await;
    assert_eq!(status, StatusCode::OK, "{answer}");
    let found = async {
        loop {
            let listed = api.get("/api/memories?source=onboarding").await;
            if listed.as_array().is_some_and(|rows| rows.len() == 2) {
                return listed;
            }
            tokio::task::yield_now().await;
        }
    };
    let listed = tokio::time::timeout(tokio::time::Duration::from_secs(30), found).await.expect("in the background");
    assert_eq!((&listed[0]["content"], &listed[0]["scope"]), (&json!("Maya lives in Pune, India"), &json!("personal")));
    assert_eq!((&listed[1]["content"], &listed[1]["scope"]), (&json!("The user's name is Maya"), &json!("always")));
    api.end().await;
}
