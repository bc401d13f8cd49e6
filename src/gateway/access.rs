//! The first thing every request meets: `Host`, `Origin` and token, and the headers that every answer carries.

use super::caller::{self, Caller};
use super::errors::ApiError;
use super::guard::{BAD_TOKEN, HostPolicy, Token, host_allowed, offered_token, origin_allowed};
use super::{Gateway, mcp_server, v1};
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, HeaderValue, Method, StatusCode, header};

/// Below this every address needs the token.
const GUARDED: &str = "/api";
/// The addresses below [`GUARDED`] that do not: a shell asks whether the engine is up, and `sentient mcp` whether it is
/// the engine.
const OPEN: [&str; 2] = ["/api/health", mcp_server::PROOF];
const ALLOWED_METHODS: &str = "GET, HEAD, POST, PUT, PATCH, DELETE";
const ALLOWED_HEADERS: &str = "authorization, content-type";
/// Seconds a browser may remember that a page is allowed. Ours.
const ALLOWED_FOR: &str = "600";

/// What is checked against.
#[derive(Clone)]
pub struct Access {
    pub hosts: HostPolicy,
    pub token: Token,
}

/// Checks a request, hands it on, and marks the answer for the page that may read it.
pub(super) async fn check(State(gateway): State<Gateway>, mut request: Request, next: Next) -> Response {
    let path = request.uri().path();
    let is_v1 = v1::is_v1(path);
    let origin = match gateway.access.admit(&request) {
        Ok(origin) => origin,
        Err(refused) if is_v1 => return refused.into_v1().into_response(),
        Err(refused) => return refused.into_response(),
    };
    if is_v1 {
        return match v1::admit(&gateway, v1::Door::of(&request)).await {
            Ok(()) => next.run(request).await,
            Err(refused) => refused.into_response(),
        };
    }
    let is_api = path == GUARDED || path.strip_prefix(GUARDED).is_some_and(|rest| rest.starts_with('/'));
    if request.method() == Method::OPTIONS && is_api && request.headers().contains_key("access-control-request-method")
    {
        return marked(StatusCode::NO_CONTENT.into_response(), origin.as_ref(), true);
    }
    if is_api && !OPEN.contains(&path) {
        match admit_caller(&gateway, Shown::by(&request)).await {
            Ok(caller) => request.extensions_mut().insert(caller),
            Err(refused) => return marked(refused.into_response(), origin.as_ref(), false),
        };
    }
    let response = next.run(request).await;
    if is_api { marked(response, origin.as_ref(), false) } else { response }
}

/// What a request shows of itself: kept while the keychain is asked, which a request itself cannot be.
struct Shown {
    token: Option<String>,
    method: Method,
    path: String,
}

impl Shown {
    fn by(request: &Request) -> Self {
        let token = offered(request.headers(), request.uri().query());
        Self { token, method: request.method().clone(), path: request.uri().path().to_owned() }
    }
}

/// Who a request comes from, by the token it offers.
async fn admit_caller(gateway: &Gateway, shown: Shown) -> Result<Caller, ApiError> {
    let Shown { token, method, path } = shown;
    if token.as_deref().is_some_and(|token| gateway.access.token.accepts(token)) {
        return Ok(Caller::Window);
    }
    let as_mcp = match token {
        Some(token) => caller::admit_mcp(gateway, &token, &method, &path).await,
        None => None,
    };
    as_mcp.unwrap_or_else(|| Err(ApiError::new(StatusCode::UNAUTHORIZED, BAD_TOKEN)))
}

fn offered(headers: &HeaderMap, query: Option<&str>) -> Option<String> {
    // A header that is no text counts as a wrong one, never as none.
    let authorization = headers.get(header::AUTHORIZATION).map(|value| value.to_str().unwrap_or_default());
    offered_token(authorization, query)
}

impl Access {
    /// The page's `Origin` when there is one and it is allowed; refuses foreign hosts and foreign pages.
    fn admit(&self, request: &Request) -> Result<Option<HeaderValue>, ApiError> {
        let host = one(request.headers(), header::HOST)?;
        let authority = request.uri().authority().map(http::uri::Authority::as_str);
        let Some(name) = host.or(authority) else {
            return Err(refused("The request does not say in its Host header whom it is for."));
        };
        if ![Some(name), authority].into_iter().flatten().all(|name| host_allowed(&self.hosts, name)) {
            return Err(refused("This engine answers to names of this computer only, such as 127.0.0.1 or localhost."));
        }
        match one(request.headers(), header::ORIGIN)? {
            Some(origin) if !origin_allowed(origin, name) => {
                Err(refused("Pages from other sites may not talk to this engine. Open its own window."))
            }
            Some(_) => Ok(request.headers().get(header::ORIGIN).cloned()),
            None => Ok(None),
        }
    }

    /// Whether a request offers the window's token.
    pub(super) fn knows_parts(&self, headers: &HeaderMap, query: Option<&str>) -> bool {
        offered(headers, query).is_some_and(|token| self.token.accepts(&token))
    }
}

/// The header's only value; two of them, or one that is no text, make a request nobody honest sends.
fn one(headers: &HeaderMap, name: header::HeaderName) -> Result<Option<&str>, ApiError> {
    let mut values = headers.get_all(&name).iter();
    match (values.next(), values.next()) {
        (None, _) => Ok(None),
        (Some(value), None) => value
            .to_str()
            .map(Some)
            .map_err(|_| ApiError::new(StatusCode::BAD_REQUEST, format!("The {name} header cannot be read."))),
        _ => Err(ApiError::new(StatusCode::BAD_REQUEST, format!("The {name} header is there twice."))),
    }
}

fn refused(detail: &str) -> ApiError {
    ApiError::new(StatusCode::FORBIDDEN, detail)
}

/// CORS for the one page that asked, never for all and never with credentials.
fn marked(mut response: Response, origin: Option<&HeaderValue>, preflight: bool) -> Response {
    let headers = response.headers_mut();
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    headers.append(header::VARY, HeaderValue::from_static("Origin"));
    let Some(origin) = origin else { return response };
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin.clone());
    if preflight {
        headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static(ALLOWED_METHODS));
        headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, HeaderValue::from_static(ALLOWED_HEADERS));
        headers.insert(header::ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static(ALLOWED_FOR));
    }
    response
}
