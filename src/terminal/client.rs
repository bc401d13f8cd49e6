//! Finds the running engine and talks to it over HTTP.

use super::ChatOptions;
use super::plain::line;
use crate::environment::Environment;
use crate::serve::files::{DISCOVERY_FILE, TOKEN_FILE};
use actors::ports::Secret;
use protocol::{Error, ErrorKind};
use reqwest::{Method, Response};
use serde_json::{Value, json};
use std::path::Path;
use tokio::time::Duration;
use url::{Host, Url};

/// How long a request may take, streams excepted.
const TIME_MAX: Duration = Duration::from_secs(30);
/// Characters of an answer that is repeated in an error.
const DETAIL_CHARS_MAX: usize = 400;

/// The engine that runs on this computer.
#[derive(Clone)]
pub(crate) struct Client {
    http: reqwest::Client,
    base: Url,
    token: Secret,
}

impl Client {
    /// Looks where the engine of this data folder answers. The token goes to this computer only.
    ///
    /// # Errors
    /// No engine runs, or its files cannot be read.
    pub(crate) fn find(environment: &Environment) -> Result<Self, Error> {
        let home = environment.home.as_deref().ok_or_else(|| {
            Error::new(ErrorKind::Invalid, "The system names no folder of yours to keep Sentient's data in.")
                .hint("Name one with --home or SENTIENT_HOME.")
        })?;
        let base = address(home)?;
        let token = match &environment.gateway_token {
            Some(token) => token.clone(),
            None => {
                std::fs::read_to_string(home.join(TOKEN_FILE)).map(|text| Secret::new(text.trim().to_owned())).map_err(
                    |cause| Error::new(ErrorKind::Unavailable, format!("The engine's token cannot be read: {cause}.")),
                )?
            }
        };
        crate::adapters::http::install_crypto();
        let http = reqwest::Client::builder()
            .no_proxy()
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .map_err(|cause| Error::internal(format!("No connection can be made: {cause}.")))?;
        Ok(Self { http, base, token })
    }

    /// Where the live channel is, with the token in it: never shown.
    pub(super) fn socket(&self, since: Option<u64>) -> String {
        let mut url = self.base.clone();
        url.set_path("/ws");
        url.query_pairs_mut().append_pair("token", self.token.expose());
        if let Some(since) = since {
            url.query_pairs_mut().append_pair("since", &since.to_string());
        }
        url.as_str().replacen("http", "ws", 1)
    }

    /// Sends a request with a JSON body, or none, and reads the JSON it is answered with.
    ///
    /// # Errors
    /// The engine does not answer, or answers no; its own words are told.
    pub(crate) async fn json(&self, method: Method, path: &str, body: Option<&Value>) -> Result<Value, Error> {
        let mut request = self.http.request(method, self.url(path)?).bearer_auth(self.token.expose()).timeout(TIME_MAX);
        if let Some(body) = body {
            request = request.json(body);
        }
        let response = judged(request.send().await.map_err(|cause| gone(&cause))?).await?;
        response.json().await.map_err(|cause| gone(&cause))
    }

    pub(crate) async fn get(&self, path: &str) -> Result<Value, Error> {
        self.json(Method::GET, path, None).await
    }

    /// `POST /api/chat`: its answer is read line by line.
    pub(super) async fn stream(&self, body: &Value) -> Result<Response, Error> {
        let request = self.http.post(self.url("/api/chat")?).bearer_auth(self.token.expose()).json(body);
        judged(request.send().await.map_err(|cause| gone(&cause))?).await
    }

    /// Uploads a file; answers the name it has with the engine.
    ///
    /// # Errors
    /// A file that cannot be read, or that the engine does not take.
    pub(super) async fn upload(&self, path: &Path) -> Result<String, Error> {
        let cannot = |cause: std::io::Error| {
            Error::new(
                ErrorKind::Invalid,
                format!("{} cannot be read: {cause}.", line(&path.display().to_string(), 200)),
            )
        };
        if tokio::fs::metadata(path).await.map_err(cannot)?.is_dir() {
            return Err(Error::new(ErrorKind::Invalid, format!("{} is a folder.", path.display())));
        }
        let form = reqwest::multipart::Form::new().file("file", path).await.map_err(cannot)?;
        let request = self.http.post(self.url("/api/files")?).bearer_auth(self.token.expose()).multipart(form);
        let response = judged(request.send().await.map_err(|cause| gone(&cause))?).await?;
        let stored: Value = response.json().await.map_err(|cause| gone(&cause))?;
        let name = stored["name"].as_str().map(str::to_owned);
        name.ok_or_else(|| Error::internal("The engine did not say what the file is called."))
    }

