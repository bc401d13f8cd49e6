//! One HTTP connection that notes when an answer's first word arrived. The same code talks to the engine and to the
//! model itself, so that what it costs is on both sides.

use super::Trouble;
use bytes::Bytes;
use http::{Request, header};
use http_body_util::{BodyExt, Full};
use hyper::client::conn::http1::{self, SendRequest};
use hyper_util::rt::TokioIo;
use runtime::Scope;
use serde_json::Value;
use std::net::SocketAddr;
use tokio::net::TcpStream;
use tokio::time::{Duration, Instant, timeout};

/// The word [`crate::model_server::Reply::tokens`] repeats, and nothing else on either wire holds.
pub(super) const WORD: &str = "word";
/// A turn that has not ended by then is counted as failed.
const TURN_MAX: Duration = Duration::from_secs(60);

/// An open connection.
pub(super) struct Connection {
    sender: SendRequest<Full<Bytes>>,
    address: SocketAddr,
    token: String,
}

/// What came back.
pub(super) struct Heard {
    pub(super) status: u16,
    /// From the first byte sent to the first word heard.
    pub(super) first: Duration,
    pub(super) body: Vec<u8>,
}

impl Heard {
    /// The answer as text.
    pub(super) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The chat a reply of the engine belongs to.
    pub(super) fn session(&self) -> Option<String> {
        let text = self.text();
        let first: Value = serde_json::from_str(text.lines().next()?).ok()?;
        Some(first["session_id"].as_str()?.to_owned())
    }

    /// Fails unless the answer holds exactly so many words.
    pub(super) fn expect_words(self, words: usize) -> Result<Self, Trouble> {
        let text = self.text();
        if self.status == 200 && text.matches(WORD).count() == words {
            return Ok(self);
        }
        let shown: String = text.chars().take(600).collect();
        Err(format!("not the answer that was scripted (status {}): {shown}", self.status).into())
    }
}

impl Connection {
    pub(super) async fn open(scope: &Scope, address: SocketAddr, token: &str) -> Result<Self, Trouble> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        let (sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
        scope.spawn_dropped("bench client", async move {
            if let Err(error) = connection.await {
                tracing::debug!(%error, "a bench connection ended");
            }
        });
        Ok(Self { sender, address, token: token.to_owned() })
    }

    pub(super) async fn get(&mut self, path: &str) -> Result<Heard, Trouble> {
        self.ask("GET", path, Bytes::new()).await
    }

    pub(super) async fn post(&mut self, path: &str, body: Bytes) -> Result<Heard, Trouble> {
        self.ask("POST", path, body).await
    }

    async fn ask(&mut self, method: &str, path: &str, body: Bytes) -> Result<Heard, Trouble> {
        let request = Request::builder()
            .method(method)
            .uri(path)
            .header(header::HOST, self.address.to_string())
            .header(header::AUTHORIZATION, format!("Bearer {}", self.token))
            .header(header::CONTENT_TYPE, "application/json")
            .body(Full::new(body))?;
        timeout(TURN_MAX, self.exchange(request)).await.map_err(|_| "the answer did not end in time")?
    }

    async fn exchange(&mut self, request: Request<Full<Bytes>>) -> Result<Heard, Trouble> {
        self.sender.ready().await?;
        let began = Instant::now();
        let mut response = self.sender.send_request(request).await?;
        let (mut body, mut first) = (Vec::new(), None);
        while let Some(frame) = response.frame().await {
            let Ok(data) = frame?.into_data() else { continue };
            let unseen = body.len().saturating_sub(WORD.len());
            body.extend_from_slice(&data);
            if first.is_none() && body[unseen..].windows(WORD.len()).any(|window| window == WORD.as_bytes()) {
                first = Some(began.elapsed());
            }
        }
        let first = first.unwrap_or_else(|| began.elapsed());
        Ok(Heard { status: response.status().as_u16(), first, body })
    }
}
