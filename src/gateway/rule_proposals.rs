//! Rules proposed from what the person said in a chat (contract section 2 "Rules from chat").

use super::errors::{Answer, ApiError};
use super::extract::{Body, Path, Query};
use super::{Gateway, Routes};
use axum::Json;
use axum::extract::State;
use http::StatusCode;
use protocol::approvals::Via;
use protocol::ids::{ProposalId, SessionId};
use protocol::rule_proposals::{ProposalAnswer, ProposalStatus, RuleProposal};
use serde::Deserialize;

pub(super) fn routes(routes: Routes) -> Routes {
    routes.get("/api/sessions/{id}/rule-proposals", list).post("/api/rule-proposals/{id}", decide)
}

#[derive(Deserialize)]
struct Which {
    status: Option<String>,
}

async fn list(
    State(gateway): State<Gateway>,
    Path(session): Path<SessionId>,
    Query(which): Query<Which>,
) -> Answer<Json<Vec<RuleProposal>>> {
    let status = match which.status.as_deref() {
        None | Some("pending") => Some(ProposalStatus::Pending),
        Some("accepted") => Some(ProposalStatus::Accepted),
        Some("declined") => Some(ProposalStatus::Declined),
        Some("all") => None,
        Some(_) => {
            let why = "status is pending, accepted, declined or all.";
            return Err(ApiError::new(StatusCode::UNPROCESSABLE_ENTITY, why));
        }
    };
    Ok(Json(gateway.engine.rule_proposals(&session, status).await?))
}

async fn decide(
    State(gateway): State<Gateway>,
    Path(id): Path<ProposalId>,
    Body(answer): Body<ProposalAnswer>,
) -> Answer<Json<RuleProposal>> {
    Ok(Json(gateway.engine.decide_proposal(id, answer.decision, Via::Desktop).await?))
}
