//! `GET /api/engine/actors`: every actor with its mailbox, restarts, last error and time per request.

use super::{Gateway, Routes};
use axum::Json;
use axum::extract::State;
use protocol::engine::ActorRow;

pub(super) fn routes(routes: Routes) -> Routes {
    routes.get("/api/engine/actors", actors)
}

async fn actors(State(gateway): State<Gateway>) -> Json<Vec<ActorRow>> {
    Json(gateway.engine.actors_and_questions().await)
}
