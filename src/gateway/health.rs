//! `GET /api/health`: whether the engine is up. The only address below `/api` that needs no token.

use super::Routes;
use axum::Json;
use serde::Serialize;

pub(super) fn routes(routes: Routes) -> Routes {
    routes.get("/api/health", health)
}

#[derive(Serialize)]
struct Health {
    ok: bool,
    version: &'static str,
    name: &'static str,
}

async fn health() -> Json<Health> {
    Json(Health { ok: true, version: crate::VERSION, name: "sentient" })
}
