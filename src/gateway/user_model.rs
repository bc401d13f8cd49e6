//! `/api/user-model`: what was worked out about the person (contract section 15).

use super::errors::Answer;
use super::extract::{Body, Path};
use super::{Gateway, Routes};
use axum::Json;
use axum::extract::State;
use protocol::knowing::{Insight, QuestionAnswered, Refreshed, UserModelPage};
use serde::Deserialize;
use serde_json::{Value, json};

pub(super) fn routes(routes: Routes) -> Routes {
    routes
        .get("/api/user-model", page)
        .post("/api/user-model/insights", add)
        .patch("/api/user-model/insights/{id}", patch)
        .delete("/api/user-model/insights/{id}", delete)
        .post("/api/user-model/refresh", refresh)
        .post("/api/user-model/questions/{id}", answer)
        .delete("/api/user-model/questions/{id}", dismiss)
}

async fn page(State(gateway): State<Gateway>) -> Answer<Json<UserModelPage>> {
    Ok(Json(gateway.engine.knowing().user_model.page()?))
}

#[derive(Deserialize)]
struct NewInsight {
    #[serde(default)]
    statement: String,
    #[serde(default)]
    dimension: Option<String>,
}

async fn add(State(gateway): State<Gateway>, Body(new): Body<NewInsight>) -> Answer<Json<Insight>> {
    let dimension = new.dimension.unwrap_or_default();
    Ok(Json(gateway.engine.add_insight(new.statement, &dimension).await?))
}

#[derive(Deserialize)]
struct Patch {
    statement: Option<String>,
    status: Option<String>,
}

async fn patch(
    State(gateway): State<Gateway>,
    Path(id): Path<String>,
    Body(patch): Body<Patch>,
) -> Answer<Json<Insight>> {
    Ok(Json(gateway.engine.patch_insight(&id, patch.statement, patch.status.as_deref()).await?))
}

async fn delete(State(gateway): State<Gateway>, Path(id): Path<String>) -> Answer<Json<Value>> {
    gateway.engine.delete_insight(&id).await?;
    Ok(Json(json!({ "ok": true })))
}

async fn refresh(State(gateway): State<Gateway>) -> Answer<Json<Refreshed>> {
    Ok(Json(gateway.engine.refresh_user_model().await?))
}

#[derive(Deserialize)]
struct Said {
    #[serde(default)]
    answer: String,
}

async fn answer(
    State(gateway): State<Gateway>,
    Path(id): Path<String>,
    Body(said): Body<Said>,
) -> Answer<Json<QuestionAnswered>> {
    Ok(Json(gateway.engine.knowing().user_model.answer(&id, &said.answer).await?))
}

async fn dismiss(State(gateway): State<Gateway>, Path(id): Path<String>) -> Answer<Json<Value>> {
    gateway.engine.dismiss_question(id).await?;
    Ok(Json(json!({ "ok": true })))
}
