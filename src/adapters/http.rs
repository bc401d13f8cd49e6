//! The one way out to the web: GET requests with a time limit, a size limit and a guard on every address.
//!
//! Each address, redirects included, is judged before it is asked, and the name's addresses are judged again where the
//! connection is made, so a name that points home, or changes its mind in between, gets nowhere. Only the place a person
//! set as a service's base is exempt. Proxies are not used: one would look names up where this guard cannot see it.

use super::bases::{self, Endpoint, Reach};
use actors::ports::WebError;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::header::{ACCEPT, ACCEPT_LANGUAGE, CONTENT_TYPE, LOCATION};
use reqwest::redirect::Policy;
use reqwest::{Client, Response};
use rules::address_guard::{self, Refusal};
use serde_json::Value;
use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::time::{Duration, timeout};
use url::Url;

/// Redirects followed by hand.
const REDIRECTS_MAX: usize = 5;
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// How long a service of ours may take.
pub const SERVICE_TIMEOUT: Duration = Duration::from_secs(15);
/// Bytes of a service's answer.
pub const SERVICE_BYTES_MAX: usize = 4 * 1024 * 1024;
/// How the engine introduces itself; the services' rules ask for a name.
const USER_AGENT: &str =
    concat!("Mozilla/5.0 (compatible; Sentient/", env!("CARGO_PKG_VERSION"), "; personal assistant)");

/// Chooses the cryptography of TLS for this process. Called first by whatever opens connections; further calls change
/// nothing.
pub fn install_crypto() {
    // An error means that a provider is installed already, which is what is wanted.
    rustls::crypto::aws_lc_rs::default_provider().install_default().ok();
}

/// Clients that are shared by all adapters. Cheap to clone.
#[derive(Clone)]
pub struct Http {
    /// Connects to public addresses only.
    guarded: Client,
    /// For places the person set.
    open: Client,
}

/// One GET request.
#[derive(Clone)]
pub struct Fetch {
    pub url: Url,
    /// Sent to the first address and to redirects on the same host and port; never to another.
    pub headers: Vec<(&'static str, String)>,
    pub accept: &'static str,
    pub bytes_max: usize,
    /// For everything, redirects and body included.
    pub time_max: Duration,
    /// `host:port` that may be reached although it is private.
    pub trusted: Vec<String>,
}

impl Fetch {
    /// A request to a service, with the limits of services.
    pub fn service(endpoint: Endpoint) -> Self {
        Self {
            url: endpoint.url,
            headers: Vec::new(),
            accept: "application/json",
            bytes_max: SERVICE_BYTES_MAX,
            time_max: SERVICE_TIMEOUT,
            trusted: endpoint.trusted,
        }
    }

    /// Adds a field to the address's query.
    #[must_use]
    pub fn query(mut self, name: &str, value: &str) -> Self {
        self.url.query_pairs_mut().append_pair(name, value);
        self
    }

    #[must_use]
    pub fn header(mut self, name: &'static str, value: String) -> Self {
        self.headers.push((name, value));
        self
    }
}

/// What came back, whatever its status.
#[derive(Clone, PartialEq, Eq)]
pub struct Fetched {
    /// Where it ended up.
    pub url: Url,
    pub status: u16,
    /// The `Content-Type`, empty when none was sent.
    pub content_type: String,
    pub body: Vec<u8>,
}

impl Fetched {
    pub fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }
}

/// Why nothing came back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HttpError {
    Refused(Refusal),
    TooManyRedirects,
    TooLarge {
        bytes_max: usize,
    },
    Timeout,
    /// The name does not exist, nobody answers, or the connection is not secure.
    Unreachable,
    /// The connection ended in the middle, or what came is not HTTP.
    Broken,
}

impl HttpError {
    /// One plain sentence; `who` is the service or the host.
    pub fn sentence(&self, who: &str) -> String {
        match self {
            Self::Refused(refusal) => refusal.sentence().to_owned(),
            Self::TooManyRedirects => format!("{who} kept sending the request elsewhere, so it was given up."),
            Self::TooLarge { bytes_max } => {
                format!("The answer of {who} is larger than {} MB, which is the most that is read.", bytes_max >> 20)
            }
            Self::Timeout => format!("{who} took too long to answer. Try again in a moment."),
            Self::Unreachable => {
                format!("{who} could not be reached. Check the address and the internet connection, then try again.")
            }
            Self::Broken => format!("The connection to {who} broke off. Try again in a moment."),
        }
    }
}

impl Http {
    /// Both clients. Fails only where the system gives no TLS at all.
    pub fn new() -> Result<Self, WebError> {
        install_crypto();
        let failed = |_| WebError("Secure connections are not possible on this computer.".to_owned());
        let builder = || {
            Client::builder()
                .user_agent(USER_AGENT)
                .redirect(Policy::none())
                .no_proxy()
                .connect_timeout(CONNECT_TIMEOUT)
                .pool_idle_timeout(Duration::from_secs(30))
                .pool_max_idle_per_host(2)
        };
        let guarded = builder().dns_resolver(Arc::new(PublicOnly)).build().map_err(failed)?;
        Ok(Self { guarded, open: builder().build().map_err(failed)? })
    }

