//! The keyless services the first tools use: search, pages, weather, maps, news, and pictures of charts.

use futures::future::BoxFuture;
use serde::Serialize;
use serde_json::Value;
use std::fmt;

/// Why a service outside gave nothing: one plain sentence that the model and the person can read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebError(pub String);

impl fmt::Display for WebError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for WebError {}

type Answer<T> = BoxFuture<'static, Result<T, WebError>>;

/// Web search, with whichever provider is set up.
pub trait Search: Send + Sync + 'static {
    fn search(&self, query: String, results_max: usize) -> Answer<SearchAnswer>;
}

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct SearchAnswer {
    pub provider: String,
    pub results: Vec<SearchResult>,
    /// Set when another provider than the configured one answered, or nothing was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct SearchResult {
    pub title: String,
    pub url: String,
    pub snippet: String,
}

/// Reads a web page as a person would: its title and its text.
///
/// Only http and https; addresses that are loopback, private, link-local, unspecified or multicast are refused, also
/// after every redirect and after the name was looked up; 15 MB and 30 s at most; HTML, PDF, text, JSON and XML.
/// `chars_max` 0 means as many as the person set (`integrations.web_fetch_max_chars`).
pub trait Pages: Send + Sync + 'static {
    fn read(&self, url: String, chars_max: usize) -> Answer<Page>;
}

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Page {
    /// Where it ended up after redirects.
    pub url: String,
    pub title: String,
    pub content: String,
    pub truncated: bool,
}

/// Reads the words out of a document that is already here.
pub trait Documents: Send + Sync + 'static {
    /// The text of a PDF. A broken, locked or scanned one is an error that says so.
    fn pdf_text(&self, bytes: Vec<u8>) -> Answer<String>;

    /// The text of a Word document. A broken one, or one made to grow, is an error that says so.
    fn docx_text(&self, bytes: Vec<u8>) -> Answer<String> {
        drop(bytes);
        Box::pin(std::future::ready(Err(WebError("Word documents cannot be read here.".to_owned()))))
    }
}

/// Weather now and in the coming days. `days` 0 gives only now and today. The value is the tool's result as
/// `contract/tools.tsv` has it for `weather_current` and `weather_forecast`.
pub trait Weather: Send + Sync + 'static {
    fn current(&self, location: String) -> Answer<Value>;
    fn forecast(&self, location: String, days: u32) -> Answer<Value>;
}

pub trait Maps: Send + Sync + 'static {
    fn places(&self, query: String, results_max: usize) -> Answer<(String, Vec<Place>)>;
    /// `mode`: driving, walking, bicycling or transit.
    fn directions(&self, origin: String, destination: String, mode: String) -> Answer<Directions>;
}

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Place {
    pub name: String,
    pub address: String,
    pub latitude: f64,
    pub longitude: f64,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rating: Option<f64>,
    pub url: String,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Directions {
    pub provider: String,
    pub mode: String,
    pub from: String,
    pub to: String,
    pub distance: String,
    pub duration: String,
    pub steps: Vec<DirectionsStep>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub map_url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct DirectionsStep {
    pub instruction: String,
    pub distance: String,
}

/// Headlines and articles of newspapers. `country` is a two-letter code; `None` means the person's own.
pub trait NewsFeed: Send + Sync + 'static {
    fn search(&self, query: String, country: Option<String>, results_max: usize) -> Answer<News>;
    fn headlines(&self, country: Option<String>, category: Option<String>, results_max: usize) -> Answer<News>;
}

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct News {
    pub provider: String,
    /// The country whose edition was read, in capitals.
    pub country: String,
    pub articles: Vec<Article>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Article {
    pub title: String,
    pub source: String,
    pub url: String,
    pub published_at: Option<String>,
    pub summary: String,
}

/// Paints a Chart.js configuration as a PNG, on this computer.
pub trait Charts: Send + Sync + 'static {
    fn paint(&self, config: Value, width: u32, height: u32) -> Answer<Vec<u8>>;
}
