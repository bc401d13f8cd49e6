//! `/api/memories/dreams`: the nightly tidy-ups of memories (contract section 15).

use super::errors::Answer;
use super::extract::{Path, Query};
use super::{Gateway, Routes};
use axum::Json;
use axum::extract::State;
use protocol::knowing::Dream;
use serde::Deserialize;

pub(super) fn routes(routes: Routes) -> Routes {
    routes.get("/api/memories/dreams", list).post("/api/memories/dreams/run", run).get("/api/memories/dreams/{id}", one)
}

#[derive(Deserialize)]
struct Which {
    limit: Option<usize>,
}

async fn list(State(gateway): State<Gateway>, Query(which): Query<Which>) -> Answer<Json<Vec<Dream>>> {
    Ok(Json(gateway.engine.knowing().dreams.list(which.limit)?))
}

async fn run(State(gateway): State<Gateway>) -> Answer<Json<Dream>> {
    Ok(Json(gateway.engine.knowing().dreams.run().await?))
}

async fn one(State(gateway): State<Gateway>, Path(id): Path<String>) -> Answer<Json<Dream>> {
    Ok(Json(gateway.engine.knowing().dreams.one(&id)?))
}
