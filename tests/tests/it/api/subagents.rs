//! Helpers over the API: what is not there, and the shape of what is.

use super::{Api, refusals};
use expect_test::expect;
use protocol::Timestamp;
use protocol::subagents::{ProgressMessage, ProgressType, ProgressUpdate, SubagentKind, SubagentStatus};
use serde_json::json;
use storage::Batch;
use storage::records::{SubagentRecord, SubagentStepRecord};

/// Stores two helpers of a chat that have ended, one with a log.
async fn two_that_have_ended(api: &Api, session: &str) {
    let mut batch = Batch::new();
    for (id, status) in [("h1", SubagentStatus::Completed), ("h2", SubagentStatus::Error)] {
        batch.put(&SubagentRecord {
            id: id.into(),
            session_id: session.into(),
            parent_call_id: "c1".into(),
            goal: "Find trains".into(),
            kind: SubagentKind::Worker,
            status,
            background: false,
            summary: Some("Two trains.".into()),
            error: None,
            tool_calls: 1,
            started_at: Timestamp(0),
            finished_at: Some(Timestamp(1_000)),
            files: Vec::new(),
            next_step: 1,
            untold: false,
        });
    }
    let message = ProgressMessage::new(ProgressType::FinalAnswer, "Two trains.");
    let update = serde_json::to_string(&ProgressUpdate { timestamp: Timestamp(1_000), message }).expect("JSON");
    batch.put(&SubagentStepRecord { subagent_id: "h1".into(), number: 0, update });
    api.running.engine.store.commit(batch).await.expect("stored");
}

#[tokio::test]
async fn helpers_are_listed_with_what_they_did() {
    let api = Api::start().await;
    let (_, created) = api.call("POST", "/api/sessions", "").await;
    let session = created["session_id"].as_str().expect("a chat").to_owned();
    assert_eq!(api.get(&format!("/api/sessions/{session}/subagents")).await, json!([]));

    two_that_have_ended(&api, &session).await;
    let listed = api.get(&format!("/api/sessions/{session}/subagents")).await;
    let ids: Vec<&str> =
        listed.as_array().expect("rows").iter().filter_map(|row| row["subagent_id"].as_str()).collect();
    assert_eq!(ids, ["h2", "h1"], "newest first");
    let mut one = api.get("/api/subagents/h1").await;
    one["session_id"] = "a chat".into();
    expect![[r#"
        {
          "background": false,
          "error": null,
          "events": [
            {
              "message": {
                "content": "Two trains.",
                "type": "final_answer"
              },
              "timestamp": "1970-01-01T00:00:01.000+00:00"
            }
          ],
          "finished_at": "1970-01-01T00:00:01.000+00:00",
          "goal": "Find trains",
          "kind": "worker",
          "parent_call_id": "c1",
          "session_id": "a chat",
          "started_at": "1970-01-01T00:00:00.000+00:00",
          "status": "completed",
          "subagent_id": "h1",
          "summary": "Two trains.",
          "tool_calls": 1
        }"#]]
    .assert_eq(&serde_json::to_string_pretty(&one).expect("JSON"));
    let (_, cancelled) = api.call("POST", "/api/subagents/h1/cancel", "").await;
    assert_eq!(cancelled["status"], "completed", "what has ended stays as it is");

    assert_eq!(api.call("DELETE", &format!("/api/sessions/{session}"), "").await.0, http::StatusCode::OK);
    let told = refusals(
        &api,
        &[
            ("GET", "/api/sessions/nobody/subagents", ""),
            ("GET", "/api/subagents/h1", ""),
            ("POST", "/api/subagents/h2/cancel", ""),
        ],
    )
    .await;
    expect![[r#"
        GET /api/sessions/nobody/subagents 404 "This chat does not exist any more."
        GET /api/subagents/h1 404 "There is no such helper."
        POST /api/subagents/h2/cancel 404 "There is no such helper."
    "#]]
    .assert_eq(&told);
    api.end().await;
}
