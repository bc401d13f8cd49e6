//! Where a call goes: the provider's dialect, the address that counts, and the key.

use super::Inner;
use actors::ports::Secret;
use protocol::model::{ModelError, ModelErrorKind, ModelName};
use rules::wire::dialect::{self, Dialect};
use rules::{model_errors, prices};
use tokio::time::Duration;
use url::Url;

/// A provider that can be called now.
pub(super) struct Target {
    pub(super) dialect: &'static Dialect,
    /// The address instead of the provider's own.
    pub(super) base: Option<String>,
    pub(super) key: Option<Secret>,
    pub(super) timeout: Duration,
}

impl Target {
    pub(super) fn chat_url(&self) -> String {
        self.dialect.chat_url(self.base.as_deref())
    }

    /// Another path at the same address.
    pub(super) fn url(&self, path: &str) -> String {
        self.dialect.url(self.base.as_deref(), path)
    }
}

impl Inner {
    /// Finds out where the model's provider answers and with which key.
    pub(super) async fn target(&self, model: &ModelName, api_base: Option<&str>) -> Result<Target, ModelError> {
        let provider = model.provider();
        let Some(dialect) = dialect::dialect(provider) else { return Err(unknown_provider(model)) };
        let settings = (self.settings)(provider);
        let own = api_base.map(str::to_owned).or(settings.api_base).filter(|base| !base.trim().is_empty());
        let base = self.bases.get(provider).cloned().or_else(|| own.clone());
        check_address(dialect, base.as_deref())?;
        if settings.local_only && !prices::runs_here(model, base.as_deref()) {
            return Err(not_local(model));
        }
        let key = self.key(dialect, settings.api_key_env, own.as_deref()).await?;
        Ok(Target { dialect, base, key, timeout: settings.request_timeout })
    }

    /// The provider's key. A server of the person's own on this computer may do without one.
    async fn key(
        &self,
        dialect: &Dialect,
        api_key_env: Option<String>,
        own_base: Option<&str>,
    ) -> Result<Option<Secret>, ModelError> {
        let usual = dialect.key_env.iter().map(|name| (*name).to_owned());
        let mut names: Vec<Option<String>> = api_key_env.into_iter().chain(usual).map(Some).collect();
        if names.is_empty() {
            names.push(None);
        }
        let optional = !dialect.key_required || own_base.is_some_and(prices::is_loopback);
        for env in names {
            match self.secrets.get(dialect.id.to_owned(), env).await {
                Ok(Some((secret, _))) => return Ok(Some(secret)),
                Ok(None) => (),
                Err(error) if optional => tracing::debug!(%error, provider = dialect.id, "going without a key"),
                Err(error) => {
                    let message = format!("The key for {} couldn't be read. {}", dialect.label, error.detail());
                    return Err(ModelError::new(ModelErrorKind::KeyMissing, message));
                }
            }
        }
        if optional { Ok(None) } else { Err(model_errors::key_missing(dialect.label)) }
    }
}

fn unknown_provider(model: &ModelName) -> ModelError {
    let message = format!(
        "Sentient doesn't know a provider called {}. Pick another model in Settings > Models.",
        model.provider()
    );
    ModelError::new(ModelErrorKind::ModelMissing, message)
}

fn not_local(model: &ModelName) -> ModelError {
    let message = format!(
        "Local only is on, and {model} doesn't run on this computer. Pick a local model, or turn Local only off in \
         Settings > Models."
    );
    ModelError::new(ModelErrorKind::LocalOnly, message)
}

/// An address must be one that can be asked by HTTP.
fn check_address(dialect: &Dialect, base: Option<&str>) -> Result<(), ModelError> {
    let address = dialect.url(base, "");
    let fits = Url::parse(&address).is_ok_and(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
    if fits {
        return Ok(());
    }
    let message =
        format!("The address set for {} isn't a web address. Correct it in Settings > Models.", dialect.label);
    Err(ModelError::new(ModelErrorKind::Unreachable, message))
}
