//! The engine over its REST API, as `sentient mcp` uses it. Each call looks the engine up anew, lets it prove itself, and
//! asks whether the switch is still on.

use super::discovery;
use super::{SWITCH_HINT, SWITCHED_OFF};
use actors::ports::Secret;
use futures::StreamExt;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use protocol::callers::{McpProof, McpStatus};
use protocol::{Error, ErrorKind};
use reqwest::{Client, Method, RequestBuilder, Response, StatusCode, redirect};
use rules::callers::{not_done, proof};
use rules::wire::lines::LineDecoder;
use runtime::Entropy;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::path::PathBuf;
use tokio::time::{Duration, timeout};

/// How long the engine may take to prove itself, and to say what it allows.
const QUICK: Duration = Duration::from_secs(10);
/// How long a search may take: the first one may wait for a model that makes vectors.
const LOOK_UP: Duration = Duration::from_secs(30);
/// How long a save may take: a model may look at what is known already.
const SAVE_MAX: Duration = Duration::from_secs(150);
/// Memories of one search.
const MEMORIES_MAX: usize = 20;
/// How long a turn may take: it may wait for the person.
const TURN_MAX: Duration = Duration::from_secs(2 * 60 * 60);
/// Bytes of an answer that is not a turn.
const ANSWER_BYTES_MAX: usize = 4 * 1024 * 1024;
/// Bytes of one line of a turn.
const LINE_BYTES_MAX: usize = 16 * 1024 * 1024;
/// Random bytes of a nonce.
const NONCE_BYTES: usize = 16;

/// What an app hears while its turn is running.
pub(super) type Waiting<'a> = &'a (dyn Fn(String) + Send + Sync);

/// The engine of one home.
pub(super) struct EngineClient {
    discovery: PathBuf,
    token: Secret,
    http: Client,
}

/// A line of `POST /api/chat`, as far as it matters here.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Frame {
    ApprovalRequest {
        name: String,
    },
    ToolResult {
        name: String,
        result: Value,
    },
    Done {
        #[serde(default)]
        content: String,
        #[serde(default)]
        cancelled: bool,
        error: Option<String>,
    },
    #[serde(other)]
    Other,
}

impl EngineClient {
    /// # Errors
    /// A system on which no connections can be made.
    pub(super) fn new(discovery: PathBuf, token: Secret) -> Result<Self, Error> {
        let client = Client::builder()
            .no_proxy()
            .tls_certs_only([])
            .redirect(redirect::Policy::none())
            .connect_timeout(QUICK)
            .build()
            .map_err(|cause| Error::internal(format!("no client for the engine: {cause}")))?;
        Ok(Self { discovery, token, http: client })
    }

    /// Posts a note of the app to the person.
    pub(super) async fn notify(&self, app: &str, title: &str, message: &str) -> Result<(), Error> {
        let at = self.admitted().await?;
        let title = (!title.trim().is_empty()).then_some(title);
        let body = json!({ "message": message, "title": title, "source": "mcp", "app": app });
        let request = self.request(Method::POST, at, "/api/notifications").json(&body);
        within(QUICK, async { checked(sent(request).await?).await.map(drop) }).await
    }

    /// Memories that fit these words, as the engine answers them.
    pub(super) async fn search_memories(&self, words: &str) -> Result<String, Error> {
        let at = self.admitted().await?;
        let words = utf8_percent_encode(words, NON_ALPHANUMERIC);
        let request = self.request(Method::GET, at, &format!("/api/memories?q={words}&limit={MEMORIES_MAX}"));
        within(LOOK_UP, async { read::<Value>(checked(sent(request).await?).await?).await })
            .await
            .map(|it| it.to_string())
    }

    /// One memory.
    pub(super) async fn memory(&self, id: u64) -> Result<String, Error> {
        let at = self.admitted().await?;
        let request = self.request(Method::GET, at, &format!("/api/memories/{id}"));
        within(QUICK, async { read::<Value>(checked(sent(request).await?).await?).await })
            .await
            .map(|it| it.to_string())
    }

    /// Suggests a memory. Whether it waits for review is the engine's to say.
    pub(super) async fn add_memory(&self, app: &str, content: &str) -> Result<String, Error> {
        let at = self.admitted().await?;
        let body = json!({ "content": content, "source": "mcp", "review_from": app });
        let request = self.request(Method::POST, at, "/api/memories").json(&body);
        within(SAVE_MAX, async { read::<Value>(checked(sent(request).await?).await?).await })
            .await
            .map(|it| it.to_string())
    }

