//! Where secrets are kept: the keychain, or the encrypted file the person turned on in its place, then the environment.
//!
//! Plain text on disk is never an option. What was read is remembered for a short while, so that a model call does not
//! wait for the keychain; a save or a delete forgets it at once.

mod environment;
mod file;
mod keychain;
mod system;

pub use environment::Environment;
pub use file::{FileStore, PASSPHRASE_CHARS_MIN};
pub use keychain::{Keychain, KeychainError, KeychainStore};
pub use system::SystemKeychain;

use actors::ports::{Secret, SecretStore, SecretStoreState};
use futures::FutureExt;
use futures::future::BoxFuture;
use protocol::secrets::SecretSource;
use protocol::{Error, ErrorKind};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::time::{Duration, Instant};

/// How long a value that was read is used without asking again. A key changed by hand in the system's own keychain
/// window is seen after this.
const REMEMBERED: Duration = Duration::from_secs(30);
/// Values remembered at once; at the limit all are forgotten.
const REMEMBERED_MAX: usize = 256;
/// Characters of one secret. Ours; the longest known are sign-ins of a few thousand characters.
pub const SECRET_CHARS_MAX: usize = 64_000;
/// Characters of a secret's name. Ours.
const NAME_CHARS_MAX: usize = 200;

/// What stands behind the names.
pub enum Vault {
    Keychain(KeychainStore),
    File(Arc<FileStore>),
}

/// All places a secret can come from.
pub struct Secrets {
    inner: Arc<Inner>,
}

struct Inner {
    vault: Vault,
    environment: Environment,
    remembered: Mutex<Remembered>,
}

#[derive(Default)]
struct Remembered {
    /// Counts changes: a value read before a change must not be remembered after it.
    generation: u64,
    values: HashMap<String, (Option<Secret>, Instant)>,
}

impl Secrets {
    pub fn new(vault: Vault, environment: Environment) -> Self {
        Self { inner: Arc::new(Inner { vault, environment, remembered: Mutex::default() }) }
    }
}

impl SecretStore for Secrets {
    fn get(
        &self,
        name: String,
        env: Option<String>,
    ) -> BoxFuture<'static, Result<Option<(Secret, SecretSource)>, Error>> {
        let inner = Arc::clone(&self.inner);
        async move {
            let from_environment = |env: Option<String>| {
                env.and_then(|env| inner.environment.get(&env)).map(|secret| (secret, SecretSource::Env))
            };
            match inner.kept(name).await {
                Ok(Some(secret)) => Ok(Some((secret, inner.vault.source()))),
                Ok(None) => Ok(from_environment(env)),
                // A keychain in trouble does not stand in the way of a variable that is set.
                Err(error) => from_environment(env).map_or(Err(error), |found| Ok(Some(found))),
            }
        }
        .boxed()
    }

    fn set(&self, name: String, value: Secret) -> BoxFuture<'static, Result<(), Error>> {
        let inner = Arc::clone(&self.inner);
        async move {
            check_name(&name)?;
            let value = Secret::new(value.expose().trim().to_owned());
            if value.expose().is_empty() {
                return Err(Error::invalid("The value is empty."));
            }
            if SECRET_CHARS_MAX < value.expose().chars().count() {
                return Err(Error::new(ErrorKind::TooLarge, "The value is too long to be a secret."));
            }
            inner.forget();
            let outcome = inner.vault.set(name, value).await;
            inner.forget();
            outcome
        }
        .boxed()
    }

    fn delete(&self, name: String) -> BoxFuture<'static, Result<(), Error>> {
        let inner = Arc::clone(&self.inner);
        async move {
            check_name(&name)?;
            inner.forget();
            let outcome = inner.vault.delete(name).await;
            inner.forget();
            outcome
        }
        .boxed()
    }

    fn state(&self) -> BoxFuture<'static, SecretStoreState> {
        let inner = Arc::clone(&self.inner);
        async move {
            match inner.vault.check().await {
                Ok(()) => SecretStoreState { can_save: true, detail: inner.vault.detail().to_owned() },
                Err(error) => SecretStoreState { can_save: false, detail: error.detail() },
            }
        }
        .boxed()
    }
}

fn check_name(name: &str) -> Result<(), Error> {
    let fits = !name.is_empty() && name.chars().count() <= NAME_CHARS_MAX && !name.chars().any(char::is_control);
    if fits { Ok(()) } else { Err(Error::invalid("This is not a name a secret can have.")) }
}

