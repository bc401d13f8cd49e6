//! The keychain of this computer, through the store the system has. A store that failed is connected to anew: one made when
//! no desktop ran yet must not stand in the way once one does. It never waits for anything but the keychain itself.

use super::keychain::{Keychain, KeychainError};
use keyring_core::{CredentialStore, Entry};
use std::sync::{Arc, Mutex, PoisonError};

/// The keychain of this computer.
pub struct SystemKeychain {
    service: String,
    /// The connection to it, made when it is first needed and again after it failed.
    store: Mutex<Option<Arc<CredentialStore>>>,
}

impl SystemKeychain {
    /// `service` comes from [`rules::keychain_names::service`].
    pub fn new(service: String) -> Self {
        tracing::info!(service, "keychain service");
        Self { service, store: Mutex::default() }
    }

    /// Does something with an entry. Whatever is wrong with the connection, the next call makes a new one.
    fn with<T>(&self, name: &str, job: impl FnOnce(&Entry) -> keyring_core::Result<T>) -> Result<T, KeychainError> {
        let store = self.connected()?;
        let done = Entry::new_in_store(&store, &self.service, name).and_then(|entry| job(&entry));
        done.map_err(|error| {
            let error = KeychainError::from(error);
            if matches!(error, KeychainError::Failed(_) | KeychainError::Locked) {
                *self.store.lock().unwrap_or_else(PoisonError::into_inner) = None;
            }
            error
        })
    }

    fn connected(&self) -> Result<Arc<CredentialStore>, KeychainError> {
        let mut store = self.store.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(store) = store.as_ref() {
            return Ok(Arc::clone(store));
        }
        let made = system_store().map_err(|reason| KeychainError::Missing(reason.to_string()))?;
        *store = Some(Arc::clone(&made));
        Ok(made)
    }
}

#[cfg(target_os = "macos")]
fn system_store() -> keyring_core::Result<Arc<CredentialStore>> {
    Ok(apple_native_keyring_store::keychain::Store::new()?)
}

#[cfg(windows)]
fn system_store() -> keyring_core::Result<Arc<CredentialStore>> {
    Ok(windows_native_keyring_store::Store::new()?)
}

#[cfg(all(unix, not(target_os = "macos")))]
fn system_store() -> keyring_core::Result<Arc<CredentialStore>> {
    Ok(zbus_secret_service_keyring_store::Store::new()?)
}

impl From<keyring_core::Error> for KeychainError {
    fn from(error: keyring_core::Error) -> Self {
        match error {
            keyring_core::Error::NoStorageAccess(_) => Self::Locked,
            keyring_core::Error::TooLong(..) => Self::TooLong,
            // Its text names attributes and causes; values only appear in `Debug`, which is never used.
            other => Self::Failed(other.to_string()),
        }
    }
}

/// An entry that is not there is an answer, not an error.
fn absent<T: Default>(error: keyring_core::Error) -> keyring_core::Result<T> {
    match error {
        keyring_core::Error::NoEntry => Ok(T::default()),
        error => Err(error),
    }
}

impl Keychain for SystemKeychain {
    fn read(&self, entry: &str) -> Result<Option<String>, KeychainError> {
        self.with(entry, |entry| entry.get_password().map(Some).or_else(absent))
    }

    fn write(&self, entry: &str, text: &str) -> Result<(), KeychainError> {
        self.with(entry, |entry| entry.set_password(text))
    }

    fn remove(&self, entry: &str) -> Result<(), KeychainError> {
        self.with(entry, |entry| entry.delete_credential().or_else(absent))
    }
}
