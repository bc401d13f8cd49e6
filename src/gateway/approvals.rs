//! Answers to open questions, and what earlier answers still allow (contract section 2 "Sessions", "Scoped answers").

use super::errors::{Answer, ApiError};
use super::extract::{Body, Path};
use super::sessions::Done;
use super::{Gateway, Routes};
use axum::Json;
use axum::extract::State;
use http::StatusCode;
use protocol::approvals::{Decision, Grants, Via};
use protocol::ids::{ApprovalId, GrantId};
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub(super) fn routes(routes: Routes) -> Routes {
    routes
        .post("/api/approvals", answer)
        .get("/api/approvals/grants", grants)
        .delete("/api/approvals/grants/{id}", revoke)
}

/// The decision is read apart, since an unknown one is a 404 by the contract and not a body of the wrong shape.
#[derive(Deserialize)]
struct Answered {
    approval_id: ApprovalId,
    decision: Value,
}

#[derive(Serialize)]
struct Resolved {
    resolved: bool,
}

async fn answer(State(gateway): State<Gateway>, Body(body): Body<Answered>) -> Answer<Json<Resolved>> {
    let decision: Decision = serde_json::from_value(body.decision)
        .map_err(|_| ApiError::new(StatusCode::NOT_FOUND, "That is not an answer this request offers."))?;
    if gateway.engine.answer_approval(body.approval_id, decision, Via::Desktop).await? {
        return Ok(Json(Resolved { resolved: true }));
    }
    Err(ApiError::new(StatusCode::NOT_FOUND, "Nothing is waiting for this answer any more."))
}

async fn grants(State(gateway): State<Gateway>) -> Answer<Json<Grants>> {
    Ok(Json(gateway.engine.grants()))
}

async fn revoke(State(gateway): State<Gateway>, Path(id): Path<GrantId>) -> Answer<Json<Done>> {
    gateway.engine.revoke_grant(id).await?;
    Ok(Done::OK)
}
