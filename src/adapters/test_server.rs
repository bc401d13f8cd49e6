//! A small web server on this computer for the adapters' tests.

use super::bases::Bases;
use super::web_settings::{WebSettings, WebSettingsNow};
use axum::Router;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use std::sync::{Arc, Mutex};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// A running server; it ends when it is dropped.
pub(super) struct TestServer {
    /// `127.0.0.1:port`.
    pub(super) place: String,
    asked: Arc<Mutex<Vec<String>>>,
    task: JoinHandle<()>,
}

impl TestServer {
    /// Serves `router` and notes the path and query of every request.
    pub(super) async fn start(router: Router) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let place = listener.local_addr().expect("it has an address").to_string();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let notes = asked.clone();
        let router = router.layer(axum::middleware::map_request(move |request: axum::extract::Request| {
            notes.lock().expect("no test panics while holding it").push(request.uri().to_string());
            std::future::ready(request)
        }));
        #[expect(clippy::disallowed_methods, reason = "the server ends with the test")]
        let task = tokio::spawn(async move { axum::serve(listener, router).await.expect("it serves") });
        Self { place, asked, task }
    }

    pub(super) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.place)
    }

    /// Path and query of every request so far.
    pub(super) fn asked(&self) -> Vec<String> {
        self.asked.lock().expect("no test panics while holding it").clone()
    }

    /// Settings in which all of these services are this server.
    pub(super) fn settings(&self, services: &[&str]) -> WebSettings {
        let pairs = services.iter().map(|service| ((*service).to_owned(), self.url("")));
        WebSettings { bases: Bases::from_pairs(pairs).expect("they are addresses"), ..WebSettings::default() }
    }
}

impl Drop for TestServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Settings that never change.
pub(super) fn fixed(settings: WebSettings) -> WebSettingsNow {
    Arc::new(move || settings.clone())
}

/// A body with its type.
pub(super) fn typed(kind: &'static str, body: impl Into<axum::body::Body>) -> Response {
    ([(header::CONTENT_TYPE, kind)], body.into()).into_response()
}

pub(super) fn redirect(to: &str) -> Response {
    (StatusCode::FOUND, [(header::LOCATION, to.to_owned())]).into_response()
}
