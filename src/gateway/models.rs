//! `/api/models` and `/api/system/hardware`: which models there are, what they are used for, and what runs here
//! (contract section 3).

use super::errors::Answer;
use super::extract::{Body, Query};
use super::sessions::Done;
use super::{Gateway, Routes};
use actors::models::{EmbeddingTest, ModelTest};
use actors::ports::{LocalModels, PullLine};
use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures::StreamExt;
use http::header;
use protocol::config::ModelRoles;
use protocol::engine::ModelBusy;
use protocol::hardware::Hardware;
use protocol::model::ModelError;
use rules::providers::ProviderRow;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::convert::Infallible;

pub(super) fn routes(routes: Routes) -> Routes {
    routes
        .get("/api/models/providers", providers)
        .get("/api/models/local", local)
        .get("/api/models/busy", busy)
        .post("/api/models/test", test)
        .post("/api/models/test-embedding", test_embedding)
        .put("/api/models/roles", roles)
        .put("/api/models/fallbacks", fallbacks)
        .post("/api/models/ollama/pull", pull)
        .get("/api/system/hardware", hardware)
}

async fn providers(State(gateway): State<Gateway>) -> Json<Vec<ProviderRow>> {
    Json(gateway.engine.providers().await)
}

async fn local(State(gateway): State<Gateway>) -> Json<LocalModels> {
    Json(gateway.engine.local_models().await)
}

async fn busy(State(gateway): State<Gateway>) -> Answer<Json<ModelBusy>> {
    Ok(Json(gateway.engine.model_busy().await?))
}

#[derive(Deserialize)]
struct Test {
    model: String,
    role: Option<String>,
}

async fn test(State(gateway): State<Gateway>, Body(body): Body<Test>) -> Answer<Json<ModelTest>> {
    Ok(Json(gateway.engine.test_model(&body.model, body.role.as_deref()).await?))
}

async fn test_embedding(State(gateway): State<Gateway>, Body(body): Body<Test>) -> Answer<Json<EmbeddingTest>> {
    Ok(Json(gateway.engine.test_embedding_model(&body.model).await?))
}

async fn roles(State(gateway): State<Gateway>, Body(body): Body<Map<String, Value>>) -> Answer<Json<ModelRoles>> {
    Ok(Json(gateway.engine.set_roles(&body).await?))
}

async fn fallbacks(State(gateway): State<Gateway>, Body(body): Body<Map<String, Value>>) -> Answer<Json<Done>> {
    gateway.engine.set_fallbacks(&body).await?;
    Ok(Done::OK)
}

#[derive(Deserialize)]
struct Pull {
    name: String,
}

/// Lines as Ollama reports them; a failure is the last one (models.md, "Local detection and tests").
async fn pull(State(gateway): State<Gateway>, Body(body): Body<Pull>) -> Answer<Response> {
    let lines = gateway.engine.pull_model(&body.name)?.map(|line| Ok::<_, Infallible>(pull_line(line)));
    let headers = [(header::CONTENT_TYPE, "application/x-ndjson"), (header::CACHE_CONTROL, "no-store")];
    Ok((headers, axum::body::Body::from_stream(lines)).into_response())
}

fn pull_line(line: Result<PullLine, ModelError>) -> Bytes {
    let line = line.unwrap_or_else(|error| PullLine {
        status: "error".into(),
        error: Some(error.message),
        ..PullLine::default()
    });
    // A shape without maps: writing it cannot fail.
    let json = serde_json::to_string(&line).unwrap_or_default();
    Bytes::from(format!("{json}\n"))
}

#[derive(Deserialize)]
struct Look {
    #[serde(default)]
    refresh: bool,
}

async fn hardware(State(gateway): State<Gateway>, Query(look): Query<Look>) -> Json<Hardware> {
    Json(gateway.engine.hardware(look.refresh).await)
}
