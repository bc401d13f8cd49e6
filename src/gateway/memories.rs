//! `/api/memories`: what is remembered, and what the person does with it (contract section 7).

use super::caller::Caller;
use super::errors::Answer;
use super::extract::{Body, Path, Query};
use super::{Gateway, Routes, memories_review};
use axum::Json;
use axum::extract::State;
use protocol::memory::{ForgetCounts, Memory, Saved};
use protocol::memory_requests::{
    ExportFormat, Exported, MemoryDeleted, MemoryGraph, MemoryPatch, MemoryQuery, NewMemory, ScopeReset, ScopeRow,
    SourceForgotten, TopicCount,
};
use serde::Deserialize;

pub(super) fn routes(routes: Routes) -> Routes {
    let routes = routes
        .get("/api/memories", list)
        .post("/api/memories", add)
        .get("/api/memories/topics", topics)
        .get("/api/memories/graph", graph)
        .get("/api/memories/scopes", scopes)
        .get("/api/memories/forget-preview", forget_preview)
        .post("/api/memories/export", export)
        .delete("/api/memories/source/{source}", forget_source)
        .delete("/api/memories/scope/{scope}", reset_scope)
        .get("/api/memories/{id}", get)
        .put("/api/memories/{id}", edit)
        .patch("/api/memories/{id}", patch)
        .delete("/api/memories/{id}", delete);
    memories_review::routes(routes)
}

async fn list(State(gateway): State<Gateway>, Query(query): Query<MemoryQuery>) -> Answer<Json<Vec<Memory>>> {
    Ok(Json(gateway.engine.memories(query).await?))
}

async fn add(State(gateway): State<Gateway>, caller: Caller, Body(new): Body<NewMemory>) -> Answer<Json<Saved>> {
    Ok(Json(match caller {
        Caller::Window => gateway.engine.remember(new).await?,
        Caller::Mcp => gateway.engine.remember_for_app(new).await?,
    }))
}

async fn topics(State(gateway): State<Gateway>) -> Answer<Json<Vec<TopicCount>>> {
    Ok(Json(gateway.engine.memory_topics().await?))
}

async fn graph(State(gateway): State<Gateway>) -> Answer<Json<MemoryGraph>> {
    Ok(Json(gateway.engine.memory_graph().await?))
}

async fn scopes(State(gateway): State<Gateway>) -> Answer<Json<Vec<ScopeRow>>> {
    Ok(Json(gateway.engine.memory_scopes().await?))
}

#[derive(Deserialize)]
struct Source {
    #[serde(default)]
    source: String,
}

async fn forget_preview(State(gateway): State<Gateway>, Query(of): Query<Source>) -> Answer<Json<ForgetCounts>> {
    Ok(Json(gateway.engine.forget_preview(of.source).await?))
}

#[derive(Deserialize)]
struct Format {
    format: String,
}

async fn export(State(gateway): State<Gateway>, Body(Format { format }): Body<Format>) -> Answer<Json<Exported>> {
    let format = match format.as_str() {
        "markdown" => ExportFormat::Markdown,
        "sqlite" => ExportFormat::Sqlite,
        _ => return Err(protocol::Error::invalid("An export is `markdown` or `sqlite`.").into()),
    };
    Ok(Json(gateway.engine.export_memories(format).await?))
}

async fn get(State(gateway): State<Gateway>, caller: Caller, Path(id): Path<u64>) -> Answer<Json<Memory>> {
    let memory = gateway.engine.memory(id).await?;
    Ok(Json(match caller {
        Caller::Window => memory,
        Caller::Mcp => gateway.engine.memory_for_app(memory)?,
    }))
}

#[derive(Deserialize)]
struct Content {
    content: String,
}

async fn edit(
    State(gateway): State<Gateway>,
    Path(id): Path<u64>,
    Body(Content { content }): Body<Content>,
) -> Answer<Json<Memory>> {
    Ok(Json(gateway.engine.edit_memory(id, &content).await?))
}

async fn patch(
    State(gateway): State<Gateway>,
    Path(id): Path<u64>,
    Body(patch): Body<MemoryPatch>,
) -> Answer<Json<Memory>> {
    Ok(Json(gateway.engine.patch_memory(id, patch).await?))
}

async fn delete(State(gateway): State<Gateway>, Path(id): Path<u64>) -> Answer<Json<MemoryDeleted>> {
    Ok(Json(gateway.engine.forget_memory(id).await?))
}

async fn forget_source(State(gateway): State<Gateway>, Path(source): Path<String>) -> Answer<Json<SourceForgotten>> {
    Ok(Json(gateway.engine.forget_memory_source(source).await?))
}

async fn reset_scope(State(gateway): State<Gateway>, Path(scope): Path<String>) -> Answer<Json<ScopeReset>> {
    Ok(Json(gateway.engine.reset_memory_scope(scope).await?))
}
