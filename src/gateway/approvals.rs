//! `POST /api/approvals`: the person's answer to an open question (contract section 2 "Sessions").

use super::errors::{Answer, ApiError};
use super::extract::Body;
use super::{Gateway, Routes};
use axum::Json;
use axum::extract::State;
use http::StatusCode;
use protocol::approvals::Decision;
use protocol::ids::ApprovalId;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub(super) fn routes(routes: Routes) -> Routes {
    routes.post("/api/approvals", answer)
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
    if gateway.engine.answer_approval(body.approval_id, decision).await? {
        return Ok(Json(Resolved { resolved: true }));
    }
    Err(ApiError::new(StatusCode::NOT_FOUND, "Nothing is waiting for this answer any more."))
}