    /// One turn. Answers the reply, begun by what was not done.
    pub(super) async fn ask(&self, app: &str, text: &str, waiting: Waiting<'_>) -> Result<String, Error> {
        let at = self.admitted().await?;
        let request = self.request(Method::POST, at, "/api/chat").json(&json!({ "text": text, "app": app }));
        within(TURN_MAX, async { read_turn(checked(sent(request).await?).await?, waiting).await }).await
    }

    /// The engine's address, once it has proved itself and says that the switch is on.
    async fn admitted(&self) -> Result<SocketAddr, Error> {
        let at = discovery::read(&self.discovery)?;
        within(QUICK, self.prove(at)).await?;
        let status: McpStatus = within(QUICK, async {
            read(checked(sent(self.request(Method::GET, at, "/api/mcp/status")).await?).await?).await
        })
        .await?;
        if status.enabled { Ok(at) } else { Err(Error::new(ErrorKind::Denied, SWITCHED_OFF).hint(SWITCH_HINT)) }
    }

    /// Only the engine that issued our token can answer this nonce for this address. Nothing secret is sent.
    async fn prove(&self, at: SocketAddr) -> Result<(), Error> {
        let mut bytes = [0; NONCE_BYTES];
        crate::assemble::SystemEntropy.fill(&mut bytes);
        let nonce: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        let answer = sent(self.http.get(format!("http://{at}/api/mcp/proof?nonce={nonce}"))).await?;
        let unproved = || {
            Error::new(ErrorKind::Denied, "What answers at Sentient's address has another key than this app.")
                .hint("The key may have been replaced: connect this app to Sentient again.")
        };
        if answer.status() != StatusCode::OK {
            return Err(unproved());
        }
        let answer: McpProof = read(answer).await.map_err(|_| unproved())?;
        if proof::is_proof(&answer.proof, self.token.expose(), &nonce, at) { Ok(()) } else { Err(unproved()) }
    }

    fn request(&self, method: Method, at: SocketAddr, path: &str) -> RequestBuilder {
        self.http.request(method, format!("http://{at}{path}")).bearer_auth(self.token.expose())
    }
}

async fn within<T>(limit: Duration, work: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
    timeout(limit, work).await.unwrap_or_else(|_| {
        Err(Error::new(ErrorKind::Timeout, "Sentient took too long to answer.").hint("Try again in a moment."))
    })
}

async fn sent(request: RequestBuilder) -> Result<Response, Error> {
    request.send().await.map_err(|cause| {
        tracing::debug!(cause = %cause.without_url(), "the engine cannot be reached");
        discovery::not_running()
    })
}

/// The answer, once its status says that it went well; else what the engine said went wrong.
async fn checked(response: Response) -> Result<Response, Error> {
    let status = response.status();
    if status.is_success() {
        return Ok(response);
    }
    let said: Result<Value, Error> = read(response).await;
    let detail = said.ok().and_then(|said| said["detail"].as_str().map(str::to_owned));
    let message = detail.unwrap_or_else(|| format!("Sentient answered with status {}.", status.as_u16()));
    Err(Error::new(ErrorKind::Upstream, message))
}

async fn read<T: DeserializeOwned>(response: Response) -> Result<T, Error> {
    let mut bytes = Vec::new();
    let mut body = response.bytes_stream();
    while let Some(chunk) = body.next().await {
        bytes.extend_from_slice(&chunk.map_err(|_| broken())?);
        if ANSWER_BYTES_MAX < bytes.len() {
            return Err(broken());
        }
    }
    serde_json::from_slice(&bytes).map_err(|_| broken())
}

fn broken() -> Error {
    Error::new(ErrorKind::Upstream, "Sentient's answer broke off.").hint("Look into its window for the reply.")
}

async fn read_turn(response: Response, waiting: Waiting<'_>) -> Result<String, Error> {
    let (mut body, mut lines) = (response.bytes_stream(), LineDecoder::new(LINE_BYTES_MAX));
    let mut paragraphs = Vec::new();
    while let Some(chunk) = body.next().await {
        for line in lines.push(&chunk.map_err(|_| broken())?) {
            let line = line.map_err(|_| broken())?;
            match serde_json::from_str(&line).unwrap_or(Frame::Other) {
                Frame::ApprovalRequest { name } => waiting(format!("Waiting for an OK in Sentient to use {name}.")),
                Frame::ToolResult { name, result } if result["declined"] == true => paragraphs.push(not_done(&name)),
                Frame::Done { cancelled: true, .. } => return Err(Error::new(ErrorKind::Cancelled, "Stopped.")),
                Frame::Done { error: Some(message), .. } => return Err(Error::new(ErrorKind::Upstream, message)),
                Frame::Done { content, .. } => {
                    paragraphs.push(content);
                    return Ok(paragraphs.join("\n\n"));
                }
                Frame::ToolResult { .. } | Frame::Other => (),
            }
        }
    }
    Err(broken())
}
