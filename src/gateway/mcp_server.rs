//! `/api/mcp/*`: what `sentient mcp` needs to know, and how it makes sure that it talks to this engine (contract section 5,
//! "Sentient as an MCP server"). The token itself is in no answer.

use super::connection::ArrivedAt;
use super::errors::{Answer, ApiError};
use super::extract::Query;
use super::{Gateway, Routes};
use axum::Json;
use axum::extract::State;
use http::StatusCode;
use protocol::callers::{McpProof, McpStatus};
use serde::{Deserialize, Serialize};

pub(super) fn routes(routes: Routes) -> Routes {
    routes.get("/api/mcp/status", status).get(PROOF, proof).post("/api/mcp/token/rotate", rotate)
}

/// Asked without a token: it is how a caller finds out whether to send one here.
pub(super) const PROOF: &str = "/api/mcp/proof";

async fn status(State(gateway): State<Gateway>) -> Answer<Json<McpStatus>> {
    Ok(Json(gateway.engine.mcp_status().await?))
}

#[derive(Deserialize)]
struct Question {
    #[serde(default)]
    nonce: String,
}

async fn proof(
    State(gateway): State<Gateway>,
    ArrivedAt(address): ArrivedAt,
    Query(question): Query<Question>,
) -> Answer<Json<McpProof>> {
    let Some(address) = address else {
        return Err(ApiError::new(StatusCode::SERVICE_UNAVAILABLE, "It is not known at which address this arrived."));
    };
    Ok(Json(McpProof { proof: gateway.engine.mcp_proof(&question.nonce, address).await? }))
}

#[derive(Serialize)]
struct Rotated {
    rotated: bool,
}

async fn rotate(State(gateway): State<Gateway>) -> Answer<Json<Rotated>> {
    gateway.engine.rotate_mcp_token().await?;
    Ok(Json(Rotated { rotated: true }))
}
