//! `browser`: the browser the assistant drives.

use super::schemas;
use super::section::{choice, section};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

choice! {
    /// Which browser is used.
    pub enum BrowserEngine { Auto, Msedge, Chrome, Chromium, }
}

choice! {
    /// Whether a profile starts a browser or joins one that runs.
    pub enum ProfileKind { Launch, Attach, }
}

/// Which browser a profile uses; empty follows `browser.engine`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProfileEngine {
    #[default]
    #[serde(rename = "")]
    Inherit,
    Auto,
    Msedge,
    Chrome,
    Chromium,
}

section! {
    /// One browser profile with its own sign-ins.
    pub struct BrowserProfile {
        /// `launch` starts a browser of its own; `attach` joins one you started with a debugging port.
        pub kind: ProfileKind = ProfileKind::Launch,
        /// Which browser. Empty: as `browser.engine`.
        pub engine: ProfileEngine = ProfileEngine::Inherit,
        /// Address of the browser to join, on this computer, such as `http://127.0.0.1:9333`.
        #[schemars(extend("format" = "loopback-url"))]
        pub endpoint: String = String::new(),
        /// Your notes on what the profile is for.
        pub notes: String = String::new(),
    }
}

section! {
    /// The browser the assistant drives.
    pub struct Browser {
        /// Let the assistant use a browser.
        pub enabled: bool = true,
        /// Which browser. `auto`: Edge, then Chrome.
        pub engine: BrowserEngine = BrowserEngine::Auto,
        /// Keep its window hidden.
        pub headless: bool = true,
        /// Minutes without use after which it closes. 0: it stays open.
        #[schemars(range(min = 0, max = 1440))]
        pub idle_minutes: f64 = 10.0,
        /// The only sites it may open, as host names. Empty: every site.
        #[schemars(schema_with = "schemas::host_names")]
        pub allow_domains: Vec<String> = Vec::new(),
        /// Sites it may not open, with all their subdomains.
        #[schemars(schema_with = "schemas::host_names")]
        pub block_domains: Vec<String> = Vec::new(),
        /// Characters of a page's outline that a model gets.
        #[schemars(range(min = 1000, max = 200_000))]
        pub max_snapshot_chars: u32 = 12_000,
        /// Characters of a page's text that a model gets.
        #[schemars(range(min = 1000, max = 500_000))]
        pub max_extract_chars: u32 = 20_000,
        /// Ask before anything is bought, whatever else is set.
        pub confirm_purchases: bool = true,
        /// Show what it sees in the chat.
        pub live_view: bool = true,
        /// Profiles by name. `default` is always there and always a `launch` profile.
        #[schemars(schema_with = "schemas::map_of::<BrowserProfile>")]
        pub profiles: BTreeMap<String, BrowserProfile> =
            BTreeMap::from([(DEFAULT_PROFILE.to_owned(), BrowserProfile::default())]),
    }
}

/// The profile that cannot be renamed or deleted (contract section 12).
pub const DEFAULT_PROFILE: &str = "default";
