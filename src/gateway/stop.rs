//! Stop everything and Resume (contract section 17).

use super::errors::{Answer, ApiError};
use super::extract::OptionalBody;
use super::{Gateway, Routes};
use axum::Json;
use axum::body::Bytes;
use axum::extract::State;
use http::StatusCode;
use protocol::engine::{StopState, Stopped};
use serde::Deserialize;

pub(super) fn routes(routes: Routes) -> Routes {
    routes.get("/api/stop", state).post("/api/stop-all", stop_all).post("/api/resume", resume)
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct From {
    source: Option<String>,
}

async fn state(State(gateway): State<Gateway>) -> Json<StopState> {
    Json(gateway.engine.stop_state())
}

async fn stop_all(State(gateway): State<Gateway>, body: OptionalBody<From>) -> Answer<Json<Stopped>> {
    Ok(Json(gateway.engine.stop_all(body.0.source.as_deref()).await?))
}

/// Unlike a stop, which nothing may hold up, this lets work begin again: a body that cannot be read presses nothing.
async fn resume(State(gateway): State<Gateway>, body: Bytes) -> Answer<Json<StopState>> {
    let from: From =
        if body.is_empty() { From::default() } else { serde_json::from_slice(&body).map_err(unreadable)? };
    Ok(Json(gateway.engine.resume(from.source.as_deref()).await?))
}

fn unreadable(cause: serde_json::Error) -> ApiError {
    let detail = format!("The body has not the shape this address takes: {cause}.");
    ApiError::new(StatusCode::UNPROCESSABLE_ENTITY, detail)
}
