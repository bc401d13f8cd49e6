//! The HTTP side: which path is which wire, and the small routes around a model (lists, vectors, downloads).

use super::reply::{Fault, OllamaModel, Reply};
use super::{Seen, Shared, Wire, embedding, stream, wires};
use axum::Router;
use axum::body::Body;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::{HeaderMap, Method, Uri};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use bytes::Bytes;
use serde_json::{Value, json};
use std::sync::Arc;

/// Larger requests are refused before they are read.
const BODY_BYTES_MAX: usize = 64 * 1024 * 1024;
/// Dimensions of the vectors, small so that tests are quick. Real models have 768 and more.
const DIMENSIONS: usize = 64;

type Server = State<Arc<Shared>>;

pub(super) fn router(shared: Arc<Shared>) -> Router {
    let openai = async |server: Server, method: Method, uri: Uri, headers: HeaderMap, body: Bytes| {
        call(Wire::OpenAi, server, seen(&method, &uri, &headers, &body), &body).await
    };
    let ollama = async |server: Server, method: Method, uri: Uri, headers: HeaderMap, body: Bytes| {
        call(Wire::Ollama, server, seen(&method, &uri, &headers, &body), &body).await
    };
    let anthropic = async |server: Server, method: Method, uri: Uri, headers: HeaderMap, body: Bytes| {
        call(Wire::Anthropic, server, seen(&method, &uri, &headers, &body), &body).await
    };
    Router::new()
        .route("/v1/chat/completions", post(openai))
        .route("/chat/completions", post(openai))
        .route("/api/chat", post(ollama))
        .route("/v1/messages", post(anthropic))
        .route("/v1/models", get(other))
        .route("/models", get(other))
        .route("/v1/embeddings", post(other))
        .route("/embeddings", post(other))
        .route("/api/tags", get(other))
        .route("/api/show", post(other))
        .route("/api/ps", get(other))
        .route("/api/embed", post(other))
        .route("/api/pull", post(other))
        .layer(DefaultBodyLimit::max(BODY_BYTES_MAX))
        .with_state(shared)
}

fn seen(method: &Method, uri: &Uri, headers: &HeaderMap, body: &[u8]) -> Seen {
    let header = |(name, value): (&http::HeaderName, &http::HeaderValue)| {
        (name.as_str().to_owned(), String::from_utf8_lossy(value.as_bytes()).into_owned())
    };
    Seen {
        route: format!("{method} {}", uri.path()),
        headers: headers.iter().map(header).collect(),
        body: serde_json::from_slice(body).unwrap_or(Value::Null),
    }
}

/// Answers a model call with the next entry of the script.
async fn call(wire: Wire, State(shared): Server, seen: Seen, body: &Bytes) -> Response {
    if wire == Wire::Ollama
        && let Some(refusal) = ollama_refusal(&shared, &seen.body)
    {
        return refusal;
    }
    let request = seen.body.clone();
    let text = String::from_utf8_lossy(body);
    let (reply, number) = {
        let mut state = shared.state();
        let reply = state.answer(wire, seen, &text);
        (reply, state.calls.len())
    };
    match &reply.fault {
        Some(Fault::HangBeforeHeaders) => return stream::never(&shared).await,
        Some(Fault::Status(status)) => return json_response(*status, &wires::error_body(wire, *status)),
        Some(Fault::StatusBody(status, body)) => return plain_response(*status, body.clone()),
        Some(Fault::RetryAfter(seconds)) => {
            let mut response = json_response(429, &wires::error_body(wire, 429));
            response.headers_mut().insert("retry-after", (*seconds).into());
            return response;
        }
        _ => (),
    }
    let asked = wires::Asked {
        model: request["model"].as_str().unwrap_or_default(),
        body_chars: text.len(),
        wants_usage: request["stream_options"]["include_usage"] == true,
        number,
    };
    // Ollama streams unless it is told not to; the others do so only when asked.
    let streams = request["stream"].as_bool().unwrap_or(wire == Wire::Ollama);
    if streams {
        stream::response(&shared, wire, wires::events(wire, &reply, &asked), reply.fault.as_ref())
    } else {
        whole(&shared, wire, &reply, &asked).await
    }
}

/// The answer as one body; the faults that need a stream become the nearest thing without one.
async fn whole(shared: &Arc<Shared>, wire: Wire, reply: &Reply, asked: &wires::Asked<'_>) -> Response {
    match &reply.fault {
        Some(Fault::HangAfterHeaders | Fault::HangMidStream) => stream::never(shared).await,
        Some(Fault::MidStreamError) => json_response(500, &wires::error_body(wire, 500)),
        Some(Fault::Malformed) => plain_response(200, "{oops".to_owned()),
        Some(Fault::CutMidStream | Fault::EndMidStream) => {
            let body = wires::whole(wire, reply, asked).to_string();
            plain_response(200, body.chars().take(body.chars().count() / 2).collect())
        }
        _ => json_response(200, &wires::whole(wire, reply, asked)),
    }
}

/// What Ollama itself refuses: a model it does not have, tools for one that has none.
fn ollama_refusal(shared: &Shared, body: &Value) -> Option<Response> {
    let state = shared.state();
    if state.responder.is_some() {
        return None;
    }
    let name = body["model"].as_str().unwrap_or_default();
    let Some(model) = state.models.iter().find(|model| model.is(name)) else {
        return Some(json_response(404, &json!({"error": format!("model '{name}' not found")})));
    };
    let offers_tools = body["tools"].as_array().is_some_and(|tools| !tools.is_empty());
    if offers_tools && !model.capabilities.iter().any(|capability| capability == "tools") {
        let error = format!("registry.ollama.ai/library/{name} does not support tools");
        return Some(json_response(400, &json!({"error": error})));
    }
    None
}

