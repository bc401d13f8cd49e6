//! Web search: DuckDuckGo without a key, or the provider the person connected.
//!
//! Order: the provider chosen in Settings, then any other that is connected, then DuckDuckGo, which also stands in when
//! another one fails; an answer says so in its `note`. Keys go only into headers and addresses of their own service.

use super::bases::{Bases, Endpoint, authority};
use super::http::{Fetch, Http};
use super::web_settings::{SearchProvider, WebSettings, WebSettingsNow};
use actors::ports::{Search, SearchAnswer, SearchResult, Secret, SecretStore, WebError};
use futures::future::{BoxFuture, FutureExt};
use scraper::{ElementRef, Html, Selector};
use serde_json::Value;
use std::sync::Arc;
use url::Url;

/// Characters of one excerpt.
const SNIPPET_CHARS_MAX: usize = 500;
const TITLE_CHARS_MAX: usize = 200;
/// Results the keyed services give at once.
const BRAVE_RESULTS_MAX: usize = 20;
const GOOGLE_RESULTS_MAX: usize = 10;

/// Search over the web, with whichever provider is set up.
#[derive(Clone)]
pub struct WebSearches {
    http: Http,
    settings: WebSettingsNow,
    secrets: Arc<dyn SecretStore>,
}

/// What is connected, with what each provider needs, and where providers answer.
#[derive(Default)]
struct Connected {
    bases: Bases,
    brave: Option<Secret>,
    google: Option<(Secret, String)>,
    searxng: Option<Endpoint>,
}

impl WebSearches {
    pub fn new(http: Http, settings: WebSettingsNow, secrets: Arc<dyn SecretStore>) -> Self {
        Self { http, settings, secrets }
    }

    async fn run(self, query: String, results_max: usize) -> Result<SearchAnswer, WebError> {
        let settings = (self.settings)();
        let connected = self.connected(&settings).await;
        let (provider, chosen_note) = choose(settings.search_provider, &connected);
        let answer = match self.ask(provider, &connected, &query, results_max).await {
            Err(error) if provider != SearchProvider::Duckduckgo => {
                let fallback = SearchProvider::Duckduckgo;
                let results = self.ask(fallback, &connected, &query, results_max).await;
                let note = format!("{} DuckDuckGo answered instead.", error.0);
                results.map(|results| (fallback, results, Some(note)))
            }
            results => results.map(|results| (provider, results, chosen_note)),
        };
        let (provider, results, note) = answer?;
        let note = note.or_else(|| results.is_empty().then(|| "Nothing was found. Other words may help.".to_owned()));
        Ok(SearchAnswer { provider: provider.as_str().to_owned(), results, note })
    }

    /// Reads the keys. A key that cannot be read counts as not connected.
    async fn connected(&self, settings: &WebSettings) -> Connected {
        let key =
            |name: &str| self.secrets.get(name.to_owned(), None).map(|found| found.ok().flatten().map(|(key, _)| key));
        let (brave, google) = (key("integration:brave_search").await, key("integration:google_cse").await);
        Connected {
            bases: settings.bases.clone(),
            brave: brave.and_then(|stored| field(&stored, "api_key").or_else(|| plain(&stored))),
            google: google
                .and_then(|stored| Some((field(&stored, "api_key")?, field(&stored, "cx")?.expose().to_owned()))),
            searxng: searxng_endpoint(settings),
        }
    }

