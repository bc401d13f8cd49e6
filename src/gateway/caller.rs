//! Who asks: the person's own surfaces, or a program behind `sentient mcp`. The second may use a closed list of addresses
//! and nothing else (contract section 5); what a handler does for it is decided by the engine.

use super::Gateway;
use super::errors::ApiError;
use super::guard::Token;
use actors::Engine;
use axum::extract::FromRequestParts;
use http::request::Parts;
use http::{Method, StatusCode};
use std::convert::Infallible;

/// Who a request under `/api` comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Caller {
    /// A surface of the person's own, by the window's token.
    Window,
    /// A program that was let in by the token of `sentient mcp`.
    Mcp,
}

/// Where a program behind `sentient mcp` can always ask what it may do.
const STATUS: &str = "/api/mcp/status";
/// What it may use, as the contract lists it.
const MCP_MAY: [(&str, &str); 9] = [
    ("GET", "/api/memories"),
    ("POST", "/api/memories"),
    ("GET", "/api/memories/{number}"),
    ("GET", "/api/tasks"),
    ("POST", "/api/tasks"),
    ("GET", "/api/tasks/{id}"),
    ("POST", "/api/notifications"),
    ("POST", "/api/chat"),
    ("GET", STATUS),
];

impl<S: Send + Sync> FromRequestParts<S> for Caller {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(parts.extensions.get::<Self>().copied().unwrap_or(Self::Window))
    }
}

/// Lets the holder of the token of `sentient mcp` in, where it may go; `None` for any other token.
pub(super) async fn admit_mcp(
    gateway: &Gateway,
    offered: &str,
    method: &Method,
    path: &str,
) -> Option<Result<Caller, ApiError>> {
    if !Engine::looks_like_mcp_token(offered) {
        return None;
    }
    let token = gateway.engine.mcp_token().await.unwrap_or_else(|error| {
        tracing::warn!(%error, "the token of MCP apps cannot be looked up");
        None
    })?;
    if !Token::new(token.expose()).accepts(offered) {
        return None;
    }
    let enabled = gateway.engine.config().integrations.mcp_server_enabled;
    Some(match judge(enabled, method.as_str(), path) {
        None => Ok(Caller::Mcp),
        Some(sentence) => Err(ApiError::new(StatusCode::FORBIDDEN, sentence)),
    })
}

/// Why an address is closed to a program behind `sentient mcp`; `None` when it is open.
fn judge(enabled: bool, method: &str, path: &str) -> Option<&'static str> {
    let listed = MCP_MAY.iter().any(|(known, route)| *known == method && is_route(route, path));
    if !listed {
        Some("MCP apps can't use this address.")
    } else if !enabled && path != STATUS {
        Some("Sentient is switched off for MCP apps. Turn it on in Settings > Integrations.")
    } else {
        None
    }
}

/// Whether a path is an address of this route; `{id}` stands for one part that is not empty, `{number}` for digits, since
/// other addresses stand beside it.
fn is_route(route: &str, path: &str) -> bool {
    if let Some(front) = route.strip_suffix("{number}") {
        let number = path.strip_prefix(front).unwrap_or_default();
        return !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    }
    match route.strip_suffix("{id}") {
        Some(front) => path.strip_prefix(front).is_some_and(|id| !id.is_empty() && !id.contains('/')),
        None => path == route,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_mcp_app_goes_where_the_list_says() {
        for (method, path, while_on, while_off) in [
            ("GET", "/api/mcp/status", true, true),
            ("POST", "/api/chat", true, false),
            ("POST", "/api/notifications", true, false),
            ("GET", "/api/memories", true, false),
            ("GET", "/api/memories/7", true, false),
            ("GET", "/api/memories/review", false, false),
            ("GET", "/api/memories/graph", false, false),
            ("POST", "/api/memories/export", false, false),
            ("GET", "/api/tasks/ab12", true, false),
            ("GET", "/api/notifications", false, false),
            ("POST", "/api/mcp/status", false, false),
            ("DELETE", "/api/memories/7", false, false),
            ("GET", "/api/memories/", false, false),
            ("GET", "/api/memories/7/history", false, false),
            ("POST", "/api/memories/7", false, false),
            ("GET", "/api/config", false, false),
            ("POST", "/api/approvals", false, false),
            ("POST", "/api/mcp/token/rotate", false, false),
            ("POST", "/api/chat/", false, false),
            ("OPTIONS", "/api/chat", false, false),
            ("HEAD", "/api/tasks", false, false),
        ] {
            assert_eq!(judge(true, method, path).is_none(), while_on, "{method} {path}");
            assert_eq!(judge(false, method, path).is_none(), while_off, "{method} {path} while off");
        }
    }
}