impl Inner {
    /// The value in the vault, from memory when it was read a moment ago. A computer without any keychain holds nothing.
    async fn kept(&self, name: String) -> Result<Option<Secret>, Error> {
        let generation = {
            let remembered = self.remembered.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some((value, read)) = remembered.values.get(&name)
                && read.elapsed() < REMEMBERED
            {
                return Ok(value.clone());
            }
            remembered.generation
        };
        let value = self.vault.get(name.clone()).await?;
        let mut remembered = self.remembered.lock().unwrap_or_else(PoisonError::into_inner);
        if remembered.generation == generation {
            if REMEMBERED_MAX <= remembered.values.len() {
                remembered.values.clear();
            }
            remembered.values.insert(name, (value.clone(), Instant::now()));
        }
        Ok(value)
    }

    fn forget(&self) {
        let mut remembered = self.remembered.lock().unwrap_or_else(PoisonError::into_inner);
        remembered.generation += 1;
        remembered.values.clear();
    }
}

impl Vault {
    fn source(&self) -> SecretSource {
        match self {
            Self::Keychain(_) => SecretSource::Keychain,
            Self::File(_) => SecretSource::File,
        }
    }

    fn detail(&self) -> &'static str {
        match self {
            Self::Keychain(_) => "Keys are kept in this computer's keychain.",
            Self::File(_) => "Keys are kept in an encrypted file in the data folder.",
        }
    }

    async fn get(&self, name: String) -> Result<Option<Secret>, Error> {
        let value = match self {
            Self::Keychain(store) => match store.get(name).await {
                Err(KeychainError::Missing(_)) => None,
                outcome => outcome.map_err(KeychainError::into_error)?,
            },
            Self::File(store) => blocking(store, move |store| store.get(&name)).await?,
        };
        Ok(value.map(Secret::new))
    }

    async fn set(&self, name: String, value: Secret) -> Result<(), Error> {
        match self {
            Self::Keychain(store) => store.set(name, value).await.map_err(KeychainError::into_error),
            Self::File(store) => blocking(store, move |store| store.set(&name, value.expose())).await,
        }
    }

    async fn delete(&self, name: String) -> Result<(), Error> {
        match self {
            Self::Keychain(store) => match store.delete(name).await {
                // Nothing is kept where nothing can be.
                Err(KeychainError::Missing(_)) => Ok(()),
                outcome => outcome.map_err(KeychainError::into_error),
            },
            Self::File(store) => blocking(store, move |store| store.delete(&name)).await,
        }
    }

    async fn check(&self) -> Result<(), Error> {
        match self {
            Self::Keychain(store) => store.check().await.map_err(KeychainError::into_error),
            Self::File(store) => blocking(store, FileStore::check).await,
        }
    }
}

/// Runs a file operation where it may block. File systems end by themselves, so it needs no limit.
async fn blocking<T: Send + 'static>(
    store: &Arc<FileStore>,
    job: impl FnOnce(&FileStore) -> Result<T, Error> + Send + 'static,
) -> Result<T, Error> {
    let store = Arc::clone(store);
    let outcome = tokio::task::spawn_blocking(move || job(&store)).await;
    outcome.unwrap_or_else(|_| Err(Error::new(ErrorKind::Unavailable, "The encrypted secrets file couldn't be used.")))
}

#[cfg(test)]
mod tests {
    use super::keychain::tests::FakeKeychain;
    use super::*;

    fn environment() -> Environment {
        Environment::new([("OPENAI_API_KEY".to_owned(), "sk-env".to_owned())])
    }

    fn with_keychain() -> (Arc<FakeKeychain>, Secrets) {
        let fake = Arc::new(FakeKeychain::default());
        let store = KeychainStore::new(Arc::clone(&fake) as Arc<dyn Keychain>);
        (fake, Secrets::new(Vault::Keychain(store), environment()))
    }

    async fn value(secrets: &Secrets, name: &str) -> Result<Option<(String, SecretSource)>, Error> {
        let found = secrets.get(name.to_owned(), Some("OPENAI_API_KEY".to_owned())).await?;
        Ok(found.map(|(secret, source)| (secret.expose().to_owned(), source)))
    }

    async fn set(secrets: &Secrets, name: &str, value: &str) -> Result<(), Error> {
        secrets.set(name.to_owned(), Secret::new(value.to_owned())).await
    }

