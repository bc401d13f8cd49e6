//! Changes that the engine itself makes: onboarding, picked models, accepted rules, paired apps.

use super::{Changed, ConfigRole};
use protocol::config::Config;
use protocol::{Error, Request};
use runtime::{Ctx, Handles};

/// Changes the configuration with a function of the one in force. Judged and saved like everybody's changes.
pub struct ChangeConfig {
    change: Box<dyn FnOnce(&mut Config) + Send>,
}

impl ChangeConfig {
    /// `change` sees the configuration in force at its turn, so two changes at once never undo each other.
    pub fn new(change: impl FnOnce(&mut Config) + Send + 'static) -> Self {
        Self { change: Box::new(change) }
    }
}

impl Request for ChangeConfig {
    type Reply = Changed;
    const NAME: &'static str = "config.change";
}

impl Handles<ChangeConfig> for ConfigRole {
    async fn handle(&mut self, request: ChangeConfig, _: &Ctx<Self>) -> Result<Changed, Error> {
        self.settle(rules::config_patch::change(&self.now(), request.change)).await
    }
}
