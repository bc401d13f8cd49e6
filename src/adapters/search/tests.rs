//! Search over a small server on loopback: the order of providers, and what happens when one fails.

use super::super::test_server::{TestServer, fixed, typed};
use super::*;
use actors::ports::SecretStoreState;
use axum::Router;
use axum::http::{HeaderMap, StatusCode};
use axum::response::IntoResponse;
use axum::routing::get;
use protocol::secrets::SecretSource;
use serde_json::json;
use std::collections::HashMap;
use std::future::ready;

const PAGE: &str = r#"<!DOCTYPE html><html><body><div id="links">
 <div class="result results_links result--ad"><h2><a class="result__a" href="https://duckduckgo.com/y.js?ad_domain=shop.example">Buy rust</a></h2></div>
 <div class="result results_links web-result"><h2 class="result__title">
  <a rel="nofollow" class="result__a" href="//duckduckgo.com/l/?uddg=https%3A%2F%2Fwww.rust%2Dlang.org%2Flearn%3Fa%3D1%26b%3D2&amp;rut=f00">The <b>Rust</b>
   Book &amp; more</a></h2>
  <a class="result__snippet" href="x">A language   <b>empowering</b> everyone.</a></div>
 <div class="result web-result"><a class="result__a" href="https://example.com/direct">Direct</a></div>
 <div class="result web-result"><a class="result__a" href="//duckduckgo.com/l/?uddg=javascript%3Aalert(1)">Bad</a></div>
 <div class="result web-result"><a class="result__a" href="//duckduckgo.com/l/?rut=1">No target</a></div>
</div></body></html>"#;

const CHALLENGE: &str = r#"<html><body><form id="challenge-form" action="//duckduckgo.com/anomaly.js?sv=html">
 <div class="anomaly-modal__title">Unfortunately, bots use DuckDuckGo too.</div></form></body></html>"#;

/// Keys in memory.
struct Keys(HashMap<&'static str, &'static str>);

impl SecretStore for Keys {
    fn get(
        &self,
        name: String,
        _env: Option<String>,
    ) -> BoxFuture<'static, Result<Option<(Secret, SecretSource)>, protocol::Error>> {
        let found = self.0.get(name.as_str()).map(|key| (Secret::new((*key).to_owned()), SecretSource::Keychain));
        ready(Ok(found)).boxed()
    }

    fn set(&self, _: String, _: Secret) -> BoxFuture<'static, Result<(), protocol::Error>> {
        ready(Ok(())).boxed()
    }

    fn delete(&self, _: String) -> BoxFuture<'static, Result<(), protocol::Error>> {
        ready(Ok(())).boxed()
    }

    fn state(&self) -> BoxFuture<'static, SecretStoreState> {
        ready(SecretStoreState { can_save: true, detail: String::new() }).boxed()
    }
}

fn searches(settings: WebSettings, keys: &[(&'static str, &'static str)]) -> WebSearches {
    let keys = Arc::new(Keys(keys.iter().copied().collect()));
    WebSearches::new(Http::new().unwrap(), fixed(settings), keys)
}

#[test]
fn duckduckgo_pages_become_results() {
    let results = duckduckgo_results(PAGE).unwrap();
    let want = [
        result("The Rust Book & more", "https://www.rust-lang.org/learn?a=1&b=2", "A language empowering everyone."),
        result("Direct", "https://example.com/direct", ""),
    ];
    assert_eq!(results, want);
    assert_eq!(duckduckgo_results("<html><div class='no-results'>None</div></html>").unwrap(), []);
    assert_eq!(duckduckgo_results("").unwrap(), []);
    assert!(duckduckgo_results(CHALLENGE).unwrap_err().0.contains("too many requests"));
}

#[test]
fn lists_of_other_services_become_results() {
    let brave = json!({"web": {"results": [
        {"title": "A &amp; B", "url": "https://a.example/", "description": "some <strong>bold</strong> words"},
        {"title": "no address"}, {"title": "odd", "url": "ftp://x"}, 5
    ]}});
    assert_eq!(brave_results(&brave), [result("A & B", "https://a.example/", "some bold words")]);
    let google = json!({"items": [{"title": "G", "link": "https://g.example/", "snippet": "1 < 2"}]});
    assert_eq!(google_results(&google), [result("G", "https://g.example/", "1 < 2")]);
    let searxng = json!({"results": [{"title": "S", "url": "https://s.example/", "content": null}]});
    assert_eq!(searxng_results(&searxng), [result("S", "https://s.example/", "")]);
    for odd in [json!(null), json!([]), json!({"web": 1}), json!({"items": {}}), json!({"results": "x"})] {
        assert!(brave_results(&odd).is_empty() && google_results(&odd).is_empty() && searxng_results(&odd).is_empty());
    }
}

#[test]
fn the_provider_is_the_chosen_one_or_a_connected_one() {
    use SearchProvider::{Brave, Duckduckgo, GoogleCse, Searxng};
    let connected = |brave: bool, google: bool, searxng: bool| Connected {
        bases: Bases::default(),
        brave: brave.then(|| Secret::new("k".to_owned())),
        google: google.then(|| (Secret::new("k".to_owned()), "cx".to_owned())),
        searxng: searxng.then(|| Bases::default().endpoint("searxng", "https://s.example", "/search").unwrap()),
    };
    for (chosen, (brave, google, searxng), want, noted) in [
        (Duckduckgo, (false, false, false), Duckduckgo, false),
        (Duckduckgo, (true, true, true), Brave, false),
        (Duckduckgo, (false, true, true), GoogleCse, false),
        (Duckduckgo, (false, false, true), Searxng, false),
        (Searxng, (true, true, true), Searxng, false),
        (GoogleCse, (true, true, true), GoogleCse, false),
        (Brave, (false, false, false), Duckduckgo, true),
        (Brave, (false, true, false), GoogleCse, true),
        (Searxng, (false, false, false), Duckduckgo, true),
    ] {
        let (got, note) = choose(chosen, &connected(brave, google, searxng));
        assert_eq!((got, note.is_some()), (want, noted), "{chosen:?} with {brave} {google} {searxng}");
    }
}

