//! Stop everything and Resume (contract section 17).

use super::errors::Answer;
use super::extract::OptionalBody;
use super::{Gateway, Routes};
use axum::Json;
use axum::extract::State;
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

async fn resume(State(gateway): State<Gateway>, body: OptionalBody<From>) -> Answer<Json<StopState>> {
    Ok(Json(gateway.engine.resume(body.0.source.as_deref()).await?))
}
