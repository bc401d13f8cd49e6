//! Who may talk to the engine: names in `Host`, pages in `Origin`, and the window's token.
//!
//! Pure decisions over header texts; the middleware in `access.rs` applies them. A page on the web must never reach the
//! engine through the person's browser, not with a guessed token and not through a name that was pointed at this
//! computer (DNS rebinding). Nothing here names what was wrong with a token.

use sha2::{Digest, Sha256};
use std::net::IpAddr;
use subtle::ConstantTimeEq;

/// The `detail` of a missing or wrong token (client.md section 2).
pub(super) const BAD_TOKEN: &str = "invalid or missing token";

/// Characters of a token that are looked at; longer ones are wrong. Ours.
const TOKEN_CHARS_MAX: usize = 512;

/// Which names in `Host` are this engine's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HostPolicy {
    /// Bound to this computer only: loopback names and addresses.
    Loopback,
    /// Bound to the network on the person's own wish: also the name it was bound to and any plain address, since an
    /// address cannot be pointed elsewhere by a foreign name server.
    Network { bound: String },
}

impl HostPolicy {
    /// The policy for the address the person asked to bind.
    pub fn for_bind(host: &str) -> Self {
        if is_loopback(host) { Self::Loopback } else { Self::Network { bound: bare(host).to_ascii_lowercase() } }
    }
}

/// The window's token, kept as a digest so that comparing takes the same time whatever is sent.
#[derive(Clone)]
pub struct Token([u8; 32]);

impl Token {
    pub fn new(token: &str) -> Self {
        Self(Sha256::digest(token.as_bytes()).into())
    }

    /// Whether `offered` is this token.
    pub(super) fn accepts(&self, offered: &str) -> bool {
        if offered.is_empty() || offered.len() > TOKEN_CHARS_MAX {
            return false;
        }
        let offered: [u8; 32] = Sha256::digest(offered.as_bytes()).into();
        offered.ct_eq(&self.0).into()
    }
}

/// The token a request offers: the bearer header when there is one, else `?token=`.
pub(super) fn offered_token(authorization: Option<&str>, query: Option<&str>) -> Option<String> {
    if let Some(header) = authorization {
        let (scheme, token) = header.split_once(' ')?;
        return scheme.eq_ignore_ascii_case("bearer").then(|| token.trim().to_owned());
    }
    let pairs = url::form_urlencoded::parse(query?.as_bytes());
    pairs.into_iter().find(|(name, _)| name == "token").map(|(_, token)| token.into_owned())
}

/// Whether a `Host` header (or the authority of the request's address) names this engine.
pub(super) fn host_allowed(policy: &HostPolicy, host: &str) -> bool {
    let Some(name) = host_name(host) else { return false };
    match policy {
        HostPolicy::Loopback => is_loopback(&name),
        HostPolicy::Network { bound } => is_loopback(&name) || name == *bound || bare(&name).parse::<IpAddr>().is_ok(),
    }
}

/// Whether a page of this `Origin` may talk to the engine. `host` is the request's own, already allowed, `Host`.
pub(super) fn origin_allowed(origin: &str, host: &str) -> bool {
    if origin == "null" || origin == "file://" {
        return true;
    }
    let Some((scheme, authority)) = origin.split_once("://") else { return false };
    if !matches!(scheme, "http" | "https") {
        return false;
    }
    host_name(authority).is_some_and(|name| is_loopback(&name)) || authority.eq_ignore_ascii_case(host)
}

/// Whether a bind address or name is reachable from this computer only.
pub fn is_loopback(host: &str) -> bool {
    let host = bare(host);
    if host.eq_ignore_ascii_case("localhost") {
        return true;
    }
    match host.parse::<IpAddr>() {
        Ok(IpAddr::V4(address)) => address.is_loopback(),
        Ok(IpAddr::V6(address)) => {
            address.is_loopback() || address.to_ipv4_mapped().is_some_and(|mapped| mapped.is_loopback())
        }
        Err(_) => false,
    }
}

/// The name in `name`, `name:port`, `[v6]` or `[v6]:port`, in lower case; `None` for anything else.
fn host_name(authority: &str) -> Option<String> {
    let (name, port) = match authority.strip_prefix('[') {
        Some(rest) => {
            let (name, port) = rest.split_once(']')?;
            name.parse::<std::net::Ipv6Addr>().ok()?;
            (name, port.strip_prefix(':').or_else(|| port.is_empty().then_some("0"))?)
        }
        None => authority.split_once(':').unwrap_or((authority, "0")),
    };
    let clean = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._:".contains(&byte));
    (clean && port.parse::<u16>().is_ok()).then(|| name.to_ascii_lowercase())
}

