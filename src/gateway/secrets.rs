//! `/api/secrets`: which keys are set; saving and deleting them (contract section 3). A value goes in and never out.

use super::errors::Answer;
use super::extract::{Body, Path};
use super::sessions::Done;
use super::{Gateway, Routes};
use actors::models::SecretChange;
use actors::ports::Secret;
use axum::Json;
use axum::extract::State;
use protocol::secrets::SecretRow;
use serde::Deserialize;

pub(super) fn routes(routes: Routes) -> Routes {
    routes.get("/api/secrets", list).put("/api/secrets/{name}", set).delete("/api/secrets/{name}", delete)
}

async fn list(State(gateway): State<Gateway>) -> Json<Vec<SecretRow>> {
    Json(gateway.engine.secrets().await)
}

#[derive(Deserialize)]
struct Value {
    value: String,
}

async fn set(State(gateway): State<Gateway>, Path(name): Path<String>, Body(body): Body<Value>) -> Answer<Json<Done>> {
    gateway.engine.change_secret(&name, SecretChange::Set(Secret::new(body.value))).await?;
    Ok(Done::OK)
}

async fn delete(State(gateway): State<Gateway>, Path(name): Path<String>) -> Answer<Json<Done>> {
    gateway.engine.change_secret(&name, SecretChange::Delete).await?;
    Ok(Done::OK)
}
