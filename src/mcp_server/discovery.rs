//! Where the engine answers: read from the file it leaves in its home, and believed only when that is on this computer.

use protocol::{Error, ErrorKind};
use serde::Deserialize;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::Path;
use url::{Host, Url};

/// Bytes of the file that are read. It has four short lines.
const FILE_BYTES_MAX: u64 = 64 * 1024;

#[derive(Deserialize)]
struct Discovery {
    address: String,
}

/// The address the file names.
///
/// # Errors
/// No engine is running, or the file names an address that is not on this computer.
pub(super) fn read(file: &Path) -> Result<SocketAddr, Error> {
    let text = read_short(file).map_err(|cause| {
        tracing::debug!(%cause, "no discovery file");
        not_running()
    })?;
    let said: Discovery = serde_json::from_slice(&text).map_err(|_| not_running())?;
    engine_address(&said.address)
}

fn read_short(file: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    io::Read::read_to_end(&mut io::Read::take(std::fs::File::open(file)?, FILE_BYTES_MAX), &mut bytes)?;
    Ok(bytes)
}

pub(super) fn not_running() -> Error {
    Error::new(ErrorKind::Unavailable, "Sentient isn't running.").hint("Start it, then try again.")
}

/// The socket address in `http://host:port`. A name is pinned to the literal address it stands for, so that the address
/// that is talked to is the one the engine proves.
///
/// # Errors
/// Anything that is not this computer.
pub fn engine_address(address: &str) -> Result<SocketAddr, Error> {
    let refused = || {
        Error::new(ErrorKind::Denied, "Sentient's address is not on this computer, so it is not used.")
            .hint("Let Sentient listen on 127.0.0.1 (gateway.host), and start it again.")
    };
    let url = Url::parse(address).map_err(|_| refused())?;
    let plain = url.scheme() == "http" && url.username().is_empty() && url.password().is_none() && url.path() == "/";
    let ip = match url.host() {
        Some(Host::Ipv4(ip)) => IpAddr::V4(ip),
        Some(Host::Ipv6(ip)) => IpAddr::V6(ip).to_canonical(),
        Some(Host::Domain("localhost")) => IpAddr::V4(Ipv4Addr::LOCALHOST),
        Some(Host::Domain(_)) | None => return Err(refused()),
    };
    let port = url.port_or_known_default().ok_or_else(refused)?;
    if plain && ip.is_loopback() { Ok(SocketAddr::new(ip, port)) } else { Err(refused()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_computer_is_believed() {
        for (address, want) in [
            ("http://127.0.0.1:7777", Some("127.0.0.1:7777")),
            ("http://localhost:7777/", Some("127.0.0.1:7777")),
            ("http://LOCALHOST:7777", Some("127.0.0.1:7777")),
            ("http://[::1]:7777", Some("[::1]:7777")),
            ("http://[::ffff:127.0.0.1]:7777", Some("127.0.0.1:7777")),
            ("http://127.0.0.1", Some("127.0.0.1:80")),
            ("http://127.1:7777", Some("127.0.0.1:7777")),
            ("https://127.0.0.1:7777", None),
            ("http://0.0.0.0:7777", None),
            ("http://192.168.1.5:7777", None),
            ("http://localhost.evil.example:7777", None),
            ("http://127.0.0.1@evil.example:7777", None),
            ("http://user@127.0.0.1:7777", None),
            ("http://127.0.0.1:7777/elsewhere", None),
            ("file:///etc/passwd", None),
            ("127.0.0.1:7777", None),
            ("", None),
        ] {
            let got = engine_address(address).ok().map(|address| address.to_string());
            assert_eq!(got.as_deref(), want, "{address}");
        }
    }

    #[test]
    fn a_file_that_is_not_there_means_no_engine() {
        let home = tempfile::tempdir().expect("a folder");
        let file = home.path().join("engine-discovery.json");
        assert!(read(&file).expect_err("none").message.contains("isn't running"));
        std::fs::write(&file, "{").expect("written");
        assert!(read(&file).is_err());
        std::fs::write(&file, r#"{"address":"http://127.0.0.1:7777","pid":1}"#).expect("written");
        assert_eq!(read(&file).expect("an address").port(), 7777);
    }
}
