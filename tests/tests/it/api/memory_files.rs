//! Workspace files, personas, summaries and imports over HTTP.

use super::{Api, TOKEN, refusals};
use axum::body::Body;
use expect_test::expect;
use http::{Request, StatusCode, header};
use serde_json::{Value, json};

async fn import(api: &Api, name: &str, content: &[u8], query: &str) -> (StatusCode, Value) {
    let mut form =
        format!("--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{name}\"\r\n\r\n").into_bytes();
    form.extend_from_slice(content);
    form.extend_from_slice(b"\r\n--x--\r\n");
    let request = Request::post(format!("/api/memories/import{query}")).header(header::HOST, "localhost");
    let request = request.header(header::AUTHORIZATION, format!("Bearer {TOKEN}"));
    let request = request.header(header::CONTENT_TYPE, "multipart/form-data; boundary=x");
    let (status, bytes) = api.send(request.body(Body::from(form)).expect("a request")).await;
    (status, serde_json::from_slice(&bytes).expect("JSON"))
}

#[tokio::test]
async fn workspace_files_are_read_whole_and_saved() {
    let api = Api::start().await;
    let none = json!({ "soul": "", "user": "", "memory": "", "today": "", "yesterday": "" });
    assert_eq!(api.get("/api/memories/workspace").await, none);
    let body = json!({ "content": "# मेरे बारे में\n" }).to_string();
    let (status, saved) = api.call("PUT", "/api/memories/workspace/user", &body).await;
    assert_eq!((status, saved), (StatusCode::OK, json!({ "saved": "user" })));
    let on_disk = std::fs::read_to_string(api.home.path().join("workspace/USER.md")).expect("a file");
    assert_eq!(on_disk, "# मेरे बारे में\n");
    assert_eq!(api.get("/api/memories/workspace").await["user"], "# मेरे बारे में\n");
    assert_eq!(api.get("/api/memories/summaries?limit=3").await, json!([]));
    let personas = api.get("/api/memories/personas").await;
    let ids: Vec<&str> = personas.as_array().expect("rows").iter().filter_map(|row| row["id"].as_str()).collect();
    assert_eq!(ids, ["friendly", "professional", "concise", "coach"]);
    assert!(personas[0]["soul_md"].as_str().is_some_and(|soul| soul.contains("Sentient")), "{personas}");
    let told = refusals(
        &api,
        &[
            ("PUT", "/api/memories/workspace/notes", r#"{"content":"x"}"#),
            ("PUT", "/api/memories/workspace/user", "{}"),
            ("GET", "/api/memories/summaries?limit=many", ""),
            ("POST", "/api/memories/import", "{}"),
        ],
    )
    .await;
    expect![[r#"
        PUT /api/memories/workspace/notes 404 "There are soul, user and memory."
        PUT /api/memories/workspace/user 422 "The body has not the shape this address takes: missing field `content` at line 1 column 2."
        GET /api/memories/summaries?limit=many 400 "The address has a part that cannot be read: limit: invalid digit found in string."
        POST /api/memories/import 400 "Send the file as a form (multipart/form-data) with a part called `file`."
    "#]]
    .assert_eq(&told);
    api.end().await;
}

#[tokio::test]
async fn documents_are_imported_or_refused_in_plain_words() {
    let api = Api::start().await;
    let (status, result) = import(&api, "notes.md", "माया पुणे में रहती है।".as_bytes(), "?scope=Work").await;
    let nothing = json!({ "added": 0, "updated": 0, "skipped": 0, "pending": 0, "source": "file:notes.md" });
    assert_eq!((status, result), (StatusCode::OK, nothing), "the scripted model finds nothing");
    for (name, content, query, want, words) in [
        ("a.exe", &b"MZ"[..], "", StatusCode::BAD_REQUEST, "PDF, TXT, MD and DOCX"),
        ("a.txt", b"\xff\xff\xff", "", StatusCode::UNPROCESSABLE_ENTITY, "a.txt cannot be read"),
        ("a.docx", b"PK\x03\x04 and no more", "", StatusCode::UNPROCESSABLE_ENTITY, "read"),
        ("a.pdf", b"%PDF-1.7", "", StatusCode::UNPROCESSABLE_ENTITY, "read"),
        ("a.txt", b"text", "?scope=", StatusCode::BAD_REQUEST, "scope"),
    ] {
        let (status, told) = import(&api, name, content, query).await;
        let detail = told["detail"].as_str().unwrap_or_default().to_owned();
        assert!(status == want && detail.contains(words), "{name}{query}: {status} {detail}");
    }
    let left = std::fs::read_dir(api.home.path().join("tmp")).map_or(0, Iterator::count);
    assert_eq!(left, 0, "no document stays behind");
    api.end().await;
}
