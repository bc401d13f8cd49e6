//! `/api/usage`: what models used and cost, and the budget (contract section 2 "Usage", "Cost meter and budget").

use super::errors::Answer;
use super::extract::Query;
use super::{Gateway, Routes};
use axum::Json;
use axum::extract::State;
use protocol::usage::{BudgetState, CostReport, UsageReport};
use serde::Deserialize;

pub(super) fn routes(routes: Routes) -> Routes {
    routes.get("/api/usage", usage).get("/api/usage/cost", cost).post("/api/usage/budget/keep-going", keep_going)
}

#[derive(Deserialize)]
struct Days {
    days: Option<u32>,
}

async fn usage(State(gateway): State<Gateway>, Query(query): Query<Days>) -> Answer<Json<UsageReport>> {
    Ok(Json(gateway.engine.usage(query.days).await?))
}

async fn cost(State(gateway): State<Gateway>) -> Answer<Json<CostReport>> {
    Ok(Json(gateway.engine.cost().await?))
}

async fn keep_going(State(gateway): State<Gateway>) -> Answer<Json<BudgetState>> {
    Ok(Json(gateway.engine.keep_going().await?))
}
