//! Uploads and their content.

use super::{Api, TOKEN, refusals};
use axum::body::Body;
use expect_test::expect;
use http::{Request, StatusCode, header};
use serde_json::Value;
use tower::ServiceExt;

async fn upload(api: &Api, name: &str, content: &str, source: &str) -> (StatusCode, Value) {
    // The source comes after the file: the order of a form's parts is the sender's.
    let form = format!(
        "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{name}\"\r\n\r\n{content}\r\n\
         --x\r\nContent-Disposition: form-data; name=\"source\"\r\n\r\n{source}\r\n--x--\r\n"
    );
    let request = Request::post("/api/files").header(header::HOST, "localhost");
    let request = request.header(header::AUTHORIZATION, format!("Bearer {TOKEN}"));
    let request = request.header(header::CONTENT_TYPE, "multipart/form-data; boundary=x");
    let (status, bytes) = api.send(request.body(Body::from(form)).expect("a request")).await;
    (status, serde_json::from_slice(&bytes).expect("JSON"))
}

#[tokio::test]
async fn an_upload_comes_back_as_it_was_and_never_takes_a_name() {
    let api = Api::start().await;
    let (status, first) = upload(&api, "notes.txt", "one", "upload").await;
    assert_eq!(
        (status, first["name"].clone(), first["size"].clone()),
        (StatusCode::OK, "uploads/notes.txt".into(), 3.into())
    );
    let (_, second) = upload(&api, "../../notes.txt", "two", "upload").await;
    assert_eq!(second["name"], "uploads/notes (1).txt");
    let (_, screen) = upload(&api, "Inbox.png", "png", "screen").await;
    assert!(screen["name"].as_str().expect("a name").starts_with("screens/Inbox "), "{screen}");
    assert_eq!(upload(&api, "a", "b", "elsewhere").await.0, StatusCode::BAD_REQUEST);
    assert_eq!(std::fs::read_dir(api.home.path().join("tmp")).expect("a folder").count(), 0, "no spool stays");

    for (method, body) in [("GET", "one"), ("HEAD", "")] {
        let request =
            Request::builder().method(method).uri("/api/files/content/uploads/notes.txt?token=a+token+for+tests");
        let request = request.header(header::HOST, "localhost").body(Body::empty()).expect("a request");
        let response = api.router.clone().oneshot(request).await.expect("ok");
        let headers = response.headers().clone();
        assert_eq!(headers[header::CONTENT_TYPE], "text/plain", "{method}");
        assert_eq!(headers[header::CONTENT_LENGTH], "3", "{method}");
        assert_eq!(headers[header::X_CONTENT_TYPE_OPTIONS], "nosniff", "{method}");
        assert_eq!(axum::body::to_bytes(response.into_body(), 100).await.expect("whole"), body, "{method}");
    }
    assert_eq!(api.get("/api/files").await.as_array().expect("rows").len(), 3);
    assert_eq!(api.call("DELETE", "/api/files/uploads/notes.txt", "").await.0, StatusCode::OK);
    assert_eq!(api.call("DELETE", "/api/files/uploads/notes.txt", "").await.0, StatusCode::OK);
    api.end().await;
}

#[tokio::test]
async fn names_that_lead_elsewhere_are_refused() {
    let api = Api::start().await;
    let told = refusals(
        &api,
        &[
            ("GET", "/api/files/content/uploads/gone.txt", ""),
            ("GET", "/api/files/content/..%2fconfig.yaml", ""),
            ("GET", "/api/files/content/%2fetc%2fpasswd", ""),
            ("DELETE", "/api/files/uploads/..%2f..%2fconfig.yaml", ""),
            ("GET", "/api/files/content/%ff", ""),
            ("POST", "/api/files", "{}"),
        ],
    )
    .await;
    expect![[r#"
        GET /api/files/content/uploads/gone.txt 404 "This file is not there any more."
        GET /api/files/content/..%2fconfig.yaml 400 "This is not a name of a file in the files folder."
        GET /api/files/content/%2fetc%2fpasswd 400 "This is not a name of a file in the files folder."
        DELETE /api/files/uploads/..%2f..%2fconfig.yaml 400 "This is not a name of a file in the files folder."
        GET /api/files/content/%ff 400 "The address has a name in it that cannot be read. Encode it as UTF-8."
        POST /api/files 400 "Send the file as a form (multipart/form-data) with a part called `file`."
    "#]]
    .assert_eq(&told);
    api.end().await;
}

/// Sends a GET with these headers; the status, the headers and the body.
async fn get(api: &Api, uri: &str, headers: &[(header::HeaderName, &str)]) -> (StatusCode, http::HeaderMap, String) {
    let mut request = Request::get(uri).header(header::HOST, "localhost");
    request = request.header(header::AUTHORIZATION, format!("Bearer {TOKEN}"));
    for (name, value) in headers {
        request = request.header(name, *value);
    }
    let response = api.router.clone().oneshot(request.body(Body::empty()).expect("a request")).await.expect("ok");
    let (parts, body) = response.into_parts();
    let body = axum::body::to_bytes(body, 1_000).await.expect("whole");
    (parts.status, parts.headers, String::from_utf8(body.to_vec()).expect("text"))
}

#[tokio::test]
async fn a_part_of_a_file_can_be_asked_for() {
    let api = Api::start().await;
    upload(&api, "song.mp3", "0123456789", "upload").await;
    let uri = "/api/files/content/uploads/song.mp3";
    let (status, headers, body) = get(&api, uri, &[]).await;
    assert_eq!(
        (status, body.as_str(), &headers[header::ACCEPT_RANGES]),
        (StatusCode::OK, "0123456789", &"bytes".parse().expect("a value"))
    );
    let tag = headers[header::ETAG].to_str().expect("a tag").to_owned();
    for (name, sent, want) in [
        ("the middle", vec![(header::RANGE, "bytes=2-4")], (206, "234", Some("bytes 2-4/10"), Some("3"))),
        ("from a place on", vec![(header::RANGE, "bytes=7-")], (206, "789", Some("bytes 7-9/10"), Some("3"))),
        ("the end", vec![(header::RANGE, "bytes=-2")], (206, "89", Some("bytes 8-9/10"), Some("2"))),
        ("behind the end", vec![(header::RANGE, "bytes=10-")], (416, "", Some("bytes */10"), Some("0"))),
        ("several", vec![(header::RANGE, "bytes=0-1,3-4")], (200, "0123456789", None, Some("10"))),
        (
            "of the same file",
            vec![(header::RANGE, "bytes=9-"), (header::IF_RANGE, tag.as_str())],
            (206, "9", Some("bytes 9-9/10"), Some("1")),
        ),
        (
            "of another file",
            vec![(header::RANGE, "bytes=9-"), (header::IF_RANGE, "\"old\"")],
            (200, "0123456789", None, Some("10")),
        ),
        ("known already", vec![(header::IF_NONE_MATCH, tag.as_str())], (304, "", None, Some("10"))),
    ] {
        let (status, headers, body) = get(&api, uri, &sent).await;
        let told = |name| headers.get(name).and_then(|value| value.to_str().ok());
        let got = (status.as_u16(), body.as_str(), told(header::CONTENT_RANGE), told(header::CONTENT_LENGTH));
        assert_eq!(got, want, "{name}");
        assert_eq!(told(header::X_CONTENT_TYPE_OPTIONS), Some("nosniff"), "{name}");
    }
    api.end().await;
}
