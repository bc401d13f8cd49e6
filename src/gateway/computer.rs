//! `/api/terminal` and `/api/sandbox`: commands and scripts on this computer (contract sections 11 and 18).

use super::extract::Body;
use super::{Gateway, Routes};
use axum::Json;
use axum::extract::State;
use protocol::sandbox::{SandboxResult, SandboxStatus};
use protocol::terminal::TerminalStatus;
use serde::{Deserialize, Serialize};

pub(super) fn routes(routes: Routes) -> Routes {
    routes
        .get("/api/terminal/status", terminal_status)
        .post("/api/terminal/stop", terminal_stop)
        .get("/api/sandbox/status", sandbox_status)
        .post("/api/sandbox/run", sandbox_run)
}

async fn terminal_status(State(gateway): State<Gateway>) -> Json<TerminalStatus> {
    Json(gateway.engine.small.outside.terminal.status())
}

#[derive(Deserialize)]
struct Stop {
    id: String,
}

#[derive(Serialize)]
struct Stopped {
    stopped: bool,
}

async fn terminal_stop(State(gateway): State<Gateway>, Body(body): Body<Stop>) -> Json<Stopped> {
    Json(Stopped { stopped: gateway.engine.small.outside.terminal.stop(&body.id) })
}

async fn sandbox_status(State(gateway): State<Gateway>) -> Json<SandboxStatus> {
    Json(gateway.engine.small.outside.sandbox.status().await)
}

#[derive(Deserialize)]
struct Script {
    code: String,
}

async fn sandbox_run(State(gateway): State<Gateway>, Body(body): Body<Script>) -> Json<SandboxResult> {
    Json(gateway.engine.run_again(body.code).await)
}
