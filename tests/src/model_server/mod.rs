//! A scripted language model behind real HTTP, for every test and bench of the engine.
//!
//! It speaks three wires (OpenAI chat completions, Ollama, Anthropic messages) on `127.0.0.1`, answers each model call
//! with the next entry of its script, breaks in the ways real providers break, keeps every request, and checks each one:
//! a prompt no real provider would take fails the test even when the answer was scripted. It never reaches the network.
//!
//! ```
//! # tokio::runtime::Runtime::new().expect("a runtime").block_on(async {
//! use serde_json::json;
//! use tests::model_server::{Fault, ModelServer, Reply};
//!
//! let server = ModelServer::start([
//!     Reply::thinking("They want the time.").call("current_datetime", json!({})),
//!     Reply::text("It is noon."),
//!     Reply::text("never arrives").fault(Fault::Status(429)),
//! ])
//! .await;
//! // Point the engine at it: `server.base()` is the address of every provider.
//! # server.forgive();
//! // ... let the engine run ...
//! // At the end: every entry was used, no call was a surplus, every request was legal.
//! server.finish();
//! # });
//! ```
//!
//! Calls are answered in the order they arrive. Where the engine also makes calls in the background, give those entries a
//! mark with [`Reply::when`]: they wait for the request that holds it, and do not disturb the order of the others. Benches
//! use [`ModelServer::responder`], which answers every call alike.

mod check;
mod embedding;
mod reply;
mod routes;
mod stream;
mod wires;

pub use embedding::embedding;
pub use reply::{Fault, OllamaModel, Part, Reply};

use axum::serve::ListenerExt;
use runtime::Scope;
use serde_json::Value;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::watch;

/// Bytes of one request body, unless [`ModelServer::budget`] sets another limit.
const BODY_BYTES_MAX: usize = 2 * 1024 * 1024;
/// Requests kept in script mode.
const REQUESTS_MAX: usize = 10_000;

/// Which wire a request came by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wire {
    OpenAi,
    Ollama,
    Anthropic,
}

/// One request as it arrived.
#[derive(Clone, Debug)]
pub struct Seen {
    /// `POST /v1/chat/completions`
    pub route: String,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    /// `null` when the request had no JSON body.
    pub body: Value,
}

impl Seen {
    /// The value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Whether the body holds this text, as it would be written in JSON.
    pub fn contains(&self, text: &str) -> bool {
        let escaped = Value::from(text).to_string();
        self.body.to_string().contains(escaped.trim_matches('"'))
    }
}

/// What all connections share.
struct Shared {
    state: Mutex<State>,
    /// Answers being streamed right now.
    open: watch::Sender<usize>,
}

struct State {
    script: VecDeque<Reply>,
    /// Answers every call, in responder mode.
    responder: Option<Reply>,
    models: Vec<OllamaModel>,
    calls: Vec<Seen>,
    others: Vec<Seen>,
    violations: Vec<String>,
    canaries: Vec<String>,
    budget: usize,
    system_first: bool,
    forgiving: bool,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A running scripted model. Dropping it without [`ModelServer::finish`] checks it as well.
pub struct ModelServer {
    base: String,
    shared: Arc<Shared>,
    scope: Scope,
    finished: bool,
}

impl ModelServer {
    /// Starts a server with a script; an empty one expects no call until [`ModelServer::push`].
    pub async fn start(script: impl IntoIterator<Item = Reply>) -> Self {
        Self::serve(script.into_iter().collect(), None).await
    }

    /// Starts a server that answers every call with `reply`, for benches and soaks. It keeps no requests and checks
    /// nothing, so that it costs as little as it can.
    pub async fn responder(reply: Reply) -> Self {
        Self::serve(VecDeque::new(), Some(reply)).await
    }

    async fn serve(script: VecDeque<Reply>, responder: Option<Reply>) -> Self {
        let state = State {
            script,
            responder,
            models: vec![OllamaModel::new("qwen3:8b"), OllamaModel::embedding("nomic-embed-text")],
            calls: Vec::new(),
            others: Vec::new(),
            violations: Vec::new(),
            canaries: Vec::new(),
            budget: BODY_BYTES_MAX,
            system_first: true,
            forgiving: false,
        };
        let shared = Arc::new(Shared { state: Mutex::new(state), open: watch::Sender::new(0) });
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a free port on loopback");
        let address = listener.local_addr().expect("a bound socket has an address");
        // Otherwise small packets wait for the other side's acknowledgement, 40 ms on Linux.
        let listener = listener.tap_io(|stream| stream.set_nodelay(true).expect("an open socket takes the option"));
        let scope = Scope::new();
        let router = routes::router(Arc::clone(&shared));
        scope.spawn_dropped("model_server", async move {
            axum::serve(listener, router).await.expect("axum::serve never fails");
        });
        Self { base: format!("http://{address}"), shared, scope, finished: false }
    }

