//! The encrypted file that stands in for the keychain where there is none, turned on with `secrets.file`.
//!
//! Argon2id (RFC 9106) makes the key from the person's passphrase, XChaCha20-Poly1305 seals all entries as one box, and
//! the header is part of what the seal covers. The file is replaced as a whole, by rename. A file that cannot be opened
//! is never written over, and the key never lies beside it (decision 0050).

use actors::ports::Secret;
use argon2::{Algorithm, Argon2, Params, Version};
use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};
use protocol::{Error, ErrorKind};
use runtime::Entropy;
use std::collections::BTreeMap;
use std::io::{ErrorKind as IoErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use zeroize::{Zeroize, Zeroizing};

/// Names the format and its version.
const MAGIC: &[u8; 8] = b"SENTSEC1";
const SALT_BYTES: usize = 16;
const NONCE_BYTES: usize = 24;
const HEADER_BYTES: usize = MAGIC.len() + 12 + SALT_BYTES + NONCE_BYTES;
/// Bytes of the whole file. Secrets are short; a larger file is not one of ours.
const FILE_BYTES_MAX: u64 = 4 * 1024 * 1024;
/// Characters a passphrase must have. The file may be copied and tried against at leisure.
pub const PASSPHRASE_CHARS_MIN: usize = 12;
/// The most memory a header may ask for, in KiB: a tampered file must not eat the computer.
const COST_MEMORY_KIB_MAX: u32 = 1024 * 1024;
const COST_PASSES_MAX: u32 = 16;
const COST_LANES_MAX: u32 = 16;

/// How hard guessing the passphrase is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Cost {
    memory_kib: u32,
    passes: u32,
    lanes: u32,
}

/// The second recommended set of RFC 9106 section 4 (64 MiB, 3 passes), with one lane since it runs on one thread.
const COST: Cost = Cost { memory_kib: 64 * 1024, passes: 3, lanes: 1 };

/// The decrypted entries; wiped when dropped.
#[derive(Default)]
struct Entries(BTreeMap<String, String>);

impl Drop for Entries {
    fn drop(&mut self) {
        self.0.values_mut().for_each(Zeroize::zeroize);
    }
}

/// A key made from the passphrase, kept so that it is made once per file and not once per call.
struct DerivedKey {
    salt: [u8; SALT_BYTES],
    cost: Cost,
    key: Zeroizing<[u8; 32]>,
}

/// The encrypted file. All calls block: a first one for a few hundred milliseconds.
pub struct FileStore {
    path: PathBuf,
    passphrase: Option<Secret>,
    entropy: Arc<dyn Entropy>,
    cost: Cost,
    /// Also serialises changes: a change reads, alters and replaces.
    derived: Mutex<Option<DerivedKey>>,
}

impl FileStore {
    /// `passphrase` is `SENTIENT_SECRETS_PASSPHRASE`; without one every call says that it is needed.
    pub fn new(path: PathBuf, passphrase: Option<Secret>, entropy: Arc<dyn Entropy>) -> Self {
        Self { path, passphrase, entropy, cost: COST, derived: Mutex::new(None) }
    }

    /// The value of an entry.
    pub fn get(&self, name: &str) -> Result<Option<String>, Error> {
        let mut derived = self.derived.lock().unwrap_or_else(PoisonError::into_inner);
        let entries = self.read(&mut derived)?;
        Ok(entries.0.get(name).cloned())
    }

    pub fn set(&self, name: &str, value: &str) -> Result<(), Error> {
        self.change(|entries| {
            if let Some(mut old) = entries.0.insert(name.to_owned(), value.to_owned()) {
                old.zeroize();
            }
        })
    }

    pub fn delete(&self, name: &str) -> Result<(), Error> {
        self.change(|entries| {
            if let Some(mut old) = entries.0.remove(name) {
                old.zeroize();
            }
        })
    }

    /// Whether the file can be opened, or made.
    pub fn check(&self) -> Result<(), Error> {
        let mut derived = self.derived.lock().unwrap_or_else(PoisonError::into_inner);
        self.read(&mut derived).map(drop)
    }