    async fn ask(
        &self,
        provider: SearchProvider,
        connected: &Connected,
        query: &str,
        results_max: usize,
    ) -> Result<Vec<SearchResult>, WebError> {
        let (who, bases) = (provider.display_name(), &connected.bases);
        let unset = || WebError(format!("{who} is not connected."));
        let mut results = match provider {
            SearchProvider::Duckduckgo => {
                let endpoint =
                    bases.endpoint("duckduckgo", "https://html.duckduckgo.com", "/html/").ok_or_else(unset)?;
                // All regions, moderate filter (contract integrations.tsv, internet_search).
                let fetch = Fetch { accept: "text/html", ..Fetch::service(endpoint) };
                let fetch = fetch.query("q", query).query("kl", "wt-wt").query("kp", "-1");
                let body = self.http.body(fetch, who).await?;
                duckduckgo_results(&String::from_utf8_lossy(&body))?
            }
            SearchProvider::Brave => {
                let key = connected.brave.as_ref().ok_or_else(unset)?;
                let usual = "https://api.search.brave.com";
                let endpoint = bases.endpoint("brave_search", usual, "/res/v1/web/search").ok_or_else(unset)?;
                let fetch = Fetch::service(endpoint)
                    .query("q", query)
                    .query("count", &results_max.min(BRAVE_RESULTS_MAX).to_string())
                    .header("x-subscription-token", key.expose().to_owned());
                brave_results(&self.http.json(fetch, who).await?)
            }
            SearchProvider::GoogleCse => {
                let (key, cx) = connected.google.as_ref().ok_or_else(unset)?;
                let usual = "https://www.googleapis.com";
                let endpoint = bases.endpoint("google_cse", usual, "/customsearch/v1").ok_or_else(unset)?;
                let fetch = Fetch::service(endpoint)
                    .query("q", query)
                    .query("num", &results_max.clamp(1, GOOGLE_RESULTS_MAX).to_string())
                    .query("cx", cx)
                    .query("key", key.expose());
                google_results(&self.http.json(fetch, who).await?)
            }
            SearchProvider::Searxng => {
                let endpoint = connected.searxng.clone().ok_or_else(unset)?;
                let fetch = Fetch::service(endpoint).query("q", query).query("format", "json");
                searxng_results(&self.http.json(fetch, who).await?)
            }
        };
        results.truncate(results_max);
        Ok(results)
    }
}

impl Search for WebSearches {
    fn search(&self, query: String, results_max: usize) -> BoxFuture<'static, Result<SearchAnswer, WebError>> {
        self.clone().run(query, results_max).boxed()
    }
}

/// Who answers: the one that was chosen if it is connected, else one that is, else DuckDuckGo; and what to say when it
/// is not the chosen one.
fn choose(chosen: SearchProvider, connected: &Connected) -> (SearchProvider, Option<String>) {
    use SearchProvider::{Brave, Duckduckgo, GoogleCse, Searxng};
    let is_connected = |provider| match provider {
        Duckduckgo => false,
        Brave => connected.brave.is_some(),
        GoogleCse => connected.google.is_some(),
        Searxng => connected.searxng.is_some(),
    };
    let provider = [chosen, Brave, GoogleCse, Searxng].into_iter().find(|one| is_connected(*one)).unwrap_or(Duckduckgo);
    let note = (chosen != Duckduckgo && provider != chosen)
        .then(|| format!("{} is not connected, so {} answered.", chosen.display_name(), provider.display_name()));
    (provider, note)
}

/// One field of a secret that is kept as a JSON object.
fn field(stored: &Secret, name: &str) -> Option<Secret> {
    let fields: Value = serde_json::from_str(stored.expose()).ok()?;
    let value = fields.get(name)?.as_str()?.trim();
    (!value.is_empty()).then(|| Secret::new(value.to_owned()))
}

/// A secret that is the key itself.
fn plain(stored: &Secret) -> Option<Secret> {
    let key = stored.expose().trim();
    (!key.is_empty() && !key.starts_with('{')).then(|| Secret::new(key.to_owned()))
}

/// The person's own search server. It may be at home: they set it.
fn searxng_endpoint(settings: &WebSettings) -> Option<Endpoint> {
    if let Some(endpoint) =
        settings.bases.get("searxng").and_then(|_| settings.bases.endpoint("searxng", "", "/search"))
    {
        return Some(endpoint);
    }
    let mut url =
        Url::parse(settings.searxng_url.trim()).ok().filter(|url| matches!(url.scheme(), "http" | "https"))?;
    let trusted = vec![authority(&url)?];
    let path = url.path().trim_end_matches('/').trim_end_matches("/search").to_owned();
    url.set_path(&format!("{path}/search"));
    url.set_query(None);
    Some(Endpoint { url, trusted })
}

