//! The notification centre over HTTP.

use super::{Api, refusals};
use expect_test::expect;
use http::StatusCode;

#[tokio::test]
async fn a_note_is_added_read_and_deleted() {
    let api = Api::start().await;
    let (status, note) = api.call("POST", "/api/notifications", r#"{"message":"Tea","kind":"approval"}"#).await;
    assert_eq!((status, note["kind"].clone(), note["read"].clone()), (StatusCode::OK, "info".into(), false.into()));
    let list = api.get("/api/notifications").await;
    assert_eq!((list["unread"].clone(), list["notifications"][0].clone()), (1.into(), note.clone()));
    assert_eq!(api.get("/api/bootstrap").await["unread_notifications"], 1);
    let id = note["id"].as_str().expect("an id");
    assert_eq!(api.call("POST", &format!("/api/notifications/{id}/read"), "").await.0, StatusCode::OK);
    let unread = api.get("/api/notifications?unread_only=true").await;
    assert_eq!(unread, serde_json::json!({ "notifications": [], "unread": 0 }));
    assert_eq!(api.call("POST", "/api/notifications/read-all", "").await.0, StatusCode::OK);
    assert_eq!(api.call("DELETE", &format!("/api/notifications/{id}"), "").await.0, StatusCode::OK);
    assert_eq!(api.call("DELETE", "/api/notifications", "").await.0, StatusCode::OK);
    api.end().await;
}

#[tokio::test]
async fn what_is_not_there_says_so() {
    let api = Api::start().await;
    let told = refusals(
        &api,
        &[
            ("POST", "/api/notifications", r#"{"message":" "}"#),
            ("POST", "/api/notifications/gone/read", ""),
            ("DELETE", "/api/notifications/gone", ""),
        ],
    )
    .await;
    expect![[r#"
        POST /api/notifications 400 "A note needs a message."
        POST /api/notifications/gone/read 404 "This notification is not there any more."
        DELETE /api/notifications/gone 404 "This notification is not there any more."
    "#]]
    .assert_eq(&told);
    api.end().await;
}
