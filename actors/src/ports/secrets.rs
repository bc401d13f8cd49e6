//! Where secrets are kept.

use futures::future::BoxFuture;
use protocol::Error;
use protocol::secrets::SecretSource;

/// A secret's value. It has no `Debug`, no `Serialize` and no `Display`; reading it is a word one can search for.
#[derive(Clone)]
pub struct Secret(String);

impl Secret {
    pub fn new(value: String) -> Self {
        Self(value)
    }

    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl Drop for Secret {
    fn drop(&mut self) {
        // Overwrites what it can reach; copies the allocator made on the way are out of reach.
        let mut bytes = std::mem::take(&mut self.0).into_bytes();
        bytes.fill(0);
        std::hint::black_box(&bytes);
    }
}

/// Whether secrets can be saved here, and if not, what to do (a plain sentence for the person).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SecretStoreState {
    pub can_save: bool,
    pub detail: String,
}

/// The keychain, or what stands in for it. Names are entry names (`anthropic`, `integration:brave_search`).
///
/// Lookup order: keychain (or the encrypted file the person turned on), then the environment. Saving where nothing can
/// save is `Unavailable` with a sentence that says what to do; plain text is never an option.
pub trait SecretStore: Send + Sync + 'static {
    /// The value and where it came from; `None` when it is not set.
    fn get(
        &self,
        name: String,
        env: Option<String>,
    ) -> BoxFuture<'static, Result<Option<(Secret, SecretSource)>, Error>>;
    fn set(&self, name: String, value: Secret) -> BoxFuture<'static, Result<(), Error>>;
    fn delete(&self, name: String) -> BoxFuture<'static, Result<(), Error>>;
    fn state(&self) -> BoxFuture<'static, SecretStoreState>;
}
