//! What scripts run with here, and what holds them.

use super::run::backend_name;
use super::{Sandbox, ScriptRun};
use crate::Engine;
use crate::tools::ToolCtx;
use protocol::sandbox::{SandboxResult, SandboxStatus};
use std::sync::Arc;

impl Engine {
    /// Runs a script a person looks at again: its calls only look things up, whatever the approvals mode is
    /// (`POST /api/sandbox/run`). It ends with whoever waits for it, and when everything is stopped.
    pub async fn run_again(&self, code: String) -> SandboxResult {
        let mut ctx = ToolCtx::new(self.world.now(), self.world.clock.zone(), Arc::new(|_| ()));
        ctx.cancel = self.world.work.token().child_token();
        self.small.outside.sandbox.run(ScriptRun { code, look_ups_only: true }, &ctx).await
    }
}

impl Sandbox {
    /// `GET /api/sandbox/status`.
    pub async fn status(&self) -> SandboxStatus {
        let config = self.config();
        let state = self.scripts.state(config.sandbox.backend).await;
        SandboxStatus {
            enabled: config.sandbox.enabled,
            backend: backend_name(state.backend).into(),
            docker_available: state.docker_available,
            python_version: state.python_version,
            doors: state.doors,
        }
    }

    /// What is open to a script here, or that nobody knows yet, for the card that asks about one; `None` when nothing is.
    pub fn warning(&self) -> Option<String> {
        self.scripts.warning(self.config().sandbox.backend)
    }
}