    /// `http://127.0.0.1:<port>`, without a path: the base address for every provider.
    pub fn base(&self) -> &str {
        &self.base
    }

    /// The base as OpenAI's SDKs want it, with `/v1`.
    pub fn openai_base(&self) -> String {
        format!("{}/v1", self.base)
    }

    /// Adds an entry to the end of the script.
    pub fn push(&self, reply: Reply) {
        self.shared.state().script.push_back(reply);
    }

    /// Replaces the models Ollama says it has (the default: `qwen3:8b` and `nomic-embed-text`).
    pub fn ollama_models(&self, models: impl IntoIterator<Item = OllamaModel>) {
        self.shared.state().models = models.into_iter().collect();
    }

    /// A text that must never be in any request's body: a secret, a private fact.
    pub fn canary(&self, text: impl Into<String>) {
        self.shared.state().canaries.push(text.into());
    }

    /// Bytes a request body may have.
    pub fn budget(&self, bytes: usize) {
        self.shared.state().budget = bytes;
    }

    /// Accepts prompts that do not begin with a system message.
    pub fn allow_no_system_prompt(&self) {
        self.shared.state().system_first = false;
    }

    /// Checks nothing at the end: for tests of failures that leave the script unfinished on purpose.
    pub fn forgive(&self) {
        self.shared.state().forgiving = true;
    }

    /// The model calls so far, oldest first.
    pub fn requests(&self) -> Vec<Seen> {
        self.shared.state().calls.clone()
    }

    /// All other requests so far: model lists, embeddings, downloads.
    pub fn other_requests(&self) -> Vec<Seen> {
        self.shared.state().others.clone()
    }

    /// Script entries that no call has used yet.
    pub fn remaining(&self) -> usize {
        self.shared.state().script.len()
    }

    /// Waits until no answer is being streamed any more: all have ended or their clients have hung up.
    pub async fn idle(&self) {
        let mut open = self.shared.open.subscribe();
        open.wait_for(|open| *open == 0).await.expect("the server holds the sender");
    }

    /// Waits until at least `count` answers are being streamed.
    pub async fn streaming(&self, count: usize) {
        let mut open = self.shared.open.subscribe();
        open.wait_for(|open| count <= *open).await.expect("the server holds the sender");
    }

    /// What is wrong so far: illegal requests, surplus calls, and entries nobody called for.
    pub fn complaints(&self) -> Vec<String> {
        let state = self.shared.state();
        if state.forgiving {
            return Vec::new();
        }
        let mut complaints = state.violations.clone();
        complaints.extend(state.script.iter().map(|reply| format!("no call came for {reply:?}")));
        complaints
    }

    /// Ends the server.
    ///
    /// # Panics
    ///
    /// When a request was illegal, a call was a surplus, or an entry of the script was not used.
    pub fn finish(mut self) {
        self.verdict();
    }

    fn verdict(&mut self) {
        self.finished = true;
        self.scope.cancel();
        let complaints = self.complaints();
        assert!(complaints.is_empty(), "the scripted model has complaints:\n- {}", complaints.join("\n- "));
    }
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        self.scope.cancel();
        if !self.finished && !std::thread::panicking() {
            self.verdict();
        }
    }
}

impl State {
    /// Notes a call, checks it and picks its answer: the first entry waiting for it, else the next of the script.
    fn answer(&mut self, wire: Wire, seen: Seen, body_text: &str) -> Reply {
        if let Some(reply) = &self.responder {
            return reply.clone();
        }
        let number = self.calls.len() + 1;
        let rules = check::Rules { budget: self.budget, canaries: &self.canaries, system_first: self.system_first };
        let violations = check::check(wire, &seen.body, body_text, rules);
        self.violations.extend(violations.into_iter().map(|violation| format!("call {number}: {violation}")));
        let waiting = self.script.iter().position(|reply| reply.waits_for(&seen));
        let next = waiting.or_else(|| self.script.iter().position(|reply| reply.when.is_none()));
        let reply = next.and_then(|at| self.script.remove(at));
        if self.calls.len() < REQUESTS_MAX {
            self.calls.push(seen);
        }
        reply.unwrap_or_else(|| {
            self.violations.push(format!("call {number} was a surplus: the script had no entry for it"));
            Reply::default().fault(Fault::Status(500))
        })
    }
}
