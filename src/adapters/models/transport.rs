//! Requests to providers: the shared clients, headers with keys, limits, and errors in plain words.

use super::target::Target;
use futures::StreamExt;
use protocol::model::{ModelError, ModelErrorKind, ModelName};
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue, RETRY_AFTER};
use reqwest::{Client, ClientBuilder, RequestBuilder, Response, redirect};
use rules::model_errors::{self, TransportFailure};
use rules::prices;
use rules::wire::anthropic;
use rules::wire::dialect::{Auth, Wire};
use serde_json::Value;
use std::collections::HashMap;
use std::io;
use std::sync::{Mutex, OnceLock, PoisonError};
use tokio::time::{Duration, Instant, timeout, timeout_at};

/// The longest a connection may take to come about.
const CONNECT_LIMIT: Duration = Duration::from_secs(10);
/// Bytes of an error body that are read.
const ERROR_BYTES_MAX: usize = 64 * 1024;
/// The longest an error body may take.
const ERROR_BODY_LIMIT: Duration = Duration::from_secs(5);

/// How long a connection that has nothing to do is kept for the next call.
const IDLE_KEPT: Duration = Duration::from_secs(90);
/// Addresses whose last answer is remembered; at the limit all are forgotten.
const ANSWERED_MAX: usize = 256;

/// One client for the world, and one for this computer, which no proxy may come between. Each is made when it is first
/// needed: reading the system's certificates takes a while, and a start must not wait for it.
#[derive(Default)]
pub(super) struct Clients {
    outside: OnceLock<Result<Client, ModelError>>,
    here: OnceLock<Result<Client, ModelError>>,
    /// When a provider last answered, by address: only then can a connection to it be one that was used before.
    answered: Mutex<HashMap<String, Instant>>,
}

impl Clients {
    /// The client for an address.
    pub(super) fn at(&self, url: &str) -> Result<&Client, ModelError> {
        let built = if url.starts_with("http://") && prices::is_loopback(url) {
            // Without TLS no certificate is needed.
            self.here.get_or_init(|| build(Client::builder().no_proxy().tls_certs_only([])))
        } else {
            self.outside.get_or_init(|| build(Client::builder()))
        };
        built.as_ref().map_err(Clone::clone)
    }

    /// Sends a request and answers its response, once that says it went well.
    ///
    /// A connection that was kept from an earlier call may have been given up by the provider at this very moment. When
    /// it ends before a byte of the answer came, the request is sent once more on a new one; the provider has not begun
    /// to answer, and the person would only be told to do the same.
    pub(super) async fn send(
        &self,
        request: RequestBuilder,
        deadline: Instant,
        target: &Target,
        model: &ModelName,
    ) -> Result<Response, ModelError> {
        let again = if self.may_reuse(target) { request.try_clone() } else { None };
        let response = match (timeout_at(deadline, request.send()).await, again) {
            (Ok(Err(cause)), Some(again)) if ended_before_an_answer(&cause) => {
                tracing::debug!(%model, "a kept connection had ended; the call is sent once more");
                timeout_at(deadline, again.send()).await
            }
            (sent, _) => sent,
        };
        let label = target.dialect.label;
        let response = match response {
            Err(_) => return Err(model_errors::from_transport(label, model, TransportFailure::Timeout)),
            Ok(Err(cause)) => return Err(transport_error(label, model, &cause)),
            Ok(Ok(response)) => response,
        };
        self.note_answer(target);
        checked(response, target, model).await
    }

    /// Whether a connection of an earlier call may still be there.
    fn may_reuse(&self, target: &Target) -> bool {
        let answered = self.answered.lock().unwrap_or_else(PoisonError::into_inner);
        answered.get(&target.url("")).is_some_and(|at| at.elapsed() <= IDLE_KEPT)
    }

    fn note_answer(&self, target: &Target) {
        let mut answered = self.answered.lock().unwrap_or_else(PoisonError::into_inner);
        if ANSWERED_MAX <= answered.len() {
            answered.clear();
        }
        answered.insert(target.url(""), Instant::now());
    }

    /// A request with the provider's key.
    pub(super) fn post(&self, target: &Target, url: &str, body: &Value) -> Result<RequestBuilder, ModelError> {
        Ok(self.at(url)?.post(url).headers(headers(target)?).json(body))
    }
}

fn build(builder: ClientBuilder) -> Result<Client, ModelError> {
    let client = builder
        .connect_timeout(CONNECT_LIMIT)
        .pool_idle_timeout(IDLE_KEPT)
        // A redirect would carry prompts to another host.
        .redirect(redirect::Policy::none())
        .user_agent(concat!("sentient/", env!("CARGO_PKG_VERSION")))
        .build();
    client.map_err(|cause| {
        tracing::error!(%cause, "no connections to providers can be made");
        let message = "No safe connections can be made: this computer's certificates couldn't be used. Check SSL_CERT_FILE, \
                       or install the system's certificates, and start Sentient again.";
        ModelError::new(ModelErrorKind::Unreachable, message)
    })
}

