//! Turns a response body into pieces as they arrive. Dropping the stream drops the connection, which ends the call.

use actors::ports::PieceStream;
use bytes::Bytes;
use futures::stream::{self, BoxStream, StreamExt};
use protocol::model::{ModelError, ModelName, Piece};
use rules::model_errors::{self, TransportFailure};
use rules::wire::AnswerDecoder;
use std::collections::VecDeque;
use tokio::time::{Duration, Instant, timeout, timeout_at};

/// The longest silence within an answer that has begun. Providers send keep-alive lines far more often.
pub(super) const SILENCE_LIMIT: Duration = Duration::from_secs(120);
/// How long the end of the body is waited for once the answer is whole, so that the connection can be used again.
const DRAIN_LIMIT: Duration = Duration::from_millis(50);

pub(super) type Decoder = Box<dyn AnswerDecoder + Send>;

/// An answer being read.
pub(super) struct Answer {
    body: BoxStream<'static, reqwest::Result<Bytes>>,
    decoder: Decoder,
    ready: VecDeque<Result<Piece, ModelError>>,
    /// When the next bytes must be there at the latest.
    deadline: Instant,
    over: bool,
    model: ModelName,
}

impl Answer {
    /// `deadline` is for the first bytes of the body.
    pub(super) fn new(response: reqwest::Response, decoder: Decoder, deadline: Instant, model: ModelName) -> Self {
        let body = response.bytes_stream().boxed();
        Self { body, decoder, ready: VecDeque::new(), deadline, over: false, model }
    }

    /// The pieces, after those that are known already.
    pub(super) fn pieces(mut self, label: &'static str, first: Vec<Piece>) -> PieceStream {
        self.ready.extend(first.into_iter().map(Ok));
        stream::unfold(self, move |mut answer| async move {
            let piece = answer.next(label).await?;
            Some((piece, answer))
        })
        .boxed()
    }

    async fn next(&mut self, label: &str) -> Option<Result<Piece, ModelError>> {
        loop {
            if let Some(piece) = self.ready.pop_front() {
                if piece.is_err() {
                    self.over = true;
                    self.ready.clear();
                }
                return Some(piece);
            }
            if self.over {
                return None;
            }
            if self.decoder.is_over() {
                self.over = true;
                self.drain().await;
                return None;
            }
            self.read(label).await;
        }
    }

    async fn read(&mut self, label: &str) {
        match timeout_at(self.deadline, self.body.next()).await {
            Ok(Some(Ok(bytes))) => {
                self.deadline = Instant::now() + SILENCE_LIMIT;
                self.ready.extend(self.decoder.push(&bytes));
            }
            Ok(Some(Err(cause))) => {
                tracing::debug!(model = %self.model, cause = %cause.without_url(), "the answer broke off");
                self.end();
            }
            Ok(None) => self.end(),
            Err(_) => {
                let error = model_errors::from_transport(label, &self.model, TransportFailure::Timeout);
                self.ready.push_back(Err(error));
            }
        }
    }

    /// The body is over; the decoder knows whether the answer was whole.
    fn end(&mut self) {
        self.ready.extend(self.decoder.end());
        self.over = true;
    }

    async fn drain(&mut self) {
        let rest = async { while let Some(Ok(_)) = self.body.next().await {} };
        if timeout(DRAIN_LIMIT, rest).await.is_err() {
            tracing::trace!(model = %self.model, "the connection is given up, its body does not end");
        }
    }
}