    /// Asks, follows redirects, reads the body up to the limit.
    pub async fn get(&self, fetch: Fetch) -> Result<Fetched, HttpError> {
        let time_max = fetch.time_max;
        timeout(time_max, self.follow(fetch)).await.unwrap_or(Err(HttpError::Timeout))
    }

    async fn follow(&self, fetch: Fetch) -> Result<Fetched, HttpError> {
        let first = bases::authority(&fetch.url);
        let mut url = fetch.url.clone();
        for _ in 0..=REDIRECTS_MAX {
            let client = match bases::allowed(&url, &fetch.trusted).map_err(HttpError::Refused)? {
                Reach::Public => &self.guarded,
                Reach::Set => &self.open,
            };
            let mut request =
                client.get(url.clone()).header(ACCEPT, fetch.accept).header(ACCEPT_LANGUAGE, "en;q=0.9, *;q=0.5");
            if bases::authority(&url) == first {
                request = fetch.headers.iter().fold(request, |request, (name, value)| request.header(*name, value));
            }
            let response = request.send().await.map_err(|error| told(&error))?;
            match redirect(&response, &url) {
                Some(next) => url = next,
                None => return read(response, url, fetch.bytes_max).await,
            }
        }
        Err(HttpError::TooManyRedirects)
    }

    /// Asks a service and reads JSON. `who` is the service's name in the sentences for the person.
    pub async fn json(&self, fetch: Fetch, who: &str) -> Result<Value, WebError> {
        let body = self.body(fetch, who).await?;
        serde_json::from_slice(&body)
            .map_err(|_| WebError(format!("{who} answered something that could not be read. Try again later.")))
    }

    /// Asks a service and gives its body; statuses other than 2xx are errors.
    pub async fn body(&self, fetch: Fetch, who: &str) -> Result<Vec<u8>, WebError> {
        let fetched = self.get(fetch).await.map_err(|error| WebError(error.sentence(who)))?;
        if fetched.is_success() { Ok(fetched.body) } else { Err(WebError(status_sentence(who, fetched.status))) }
    }
}

/// A status that is not a success, in plain words.
pub fn status_sentence(who: &str, status: u16) -> String {
    match status {
        401 | 403 => format!("{who} refused the request (error {status})."),
        404 | 410 => format!("{who} has nothing at this address (error {status})."),
        408 | 504 => format!("{who} took too long to answer (error {status}). Try again in a moment."),
        429 => format!("{who} is getting too many requests right now (error 429). Try again in a few minutes."),
        500..=599 => format!("{who} has a problem right now (error {status}). Try again later."),
        _ => format!("{who} answered with error {status}."),
    }
}

/// Where a redirect leads, if this is one that can be followed.
fn redirect(response: &Response, from: &Url) -> Option<Url> {
    if !matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308) {
        return None;
    }
    let location = response.headers().get(LOCATION)?;
    from.join(std::str::from_utf8(location.as_bytes()).ok()?).ok()
}

async fn read(mut response: Response, url: Url, bytes_max: usize) -> Result<Fetched, HttpError> {
    let too_large = HttpError::TooLarge { bytes_max };
    let announced = response.content_length().unwrap_or(0);
    if usize::try_from(announced).map_or(true, |bytes| bytes > bytes_max) {
        return Err(too_large);
    }
    let status = response.status().as_u16();
    let content_type =
        response.headers().get(CONTENT_TYPE).map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned());
    let mut body = Vec::new();
    // The pieces are unpacked ones, so a packed bomb meets the limit too.
    while let Some(piece) = response.chunk().await.map_err(|error| told(&error))? {
        if body.len() + piece.len() > bytes_max {
            return Err(too_large);
        }
        body.extend_from_slice(&piece);
    }
    Ok(Fetched { url, status, content_type: content_type.unwrap_or_default(), body })
}

/// The engine's word for a failure of the client.
fn told(error: &reqwest::Error) -> HttpError {
    let mut source: Option<&(dyn std::error::Error + 'static)> = Some(error);
    while let Some(cause) = source {
        if cause.is::<PrivateName>() {
            return HttpError::Refused(Refusal::Private);
        }
        source = cause.source();
    }
    if error.is_timeout() {
        HttpError::Timeout
    } else if error.is_connect() || error.is_builder() {
        HttpError::Unreachable
    } else {
        HttpError::Broken
    }
}

/// Looks names up and keeps only public addresses; the connection is made to exactly those.
struct PublicOnly;

impl Resolve for PublicOnly {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move {
            // Port 0 stands for the scheme's own.
            let found: Vec<SocketAddr> = tokio::net::lookup_host((name.as_str(), 0)).await?.collect();
            let public = public_only(&found)?;
            Ok(Box::new(public.into_iter()) as Addrs)
        })
    }
}

/// The public ones of some addresses; an error when there were some, but none is public.
fn public_only(found: &[SocketAddr]) -> Result<Vec<SocketAddr>, PrivateName> {
    let public: Vec<SocketAddr> =
        found.iter().copied().filter(|address| address_guard::check_ip(address.ip()).is_ok()).collect();
    if public.is_empty() && !found.is_empty() { Err(PrivateName) } else { Ok(public) }
}