    #[tokio::test]
    async fn the_keychain_comes_before_the_environment() {
        let (_, secrets) = with_keychain();
        let env = Some(("sk-env".to_owned(), SecretSource::Env));
        assert_eq!(value(&secrets, "openai").await.expect("read"), env);
        set(&secrets, "openai", " sk-kept\n").await.expect("saved");
        let kept = Some(("sk-kept".to_owned(), SecretSource::Keychain));
        assert_eq!(value(&secrets, "openai").await.expect("read"), kept);
        secrets.delete("openai".to_owned()).await.expect("deleted");
        assert_eq!(value(&secrets, "openai").await.expect("read"), env);
    }

    #[tokio::test(start_paused = true)]
    async fn a_value_is_read_once_and_again_after_a_while() {
        let (fake, secrets) = with_keychain();
        set(&secrets, "openai", "sk-1").await.expect("saved");
        let reads = || *fake.reads.lock().expect("lock");
        let before = reads();
        for _ in 0..5 {
            value(&secrets, "openai").await.expect("read");
        }
        assert_eq!(reads(), before + 1);
        fake.entries.lock().expect("lock").insert("openai".to_owned(), "sk-by-hand".to_owned());
        tokio::time::advance(REMEMBERED).await;
        let (text, _) = value(&secrets, "openai").await.expect("read").expect("set");
        assert_eq!(text, "sk-by-hand");
    }

    #[tokio::test]
    async fn without_a_keychain_the_environment_still_works_and_saving_says_what_to_do() {
        let (fake, secrets) = with_keychain();
        *fake.trouble.lock().expect("lock") = Some(KeychainError::Missing("no bus".to_owned()));
        assert_eq!(value(&secrets, "openai").await.expect("read").expect("set").0, "sk-env");
        assert!(secrets.get("anthropic".to_owned(), None).await.expect("not an error").is_none());
        let error = set(&secrets, "openai", "sk-secret").await.expect_err("nowhere to save");
        assert_eq!(error.kind, ErrorKind::Unavailable);
        assert!(error.detail().contains("secrets.file") && !error.detail().contains("sk-secret"), "{error}");
        let state = secrets.state().await;
        assert!(!state.can_save && state.detail.contains("no keychain"), "{state:?}");
    }

    #[tokio::test]
    async fn a_locked_keychain_is_not_taken_for_an_empty_one() {
        let (fake, secrets) = with_keychain();
        *fake.trouble.lock().expect("lock") = Some(KeychainError::Locked);
        let error = secrets.get("anthropic".to_owned(), None).await.err().expect("locked");
        assert!(error.message.contains("locked"), "{error}");
        assert_eq!(value(&secrets, "openai").await.expect("read").expect("set").0, "sk-env");
    }

    #[tokio::test]
    async fn values_that_make_no_sense_are_refused() {
        let (_, secrets) = with_keychain();
        for (name, text, kind) in [
            ("openai", "", ErrorKind::Invalid),
            ("openai", " \n", ErrorKind::Invalid),
            ("", "sk", ErrorKind::Invalid),
            ("a\nb", "sk", ErrorKind::Invalid),
            ("openai", &"k".repeat(SECRET_CHARS_MAX + 1), ErrorKind::TooLarge),
        ] {
            assert_eq!(set(&secrets, name, text).await.expect_err("refused").kind, kind, "{name:?}");
        }
    }

    #[tokio::test]
    async fn the_encrypted_file_stands_in_for_the_keychain() {
        struct Fixed;
        impl runtime::Entropy for Fixed {
            fn fill(&self, bytes: &mut [u8]) {
                bytes.fill(7);
            }
        }
        let folder = tempfile::tempdir().expect("a folder");
        let passphrase = Some(Secret::new("a long enough passphrase".to_owned()));
        let file = FileStore::new(folder.path().join("secrets.enc"), passphrase, Arc::new(Fixed));
        let secrets = Secrets::new(Vault::File(Arc::new(file)), environment());
        assert!(secrets.state().await.can_save);
        set(&secrets, "openai", "sk-file").await.expect("saved");
        let kept = Some(("sk-file".to_owned(), SecretSource::File));
        assert_eq!(value(&secrets, "openai").await.expect("read"), kept);
        secrets.delete("openai".to_owned()).await.expect("deleted");
        assert_eq!(value(&secrets, "openai").await.expect("read").expect("set").1, SecretSource::Env);
    }
}
