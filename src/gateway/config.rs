//! `/api/config`: the settings (contract section 2 "Config"). What is wrong with a change is told field by field.

use super::errors::{Answer, ApiError};
use super::extract::Body;
use super::{Gateway, Routes};
use axum::Json;
use axum::extract::State;
use protocol::config::{Problem, schema};
use serde::Serialize;
use serde_json::{Value, json};

pub(super) fn routes(routes: Routes) -> Routes {
    routes
        .get("/api/config", show)
        .put("/api/config", replace)
        .patch("/api/config", patch)
        .get("/api/config/schema", describe)
}

/// 422 with `[{loc, msg, type}]`.
pub(super) fn problems(problems: Vec<Problem>) -> ApiError {
    ApiError::fields(json!(problems))
}

#[derive(Serialize)]
struct Saved {
    saved: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    config: Option<Value>,
}

async fn show(State(gateway): State<Gateway>) -> Json<Value> {
    Json(gateway.engine.config().to_value())
}

async fn describe() -> Json<Value> {
    Json(schema())
}

async fn replace(State(gateway): State<Gateway>, Body(body): Body<Value>) -> Answer<Json<Saved>> {
    gateway.engine.replace_config(body).await?.map_err(problems)?;
    Ok(Json(Saved { saved: true, config: None }))
}

async fn patch(State(gateway): State<Gateway>, Body(patch): Body<Value>) -> Answer<Json<Saved>> {
    let config = gateway.engine.patch_config(patch).await?.map_err(problems)?;
    Ok(Json(Saved { saved: true, config: Some(config.to_value()) }))
}
