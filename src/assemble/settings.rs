//! Settings as the adapters need them, read anew at every use so that a change applies at once.

use crate::adapters::bases::Bases;
use crate::adapters::models::ProviderSettings;
use crate::adapters::web_settings::{SearchProvider, WebSettings};
use protocol::config::Config;
use std::sync::Arc;
use tokio::sync::watch;
use tokio::time::Duration;

/// The configuration in force.
pub(super) type ConfigNow = watch::Receiver<Arc<Config>>;

/// What one provider of models is set to.
pub(super) fn provider(config: &Config, id: &str) -> ProviderSettings {
    let known = config.models.providers.get(id);
    ProviderSettings {
        api_base: known.and_then(|provider| provider.api_base.clone()),
        api_key_env: known.and_then(|provider| provider.api_key_env.clone()),
        request_timeout: Duration::from_secs(u64::from(config.models.request_timeout_s)),
        local_only: config.models.local_only,
    }
}

/// What the web tools are set to. `over` are the addresses of `SENTIENT_BASES`, which win.
pub(super) fn web(config: &Config, over: &Bases) -> WebSettings {
    let integrations = &config.integrations;
    let bases = Bases::from_pairs(integrations.bases.clone()).unwrap_or_else(|problem| {
        tracing::warn!(%problem, "integrations.bases is left out");
        Bases::default()
    });
    let provider = serde_json::to_value(integrations.search_provider).ok();
    let provider = provider.as_ref().and_then(serde_json::Value::as_str).and_then(SearchProvider::parse);
    WebSettings {
        search_provider: provider.unwrap_or_default(),
        searxng_url: integrations.searxng_url.clone(),
        page_chars: usize::try_from(integrations.web_fetch_max_chars).unwrap_or(usize::MAX),
        news_country: integrations.news_country.clone(),
        location: config.assistant.location.clone(),
        bases: bases.overridden_by(over.clone()),
    }
}
