//! `/api/memories/narrative`: the page about the person and their projects, its versions, and what the person does with
//! them.

use super::errors::Answer;
use super::extract::{Body, MaybeBody, Query};
use super::{Gateway, Routes};
use actors::narrative::Deed;
use axum::Json;
use axum::extract::State;
use protocol::knowing::{NarrativePage, NarrativePick, NarrativeRefreshed, NarrativeVersion};
use serde::Deserialize;

pub(super) fn routes(routes: Routes) -> Routes {
    routes
        .get("/api/memories/narrative", page)
        .get("/api/memories/narrative/versions", versions)
        .post("/api/memories/narrative/refresh", refresh)
        .post("/api/memories/narrative/rollback", rollback)
        .post("/api/memories/narrative/approve", approve)
        .post("/api/memories/narrative/discard", discard)
}

#[derive(Default, Deserialize)]
struct Which {
    scope: Option<String>,
}

async fn page(State(gateway): State<Gateway>, Query(which): Query<Which>) -> Answer<Json<NarrativePage>> {
    Ok(Json(gateway.engine.knowing().narrative.page(which.scope.as_deref()).await?))
}

async fn versions(State(gateway): State<Gateway>, Query(which): Query<Which>) -> Answer<Json<Vec<NarrativeVersion>>> {
    Ok(Json(gateway.engine.knowing().narrative.versions(which.scope.as_deref())?))
}

async fn refresh(
    State(gateway): State<Gateway>,
    MaybeBody(which): MaybeBody<Which>,
) -> Answer<Json<NarrativeRefreshed>> {
    Ok(Json(gateway.engine.knowing().narrative.refresh_by_hand(which.scope.as_deref()).await?))
}

async fn rollback(gateway: State<Gateway>, pick: Body<NarrativePick>) -> Answer<Json<NarrativePage>> {
    decide(gateway, pick, Deed::Rollback).await
}

async fn approve(gateway: State<Gateway>, pick: Body<NarrativePick>) -> Answer<Json<NarrativePage>> {
    decide(gateway, pick, Deed::Approve).await
}

async fn discard(gateway: State<Gateway>, pick: Body<NarrativePick>) -> Answer<Json<NarrativePage>> {
    decide(gateway, pick, Deed::Discard).await
}

async fn decide(
    State(gateway): State<Gateway>,
    Body(pick): Body<NarrativePick>,
    deed: Deed,
) -> Answer<Json<NarrativePage>> {
    Ok(Json(gateway.engine.knowing().narrative.decide(pick.scope.as_deref(), pick.version, deed).await?))
}
