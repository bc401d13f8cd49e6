//! `integrations`: connected apps, MCP servers, webhooks and the services behind search, weather and news.

use super::schemas;
use super::section::{choice, section};
use std::collections::BTreeMap;

choice! {
    /// How an MCP server is reached.
    pub enum McpTransport { Stdio, Http, }
}

choice! {
    /// How Sentient proves itself to a remote MCP server.
    pub enum McpAuth { None, Headers, Oauth, }
}

section! {
    /// One MCP server. Values of variables and headers are in the keychain, only their names are here.
    pub struct McpServer {
        /// `stdio` starts a program on this computer, `http` calls an address.
        pub transport: McpTransport = McpTransport::Stdio,
        /// The program to start, for `stdio`.
        pub command: String = String::new(),
        /// Its arguments.
        pub args: Vec<String> = Vec::new(),
        /// The address to call, for `http`.
        #[schemars(extend("format" = "http-url"))]
        pub url: String = String::new(),
        /// Names of the environment variables it gets.
        #[schemars(schema_with = "schemas::env_names")]
        pub env_keys: Vec<String> = Vec::new(),
        /// Whether it is in use.
        pub enabled: bool = true,
        /// `none`, `headers` for fixed headers, or `oauth` for signing in.
        pub auth: McpAuth = McpAuth::None,
        /// Names of the headers sent with every request.
        pub header_keys: Vec<String> = Vec::new(),
    }
}

choice! {
    /// Who answers web searches.
    pub enum SearchProvider { Duckduckgo, Brave, GoogleCse, Searxng, }
}

choice! {
    /// Who answers weather questions.
    pub enum WeatherProvider { OpenMeteo, Accuweather, }
}

section! {
    /// Connected apps, MCP servers, webhooks and the services behind search, weather and news.
    pub struct Integrations {
        /// MCP servers by name.
        #[schemars(schema_with = "schemas::map_of::<McpServer>")]
        pub mcp_servers: BTreeMap<String, McpServer> = BTreeMap::new(),
        /// Do not show models the tools of apps that are not connected.
        pub hide_disconnected_tools: bool = true,
        /// Client id for signing in to GitHub with a code. Empty: a token is asked for.
        pub github_oauth_client_id: String = String::new(),
        /// Port on this computer that sign-ins in the browser come back to. 0 takes any free one.
        #[schemars(range(min = 0, max = 65_535))]
        pub oauth_redirect_port: u16 = 0,
        /// Apps that may only be read: `gmail`, `github`, `mcp_<server>` and so on.
        pub read_only: Vec<String> = Vec::new(),
        /// Seconds to watch whether Home Assistant did what it was told. 0: not watched.
        #[schemars(range(min = 0, max = 60))]
        pub home_assistant_check_s: f64 = 4.0,
        /// Keep a live connection to Home Assistant.
        pub home_assistant_live: bool = true,
        /// Hide one-time codes and sign-in links in emails from models.
        pub hide_one_time_codes: bool = true,
        /// Let other programs on this computer use Sentient as an MCP server. Turning it on makes its access token.
        pub mcp_server_enabled: bool = false,
        /// Memories saved by such programs need no review.
        pub mcp_server_memories_skip_review: bool = false,
        /// Seconds between looks for news in connected apps. 0 turns the live feeds off.
        #[schemars(range(min = 0, max = 3600))]
        pub fast_sync_seconds: u32 = 60,
        /// The biggest webhook that is taken in, in kilobytes.
        #[schemars(range(min = 1, max = 10_240))]
        pub webhook_max_body_kb: u32 = 256,
        /// How many calls a minute one webhook takes. 0: no limit.
        #[schemars(range(min = 0, max = 6000))]
        pub webhook_rate_limit_per_minute: u32 = 30,
        /// Who answers web searches. DuckDuckGo steps in when the one chosen is not connected.
        pub search_provider: SearchProvider = SearchProvider::Duckduckgo,
        /// Address of your SearXNG, when it answers the searches.
        #[schemars(extend("format" = "http-url"))]
        pub searxng_url: String = String::new(),
        /// Who answers weather questions.
        pub weather_provider: WeatherProvider = WeatherProvider::OpenMeteo,
        /// Country of the headlines as two letters. Empty: taken from your location, else the United States.
        #[schemars(extend("format" = "country"))]
        pub news_country: String = String::new(),
        /// Characters of a web page that a model gets.
        #[schemars(range(min = 1000, max = 200_000))]
        pub web_fetch_max_chars: u32 = 20_000,
        /// Seconds one call of an MCP tool may take.
        #[schemars(range(min = 5, max = 600))]
        pub mcp_timeout_s: u32 = 60,
        /// Other addresses for outside services: a service's name, such as `telegram`, to the address used in its
        /// place. For services you host yourself, and for tests. Empty: the service's own address.
        #[schemars(schema_with = "schemas::http_url_map")]
        pub bases: BTreeMap<String, String> = BTreeMap::new(),
    }
}

impl Integrations {
    /// The address set in place of a service's own, without a slash at its end.
    pub fn base(&self, service: &str) -> Option<&str> {
        self.bases.get(service).map(|base| base.trim_end_matches('/')).filter(|base| !base.is_empty())
    }
}