    fn change(&self, alter: impl FnOnce(&mut Entries)) -> Result<(), Error> {
        let mut derived = self.derived.lock().unwrap_or_else(PoisonError::into_inner);
        let mut entries = self.read(&mut derived)?;
        alter(&mut entries);
        let sealed = self.seal(&entries, &mut derived)?;
        replace(&self.path, &sealed).map_err(|cause| {
            tracing::error!(%cause, "the secrets file could not be written");
            Error::new(ErrorKind::Unavailable, "The encrypted secrets file couldn't be written.")
                .hint("Check that the disk has room and that the data folder belongs to you.")
        })
    }

    /// Reads and opens the file; a file that is not there holds nothing.
    fn read(&self, derived: &mut Option<DerivedKey>) -> Result<Entries, Error> {
        let passphrase = self.passphrase()?;
        let bytes = match read_limited(&self.path) {
            Ok(bytes) => bytes,
            Err(cause) if cause.kind() == IoErrorKind::NotFound => {
                *derived = None;
                return Ok(Entries::default());
            }
            Err(cause) => {
                tracing::error!(%cause, "the secrets file could not be read");
                return Err(Error::new(ErrorKind::Unavailable, "The encrypted secrets file couldn't be read.")
                    .hint("Check that it belongs to you, or restore it from a backup."));
            }
        };
        let (header, sealed) = bytes.split_at_checked(HEADER_BYTES).ok_or_else(damaged)?;
        let (cost, salt, nonce) = read_header(header).ok_or_else(damaged)?;
        let key = key(derived, passphrase, salt, cost)?;
        let cipher = XChaCha20Poly1305::new(key.as_slice().into());
        let opened = cipher.decrypt(XNonce::from_slice(&nonce), Payload { msg: sealed, aad: header });
        let opened = opened.map_err(|_| {
            // What an unproven header asked for must never be used for a file of our own.
            *derived = None;
            wrong_passphrase()
        });
        let json = Zeroizing::new(opened?);
        serde_json::from_slice(&json).map(Entries).map_err(|_| damaged())
    }

    /// Seals the entries with a fresh nonce, and with a fresh salt when the file is new.
    fn seal(&self, entries: &Entries, derived: &mut Option<DerivedKey>) -> Result<Vec<u8>, Error> {
        let (salt, cost) = match derived {
            Some(known) => (known.salt, known.cost),
            None => {
                let mut salt = [0; SALT_BYTES];
                self.entropy.fill(&mut salt);
                (salt, self.cost)
            }
        };
        let mut nonce = [0; NONCE_BYTES];
        self.entropy.fill(&mut nonce);
        let header = write_header(cost, &salt, &nonce);
        let key = key(derived, self.passphrase()?, salt, cost)?;
        let json = Zeroizing::new(serde_json::to_vec(&entries.0).expect("a map of texts is always JSON"));
        let cipher = XChaCha20Poly1305::new(key.as_slice().into());
        let sealed = cipher.encrypt(XNonce::from_slice(&nonce), Payload { msg: &json, aad: &header });
        let sealed = sealed.map_err(|_| Error::internal("The secrets could not be encrypted."))?;
        if FILE_BYTES_MAX < (header.len() + sealed.len()) as u64 {
            return Err(Error::new(ErrorKind::TooLarge, "The encrypted secrets file is full.")
                .hint("Delete secrets you no longer use."));
        }
        Ok([header, sealed].concat())
    }

    fn passphrase(&self) -> Result<&str, Error> {
        let hint = format!(
            "Start Sentient with a passphrase of at least {PASSPHRASE_CHARS_MIN} characters in SENTIENT_SECRETS_PASSPHRASE."
        );
        match self.passphrase.as_ref().map(Secret::expose) {
            None => {
                Err(Error::new(ErrorKind::Unavailable, "The encrypted secrets file needs its passphrase.").hint(hint))
            }
            Some(short) if short.chars().count() < PASSPHRASE_CHARS_MIN => {
                Err(Error::new(ErrorKind::Unavailable, "The passphrase of the secrets file is too short.").hint(hint))
            }
            Some(passphrase) => Ok(passphrase),
        }
    }
}

fn damaged() -> Error {
    Error::new(ErrorKind::Unavailable, "The encrypted secrets file is damaged or isn't one of Sentient's.")
        .hint("It was left as it is. Restore secrets.enc from a backup, or move it away to start with an empty one.")
}