    /// The chat to go on with, `None` for one that begins with the first message.
    pub(super) async fn session(&self, options: &ChatOptions) -> Result<Option<String>, Error> {
        if let Some(id) = &options.session {
            self.get(&format!("/api/sessions/{}/messages?limit=1", encoded(id))).await?;
            return Ok(Some(id.clone()));
        }
        if options.newest {
            let rows = self.get("/api/sessions?limit=1").await?;
            let id = rows[0]["id"].as_str().map(str::to_owned);
            return id.map(Some).ok_or_else(|| Error::not_found("There is no chat to go on with yet."));
        }
        let Some(model) = &options.model else { return Ok(None) };
        let path = format!("/api/sessions?incognito={}&model={}", options.incognito, encoded(model));
        let made = self.json(Method::POST, &path, None).await?;
        Ok(made["session_id"].as_str().map(str::to_owned))
    }

    fn url(&self, path: &str) -> Result<Url, Error> {
        self.base.join(path).map_err(|cause| Error::internal(format!("a path that is none: {cause}")))
    }

    /// Answers a question of the engine's.
    pub(super) async fn answer(&self, approval_id: &str, decision: &str) -> Result<(), Error> {
        let body = json!({ "approval_id": approval_id, "decision": decision });
        self.json(Method::POST, "/api/approvals", Some(&body)).await.map(drop)
    }
}

/// A part of a path or query.
pub(super) fn encoded(text: &str) -> String {
    percent_encoding::utf8_percent_encode(text, percent_encoding::NON_ALPHANUMERIC).to_string()
}

fn address(home: &Path) -> Result<Url, Error> {
    let not_running = || {
        Error::new(ErrorKind::Unavailable, format!("Sentient does not run for {}.", home.display()))
            .hint("Start it with `sentient serve`, then try again.")
    };
    let file = std::fs::read_to_string(home.join(DISCOVERY_FILE)).map_err(|_| not_running())?;
    let told: Value = serde_json::from_str(&file).map_err(|_| not_running())?;
    let url = told["address"].as_str().and_then(|text| Url::parse(text).ok()).ok_or_else(not_running)?;
    let here = match url.host() {
        Some(Host::Ipv4(ip)) => ip.is_loopback() || ip.is_unspecified(),
        Some(Host::Ipv6(ip)) => ip.is_loopback() || ip.is_unspecified(),
        Some(Host::Domain(name)) => name == "localhost",
        None => false,
    };
    // The file could have been written by another program; the token is for this computer only.
    if here && url.scheme() == "http" { Ok(url) } else { Err(not_running()) }
}

/// What the engine answered when it said no.
async fn judged(response: Response) -> Result<Response, Error> {
    let status = response.status();
    if status.is_success() {
        return Ok(response);
    }
    let body: Value = response.json().await.unwrap_or_default();
    let detail = match &body["detail"] {
        Value::String(text) => text.clone(),
        Value::Array(rows) => {
            let rows = rows.iter().filter_map(|row| row["msg"].as_str());
            rows.collect::<Vec<_>>().join(" ")
        }
        _ => format!("The engine answered {status}."),
    };
    let kind = match status.as_u16() {
        404 => ErrorKind::NotFound,
        503 => ErrorKind::Unavailable,
        _ => ErrorKind::Invalid,
    };
    Err(Error::new(kind, line(&detail, DETAIL_CHARS_MAX)))
}

fn gone(cause: &reqwest::Error) -> Error {
    // The address may hold the token, so it is not told.
    tracing::debug!(timeout = cause.is_timeout(), connect = cause.is_connect(), "the engine did not answer");
    Error::new(ErrorKind::Unavailable, "Sentient does not answer.")
        .hint("Is it still running? `sentient doctor` looks.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_token_goes_to_this_computer_only() {
        for (address_told, want) in [
            (r#"{"address":"http://127.0.0.1:7777"}"#, true),
            (r#"{"address":"http://[::1]:7777"}"#, true),
            (r#"{"address":"http://0.0.0.0:7777"}"#, true),
            (r#"{"address":"http://evil.example:7777"}"#, false),
            (r#"{"address":"http://192.168.1.4:7777"}"#, false),
            (r#"{"address":"file:///etc/passwd"}"#, false),
            ("{", false),
        ] {
            let home = tempfile::tempdir().expect("a folder");
            std::fs::write(home.path().join(DISCOVERY_FILE), address_told).expect("written");
            assert_eq!(address(home.path()).is_ok(), want, "{address_told}");
        }
        let none = tempfile::tempdir().expect("a folder");
        let error = address(none.path()).expect_err("nothing runs");
        assert!(error.detail().contains("sentient serve"), "{error}");
    }
}
