//! Models as Settings sees them: trying one out, what runs here, keys, roles. Plain functions over the ports and the
//! configuration; a chat's own calls take another path.

mod engine;
mod roles;
mod test;

pub use engine::SecretChange;
pub use roles::{RoleProblem, fallbacks, roles};
pub use test::{EmbeddingTest, ModelTest, test, test_embedding};

use protocol::config::Config;
use protocol::model::{ModelError, ModelErrorKind, ModelName};

/// Where a provider answers, when the person set another address.
pub fn api_base(config: &Config, model: &ModelName) -> Option<String> {
    let provider = match model.provider() {
        "ollama" => "ollama_chat", // one server, two ways to name it
        provider => provider,
    };
    config.models.providers.get(provider).and_then(|provider| provider.api_base.clone()).filter(|base| !base.is_empty())
}

/// Whether this model may be called at all (contract section 2, "Local only").
pub fn allowed(config: &Config, model: &ModelName) -> Result<(), ModelError> {
    if config.models.local_only && !rules::prices::runs_here(model, api_base(config, model).as_deref()) {
        let message = format!(
            "{model} does not run on this computer, and Local only is on. Turn it off in Settings > Models, or pick a local model."
        );
        return Err(ModelError::new(ModelErrorKind::LocalOnly, message));
    }
    Ok(())
}
