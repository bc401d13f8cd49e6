//! Sends an answer's events as a response body, with the fault it is to have.

use super::reply::Fault;
use super::{Shared, Wire, wires};
use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use futures::stream::{self, StreamExt};
use std::io;
use std::sync::Arc;
use tokio::time::{Duration, sleep};

/// Counts an answer as open for as long as its body lives.
struct Open(Arc<Shared>);

impl Open {
    fn new(shared: &Arc<Shared>) -> Self {
        shared.open.send_modify(|open| *open += 1);
        Self(Arc::clone(shared))
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.0.open.send_modify(|open| *open -= 1);
    }
}

/// One step of a body.
enum Step {
    Send(Bytes),
    Wait(Duration),
    /// Nothing more, for ever.
    Hang,
    /// The connection breaks.
    Break,
}

/// The response that streams `events`.
pub(super) fn response(shared: &Arc<Shared>, wire: Wire, events: Vec<String>, fault: Option<&Fault>) -> Response {
    let content_type = if wire == Wire::Ollama { "application/x-ndjson" } else { "text/event-stream" };
    let open = Open::new(shared);
    let steps = stream::iter(steps(wire, events, fault));
    let body = steps.filter_map(async |step| match step {
        Step::Send(bytes) => Some(Ok(bytes)),
        Step::Wait(time) => {
            sleep(time).await;
            None
        }
        Step::Hang => std::future::pending().await,
        Step::Break => {
            // While the body has nothing, what it sent so far is flushed; then the connection breaks.
            tokio::task::yield_now().await;
            Some(Err(io::Error::other("scripted break")))
        }
    });
    // The guard lives in the stream, so that a client that hangs up is noticed.
    let body = body.inspect(move |_| {
        let _guarded = &open;
    });
    Response::builder()
        .header("content-type", content_type)
        .body(Body::from_stream(body))
        .expect("a valid header and any body make a response")
}

/// A request that is never answered; it still counts as open, so that a client that hangs up is noticed.
pub(super) async fn never(shared: &Arc<Shared>) -> Response {
    let _open = Open::new(shared);
    std::future::pending().await
}

fn steps(wire: Wire, events: Vec<String>, fault: Option<&Fault>) -> Vec<Step> {
    let half = events.len() / 2;
    let send = |text: String| Step::Send(Bytes::from(text));
    let first = |count: usize| -> Vec<Step> { events.iter().take(count).cloned().map(send).collect() };
    match fault {
        Some(Fault::Slow(millis)) => {
            let wait = Duration::from_millis(*millis);
            events.into_iter().flat_map(|event| [Step::Wait(wait), send(event)]).collect()
        }
        Some(Fault::LateStart(millis)) => {
            let wait = Step::Wait(Duration::from_millis(*millis));
            [wait].into_iter().chain(events.into_iter().map(send)).collect()
        }
        Some(Fault::CutMidStream) => {
            let mut steps = first(half);
            let cut: String = events[half].chars().take(events[half].chars().count() / 2).collect();
            steps.extend([send(cut), Step::Break]);
            steps
        }
        Some(Fault::EndMidStream) => first(half),
        Some(Fault::Malformed) => {
            let mut steps = first(half);
            steps.push(send(wires::malformed(wire)));
            steps.extend(events.into_iter().skip(half).map(send));
            steps
        }
        Some(Fault::MidStreamError) => {
            let mut steps = first(half);
            steps.push(send(wires::stream_error(wire)));
            steps
        }
        Some(Fault::HangAfterHeaders) => vec![Step::Hang],
        Some(Fault::HangMidStream) => {
            let mut steps = first(half);
            steps.push(Step::Hang);
            steps
        }
        _ => first(events.len()),
    }
}
