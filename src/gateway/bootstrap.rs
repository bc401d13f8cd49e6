//! `GET /api/bootstrap` and `POST /api/onboarding`: a window's launch, and the first meeting (contract section 2).

use super::config::problems;
use super::errors::Answer;
use super::extract::Body;
use super::sessions::Done;
use super::{Gateway, Routes};
use axum::Json;
use axum::extract::State;
use protocol::onboarding::{Bootstrap, Onboarding};

pub(super) fn routes(routes: Routes) -> Routes {
    routes.get("/api/bootstrap", bootstrap).post("/api/onboarding", onboard)
}

async fn bootstrap(State(gateway): State<Gateway>) -> Answer<Json<Bootstrap>> {
    Ok(Json(gateway.engine.bootstrap(crate::VERSION).await?))
}

async fn onboard(State(gateway): State<Gateway>, Body(answers): Body<Onboarding>) -> Answer<Json<Done>> {
    gateway.engine.onboard(answers).await?.map_err(problems)?;
    Ok(Done::OK)
}
