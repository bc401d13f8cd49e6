//! Who is let in, and what is said to the others.

use super::Api;
use axum::body::Body;
use expect_test::expect;
use http::{Request, header};
use tower::ServiceExt;

#[tokio::test]
async fn only_the_tokens_holder_and_own_pages_are_answered() {
    let api = Api::start().await;
    let mut told = String::new();
    for (name, address, headers) in [
        ("health is open", "/api/health", &[("host", "localhost")][..]),
        ("no token", "/api/sessions", &[("host", "localhost")]),
        ("wrong token", "/api/sessions", &[("host", "localhost"), ("authorization", "Bearer wrong")]),
        ("right token", "/api/sessions", &[("host", "localhost"), ("authorization", "Bearer a token for tests")]),
        ("token in the address", "/api/sessions?token=a+token+for+tests", &[("host", "127.0.0.1:1")]),
        ("unknown without a token", "/api/unknown", &[("host", "localhost")]),
        ("foreign name", "/api/health", &[("host", "evil.example")]),
        ("no name", "/api/health", &[]),
        ("two names", "/api/health", &[("host", "localhost"), ("host", "localhost")]),
        ("foreign page", "/api/health", &[("host", "localhost"), ("origin", "https://evil.example")]),
        ("own page", "/api/health", &[("host", "localhost"), ("origin", "null")]),
    ] {
        let mut request = Request::get(address);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let response = api.router.clone().oneshot(request.body(Body::empty()).expect("a request")).await.expect("ok");
        let allowed = response.headers().get(header::ACCESS_CONTROL_ALLOW_ORIGIN).cloned();
        let credentials = response.headers().contains_key(header::ACCESS_CONTROL_ALLOW_CREDENTIALS);
        told.push_str(&format!("{name}: {} {allowed:?} {credentials}\n", response.status().as_u16()));
    }
    expect![[r#"
        health is open: 200 None false
        no token: 401 None false
        wrong token: 401 None false
        right token: 200 None false
        token in the address: 200 None false
        unknown without a token: 401 None false
        foreign name: 403 None false
        no name: 403 None false
        two names: 400 None false
        foreign page: 403 None false
        own page: 200 Some("null") false
    "#]]
    .assert_eq(&told);
    api.end().await;
}

#[tokio::test]
async fn what_cannot_be_read_is_answered_with_a_sentence() {
    let api = Api::start().await;
    let large = format!(r#"{{"text":"{}"}}"#, "x".repeat(protocol::limits::BODY_BYTES_MAX));
    let told = super::refusals(
        &api,
        &[
            ("GET", "/api/nothing", ""),
            ("DELETE", "/api/health", ""),
            ("POST", "/api/chat", "{"),
            ("POST", "/api/chat", r#"{"text":5}"#),
            ("POST", "/api/chat", ""),
            ("POST", "/api/chat", &large),
            ("GET", "/api/sessions?limit=many", ""),
            ("GET", "/ws", ""),
        ],
    )
    .await;
    expect![[r#"
        GET /api/nothing 404 "There is nothing at GET /api/nothing. Check the address; `sentient surface` lists them all."
        DELETE /api/health 405 "/api/health does not take DELETE. The Allow header says what it takes."
        POST /api/chat 400 "The body is not JSON: EOF while parsing an object at line 1 column 1."
        POST /api/chat 422 "The body has not the shape this address takes: text: invalid type: integer `5`, expected a string at line 1 column 9."
        POST /api/chat 415 "Send the body as JSON, with the header Content-Type: application/json."
        POST /api/chat 413 "The body is too large. Send at most 4 MB, and larger texts as files."
        GET /api/sessions?limit=many 400 "The address has a part that cannot be read: limit: invalid digit found in string."
        GET /ws 426 "This address is a WebSocket. Connect with ws:// and the token as ?token=."
    "#]]
    .assert_eq(&told);
    api.end().await;
}

#[tokio::test]
async fn a_preflight_is_answered_for_pages_that_may() {
    let api = Api::start().await;
    let asked = |origin: &'static str| {
        let request = Request::options("/api/sessions").header(header::HOST, "localhost");
        let request = request.header(header::ORIGIN, origin).header("access-control-request-method", "PATCH");
        request.body(Body::empty()).expect("a request")
    };
    let response = api.router.clone().oneshot(asked("http://localhost:5173")).await.expect("ok");
    assert_eq!(response.status().as_u16(), 204);
    assert_eq!(response.headers()[header::ACCESS_CONTROL_ALLOW_ORIGIN], "http://localhost:5173");
    let response = api.router.clone().oneshot(asked("https://evil.example")).await.expect("ok");
    assert_eq!(response.status().as_u16(), 403);
    api.end().await;
}