fn wrong_passphrase() -> Error {
    Error::new(ErrorKind::Unavailable, "The passphrase doesn't open the encrypted secrets file.").hint(
        "It was left as it is. Check SENTIENT_SECRETS_PASSPHRASE; if it is right, the file is damaged: restore secrets.enc \
         from a backup.",
    )
}

/// The key for this salt and cost, made anew only when it is not the one already at hand.
fn key(
    derived: &mut Option<DerivedKey>,
    passphrase: &str,
    salt: [u8; SALT_BYTES],
    cost: Cost,
) -> Result<Zeroizing<[u8; 32]>, Error> {
    if let Some(known) = derived.as_ref().filter(|known| known.salt == salt && known.cost == cost) {
        return Ok(known.key.clone());
    }
    let params = Params::new(cost.memory_kib, cost.passes, cost.lanes, Some(32)).map_err(|_| damaged())?;
    let mut key = Zeroizing::new([0; 32]);
    Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
        .hash_password_into(passphrase.as_bytes(), &salt, key.as_mut_slice())
        .map_err(|_| damaged())?;
    *derived = Some(DerivedKey { salt, cost, key: key.clone() });
    Ok(key)
}

fn write_header(cost: Cost, salt: &[u8; SALT_BYTES], nonce: &[u8; NONCE_BYTES]) -> Vec<u8> {
    let mut header = MAGIC.to_vec();
    for number in [cost.memory_kib, cost.passes, cost.lanes] {
        header.extend(number.to_le_bytes());
    }
    header.extend(salt);
    header.extend(nonce);
    header
}

/// Reads what [`write_header`] wrote; `None` for another format or an absurd cost.
fn read_header(header: &[u8]) -> Option<(Cost, [u8; SALT_BYTES], [u8; NONCE_BYTES])> {
    let rest = header.strip_prefix(MAGIC)?;
    let number = |index: usize| Some(u32::from_le_bytes(rest.get(index * 4..index * 4 + 4)?.try_into().ok()?));
    let cost = Cost { memory_kib: number(0)?, passes: number(1)?, lanes: number(2)? };
    let sane = cost.memory_kib <= COST_MEMORY_KIB_MAX && cost.passes <= COST_PASSES_MAX && cost.lanes <= COST_LANES_MAX;
    let (salt, nonce) = rest.get(12..)?.split_at_checked(SALT_BYTES)?;
    sane.then_some((cost, salt.try_into().ok()?, nonce.try_into().ok()?))
}

fn read_limited(path: &Path) -> std::io::Result<Vec<u8>> {
    if FILE_BYTES_MAX < std::fs::metadata(path)?.len() {
        return Err(std::io::Error::other("larger than a secrets file can be"));
    }
    std::fs::read(path)
}

