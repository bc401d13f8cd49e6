//! The two ends of the connection a request came over. Headers can claim anything; the socket cannot.

use axum::extract::FromRequestParts;
use http::Extensions;
use http::request::Parts;
use std::convert::Infallible;
use std::net::{IpAddr, SocketAddr};

/// Put into every request by whatever accepts connections (`serve::listen`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConnectionEnds {
    /// Where the request arrived; `None` when the system did not say.
    pub local: Option<SocketAddr>,
    /// Where it came from.
    pub peer: SocketAddr,
}

impl ConnectionEnds {
    /// Whether both ends are known and on this computer.
    fn is_local(&self) -> bool {
        let local = |ip: IpAddr| ip.to_canonical().is_loopback();
        self.local.is_some_and(|end| local(end.ip())) && local(self.peer.ip())
    }
}

/// Whether a request certainly came from this computer. One without addresses did not.
pub(super) fn is_local(extensions: &Extensions) -> bool {
    extensions.get::<ConnectionEnds>().is_some_and(ConnectionEnds::is_local)
}

/// The address a request arrived at, when it is known.
pub(super) struct ArrivedAt(pub(super) Option<SocketAddr>);

impl<S: Send + Sync> FromRequestParts<S> for ArrivedAt {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(Self(parts.extensions.get::<ConnectionEnds>().and_then(|ends| ends.local)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ends_must_be_on_this_computer() {
        for (name, local, peer, want) in [
            ("IPv4", Some("127.0.0.1:7777"), "127.0.0.1:50000", true),
            ("IPv6", Some("[::1]:7777"), "[::1]:50000", true),
            ("IPv4 in IPv6", Some("[::ffff:127.0.0.1]:7777"), "[::ffff:127.8.9.10]:50000", true),
            ("another computer", Some("192.168.1.5:7777"), "192.168.1.9:50000", false),
            ("this computer over its network address", Some("192.168.1.5:7777"), "192.168.1.5:50000", false),
            ("a peer that claims loopback", Some("192.168.1.5:7777"), "127.0.0.1:50000", false),
            ("loopback from outside", Some("127.0.0.1:7777"), "10.0.0.1:50000", false),
            ("not known", None, "127.0.0.1:50000", false),
        ] {
            let address = |text: &str| text.parse().expect("an address");
            let mut extensions = Extensions::new();
            extensions.insert(ConnectionEnds { local: local.map(address), peer: address(peer) });
            assert_eq!(is_local(&extensions), want, "{name}");
        }
        assert!(!is_local(&Extensions::new()));
    }
}