/// Everything that is not a model call.
async fn other(State(shared): Server, method: Method, uri: Uri, headers: HeaderMap, body: Bytes) -> Response {
    let seen = seen(&method, &uri, &headers, &body);
    let (models, keeps) = {
        let state = shared.state();
        (state.models.clone(), state.responder.is_none() && state.others.len() < super::REQUESTS_MAX)
    };
    let answer = match uri.path() {
        "/api/tags" => json!({"models": models.iter().map(tag).collect::<Vec<_>>()}).into_response_json(),
        "/api/ps" => {
            let loaded = models.iter().filter_map(|model| {
                model
                    .size_vram
                    .map(|vram| json!({"name": model.name, "model": model.name, "size": model.size, "size_vram": vram}))
            });
            json!({"models": loaded.collect::<Vec<_>>()}).into_response_json()
        }
        "/api/show" => show(&models, &seen.body),
        "/api/pull" => pull(&models, &seen.body),
        "/api/embed" => embed(&models, &seen.body),
        path if path.ends_with("/embeddings") => openai_embeddings(&seen.body),
        _ => {
            let data: Vec<_> = models.iter().map(|model| json!({"id": model.name, "object": "model"})).collect();
            json!({"object": "list", "data": data}).into_response_json()
        }
    };
    if keeps {
        shared.state().others.push(seen);
    }
    answer
}

fn tag(model: &OllamaModel) -> Value {
    let details = json!({
        "format": "gguf", "family": model.family, "families": [model.family],
        "parameter_size": model.parameter_size, "quantization_level": "Q4_K_M",
    });
    json!({"name": model.name, "model": model.name, "size": model.size, "digest": "0f", "details": details})
}

fn show(models: &[OllamaModel], body: &Value) -> Response {
    let name = body["model"].as_str().or(body["name"].as_str()).unwrap_or_default();
    let Some(model) = models.iter().find(|model| model.is(name)) else {
        return json_response(404, &json!({"error": format!("model '{name}' not found")}));
    };
    let architecture = model.family.as_str();
    json!({
        "details": tag(model)["details"],
        "model_info": {
            "general.architecture": architecture,
            format!("{architecture}.context_length"): model.context_length,
            format!("{architecture}.embedding_length"): 4096,
        },
        "capabilities": model.capabilities,
    })
    .into_response_json()
}

/// A download in three steps; a name that holds `missing` fails the way Ollama says it.
fn pull(models: &[OllamaModel], body: &Value) -> Response {
    let name = body["model"].as_str().or(body["name"].as_str()).unwrap_or_default();
    let lines = if name.contains("missing") {
        vec![json!({"status": "pulling manifest"}), json!({"error": "pull model manifest: file does not exist"})]
    } else {
        let total = models.iter().find(|model| model.is(name)).map_or(1_000, |model| model.size);
        vec![
            json!({"status": "pulling manifest"}),
            json!({"status": "pulling 0f", "digest": "sha256:0f", "total": total, "completed": total / 2}),
            json!({"status": "pulling 0f", "digest": "sha256:0f", "total": total, "completed": total}),
            json!({"status": "success"}),
        ]
    };
    let body: String = lines.iter().map(|line| format!("{line}\n")).collect();
    Response::builder()
        .header("content-type", "application/x-ndjson")
        .body(Body::from(body))
        .expect("a valid header and any body make a response")
}

fn texts(input: &Value) -> Vec<&str> {
    match input {
        Value::String(text) => vec![text.as_str()],
        Value::Array(texts) => texts.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

fn embed(models: &[OllamaModel], body: &Value) -> Response {
    let name = body["model"].as_str().unwrap_or_default();
    if !models.iter().any(|model| model.is(name)) {
        return json_response(404, &json!({"error": format!("model \"{name}\" not found, try pulling it first")}));
    }
    let vectors: Vec<_> = texts(&body["input"]).into_iter().map(|text| embedding(text, DIMENSIONS)).collect();
    json!({"model": name, "embeddings": vectors, "prompt_eval_count": 1}).into_response_json()
}

/// The vectors come in reverse: clients must go by `index`.
fn openai_embeddings(body: &Value) -> Response {
    let item = |(index, text): (usize, &str)| json!({"object": "embedding", "index": index, "embedding": embedding(text, DIMENSIONS)});
    let data: Vec<_> = texts(&body["input"]).into_iter().enumerate().map(item).rev().collect();
    json!({"object": "list", "model": body["model"], "data": data, "usage": {"prompt_tokens": 1, "total_tokens": 1}})
        .into_response_json()
}

trait IntoJson {
    fn into_response_json(self) -> Response;
}

impl IntoJson for Value {
    fn into_response_json(self) -> Response {
        axum::Json(self).into_response()
    }
}

fn json_response(status: u16, body: &Value) -> Response {
    plain_response(status, body.to_string())
}

fn plain_response(status: u16, body: String) -> Response {
    Response::builder()
        .status(status)
        .header("content-type", "application/json")
        .body(Body::from(body))
        .expect("a test scripts a status between 100 and 999")
}