/// Writes a new file beside the old one and puts it in its place; a crash leaves the old or the new one, whole.
fn replace(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let beside = path.with_extension("enc.new");
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(&beside)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    std::fs::rename(&beside, path)?;
    #[cfg(unix)]
    if let Some(folder) = path.parent() {
        std::fs::File::open(folder)?.sync_all()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU8, Ordering};

    /// Bytes that differ from call to call and are the same in every run.
    struct Counting(AtomicU8);

    impl Entropy for Counting {
        fn fill(&self, bytes: &mut [u8]) {
            bytes.fill(self.0.fetch_add(1, Ordering::Relaxed));
        }
    }

    const PASSPHRASE: &str = "correct horse battery";

    fn store(folder: &Path, passphrase: Option<&str>) -> FileStore {
        let passphrase = passphrase.map(|text| Secret::new(text.to_owned()));
        let entropy = Arc::new(Counting(AtomicU8::new(1)));
        let store = FileStore::new(folder.join("secrets.enc"), passphrase, entropy);
        FileStore { cost: Cost { memory_kib: 64, passes: 1, lanes: 1 }, ..store }
    }

    #[test]
    fn what_is_saved_is_there_after_a_restart_and_not_readable_on_disk() {
        let folder = tempfile::tempdir().expect("a folder");
        let first = store(folder.path(), Some(PASSPHRASE));
        first.check().expect("an empty home is fine");
        first.set("anthropic", "sk-canary-1").expect("saved");
        first.set("openai", "sk-canary-2").expect("saved");
        first.set("openai", "sk-canary-3").expect("saved over");
        drop(first);
        let second = store(folder.path(), Some(PASSPHRASE));
        assert_eq!(second.get("anthropic").expect("opens").as_deref(), Some("sk-canary-1"));
        assert_eq!(second.get("openai").expect("opens").as_deref(), Some("sk-canary-3"));
        second.delete("openai").expect("deleted");
        assert_eq!(second.get("openai").expect("opens"), None);
        let bytes = std::fs::read(folder.path().join("secrets.enc")).expect("a file");
        for word in ["canary", "anthropic", "correct"] {
            assert!(!bytes.windows(word.len()).any(|window| window == word.as_bytes()), "{word} in plain text");
        }
        let files: Vec<_> = std::fs::read_dir(folder.path()).expect("list").flatten().map(|e| e.file_name()).collect();
        assert_eq!(files, ["secrets.enc"], "nothing else is left");
    }

    #[cfg(unix)]
    #[test]
    fn only_its_owner_may_read_the_file() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().expect("a folder");
        store(folder.path(), Some(PASSPHRASE)).set("a", "b").expect("saved");
        let mode = std::fs::metadata(folder.path().join("secrets.enc")).expect("there").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[test]
    fn a_file_that_does_not_open_is_never_written_over() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("secrets.enc");
        store(folder.path(), Some(PASSPHRASE)).set("anthropic", "sk-1").expect("saved");
        let good = std::fs::read(&path).expect("a file");
        let mut flipped = good.clone();
        *flipped.last_mut().expect("not empty") ^= 1;
        let mut costly = good.clone();
        costly[8..12].copy_from_slice(&u32::MAX.to_le_bytes());
        let mut salted = good.clone();
        salted[20] ^= 1;
        for (name, bytes, passphrase, words) in [
            ("another passphrase", good.clone(), "wrong horse battery", "doesn't open"),
            ("a flipped bit", flipped, PASSPHRASE, "doesn't open"),
            ("another salt", salted, PASSPHRASE, "doesn't open"),
            ("an absurd cost", costly, PASSPHRASE, "damaged"),
            ("cut in half", good[..HEADER_BYTES / 2].to_vec(), PASSPHRASE, "damaged"),
            ("cut after the header", good[..HEADER_BYTES].to_vec(), PASSPHRASE, "doesn't open"),
            ("empty", Vec::new(), PASSPHRASE, "damaged"),
            ("something else", b"hello".repeat(50), PASSPHRASE, "damaged"),
        ] {
            std::fs::write(&path, &bytes).expect("written");
            let store = store(folder.path(), Some(passphrase));
            for outcome in [store.set("openai", "sk-2"), store.delete("anthropic"), store.check()] {
                let error = outcome.expect_err(name);
                assert_eq!(error.kind, ErrorKind::Unavailable, "{name}");
                assert!(error.message.contains(words), "{name}: {error}");
            }
            assert_eq!(std::fs::read(&path).expect("still there"), bytes, "{name}");
        }
    }

    #[test]
    fn without_a_good_passphrase_nothing_is_written() {
        let folder = tempfile::tempdir().expect("a folder");
        for (passphrase, words) in [(None, "needs its passphrase"), (Some("short"), "too short")] {
            let error = store(folder.path(), passphrase).set("a", "b").expect_err("refused");
            assert!(error.message.contains(words) && error.detail().contains("SENTIENT_SECRETS_PASSPHRASE"), "{error}");
        }
        assert!(!folder.path().join("secrets.enc").exists());
    }

    #[test]
    fn every_save_uses_a_fresh_nonce() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = store(folder.path(), Some(PASSPHRASE));
        let mut nonces = std::collections::BTreeSet::new();
        for _ in 0..5 {
            store.set("a", "b").expect("saved");
            let bytes = std::fs::read(folder.path().join("secrets.enc")).expect("a file");
            nonces.insert(bytes[HEADER_BYTES - NONCE_BYTES..HEADER_BYTES].to_vec());
        }
        assert_eq!(nonces.len(), 5);
    }

    #[test]
    fn the_cost_of_a_real_file_is_the_recommended_one() {
        assert_eq!(COST, Cost { memory_kib: 65_536, passes: 3, lanes: 1 });
        let header = write_header(COST, &[1; SALT_BYTES], &[2; NONCE_BYTES]);
        assert_eq!(read_header(&header), Some((COST, [1; SALT_BYTES], [2; NONCE_BYTES])));
    }
}
