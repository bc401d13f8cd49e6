//! `/v1`: chatting with Sentient through any client made for OpenAI's API, from this computer only (contract section 2,
//! "OpenAI-compatible API"). It has a key of its own, no CORS, and errors in OpenAI's shape; what a request may do is
//! decided by the engine like everything else.

mod errors;
mod reply;

pub(super) use errors::V1Error;

use super::connection::{self, ArrivedAt};
use super::errors::Answer;
use super::extract::BODY_WAIT_MAX;
use super::guard::Token;
use super::{Gateway, Routes};
use actors::callers::AppChat;
use axum::Json;
use axum::extract::{FromRequest, Request, State};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use http::{HeaderMap, Method, StatusCode, header};
use rules::callers::OtherApp;
use rules::callers::openai::ChatRequest;
use serde::Serialize;
use serde_json::{Value, json};
use tokio::time::timeout;

/// The one model there is.
pub(super) const MODEL: &str = "sentient";
/// When it came to be, as OpenAI's shape wants it: 2026-11-30, in seconds of Unix time.
const MODEL_CREATED: i64 = 1_795_996_800;
/// Bytes of a request. Ours: clients send the whole conversation each time, with its pictures.
pub(super) const BODY_BYTES_MAX: usize = 16 * 1024 * 1024;

pub(super) fn routes(routes: Routes) -> Routes {
    routes.post("/api/openai-api/key", new_key).get("/v1/models", models).upload(
        "/v1/chat/completions",
        BODY_BYTES_MAX,
        completions,
    )
}

/// Whether a path is below `/v1`.
pub(super) fn is_v1(path: &str) -> bool {
    path.strip_prefix("/v1").is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// What a request shows before it is let in.
pub(super) struct Door {
    is_local: bool,
    key: Option<String>,
}

impl Door {
    pub(super) fn of(request: &Request) -> Self {
        let is_local = connection::is_local(request.extensions());
        Self { is_local, key: bearer(request.headers()).map(str::to_owned) }
    }
}

/// Lets a request in, before anything of it is read: the switch, then where it came from, then its key.
pub(super) async fn admit(gateway: &Gateway, door: Door) -> Result<(), V1Error> {
    if !gateway.engine.config().openai_api.enabled {
        return Err(V1Error::off());
    }
    if !door.is_local {
        return Err(V1Error::not_local());
    }
    let key = gateway.engine.api_key().await.unwrap_or_else(|error| {
        tracing::warn!(%error, "the key of /v1 cannot be looked up");
        None
    });
    match (key, door.key) {
        (Some(key), Some(offered)) if Token::new(key.expose()).accepts(&offered) => Ok(()),
        _ => Err(V1Error::bad_key()),
    }
}

fn bearer(headers: &HeaderMap) -> Option<&str> {
    let (scheme, key) = headers.get(header::AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| key.trim())
}

/// The answer at an address below `/v1` that is not served, or not with this method.
pub(super) fn unknown(method: &Method, path: &str, status: StatusCode) -> Response {
    V1Error::unknown(status, format!("Unknown request URL: {method} {path}.")).into_response()
}

#[derive(Serialize)]
struct NewKey {
    key: String,
    base_url: String,
}

async fn new_key(State(gateway): State<Gateway>, ArrivedAt(address): ArrivedAt) -> Answer<Json<NewKey>> {
    let key = gateway.engine.new_api_key().await?;
    let port = address.map_or(gateway.engine.config().gateway.port, |address| address.port());
    let local = address.map(|address| address.ip().to_canonical()).filter(std::net::IpAddr::is_loopback);
    let host = match local {
        Some(std::net::IpAddr::V6(ip)) => format!("[{ip}]"),
        Some(ip) => ip.to_string(),
        None => "127.0.0.1".into(),
    };
    Ok(Json(NewKey { key: key.expose().to_owned(), base_url: format!("http://{host}:{port}/v1") }))
}

async fn models() -> Json<Value> {
    let model = json!({ "id": MODEL, "object": "model", "created": MODEL_CREATED, "owned_by": MODEL });
    Json(json!({ "object": "list", "data": [model] }))
}

async fn completions(State(gateway): State<Gateway>, request: Request) -> Result<Response, V1Error> {
    let body = match timeout(BODY_WAIT_MAX, Bytes::from_request(request, &())).await {
        Ok(Ok(body)) => body,
        Ok(Err(rejection)) => return Err(V1Error::unreadable(rejection.status())),
        Err(_) => return Err(V1Error::unreadable(StatusCode::REQUEST_TIMEOUT)),
    };
    let request = ChatRequest::read(&body)?;
    drop(body); // a long conversation is not kept while its last message is answered
    let begun = gateway.engine.ask_as_app(OtherApp::Api, AppChat::Named(request.name), request.text).await?;
    let created = gateway.engine.world.now().as_millis() / 1_000;
    if request.stream {
        return Ok(reply::streamed(begun, created, request.include_usage));
    }
    reply::whole(begun, created).await
}
