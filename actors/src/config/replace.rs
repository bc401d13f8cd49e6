//! `PUT /api/config`.

use super::{Changed, ConfigRole};
use protocol::{Error, Request};
use runtime::{Ctx, Handles};
use serde_json::Value;

/// Puts a whole configuration in place of the one in force (contract section 2, "Config").
#[derive(Clone, Debug)]
pub struct ReplaceConfig {
    pub body: Value,
}

impl Request for ReplaceConfig {
    type Reply = Changed;
    const NAME: &'static str = "config.replace";
}

impl Handles<ReplaceConfig> for ConfigRole {
    async fn handle(&mut self, request: ReplaceConfig, _: &Ctx<Self>) -> Result<Changed, Error> {
        self.settle(rules::config_patch::replace(&self.now(), &request.body)).await
    }
}
