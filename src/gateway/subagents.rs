//! `/api/subagents`: the helpers of chats (contract section 10, "Subagents").

use super::errors::Answer;
use super::extract::Path;
use super::{Gateway, Routes};
use axum::Json;
use axum::extract::State;
use protocol::ids::{SessionId, SubagentId};
use protocol::subagents::Subagent;

pub(super) fn routes(routes: Routes) -> Routes {
    routes
        .get("/api/sessions/{id}/subagents", of_chat)
        .get("/api/subagents/{id}", one)
        .post("/api/subagents/{id}/cancel", cancel)
}

async fn of_chat(State(gateway): State<Gateway>, Path(id): Path<SessionId>) -> Answer<Json<Vec<Subagent>>> {
    Ok(Json(gateway.engine.subagents(&id)?))
}

async fn one(State(gateway): State<Gateway>, Path(id): Path<SubagentId>) -> Answer<Json<Subagent>> {
    Ok(Json(gateway.engine.subagent(&id)?))
}

async fn cancel(State(gateway): State<Gateway>, Path(id): Path<SubagentId>) -> Answer<Json<Subagent>> {
    Ok(Json(gateway.engine.cancel_subagent(&id).await?))
}
