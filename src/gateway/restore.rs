//! `POST /api/timeline/restore`: puts back what an item changed (contract section 21).

use super::errors::Answer;
use super::extract::Body;
use super::{Gateway, Routes};
use actors::restore::Restored;
use axum::Json;
use axum::extract::State;
use serde::Deserialize;

pub(super) fn routes(routes: Routes) -> Routes {
    routes.post("/api/timeline/restore", restore)
}

#[derive(Deserialize)]
struct Item {
    id: String,
}

async fn restore(State(gateway): State<Gateway>, Body(item): Body<Item>) -> Answer<Json<Restored>> {
    Ok(Json(gateway.engine.restore(&item.id).await?))
}
