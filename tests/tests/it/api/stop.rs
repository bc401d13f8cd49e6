//! Stop everything, undo and restore over HTTP.

use super::{Api, refusals};
use expect_test::expect;
use http::StatusCode;
use serde_json::json;

#[tokio::test]
async fn stop_and_resume_are_pressed_and_shown() {
    let api = Api::start().await;
    let off = json!({ "stopped": false, "stopped_at": null, "source": null });
    assert_eq!(api.get("/api/stop").await, off);
    let (status, stopped) = api.call("POST", "/api/stop-all", r#"{"source":"Tray"}"#).await;
    assert_eq!((status, &stopped["stopped"], &stopped["source"]), (StatusCode::OK, &json!(true), &json!("tray")));
    assert_eq!(stopped["cancelled"], 0);
    let state = api.get("/api/stop").await;
    assert_eq!((&state["stopped_at"], &state["source"]), (&stopped["stopped_at"], &stopped["source"]));
    assert_eq!(api.get("/api/bootstrap").await["stop"], state);
    // Without a body, and with one that says nothing: a Stop must not fail over its own description.
    for body in ["", "[]", "nonsense"] {
        let (status, again) = api.call("POST", "/api/stop-all", body).await;
        assert_eq!((status, &again["source"]), (StatusCode::OK, &json!("tray")), "{body}");
    }
    for body in ["{", r#"{"source":5}"#, "nonsense"] {
        let (status, told) = api.call("POST", "/api/resume", body).await;
        assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{body}: {told}");
        assert_eq!(api.call("GET", "/api/stop", "").await.1["stopped"], true, "{body} lets nothing begin");
    }
    let (status, resumed) = api.call("POST", "/api/resume", "").await;
    let want = json!({ "stopped": false, "stopped_at": null, "source": "desktop" });
    assert_eq!((status, resumed), (StatusCode::OK, want));
    api.end().await;
}

#[tokio::test]
async fn what_cannot_be_taken_back_says_so() {
    let api = Api::start().await;
    let told = refusals(
        &api,
        &[
            ("POST", "/api/undo", r#"{"undo_id":"gone","action":"undo"}"#),
            ("POST", "/api/undo", r#"{"undo_id":"gone","action":"send_now"}"#),
            ("POST", "/api/timeline/restore", r#"{"id":"call:gone"}"#),
            ("POST", "/api/timeline/restore", r#"{"id":"snap:gone"}"#),
            ("POST", "/api/timeline/restore", r#"{"id":"run:1"}"#),
        ],
    )
    .await;
    expect![[r#"
        POST /api/undo 404 "Nothing is waiting to be sent any more."
        POST /api/undo 404 "Nothing is waiting to be sent any more."
        POST /api/timeline/restore 409 "There is nothing to restore here."
        POST /api/timeline/restore 409 "There is nothing to put back here."
        POST /api/timeline/restore 409 "There is nothing to restore here."
    "#]]
    .assert_eq(&told);
    api.end().await;
}
