//! What the person set about the web, as the adapters need it. Read anew for every request, so a change applies at once.

use super::bases::Bases;
use std::sync::Arc;

/// The web part of the settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebSettings {
    /// `integrations.search_provider`.
    pub search_provider: SearchProvider,
    /// `integrations.searxng_url`; empty when there is none.
    pub searxng_url: String,
    /// `integrations.web_fetch_max_chars`.
    pub page_chars: usize,
    /// `integrations.news_country`: a two-letter code, or empty for the one of `location`.
    pub news_country: String,
    /// `assistant.location`, for example `Pune, India`; may be empty.
    pub location: String,
    /// `integrations.bases`, with those of `SENTIENT_BASES` over them.
    pub bases: Bases,
}

impl Default for WebSettings {
    fn default() -> Self {
        Self {
            search_provider: SearchProvider::default(),
            searxng_url: String::new(),
            page_chars: 20_000,
            news_country: String::new(),
            location: String::new(),
            bases: Bases::default(),
        }
    }
}

/// Gives the settings of this moment.
pub type WebSettingsNow = Arc<dyn Fn() -> WebSettings + Send + Sync>;

/// Who searches the web.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SearchProvider {
    #[default]
    Duckduckgo,
    Brave,
    GoogleCse,
    Searxng,
}

impl SearchProvider {
    /// The word in the config and in results.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Duckduckgo => "duckduckgo",
            Self::Brave => "brave",
            Self::GoogleCse => "google_cse",
            Self::Searxng => "searxng",
        }
    }

    pub fn parse(word: &str) -> Option<Self> {
        [Self::Duckduckgo, Self::Brave, Self::GoogleCse, Self::Searxng].into_iter().find(|one| one.as_str() == word)
    }

    /// The name people know it by.
    pub fn display_name(self) -> &'static str {
        match self {
            Self::Duckduckgo => "DuckDuckGo",
            Self::Brave => "Brave Search",
            Self::GoogleCse => "Google Custom Search",
            Self::Searxng => "SearXNG",
        }
    }
}
