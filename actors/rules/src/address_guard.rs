//! Which addresses a page may be read from: only the public internet over http and https.
//!
//! A page's text can ask the assistant to open an address, so an address must never reach this computer, the home
//! network or a cloud machine's own metadata service. Names are judged here by how they look; what they resolve to is
//! judged again by [`check_ip`] just before the connection, for the very address that is connected to.
//! Sources: IANA IPv4 and IPv6 special-purpose registries (RFC 6890 and its updates), RFC 6761, RFC 6762, RFC 8375.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use url::{Host, Url};

/// Characters of an address that is looked at at all. Ours: servers accept about 8,000.
pub const ADDRESS_CHARS_MAX: usize = 8_000;

/// Names whose ends mean "at home" or "this computer", never the public internet.
const LOCAL_ENDINGS: [&str; 9] =
    ["localhost", "localdomain", "local", "lan", "home", "internal", "intranet", "home.arpa", "in-addr.arpa"];

/// Why an address was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// Not an address, or longer than [`ADDRESS_CHARS_MAX`].
    Unreadable,
    /// Neither http nor https.
    Scheme,
    /// This computer, the home network, or another place that is not on the public internet.
    Private,
}

impl Refusal {
    /// One plain sentence for the person and the model.
    pub fn sentence(self) -> &'static str {
        match self {
            Self::Unreadable => "This is not a web address. Use a full one, like https://example.com/page.",
            Self::Scheme => "Only http and https addresses can be opened.",
            Self::Private => {
                "This address leads to this computer or a private network, so it is not opened. Only public web \
                 addresses are."
            }
        }
    }
}

/// Reads an address a model or a person wrote and judges it. A missing scheme is taken as https.
///
/// The `url` crate follows the WHATWG rules, so every spelling a browser takes for an IPv4 address (`2130706433`,
/// `0x7f.1`, `0177.0.0.1`, full-width digits) arrives as that address here.
pub fn parse(text: &str) -> Result<Url, Refusal> {
    let text = text.trim();
    if text.is_empty() || text.chars().count() > ADDRESS_CHARS_MAX {
        return Err(Refusal::Unreadable);
    }
    let url = match Url::parse(text) {
        Ok(url) => url,
        Err(url::ParseError::RelativeUrlWithoutBase) => {
            Url::parse(&format!("https://{text}")).map_err(|_| Refusal::Unreadable)?
        }
        Err(_) => return Err(Refusal::Unreadable),
    };
    // `example.com:8080/x` reads as scheme `example.com`; a dot in a scheme is never meant as one.
    let url = if url.scheme().contains('.') || (url.scheme() == "localhost" && !text.contains("://")) {
        Url::parse(&format!("https://{text}")).map_err(|_| Refusal::Unreadable)?
    } else {
        url
    };
    check(&url)?;
    Ok(url)
}

/// Judges an address by its scheme and its host.
pub fn check(url: &Url) -> Result<(), Refusal> {
    if !matches!(url.scheme(), "http" | "https") {
        return Err(Refusal::Scheme);
    }
    match url.host() {
        None => Err(Refusal::Unreadable),
        Some(Host::Ipv4(ip)) => check_ip(IpAddr::V4(ip)),
        Some(Host::Ipv6(ip)) => check_ip(IpAddr::V6(ip)),
        Some(Host::Domain(name)) => check_name(name),
    }
}

/// Judges a host name by its looks alone. Names without a dot are looked up in the home network first, so they count
/// as private.
pub fn check_name(name: &str) -> Result<(), Refusal> {
    let name = name.trim_end_matches('.').to_ascii_lowercase();
    let local = LOCAL_ENDINGS
        .iter()
        .any(|ending| name == *ending || name.strip_suffix(ending).is_some_and(|rest| rest.ends_with('.')));
    if name.is_empty() || !name.contains('.') || local { Err(Refusal::Private) } else { Ok(()) }
}

/// Judges an address to connect to. Only global unicast addresses pass.
pub fn check_ip(ip: IpAddr) -> Result<(), Refusal> {
    let public = match ip {
        IpAddr::V4(ip) => is_public_v4(ip),
        IpAddr::V6(ip) => is_public_v6(ip),
    };
    if public { Ok(()) } else { Err(Refusal::Private) }
}

