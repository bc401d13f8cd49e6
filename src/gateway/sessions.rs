//! `/api/sessions`: the chats and their messages (contract section 2 "Sessions").

use super::errors::Answer;
use super::extract::{Body, MaybeBody, Path, Query};
use super::{Gateway, Routes};
use actors::chats::requests::{NewChat, Patched, Trusted};
use axum::Json;
use axum::extract::State;
use protocol::ids::SessionId;
use protocol::limits::{MESSAGES_LIMIT_DEFAULT, MESSAGES_LIMIT_MAX, SESSIONS_LIMIT_DEFAULT, SESSIONS_LIMIT_MAX};
use protocol::sessions::{Message, SearchHit, Session, SessionPatch, TrustBody};
use serde::{Deserialize, Serialize};

/// Where chats begun in a window are held.
pub(super) const CHANNEL: &str = "desktop";

pub(super) fn routes(routes: Routes) -> Routes {
    routes
        .get("/api/sessions", list)
        .post("/api/sessions", create)
        .get("/api/sessions/search", search)
        .patch("/api/sessions/{id}", patch)
        .delete("/api/sessions/{id}", delete)
        .get("/api/sessions/{id}/messages", messages)
        .post("/api/sessions/{id}/trust", trust)
}

/// `{ok: true}`.
#[derive(Serialize)]
pub(super) struct Done {
    pub(super) ok: bool,
}

impl Done {
    pub(super) const OK: Json<Self> = Json(Self { ok: true });
}

#[derive(Deserialize)]
struct Limit {
    limit: Option<usize>,
}

async fn list(State(gateway): State<Gateway>, Query(query): Query<Limit>) -> Answer<Json<Vec<Session>>> {
    let limit = query.limit.unwrap_or(SESSIONS_LIMIT_DEFAULT).min(SESSIONS_LIMIT_MAX);
    Ok(Json(gateway.engine.sessions(limit).await?))
}

#[derive(Deserialize)]
struct Create {
    #[serde(default)]
    incognito: bool,
    model: Option<String>,
    memory_scope: Option<String>,
}

#[derive(Serialize)]
struct Created {
    session_id: SessionId,
}

async fn create(State(gateway): State<Gateway>, Query(query): Query<Create>) -> Answer<Json<Created>> {
    let Create { incognito, model, memory_scope } = query;
    let filled = |text: Option<String>| text.filter(|text| !text.is_empty());
    let (model, memory_scope) = (filled(model), filled(memory_scope));
    let new = NewChat { incognito, model, memory_scope, channel: CHANNEL.into(), ..NewChat::default() };
    Ok(Json(Created { session_id: gateway.engine.create_chat(new).await? }))
}

async fn patch(
    State(gateway): State<Gateway>,
    Path(id): Path<SessionId>,
    Body(patch): Body<SessionPatch>,
) -> Answer<Json<Patched>> {
    Ok(Json(gateway.engine.patch_chat(&id, patch).await?))
}

async fn delete(State(gateway): State<Gateway>, Path(id): Path<SessionId>) -> Answer<Json<Done>> {
    gateway.engine.delete_chat(&id).await?;
    Ok(Done::OK)
}

async fn trust(
    State(gateway): State<Gateway>,
    Path(id): Path<SessionId>,
    MaybeBody(body): MaybeBody<TrustBody>,
) -> Answer<Json<Trusted>> {
    Ok(Json(gateway.engine.trust_chat(&id, CHANNEL, body.upto).await?))
}

async fn messages(
    State(gateway): State<Gateway>,
    Path(id): Path<SessionId>,
    Query(query): Query<Limit>,
) -> Answer<Json<Vec<Message>>> {
    let limit = query.limit.unwrap_or(MESSAGES_LIMIT_DEFAULT).min(MESSAGES_LIMIT_MAX);
    Ok(Json(gateway.engine.messages(&id, limit).await?))
}

#[derive(Deserialize)]
struct Words {
    #[serde(default)]
    q: String,
}

async fn search(State(gateway): State<Gateway>, Query(query): Query<Words>) -> Answer<Json<Vec<SearchHit>>> {
    Ok(Json(gateway.engine.search(&query.q).await?))
}
