//! `PATCH /api/config`.

use super::{Changed, ConfigRole};
use protocol::{Error, Request};
use runtime::{Ctx, Handles};
use serde_json::Value;

/// Merges part of a configuration into the one in force (contract section 2, "Config").
#[derive(Clone, Debug)]
pub struct PatchConfig {
    pub patch: Value,
}

impl Request for PatchConfig {
    type Reply = Changed;
    const NAME: &'static str = "config.patch";
}

impl Handles<PatchConfig> for ConfigRole {
    async fn handle(&mut self, request: PatchConfig, _: &Ctx<Self>) -> Result<Changed, Error> {
        self.settle(rules::config_patch::apply_patch(&self.now(), &request.patch)).await
    }
}
