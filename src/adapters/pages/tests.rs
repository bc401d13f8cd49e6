//! Pages over a small server on loopback: limits, redirects, refused addresses, odd contents.

use super::super::test_server::{TestServer, fixed, redirect, typed};
use super::super::web_settings::WebSettings;
use super::*;
use axum::Router;
use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::IntoResponse;
use axum::routing::get;
use std::convert::Infallible;

fn pages(server: &TestServer) -> WebPages {
    unguarded(vec![server.place.clone()])
}

fn unguarded(places: Vec<String>) -> WebPages {
    let settings = fixed(WebSettings { page_chars: 50, ..WebSettings::default() });
    WebPages::new(Http::new().unwrap(), settings, Pdfs::default()).trusting(places)
}

async fn serving(kind: &'static str, body: impl Into<Bytes>) -> TestServer {
    let body: Bytes = body.into();
    TestServer::start(Router::new().fallback(move || {
        let body = body.clone();
        async move { typed(kind, body) }
    }))
    .await
}

#[tokio::test]
async fn pages_of_every_readable_kind() {
    let html = "<title>Hello</title><body><p>na\u{ef}ve words</p></body>";
    let latin: Vec<u8> = html.chars().map(|c| c as u8).collect();
    for (kind, body, title, content) in [
        ("text/html", html.as_bytes().to_vec(), "Hello", "naïve words"),
        ("text/html; charset=iso-8859-1", latin, "Hello", "naïve words"),
        ("application/json", br#"{"a": [1]}"#.to_vec(), "a b.x", r#"{"a": [1]}"#),
        ("application/xml", b"<a>1</a>".to_vec(), "a b.x", "<a>1</a>"),
        ("text/plain", b"words".to_vec(), "a b.x", "words"),
        ("application/pdf", super::super::pdf::tests::pdf_of("Rain on Tuesday"), "a b.x", "Rain on Tuesday"),
    ] {
        let server = serving(kind, body).await;
        let address = server.url("/d/a%20b.x");
        let page = pages(&server).read(address.clone(), 0).await.unwrap();
        let want = Page { url: address, title: title.to_owned(), content: content.to_owned(), truncated: false };
        assert_eq!(page, want, "{kind}");
    }
}

#[tokio::test]
async fn long_pages_are_cut_where_the_settings_or_the_call_say() {
    let server = serving("text/plain", "ä".repeat(2_000)).await;
    for (chars_max, want) in [(0, 50), (1_500, 1_500), (2_000, 2_000), (9_000, 2_000)] {
        let page = pages(&server).read(server.url("/"), chars_max).await.unwrap();
        assert_eq!((page.content.chars().count(), page.truncated), (want, want < 2_000), "{chars_max}");
    }
}

#[tokio::test]
async fn redirects_are_followed_to_where_they_may_lead() {
    let router = Router::new()
        .route("/start", get(|| async { redirect("/middle?x=1") }))
        .route("/middle", get(|| async { redirect("end") }))
        .route("/end", get(|| async { typed("text/plain", "arrived") }))
        .route("/round", get(|| async { redirect("/round") }));
    let server = TestServer::start(router).await;
    let page = pages(&server).read(server.url("/start"), 0).await.unwrap();
    assert_eq!((page.url, page.content.as_str()), (server.url("/end"), "arrived"));
    let error = pages(&server).read(server.url("/round"), 0).await.unwrap_err();
    assert!(error.0.contains("kept sending the request elsewhere"), "{error}");
    assert_eq!(server.asked().iter().filter(|path| *path == "/round").count(), 6, "the first and five redirects");
}

#[tokio::test]
async fn redirects_to_private_places_are_refused() {
    let secret = serving("text/plain", "secret of the engine").await;
    let (port, place) = (secret.place.rsplit(':').next().unwrap().to_owned(), secret.place.clone());
    for to in [
        format!("http://{place}/"),
        format!("http://localhost:{port}/"),
        format!("http://127.1:{port}/"),
        format!("http://2130706433:{port}/"),
        format!("http://[::ffff:127.0.0.1]:{port}/"),
        "http://169.254.169.254/latest/meta-data/".to_owned(),
        "http://192.168.0.1/".to_owned(),
        "file:///etc/passwd".to_owned(),
        "gopher://127.0.0.1/".to_owned(),
    ] {
        let target = to.clone();
        let server = TestServer::start(Router::new().fallback(move || std::future::ready(redirect(&target)))).await;
        let error = pages(&server).read(server.url("/"), 0).await.unwrap_err();
        let refused = error.0.contains("private network") || error.0.contains("Only http and https");
        assert!(refused, "{to}: {error}");
    }
    assert_eq!(secret.asked(), Vec::<String>::new(), "nobody got there");
}

#[tokio::test]
async fn private_addresses_are_refused_without_being_asked() {
    let server = serving("text/plain", "secret").await;
    let port = server.place.rsplit(':').next().unwrap().to_owned();
    for address in [
        server.url("/"),
        format!("http://localhost:{port}/"),
        format!("http://0x7f000001:{port}/"),
        format!("http://[::1]:{port}/"),
        format!("localhost:{port}"),
    ] {
        let error = unguarded(Vec::new()).read(address.clone(), 0).await.unwrap_err();
        assert!(error.0.contains("private network"), "{address}: {error}");
    }
    assert!(server.asked().is_empty());
}

#[tokio::test]
async fn what_is_not_a_page_is_explained() {
    for (status, kind, body, want) in [
        (StatusCode::OK, "image/png", &b"\x89PNG"[..], "holds image/png, not text"),
        (StatusCode::OK, "text/html", b"%PDF-1.4 broken", "damaged"),
        (StatusCode::NOT_FOUND, "text/html", b"<p>gone", "nothing at this address (error 404)"),
        (StatusCode::FORBIDDEN, "text/html", b"", "refused the request (error 403)"),
        (StatusCode::TOO_MANY_REQUESTS, "text/html", b"", "too many requests"),
        (StatusCode::INTERNAL_SERVER_ERROR, "text/html", b"", "a problem right now (error 500)"),
        (StatusCode::NOT_MODIFIED, "text/html", b"", "answered with error 304"),
    ] {
        let answer = move || async move { (status, [(header::CONTENT_TYPE, kind)], body).into_response() };
        let server = TestServer::start(Router::new().fallback(answer)).await;
        let error = pages(&server).read(server.url("/x"), 0).await.unwrap_err();
        assert!(error.0.contains(want), "{status} {kind}: {error}");
    }
    for address in ["", "not an address at all", "ftp://example.com/x", "javascript:alert(1)"] {
        assert!(unguarded(Vec::new()).read(address.to_owned(), 0).await.is_err(), "{address}");
    }
}

#[tokio::test]
async fn an_endless_page_is_stopped_at_the_limit() {
    let endless = || async {
        let piece = Bytes::from(vec![b'a'; 1 << 20]);
        let pieces = futures::stream::repeat_with(move || Ok::<_, Infallible>(piece.clone()));
        typed("text/plain", Body::from_stream(pieces))
    };
    let server = TestServer::start(Router::new().fallback(endless)).await;
    let error = pages(&server).read(server.url("/"), 0).await.unwrap_err();
    assert!(error.0.contains("larger than 15 MB"), "{error}");
}

#[tokio::test]
async fn a_page_that_announces_too_much_is_not_loaded() {
    let huge = || async {
        let body = Body::from_stream(futures::stream::pending::<Result<Bytes, Infallible>>());
        ([(header::CONTENT_TYPE, "text/plain"), (header::CONTENT_LENGTH, "99999999999")], body).into_response()
    };
    let server = TestServer::start(Router::new().fallback(huge)).await;
    let error = pages(&server).read(server.url("/"), 0).await.unwrap_err();
    assert!(error.0.contains("larger than 15 MB"), "{error}");
}

#[tokio::test]
async fn a_slow_page_is_given_up() {
    let slow = || std::future::pending::<StatusCode>();
    let drip =
        || async { typed("text/plain", Body::from_stream(futures::stream::pending::<Result<Bytes, Infallible>>())) };
    let router = Router::new().route("/slow", get(slow)).route("/drip", get(drip));
    let server = TestServer::start(router).await;
    let pages = pages(&server).within(Duration::from_millis(100));
    for path in ["/slow", "/drip"] {
        let error = pages.read(server.url(path), 0).await.unwrap_err();
        assert_eq!(error.0, "127.0.0.1 took too long to answer. Try again in a moment.", "{path}");
    }
}

#[tokio::test]
async fn nobody_there_is_said() {
    let gone = TestServer::start(Router::new()).await;
    let (address, place) = (gone.url("/"), gone.place.clone());
    drop(gone);
    tokio::task::yield_now().await;
    let error = unguarded(vec![place]).read(address, 0).await.unwrap_err();
    assert!(error.0.contains("could not be reached"), "{error}");
}

#[tokio::test]
async fn nothing_of_the_person_is_sent_along() {
    let echo = |headers: HeaderMap| async move {
        let names: Vec<_> = headers.keys().map(|name| name.as_str().to_owned()).collect();
        ([(header::SET_COOKIE, "id=1")], names.join(" ")).into_response()
    };
    let server = TestServer::start(Router::new().fallback(echo)).await;
    let pages = pages(&server);
    for _ in 0..2 {
        let mut names: Vec<_> =
            pages.read(server.url("/"), 500).await.unwrap().content.split(' ').map(str::to_owned).collect();
        names.sort();
        assert_eq!(names, ["accept", "accept-encoding", "accept-language", "host", "user-agent"]);
    }
}