/// Reads DuckDuckGo's page for browsers without scripts. Adverts are left out; a page that asks to prove one is human
/// is an error that says so.
fn duckduckgo_results(html: &str) -> Result<Vec<SearchResult>, WebError> {
    let page = Html::parse_document(html);
    let select = |css: &str| Selector::parse(css).expect("a selector written here is valid");
    let (row, link, snippet) = (select(".result"), select("a.result__a"), select(".result__snippet"));
    let challenge = select(".anomaly-modal__title, #challenge-form, form[action*='anomaly']");
    let mut results = Vec::new();
    for found in page.select(&row).filter(|found| !found.value().classes().any(|class| class == "result--ad")) {
        let Some(link) = found.select(&link).next() else { continue };
        let Some(url) = link.value().attr("href").and_then(duckduckgo_target) else { continue };
        let snippet = found.select(&snippet).next().map(text_of).unwrap_or_default();
        results.push(result(&text_of(link), &url, &snippet));
    }
    if results.is_empty() && page.select(&challenge).next().is_some() {
        let message = "DuckDuckGo is getting too many requests from here right now. Try again in a few minutes, or \
                       connect Brave Search in Settings.";
        return Err(WebError(message.to_owned()));
    }
    Ok(results)
}

fn text_of(element: ElementRef<'_>) -> String {
    element.text().collect()
}

/// The address behind DuckDuckGo's own redirect link; `None` for adverts and what is not on the web.
fn duckduckgo_target(href: &str) -> Option<String> {
    let base = Url::parse("https://duckduckgo.com/").ok()?;
    let url = base.join(href).ok()?;
    let own = url.host_str().is_some_and(|host| host == "duckduckgo.com" || host.ends_with(".duckduckgo.com"));
    if own && url.path() == "/l/" {
        let target = url.query_pairs().find(|(name, _)| name == "uddg").map(|(_, target)| target.into_owned())?;
        return Url::parse(&target).ok().filter(|url| matches!(url.scheme(), "http" | "https")).map(|_| target);
    }
    (!own && matches!(url.scheme(), "http" | "https")).then(|| url.to_string())
}

fn brave_results(answer: &Value) -> Vec<SearchResult> {
    rows(answer.pointer("/web/results"), "title", "url", "description")
}

fn google_results(answer: &Value) -> Vec<SearchResult> {
    rows(answer.get("items"), "title", "link", "snippet")
}

fn searxng_results(answer: &Value) -> Vec<SearchResult> {
    rows(answer.get("results"), "title", "url", "content")
}

/// Results from a list of JSON objects with these fields; those without an address are left out.
fn rows(list: Option<&Value>, title: &str, url: &str, snippet: &str) -> Vec<SearchResult> {
    let text = |row: &Value, name: &str| row.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let rows = list.and_then(Value::as_array).into_iter().flatten();
    rows.map(|row| (text(row, title), text(row, url), text(row, snippet)))
        .filter(|(_, url, _)| url.starts_with("http://") || url.starts_with("https://"))
        .map(|(title, url, snippet)| result(&without_tags(&title), &url, &without_tags(&snippet)))
        .collect()
}

/// Services mark the matched words with tags and escape the rest; a fragment parser undoes both.
fn without_tags(text: &str) -> String {
    if text.contains(['<', '&']) { Html::parse_fragment(text).root_element().text().collect() } else { text.to_owned() }
}

fn result(title: &str, url: &str, snippet: &str) -> SearchResult {
    let tidy = |text: &str, chars_max: usize| {
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        text.chars().take(chars_max).collect::<String>()
    };
    SearchResult { title: tidy(title, TITLE_CHARS_MAX), url: url.to_owned(), snippet: tidy(snippet, SNIPPET_CHARS_MAX) }
}

#[cfg(test)]
mod tests;
