//! The HTTP API of a whole engine, called as a service without a socket; one test over a real one.

mod access;
mod approvals;
mod chats;
mod files;
mod live;
mod mcp_server;
mod memories;
mod memory_files;
mod notifications;
mod settings;
mod stop;
mod subagents;
mod v1;

use axum::Router;
use axum::body::Body;
use http::{Method, Request, StatusCode, header};
use sentient::assemble::{AssembleOptions, Running, assemble};
use sentient::environment::Environment;
use sentient::gateway::{Access, Gateway, HostPolicy, Token, router};
use serde_json::Value;
use tempfile::TempDir;
use tower::ServiceExt;

pub(crate) const TOKEN: &str = "a token for tests";
/// Nothing of the tests' own computer is asked: keys are in an encrypted file, Ollama at a closed port.
const CONFIG: &str =
    "secrets:\n  file: true\nmodels:\n  providers:\n    ollama_chat:\n      api_base: http://127.0.0.1:9\n";

/// An engine behind its gateway.
pub(crate) struct Api {
    pub(crate) router: Router,
    running: Running,
    pub(crate) home: TempDir,
}

impl Api {
    pub(crate) async fn start() -> Self {
        let home = tempfile::tempdir().expect("a folder");
        std::fs::write(home.path().join("config.yaml"), CONFIG).expect("written");
        let variables = [("SENTIENT_SECRETS_PASSPHRASE", "correct horse battery staple")];
        let environment = Environment::of(variables.map(|(name, value)| (name.into(), value.into())));
        let options = AssembleOptions {
            home: home.path().to_owned(),
            environment: environment.with_home(home.path().to_owned()),
            model: Some("scripted/tour".into()),
            apps: Vec::new(),
            reader: Some(env!("CARGO_BIN_EXE_with_test_apps").into()),
        };
        let running = assemble(options).await.expect("the engine starts");
        let access = Access { hosts: HostPolicy::Loopback, token: Token::new(TOKEN) };
        let router = router(Gateway::new(running.engine.clone(), access));
        Self { router, running, home }
    }

    /// A request with the token; `body` is JSON unless it is empty.
    pub(crate) async fn call(&self, method: &str, address: &str, body: &str) -> (StatusCode, Value) {
        let mut request = Request::builder().method(method).uri(address).header(header::HOST, "127.0.0.1:7777");
        request = request.header(header::AUTHORIZATION, format!("Bearer {TOKEN}"));
        if !body.is_empty() {
            request = request.header(header::CONTENT_TYPE, "application/json");
        }
        let (status, bytes) = self.send(request.body(Body::from(body.to_owned())).expect("a request")).await;
        (
            status,
            serde_json::from_slice(&bytes).unwrap_or_else(|_| Value::String(String::from_utf8_lossy(&bytes).into())),
        )
    }

    pub(crate) async fn send(&self, request: Request<Body>) -> (StatusCode, Vec<u8>) {
        let response = self.router.clone().oneshot(request).await.expect("a service that always answers");
        let status = response.status();
        let bytes = axum::body::to_bytes(response.into_body(), 64 * 1024 * 1024).await.expect("a whole body");
        (status, bytes.to_vec())
    }

    pub(crate) async fn get(&self, address: &str) -> Value {
        let (status, value) = self.call(Method::GET.as_str(), address, "").await;
        assert_eq!(status, StatusCode::OK, "{address}: {value}");
        value
    }

    pub(crate) fn engine(&self) -> &actors::Engine {
        &self.running.engine
    }

    pub(crate) async fn end(self) {
        (self.running.shutdown)().await;
    }
}

/// Each line is `METHOD address body`; the outcome is the status and the `detail`.
pub(crate) async fn refusals(api: &Api, lines: &[(&str, &str, &str)]) -> String {
    let mut told = String::new();
    for (method, address, body) in lines {
        let (status, value) = api.call(method, address, body).await;
        told.push_str(&format!("{method} {address} {} {}\n", status.as_u16(), value["detail"]));
    }
    told
}
