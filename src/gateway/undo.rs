//! `POST /api/undo`: takes a send back, or sends it now (contract section 2 "Sessions", section 10).

use super::errors::{Answer, ApiError};
use super::extract::Body;
use super::{Gateway, Routes};
use axum::Json;
use axum::extract::State;
use http::StatusCode;
use protocol::ids::UndoId;
use protocol::undo::UndoAction;
use serde::{Deserialize, Serialize};

pub(super) fn routes(routes: Routes) -> Routes {
    routes.post("/api/undo", answer)
}

#[derive(Deserialize)]
struct Pressed {
    undo_id: UndoId,
    action: UndoAction,
}

#[derive(Serialize)]
struct Answered {
    done: bool,
    action: UndoAction,
}

async fn answer(State(gateway): State<Gateway>, Body(pressed): Body<Pressed>) -> Answer<Json<Answered>> {
    let Pressed { undo_id, action } = pressed;
    if gateway.engine.answer_undo(undo_id, action).await? {
        return Ok(Json(Answered { done: true, action }));
    }
    Err(ApiError::new(StatusCode::NOT_FOUND, "Nothing is waiting to be sent any more."))
}
