//! The small files a start leaves in the home for others: the window's token, and where the engine answers.
//!
//! Each is readable by its owner only and written whole or not at all.

use actors::ports::Secret;
use protocol::{Error, ErrorKind, Timestamp};
use runtime::Entropy;
use serde::Serialize;
use std::io::{self, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::{Path, PathBuf};

/// The window's token, when the shell that starts the engine gives none (client.md section 2).
pub const TOKEN_FILE: &str = "gateway.token";
/// Where the engine answers, for its own other programs. Never a secret (contract section 5).
pub const DISCOVERY_FILE: &str = "engine-discovery.json";
/// Random bytes of a token.
const TOKEN_BYTES: usize = 32;
/// Characters below which a token could be guessed. Ours; tokens of a shell are 43 long.
const TOKEN_CHARS_MIN: usize = 16;

/// Makes the home if it is not there, for its owner only.
///
/// # Errors
/// A folder that cannot be made or is no folder.
pub fn make_home(home: &Path) -> Result<(), Error> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(home).map_err(|cause| unusable(home, &cause))
}

/// The token in the file, made at the first start.
///
/// # Errors
/// A file that cannot be read or written, or holds no token.
pub fn token(home: &Path, entropy: &dyn Entropy) -> Result<Secret, Error> {
    let path = home.join(TOKEN_FILE);
    match std::fs::read_to_string(&path) {
        Ok(text) if text.trim().len() >= TOKEN_CHARS_MIN => {
            keep_private(&path).map_err(|cause| unusable(&path, &cause))?;
            Ok(Secret::new(text.trim().to_owned()))
        }
        Ok(_) => Err(Error::new(ErrorKind::Conflict, format!("{} holds no usable token.", path.display()))
            .hint("Delete the file; the next start makes a new one.")),
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => {
            let mut bytes = [0; TOKEN_BYTES];
            entropy.fill(&mut bytes);
            let token: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            write_private(&path, token.as_bytes()).map_err(|cause| unusable(&path, &cause))?;
            Ok(Secret::new(token))
        }
        Err(cause) => Err(unusable(&path, &cause)),
    }
}

#[derive(Serialize)]
struct Discovery {
    address: String,
    pid: u32,
    version: &'static str,
    started: Timestamp,
}

/// Says where the engine answers; the file goes when the value is dropped.
pub struct Discoverable(PathBuf);

impl Discoverable {
    /// # Errors
    /// A file that cannot be written.
    pub fn at(home: &Path, address: SocketAddr, started: Timestamp) -> Result<Self, Error> {
        let path = home.join(DISCOVERY_FILE);
        // Bound to every address of this computer, it is reached at its own.
        let local = match address.ip() {
            IpAddr::V4(ip) if ip.is_unspecified() => SocketAddr::new(Ipv4Addr::LOCALHOST.into(), address.port()),
            IpAddr::V6(ip) if ip.is_unspecified() => SocketAddr::new(Ipv6Addr::LOCALHOST.into(), address.port()),
            _ => address,
        };
        let discovery =
            Discovery { address: format!("http://{local}"), pid: std::process::id(), version: crate::VERSION, started };
        let json = serde_json::to_vec(&discovery).map_err(|cause| Error::internal(cause.to_string()))?;
        write_private(&path, &json).map_err(|cause| unusable(&path, &cause))?;
        Ok(Self(path))
    }
}

impl Drop for Discoverable {
    fn drop(&mut self) {
        if let Err(error) = std::fs::remove_file(&self.0) {
            tracing::debug!(%error, "the discovery file was already gone");
        }
    }
}

/// Writes a file for its owner only: a temporary one beside it, synced, then renamed over it.
pub(crate) fn write_private(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let beside = path.with_extension(format!("{}.new", std::process::id()));
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let written = options.open(&beside).and_then(|mut file| {
        keep_private(&beside)?;
        file.write_all(bytes)?;
        file.sync_all()
    });
    written.and_then(|()| std::fs::rename(&beside, path)).inspect_err(|_| {
        if let Err(error) = std::fs::remove_file(&beside) {
            tracing::debug!(%error, "a half-written file stays behind");
        }
    })
}

#[cfg(unix)]
fn keep_private(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    if std::fs::metadata(path)?.permissions().mode() & 0o077 == 0 {
        return Ok(());
    }
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600))
}

#[cfg(not(unix))]
fn keep_private(_: &Path) -> io::Result<()> {
    Ok(()) // folders below the profile are the owner's alone there
}

fn unusable(path: &Path, cause: &io::Error) -> Error {
    Error::new(ErrorKind::Unavailable, format!("{} cannot be used: {cause}.", path.display()))
        .hint("Check that the folder is yours and the disk has room, or choose another with --home.")
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Sevens;

    impl Entropy for Sevens {
        fn fill(&self, bytes: &mut [u8]) {
            bytes.fill(7);
        }
    }

    #[test]
    fn the_token_is_made_once_and_kept_private() {
        let home = tempfile::tempdir().expect("a folder");
        let made = token(home.path(), &Sevens).expect("made");
        assert_eq!(made.expose(), "07".repeat(TOKEN_BYTES));
        let path = home.path().join(TOKEN_FILE);
        std::fs::write(&path, "a token of the person's own\n").expect("written");
        assert_eq!(token(home.path(), &Sevens).expect("read").expose(), "a token of the person's own");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).expect("opened up");
            token(home.path(), &Sevens).expect("read");
            assert_eq!(std::fs::metadata(&path).expect("there").permissions().mode() & 0o777, 0o600);
        }
        std::fs::write(&path, "short").expect("written");
        let error = token(home.path(), &Sevens).err().expect("too short");
        assert!(error.detail().contains("Delete the file"), "{error}");
    }

    #[test]
    fn where_the_engine_answers_is_said_while_it_runs() {
        let home = tempfile::tempdir().expect("a folder");
        let address = "127.0.0.1:7777".parse().expect("an address");
        let said = Discoverable::at(home.path(), address, Timestamp(0)).expect("written");
        let path = home.path().join(DISCOVERY_FILE);
        let json: serde_json::Value = serde_json::from_slice(&std::fs::read(&path).expect("there")).expect("JSON");
        assert_eq!(json["address"], "http://127.0.0.1:7777");
        assert_eq!(json["pid"], std::process::id());
        assert_eq!(json["started"], "1970-01-01T00:00:00.000+00:00");
        assert_eq!(std::fs::read_dir(home.path()).expect("a folder").count(), 1, "nothing half-written stays");
        drop(said);
        assert!(!path.exists());
        for (bound, want) in [("0.0.0.0:80", "http://127.0.0.1:80"), ("[::]:80", "http://[::1]:80")] {
            let said =
                Discoverable::at(home.path(), bound.parse().expect("an address"), Timestamp(0)).expect("written");
            let json: serde_json::Value = serde_json::from_slice(&std::fs::read(&path).expect("there")).expect("JSON");
            assert_eq!(json["address"], want);
            drop(said);
        }
    }
}