/// A name that points to private addresses only.
#[derive(Debug, PartialEq, Eq)]
struct PrivateName;

impl fmt::Display for PrivateName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name points to a private address")
    }
}

impl std::error::Error for PrivateName {}

#[cfg(test)]
mod tests {
    use super::super::test_server::{TestServer, redirect, typed};
    use super::*;
    use axum::Router;
    use axum::http::HeaderMap;
    use axum::routing::get;

    fn fetch(server: &TestServer, path: &str, also: &[&TestServer]) -> Fetch {
        let mut trusted = vec![server.place.clone()];
        trusted.extend(also.iter().map(|server| server.place.clone()));
        Fetch::service(Endpoint { url: Url::parse(&server.url(path)).unwrap(), trusted })
    }

    #[test]
    fn addresses_behind_a_name_are_filtered() {
        let at = |text: &str| text.parse::<SocketAddr>().unwrap();
        let (public, home, here) = (at("93.184.216.34:0"), at("192.168.1.5:0"), at("[::1]:0"));
        for (found, want) in [
            (vec![], Ok(vec![])),
            (vec![public], Ok(vec![public])),
            (vec![home, public, here], Ok(vec![public])),
            (vec![home], Err(PrivateName)),
            (vec![here, home], Err(PrivateName)),
        ] {
            assert_eq!(public_only(&found), want, "{found:?}");
        }
    }

    #[tokio::test]
    async fn a_name_that_points_home_is_refused_where_the_connection_is_made() {
        // `localhost` is refused by its name already; asked directly, the connection itself refuses it too.
        let http = Http::new().unwrap();
        let error = http.guarded.get("http://localhost:9/").send().await.unwrap_err();
        assert_eq!(told(&error), HttpError::Refused(Refusal::Private));
    }

    #[tokio::test]
    async fn a_key_is_not_carried_to_another_place() {
        let echo = get(|headers: HeaderMap| async move {
            headers.get("x-key").map_or("none".to_owned(), |key| String::from_utf8_lossy(key.as_bytes()).into_owned())
        });
        let other = TestServer::start(Router::new().fallback(echo.clone())).await;
        let away = other.url("/");
        let router = Router::new()
            .route("/stay", get(|| async { redirect("/here") }))
            .route("/here", echo)
            .route("/away", get(move || std::future::ready(redirect(&away))));
        let server = TestServer::start(router).await;
        let http = Http::new().unwrap();
        for (path, want) in [("/here", "k"), ("/stay", "k"), ("/away", "none")] {
            let fetch = fetch(&server, path, &[&other]).header("x-key", "k".to_owned());
            let body = http.body(fetch, "It").await.unwrap();
            assert_eq!(String::from_utf8_lossy(&body), want, "{path}");
        }
    }

    #[tokio::test]
    async fn a_service_that_answers_too_much_or_no_json_is_explained() {
        let router = Router::new()
            .route("/big", get(|| async { typed("application/json", vec![b' '; 5_000]) }))
            .route("/odd", get(|| async { typed("application/json", "<html>") }));
        let server = TestServer::start(router).await;
        let http = Http::new().unwrap();
        let small = Fetch { bytes_max: 4_096, ..fetch(&server, "/big", &[]) };
        assert_eq!(http.get(small).await.err(), Some(HttpError::TooLarge { bytes_max: 4_096 }));
        let error = http.json(fetch(&server, "/odd", &[]), "The service").await.unwrap_err();
        assert_eq!(error.0, "The service answered something that could not be read. Try again later.");
    }

    #[tokio::test]
    async fn packed_answers_meet_the_limit_unpacked() {
        // 100 kB of zeros, packed by gzip into some hundred bytes.
        let packed = include_bytes!("zeros.gz");
        let answer = get(move || async move {
            ([("content-encoding", "gzip"), ("content-type", "text/plain")], packed.to_vec())
        });
        let server = TestServer::start(Router::new().fallback(answer)).await;
        let http = Http::new().unwrap();
        for (bytes_max, want) in [(100_000, Ok(100_000)), (99_999, Err(HttpError::TooLarge { bytes_max: 99_999 }))] {
            let fetch = Fetch { bytes_max, ..fetch(&server, "/", &[]) };
            assert_eq!(http.get(fetch).await.map(|fetched| fetched.body.len()), want);
        }
    }

    #[test]
    fn every_failure_is_a_sentence() {
        for error in [
            HttpError::Refused(Refusal::Private),
            HttpError::TooManyRedirects,
            HttpError::TooLarge { bytes_max: 15 << 20 },
            HttpError::Timeout,
            HttpError::Unreachable,
            HttpError::Broken,
        ] {
            let sentence = error.sentence("example.com");
            assert!(sentence.ends_with('.') && sentence.len() > 30, "{sentence}");
        }
        for status in [300, 401, 404, 408, 418, 429, 503] {
            assert!(status_sentence("X", status).contains(&status.to_string()));
        }
    }
}