fn bare(host: &str) -> &str {
    host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(host)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_this_computer_are_answered() {
        for (host, want) in [
            ("127.0.0.1", true),
            ("127.0.0.1:7777", true),
            ("127.8.9.10:1", true),
            ("localhost", true),
            ("LocalHost:7777", true),
            ("[::1]", true),
            ("[::1]:7777", true),
            ("[::ffff:127.0.0.1]:7777", true),
            ("", false),
            ("evil.example", false),
            ("evil.example:7777", false),
            ("localhost.evil.example", false),
            ("127.0.0.1.evil.example", false),
            ("localhost@evil.example", false),
            ("192.168.1.5:7777", false),
            ("0.0.0.0:7777", false),
            ("127.0.0.1:port", false),
            ("127.0.0.1:7777:7777", false),
            ("[::1", false),
            ("[::1]7777", false),
            ("[localhost]", false),
            ("::1", false),
            ("127.0.0.1 ", false),
        ] {
            assert_eq!(host_allowed(&HostPolicy::Loopback, host), want, "{host}");
        }
    }

    #[test]
    fn an_engine_on_the_network_answers_to_addresses_and_its_own_name_only() {
        let policy = HostPolicy::for_bind("home.lan");
        for (host, want) in [
            ("home.lan:7777", true),
            ("192.168.1.5:7777", true),
            ("[fe80::1]:7777", true),
            ("localhost", true),
            ("evil.example", false),
        ] {
            assert_eq!(host_allowed(&policy, host), want, "{host}");
        }
        for (bind, loopback) in [
            ("127.0.0.1", true),
            ("::1", true),
            ("[::1]", true),
            ("localhost", true),
            ("0.0.0.0", false),
            ("::", false),
        ] {
            assert_eq!(HostPolicy::for_bind(bind) == HostPolicy::Loopback, loopback, "{bind}");
        }
    }

    #[test]
    fn pages_of_the_web_are_turned_away() {
        for (origin, want) in [
            ("null", true),
            ("file://", true),
            ("http://127.0.0.1:7777", true),
            ("http://localhost:5173", true),
            ("https://localhost", true),
            ("http://[::1]:7777", true),
            ("http://192.168.1.5:7777", true),
            ("http://192.168.1.6:7777", false),
            ("https://evil.example", false),
            ("http://localhost.evil.example", false),
            ("http://127.0.0.1@evil.example", false),
            ("file:///etc/passwd", false),
            ("chrome-extension://abcdef", false),
            ("moz-extension://localhost", false),
            ("localhost", false),
            ("", false),
        ] {
            assert_eq!(origin_allowed(origin, "192.168.1.5:7777"), want, "{origin}");
        }
    }

    #[test]
    fn the_token_comes_from_the_header_or_else_the_address() {
        for (name, header, query, want) in [
            ("header", Some("Bearer abc"), None, Some("abc")),
            ("any case", Some("bearer abc"), None, Some("abc")),
            ("query", None, Some("token=abc"), Some("abc")),
            ("query among others", None, Some("since=4&token=a%2Bc"), Some("a+c")),
            ("header wins", Some("Bearer abc"), Some("token=other"), Some("abc")),
            ("other scheme", Some("Basic abc"), Some("token=other"), None),
            ("no scheme", Some("abc"), None, None),
            ("nothing", None, None, None),
            ("empty query", None, Some(""), None),
            ("another name", None, Some("tokens=abc"), None),
        ] {
            assert_eq!(offered_token(header, query).as_deref(), want, "{name}");
        }
    }

    #[test]
    fn only_the_whole_token_is_accepted() {
        let token = Token::new("correct horse");
        let long = "x".repeat(TOKEN_CHARS_MAX + 1);
        for (offered, want) in
            [("correct horse", true), ("correct hors", false), ("correct horse ", false), ("", false), (&*long, false)]
        {
            assert_eq!(token.accepts(offered), want, "{offered}");
        }
        assert!(!Token::new("").accepts(""), "an engine without a token lets nobody in");
    }
}
