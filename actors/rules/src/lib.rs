//! (skeleton)
pub mod hardware;
pub mod keychain_names;
pub mod providers;
