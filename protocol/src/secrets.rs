//! Names of secrets and where they are kept. A secret's value has no type here that can be printed or serialised.

use serde::Serialize;

/// One row of `GET /api/secrets`. The value is never in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SecretRow {
    pub name: String,
    pub set: bool,
    pub source: Option<SecretSource>,
    pub kind: SecretKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SecretSource {
    Keychain,
    Env,
    /// The encrypted file the person turned on where no keychain answers. Shown to clients as the keychain it stands
    /// in for, since the contract knows two sources.
    #[serde(rename = "keychain")]
    File,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SecretKind {
    Provider,
    Integration,
}
