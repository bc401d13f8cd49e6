//! `GET /api/tools`: connected apps and built-in tools (contract section 2 "Tools").

use super::{Gateway, Routes};
use axum::Json;
use axum::extract::State;
use protocol::tools::PluginInfo;

pub(super) fn routes(routes: Routes) -> Routes {
    routes.get("/api/tools", list)
}

async fn list(State(gateway): State<Gateway>) -> Json<Vec<PluginInfo>> {
    Json(gateway.engine.tools_listed())
}