fn is_public_v4(ip: Ipv4Addr) -> bool {
    let [a, b, c, _] = ip.octets();
    !matches!(
        (a, b, c),
        (0 | 10 | 127, _, _)             // this network, private, loopback
            | (100, 64..=127, _)         // shared by carriers (RFC 6598)
            | (169, 254, _)              // link-local, cloud metadata
            | (172, 16..=31, _)          // private
            | (192, 0, 0)                // IETF protocol assignments
            | (192, 0, 2)                // documentation
            | (192, 88, 99)              // former 6to4 relays
            | (192, 168, _)              // private
            | (198, 18..=19, _)          // benchmarks
            | (198, 51, 100)             // documentation
            | (203, 0, 113)              // documentation
            | (224..=255, _, _) // multicast, reserved, broadcast
    )
}

fn is_public_v6(ip: Ipv6Addr) -> bool {
    let s = ip.segments();
    let low = Ipv4Addr::from((u32::from(s[6]) << 16) | u32::from(s[7]));
    match s {
        // IPv4-mapped, and NAT64's well-known prefix (RFC 6052): the IPv4 address inside decides.
        [0, 0, 0, 0, 0, 0xffff, _, _] | [0x64, 0xff9b, 0, 0, 0, 0, _, _] => is_public_v4(low),
        // 6to4 (RFC 3056) carries its IPv4 address right behind the prefix.
        [0x2002, high, rest, ..] => is_public_v4(Ipv4Addr::from((u32::from(high) << 16) | u32::from(rest))),
        // IETF assignments with Teredo and ORCHID, documentation.
        [0x2001, 0..=0x1ff, ..] | [0x2001, 0x0db8, ..] | [0x3fff, 0..=0x0fff, ..] => false,
        // Global unicast is 2000::/3; loopback, IPv4-compatible, local NAT64, unique local, link-local, site-local,
        // multicast and the discard prefix all lie outside.
        [first, ..] => (0x2000..=0x3fff).contains(&first),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ADDRESSES: &[(&str, Result<(), Refusal>)] = &[
        ("https://example.com/", Ok(())),
        ("http://example.com:8080/a?b=c", Ok(())),
        ("example.com", Ok(())),
        ("example.com:8080/x", Ok(())),
        ("  https://example.com/  ", Ok(())),
        ("https://xn--mnchen-3ya.de/", Ok(())),
        ("https://93.184.216.34/", Ok(())),
        ("https://[2606:2800:220:1:248:1893:25c8:1946]/", Ok(())),
        ("https://notlocalhost.com/", Ok(())),
        ("https://local.example.com/", Ok(())),
        ("https://mylocal/", Err(Refusal::Private)),
        // this computer, in every spelling
        ("http://localhost/", Err(Refusal::Private)),
        ("localhost:8000/", Err(Refusal::Private)),
        ("http://LOCALHOST./", Err(Refusal::Private)),
        ("http://a.localhost/", Err(Refusal::Private)),
        ("http://localhost.localdomain/", Err(Refusal::Private)),
        ("http://127.0.0.1/", Err(Refusal::Private)),
        ("http://127.9.9.9/", Err(Refusal::Private)),
        ("http://127.1/", Err(Refusal::Private)),
        ("http://2130706433/", Err(Refusal::Private)),
        ("http://0x7f000001/", Err(Refusal::Private)),
        ("http://0x7f.0x0.0x0.0x1/", Err(Refusal::Private)),
        ("http://0177.0.0.1/", Err(Refusal::Private)),
        ("http://017700000001/", Err(Refusal::Private)),
        ("http://%31%32%37.0.0.1/", Err(Refusal::Private)),
        ("http://１２７.０.０.１/", Err(Refusal::Private)),
        ("http://127。0。0。1/", Err(Refusal::Private)),
        ("http://0/", Err(Refusal::Private)),
        ("http://0.0.0.0/", Err(Refusal::Private)),
        ("http://[::1]/", Err(Refusal::Private)),
        ("http://[::]/", Err(Refusal::Private)),
        ("http://[0:0:0:0:0:0:0:1]/", Err(Refusal::Private)),
        ("http://[::ffff:127.0.0.1]/", Err(Refusal::Private)),
        ("http://[::ffff:7f00:1]/", Err(Refusal::Private)),
        ("http://[::127.0.0.1]/", Err(Refusal::Private)),
        ("http://[64:ff9b::7f00:1]/", Err(Refusal::Private)),
        ("http://[64:ff9b:1::808:808]/", Err(Refusal::Private)),
        ("http://[2002:7f00:1::]/", Err(Refusal::Private)),
        ("http://[2001:0:4136:e378:8000:63bf:3fff:fdd2]/", Err(Refusal::Private)),
        // the home network
        ("http://10.0.0.1/", Err(Refusal::Private)),
        ("http://172.16.0.1/", Err(Refusal::Private)),
        ("http://172.31.255.255/", Err(Refusal::Private)),
        ("http://172.32.0.1/", Ok(())),
        ("http://192.168.1.1/", Err(Refusal::Private)),
        ("http://192.167.1.1/", Ok(())),
        ("http://100.64.0.1/", Err(Refusal::Private)),
        ("http://100.128.0.1/", Ok(())),
        ("http://198.18.0.1/", Err(Refusal::Private)),
        ("http://[fd00::1]/", Err(Refusal::Private)),
        ("http://[fe80::1]/", Err(Refusal::Private)),
        ("http://[fec0::1]/", Err(Refusal::Private)),
        ("http://router/", Err(Refusal::Private)),
        ("http://printer.local/", Err(Refusal::Private)),
        ("http://nas.lan/", Err(Refusal::Private)),
        ("http://box.home/", Err(Refusal::Private)),
        ("http://box.home.arpa/", Err(Refusal::Private)),
        ("http://metadata.google.internal/", Err(Refusal::Private)),
        // metadata services of cloud machines
        ("http://169.254.169.254/latest/meta-data/", Err(Refusal::Private)),
        ("http://[::ffff:169.254.169.254]/", Err(Refusal::Private)),
        ("http://[fd00:ec2::254]/", Err(Refusal::Private)),
        // multicast, reserved, broadcast, documentation
        ("http://224.0.0.1/", Err(Refusal::Private)),
        ("http://240.0.0.1/", Err(Refusal::Private)),
        ("http://255.255.255.255/", Err(Refusal::Private)),
        ("http://192.0.2.1/", Err(Refusal::Private)),
        ("http://203.0.113.9/", Err(Refusal::Private)),
        ("http://[ff02::1]/", Err(Refusal::Private)),
        ("http://[2001:db8::1]/", Err(Refusal::Private)),
        ("http://[3fff::1]/", Err(Refusal::Private)),
        ("http://[100::1]/", Err(Refusal::Private)),
        // a user name does not hide the host
        ("http://example.com@127.0.0.1/", Err(Refusal::Private)),
        ("http://127.0.0.1#@example.com/", Err(Refusal::Private)),
        (r"http://127.0.0.1\@example.com/", Err(Refusal::Private)),
        // not the web
        ("ftp://example.com/", Err(Refusal::Scheme)),
        ("file:///etc/passwd", Err(Refusal::Scheme)),
        ("javascript:alert(1)", Err(Refusal::Scheme)),
        ("data:text/html,hi", Err(Refusal::Scheme)),
        ("", Err(Refusal::Unreadable)),
        ("http://", Err(Refusal::Unreadable)),
        ("http://exa mple.com/", Err(Refusal::Unreadable)),
        ("http://256.1.1.1/", Err(Refusal::Unreadable)),
        ("http://[::1/", Err(Refusal::Unreadable)),
    ];

    #[test]
    fn only_the_public_internet_passes() {
        for (text, want) in ADDRESSES {
            assert_eq!(parse(text).map(|_| ()), *want, "{text}");
        }
    }

    #[test]
    fn an_endless_address_is_not_read() {
        let text = format!("https://example.com/{}", "a".repeat(ADDRESS_CHARS_MAX));
        assert_eq!(parse(&text), Err(Refusal::Unreadable));
    }

    proptest! {
        /// Mapping an IPv4 address into IPv6 never changes the judgement, in any of the ways that reach it.
        #[test]
        fn hiding_an_address_in_ipv6_does_not_help(bits: u32) {
            let v4 = Ipv4Addr::from(bits);
            let want = check_ip(IpAddr::V4(v4));
            let (high, low) = ((bits >> 16) as u16, bits as u16);
            for v6 in [
                v4.to_ipv6_mapped(),
                Ipv6Addr::new(0x64, 0xff9b, 0, 0, 0, 0, high, low),
                Ipv6Addr::new(0x2002, high, low, 0, 0, 0, 0, 1),
            ] {
                prop_assert_eq!(check_ip(IpAddr::V6(v6)), want, "{}", v6);
            }
        }

        /// Every decimal, hexadecimal and octal spelling is judged as the address it is.
        #[test]
        fn spelling_an_address_otherwise_does_not_help(bits: u32) {
            let want = check_ip(IpAddr::V4(Ipv4Addr::from(bits)));
            for text in [format!("http://{bits}/"), format!("http://0x{bits:x}/"), format!("http://0{bits:o}/")] {
                prop_assert_eq!(parse(&text).map(|_| ()), want, "{}", text);
            }
        }

        #[test]
        fn nothing_panics(text in "\\PC{0,80}") {
            let judged = parse(&text);
            prop_assert!(judged.is_err() || judged.is_ok_and(|url| url.scheme().starts_with("http")));
        }
    }
}
