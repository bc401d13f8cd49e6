//! Reads web pages for the assistant. Every address may come from a stranger's text, so each goes through the guard of
//! [`super::http`]; nothing of the person (no cookies, no sign-ins, no referrer) is sent along.

use super::http::{Fetch, Fetched, Http, status_sentence};
use super::page_text::{self, Kind, Words};
use super::pdf::Pdfs;
use super::web_settings::WebSettingsNow;
use actors::ports::{Page, Pages, WebError};
use futures::future::{BoxFuture, FutureExt};
use rules::address_guard;
use std::sync::Arc;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;
use tokio::time::{Duration, timeout};
use url::Url;

/// Bytes of a page (contract tools.tsv, web_fetch).
pub const PAGE_BYTES_MAX: usize = 15 * 1024 * 1024;
/// For loading and reading together (contract tools.tsv, web_fetch).
pub const PAGE_TIMEOUT: Duration = Duration::from_secs(30);
/// Bytes of HTML that are looked at. Ours: no article is longer, and parsers take their time.
const HTML_BYTES_MAX: usize = 5 * 1024 * 1024;
/// HTML pages read at the same time.
const READERS_MAX: usize = 4;

/// Reads pages. Cheap to clone.
#[derive(Clone)]
pub struct WebPages {
    http: Http,
    settings: WebSettingsNow,
    pdfs: Pdfs,
    readers: Arc<Semaphore>,
    trusted: Vec<String>,
    time_max: Duration,
}

impl WebPages {
    pub fn new(http: Http, settings: WebSettingsNow, pdfs: Pdfs) -> Self {
        let readers = Arc::new(Semaphore::new(READERS_MAX));
        Self { http, settings, pdfs, readers, trusted: Vec::new(), time_max: PAGE_TIMEOUT }
    }

    /// Lets these places (`host:port`) be read although they are private. For tests only: no setting leads here.
    #[must_use]
    pub fn trusting(mut self, places: Vec<String>) -> Self {
        self.trusted = places;
        self
    }

    /// Another time limit than [`PAGE_TIMEOUT`]. For tests only.
    #[must_use]
    pub fn within(mut self, time_max: Duration) -> Self {
        self.time_max = time_max;
        self
    }

    async fn page(self, address: String, chars_max: usize) -> Result<Page, WebError> {
        let url = self.address(&address)?;
        let host = url.host_str().unwrap_or("The page").to_owned();
        let slow = |_| WebError(format!("{host} took too long to answer. Try again in a moment."));
        timeout(self.time_max, self.load(url, &host, chars_max)).await.map_err(slow)?
    }

    /// The address, judged before anything else. Places tests trust are let through here as in [`super::http`].
    fn address(&self, address: &str) -> Result<Url, WebError> {
        let trusted = |url: &Url| super::bases::authority(url).is_some_and(|place| self.trusted.contains(&place));
        match Url::parse(address.trim()).ok().filter(trusted) {
            Some(url) => Ok(url),
            None => address_guard::parse(address).map_err(|refusal| WebError(refusal.sentence().to_owned())),
        }
    }

    async fn load(&self, url: Url, host: &str, chars_max: usize) -> Result<Page, WebError> {
        let fetch = Fetch {
            url,
            headers: Vec::new(),
            accept: "text/html,application/xhtml+xml,application/pdf,text/*;q=0.9,application/json;q=0.9,*/*;q=0.5",
            bytes_max: PAGE_BYTES_MAX,
            time_max: self.time_max,
            trusted: self.trusted.clone(),
        };
        let fetched = self.http.get(fetch).await.map_err(|error| WebError(error.sentence(host)))?;
        if !fetched.is_success() {
            let host = fetched.url.host_str().unwrap_or(host);
            return Err(WebError(status_sentence(host, fetched.status)));
        }
        let url = fetched.url.clone();
        let (words, cut) = self.words(fetched).await?;
        let chars_max = if chars_max == 0 { (self.settings)().page_chars } else { chars_max };
        let (content, truncated) = first_chars(words.content, chars_max);
        Ok(Page { url: url.into(), title: words.title, content, truncated: truncated || cut })
    }

    /// The words of what was sent, and whether some of it was left out.
    async fn words(&self, fetched: Fetched) -> Result<(Words, bool), WebError> {
        match page_text::kind(&fetched.content_type, &fetched.body) {
            Kind::Html => self.html(fetched).await,
            Kind::Pdf => {
                let title = last_part(&fetched.url);
                Ok((Words { title, content: self.pdfs.text(fetched.body).await? }, false))
            }
            Kind::Text => {
                let content = page_text::decode(&fetched.body, &fetched.content_type);
                Ok((Words { title: last_part(&fetched.url), content }, false))
            }
            Kind::Other(kind) => {
                Err(WebError(format!("This address holds {kind}, not text, so there is nothing to read.")))
            }
        }
    }

    /// Reads HTML on a thread of its own; a place stays taken until the work is done, however long that is.
    async fn html(&self, mut fetched: Fetched) -> Result<(Words, bool), WebError> {
        let unread = || WebError("This page could not be read.".to_owned());
        let place = self.readers.clone().acquire_owned().await.map_err(|_| unread())?;
        let cut = fetched.body.len() > HTML_BYTES_MAX;
        fetched.body.truncate(HTML_BYTES_MAX);
        let work = spawn_blocking(move || {
            let html = page_text::decode(&fetched.body, &fetched.content_type);
            let words = page_text::readable(&html, &fetched.url);
            drop(place);
            words
        });
        Ok((work.await.map_err(|_| unread())?, cut))
    }
}

impl Pages for WebPages {
    fn read(&self, url: String, chars_max: usize) -> BoxFuture<'static, Result<Page, WebError>> {
        self.clone().page(url, chars_max).boxed()
    }
}

/// A name for a file without a title: the last part of its address.
fn last_part(url: &Url) -> String {
    let last = url.path_segments().and_then(|parts| parts.rev().find(|part| !part.is_empty())).unwrap_or_default();
    percent_encoding::percent_decode_str(last).decode_utf8_lossy().into_owned()
}

fn first_chars(mut text: String, chars_max: usize) -> (String, bool) {
    match text.char_indices().nth(chars_max) {
        Some((at, _)) => {
            text.truncate(at);
            (text, true)
        }
        None => (text, false),
    }
}

#[cfg(test)]
mod tests;
