//! The socket: accepts connections within limits and speaks HTTP/1.1 on them until told to stop.

use crate::gateway::ConnectionEnds;
use axum::Router;
use http::Request;
use hyper::body::Incoming;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use protocol::{Error, ErrorKind};
use runtime::Scope;
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Duration, sleep};
use tokio_util::sync::CancellationToken;
use tower::ServiceExt;

/// Connections open at once; more wait in the system's queue. Ours: 500 chats at once and their windows fit.
pub const CONNECTIONS_MAX: usize = 2_048;
/// Headers of one request and bytes of its head. Ours.
const HEADERS_MAX: usize = 64;
const HEAD_BYTES_MAX: usize = 64 * 1024;
/// How long the head of a request may take, and how long a connection may say nothing between two. Ours.
const HEAD_WAIT_MAX: Duration = Duration::from_secs(30);
/// Pause after the system could not give a connection (too many open files).
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Takes the address.
///
/// # Errors
/// A port that is taken or may not be used, or a host that is not this computer's, with what to do about it.
pub async fn bind(host: &str, port: u16) -> Result<TcpListener, Error> {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    TcpListener::bind((bare, port)).await.map_err(|cause| cannot_listen(host, port, &cause))
}

fn cannot_listen(host: &str, port: u16, cause: &io::Error) -> Error {
    let conflict = |message: String, hint: &str| Error::new(ErrorKind::Conflict, message).hint(hint);
    match cause.kind() {
        io::ErrorKind::AddrInUse => conflict(
            format!("Port {port} on {host} is already taken."),
            "Sentient may already be running; otherwise choose another with --port.",
        ),
        io::ErrorKind::PermissionDenied => {
            conflict(format!("This account may not use port {port}."), "Choose one from 1024 on with --port.")
        }
        io::ErrorKind::AddrNotAvailable => {
            conflict(format!("{host} is not an address of this computer."), "Use 127.0.0.1 with --host.")
        }
        _ => conflict(format!("Cannot listen on {host}, port {port}: {cause}."), "Check --host and --port."),
    }
}

/// Accepts until `stop`; then ends each connection after the request it is working on. Connections run in
/// `connections`, so that the caller can wait for them.
pub async fn run(listener: TcpListener, router: Router, stop: CancellationToken, connections: Scope) {
    let room = Arc::new(Semaphore::new(CONNECTIONS_MAX));
    loop {
        let next = async {
            let permit = room.clone().acquire_owned().await.ok()?;
            Some((permit, listener.accept().await))
        };
        let accepted = tokio::select! {
            biased;
            () = stop.cancelled() => return,
            accepted = next => accepted,
        };
        match accepted {
            Some((permit, Ok((stream, peer)))) => {
                let job = connection(stream, peer, router.clone(), stop.clone(), permit);
                connections.spawn("connection", job);
            }
            Some((_, Err(error))) => {
                tracing::warn!(%error, "a connection could not be accepted");
                sleep(ACCEPT_PAUSE).await;
            }
            None => return,
        }
    }
}

async fn connection(
    stream: TcpStream,
    peer: SocketAddr,
    router: Router,
    stop: CancellationToken,
    permit: OwnedSemaphorePermit,
) {
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "a connection keeps its small packets back");
    }
    let mut builder = hyper::server::conn::http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(HEAD_WAIT_MAX);
    builder.max_headers(HEADERS_MAX).max_buf_size(HEAD_BYTES_MAX);
    let ends = ConnectionEnds { local: stream.local_addr().ok(), peer };
    let service = router.map_request(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(ends);
        request
    });
    let talk = builder.serve_connection(TokioIo::new(stream), TowerToHyperService::new(service)).with_upgrades();
    let mut talk = pin!(talk);
    let ended = tokio::select! {
        biased;
        ended = talk.as_mut() => ended,
        () = stop.cancelled() => {
            talk.as_mut().graceful_shutdown();
            talk.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, %peer, "a connection broke");
    }
    drop(permit);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_taken_port_says_so() {
        let first = bind("127.0.0.1", 0).await.expect("any free port");
        let port = first.local_addr().expect("bound").port();
        let error = bind("127.0.0.1", port).await.expect_err("taken");
        assert!(error.message.starts_with(&format!("Port {port} on 127.0.0.1 is already taken.")), "{error}");
    }

    #[tokio::test]
    async fn a_foreign_address_says_so() {
        let error = bind("192.0.2.1", 0).await.expect_err("an address for documentation, RFC 5737");
        assert!(error.message.contains("is not an address of this computer"), "{error}");
    }
}