fn headers(target: &Target) -> Result<HeaderMap, ModelError> {
    let mut headers = HeaderMap::new();
    if target.dialect.wire == Wire::Anthropic {
        headers.insert(HeaderName::from_static("anthropic-version"), HeaderValue::from_static(anthropic::VERSION));
    }
    if let Some(key) = &target.key {
        let (name, value) = match target.dialect.auth {
            Auth::Bearer => (AUTHORIZATION, HeaderValue::try_from(format!("Bearer {}", key.expose()))),
            Auth::XApiKey => (HeaderName::from_static("x-api-key"), HeaderValue::try_from(key.expose())),
        };
        let mut value = value.map_err(|_| {
            let message = format!(
                "The saved key for {} has characters no key can have. Paste it again in Settings > Models.",
                target.dialect.label
            );
            ModelError::new(ModelErrorKind::KeyRejected, message)
        })?;
        value.set_sensitive(true);
        headers.insert(name, value);
    }
    Ok(headers)
}

/// The response, once its status says that it went well.
async fn checked(response: Response, target: &Target, model: &ModelName) -> Result<Response, ModelError> {
    let label = target.dialect.label;
    let status = response.status();
    if status.is_success() {
        return Ok(response);
    }
    let retry_after_s = retry_after(response.headers());
    let body = error_body(response).await;
    let mut shown = body.clone();
    if let Some(key) = &target.key {
        shown = shown.replace(key.expose(), "[key]");
    }
    tracing::debug!(%model, %status, body = shown, "the provider turned the call down");
    if status.is_redirection() {
        return Err(model_errors::unreadable(label));
    }
    Err(model_errors::from_status(label, model, status.as_u16(), &body, retry_after_s))
}

/// `Retry-After` in seconds. The form with a date is rare here and left out.
fn retry_after(headers: &HeaderMap) -> Option<u64> {
    headers.get(RETRY_AFTER)?.to_str().ok()?.trim().parse().ok()
}

/// The beginning of an error's body; whatever does not come in time is left out.
async fn error_body(response: Response) -> String {
    let mut bytes = Vec::new();
    let read = async {
        let mut body = response.bytes_stream();
        while let Some(Ok(chunk)) = body.next().await {
            let room = ERROR_BYTES_MAX - bytes.len();
            bytes.extend_from_slice(&chunk[..chunk.len().min(room)]);
            if bytes.len() == ERROR_BYTES_MAX {
                break;
            }
        }
    };
    if timeout(ERROR_BODY_LIMIT, read).await.is_err() {
        tracing::debug!("the body of an error did not come in time");
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// A whole answer, at most `bytes_max`, until the deadline.
pub(super) async fn read_text(
    response: Response,
    deadline: Instant,
    bytes_max: usize,
    (label, model): (&str, &ModelName),
) -> Result<String, ModelError> {
    let read = async {
        let mut bytes = Vec::new();
        let mut body = response.bytes_stream();
        while let Some(chunk) = body.next().await {
            let chunk = chunk.map_err(|cause| transport_error(label, model, &cause))?;
            if bytes_max < bytes.len() + chunk.len() {
                return Err(model_errors::too_large(label));
            }
            bytes.extend_from_slice(&chunk);
        }
        String::from_utf8(bytes).map_err(|_| model_errors::unreadable(label))
    };
    match timeout_at(deadline, read).await {
        Ok(text) => text,
        Err(_) => Err(model_errors::from_transport(label, model, TransportFailure::Timeout)),
    }
}

/// A request that did not get as far as a status, or whose body broke.
pub(super) fn transport_error(label: &str, model: &ModelName, cause: &reqwest::Error) -> ModelError {
    // The address may hold a key of the person's own making; it stays out of the log.
    tracing::debug!(%model, cause = %chain(cause), "the provider could not be talked to");
    let failure = if is_tls(cause) {
        TransportFailure::Tls
    } else if cause.is_timeout() {
        TransportFailure::Timeout
    } else if cause.is_connect() {
        TransportFailure::Connect
    } else {
        TransportFailure::Broken
    };
    model_errors::from_transport(label, model, failure)
}

/// The error and the causes behind it.
fn causes(error: &reqwest::Error) -> impl Iterator<Item = &(dyn std::error::Error + 'static)> {
    let first: &(dyn std::error::Error + 'static) = error;
    std::iter::successors(Some(first), |error| error.source())
}

/// Whether a certificate or a handshake was the reason.
fn is_tls(cause: &reqwest::Error) -> bool {
    causes(cause).any(|error| {
        // The connection layer wraps it in an I/O error, whose source leaves it out.
        let inner = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        error.is::<rustls::Error>() || inner.is_some_and(|inner| inner.is::<rustls::Error>())
    })
}

/// Whether the connection ended after it had come about and before the head of an answer was there.
fn ended_before_an_answer(cause: &reqwest::Error) -> bool {
    use io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset};
    if cause.is_connect() || cause.is_timeout() {
        return false;
    }
    causes(cause).any(|error| {
        let cut = error.downcast_ref::<hyper::Error>().is_some_and(|error| error.is_incomplete_message());
        let reset = error
            .downcast_ref::<io::Error>()
            .is_some_and(|error| matches!(error.kind(), BrokenPipe | ConnectionAborted | ConnectionReset));
        cut || reset
    })
}

/// The causes behind an error, without its first line, which holds the address.
fn chain(error: &reqwest::Error) -> String {
    causes(error).skip(1).map(ToString::to_string).collect::<Vec<_>>().join(": ")
}