#[test]
fn keys_are_read_in_both_forms() {
    for (stored, want) in
        [("abc", Some("abc")), (" abc\n", Some("abc")), ("", None), (r#"{"api_key":" k "}"#, Some("k")), ("{}", None)]
    {
        let stored = Secret::new(stored.to_owned());
        let got = field(&stored, "api_key").or_else(|| plain(&stored));
        assert_eq!(got.as_ref().map(Secret::expose), want);
    }
}

#[tokio::test]
async fn duckduckgo_is_asked_without_a_key() {
    let server = TestServer::start(Router::new().route("/html/", get(|| async { typed("text/html", PAGE) }))).await;
    let searches = searches(server.settings(&["duckduckgo"]), &[]);
    let answer = searches.search("rust & co".to_owned(), 1).await.unwrap();
    assert_eq!((answer.provider.as_str(), answer.results.len(), answer.note), ("duckduckgo", 1, None));
    assert_eq!(server.asked(), ["/html/?q=rust+%26+co&kl=wt-wt&kp=-1"]);
}

#[tokio::test]
async fn nothing_found_is_said() {
    let server =
        TestServer::start(Router::new().route("/html/", get(|| async { typed("text/html", "<p>none</p>") }))).await;
    let answer = searches(server.settings(&["duckduckgo"]), &[]).search("x".to_owned(), 8).await.unwrap();
    assert!(answer.results.is_empty() && answer.note.is_some_and(|note| note.contains("Nothing was found")));
}

#[tokio::test]
async fn a_connected_key_is_used_and_sent_only_in_its_header() {
    let brave = get(|headers: HeaderMap| async move {
        if headers.get("x-subscription-token").is_some_and(|key| key == "brave-key") {
            typed(
                "application/json",
                r#"{"web":{"results":[{"title":"B","url":"https://b.example/","description":""}]}}"#,
            )
        } else {
            (StatusCode::UNAUTHORIZED, "no").into_response()
        }
    });
    let server = TestServer::start(Router::new().route("/res/v1/web/search", brave)).await;
    let searches = searches(server.settings(&["brave_search"]), &[("integration:brave_search", "brave-key")]);
    let answer = searches.search("rust".to_owned(), 50).await.unwrap();
    assert_eq!((answer.provider.as_str(), answer.results[0].title.as_str()), ("brave", "B"));
    assert_eq!(server.asked(), ["/res/v1/web/search?q=rust&count=20"]);
}

#[tokio::test]
async fn a_failing_provider_is_replaced_and_the_answer_says_so() {
    for status in
        [StatusCode::TOO_MANY_REQUESTS, StatusCode::INTERNAL_SERVER_ERROR, StatusCode::FORBIDDEN, StatusCode::OK]
    {
        let google = get(move || async move { (status, "not json").into_response() });
        let duck = get(|| async { typed("text/html", PAGE) });
        let server = TestServer::start(Router::new().route("/customsearch/v1", google).route("/html/", duck)).await;
        let settings = server.settings(&["google_cse", "duckduckgo"]);
        let keys = [("integration:google_cse", r#"{"api_key":"secret-key","cx":"my-cx"}"#)];
        let answer = searches(settings, &keys).search("rust".to_owned(), 8).await.unwrap();
        let note = answer.note.unwrap();
        assert_eq!((answer.provider.as_str(), answer.results.len()), ("duckduckgo", 2), "{status}");
        assert!(note.starts_with("Google Custom Search") && note.contains("DuckDuckGo answered instead"), "{note}");
        assert!(!note.contains("secret-key"));
        assert_eq!(server.asked()[0], "/customsearch/v1?q=rust&num=8&cx=my-cx&key=secret-key");
    }
}

#[tokio::test]
async fn a_search_server_at_home_is_reached_because_the_person_set_it() {
    let list = get(|| async {
        typed("application/json", r#"{"results":[{"title":"S","url":"https://s.example/","content":"c"}]}"#)
    });
    let server = TestServer::start(Router::new().route("/sx/search", list)).await;
    for address in ["/sx", "/sx/", "/sx/search"] {
        let settings = WebSettings {
            searxng_url: server.url(address),
            search_provider: SearchProvider::Searxng,
            ..WebSettings::default()
        };
        let answer = searches(settings, &[]).search("rust".to_owned(), 8).await.unwrap();
        assert_eq!((answer.provider.as_str(), answer.results.len()), ("searxng", 1), "{address}");
    }
    assert_eq!(server.asked().first().unwrap(), "/sx/search?q=rust&format=json");
}

#[tokio::test]
async fn when_nobody_answers_the_error_is_plain() {
    let down = get(|| async { (StatusCode::SERVICE_UNAVAILABLE, "<html>secret trace</html>").into_response() });
    let server = TestServer::start(Router::new().route("/html/", down)).await;
    let error = searches(server.settings(&["duckduckgo"]), &[]).search("x".to_owned(), 8).await.unwrap_err();
    assert_eq!(error.0, "DuckDuckGo has a problem right now (error 503). Try again later.");
}
