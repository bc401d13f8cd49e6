//! Where the configuration is kept.

use protocol::Error;
use protocol::config::Config;

/// Keeps the configuration on disk. Blocking: callers run it where blocking is allowed.
pub trait ConfigStore: Send + Sync + 'static {
    /// Makes `config` what the next start reads, all of it or nothing.
    ///
    /// `Conflict` while the file there cannot be read: it is never written over. `Unavailable` when the disk refuses.
    fn save(&self, config: &Config) -> Result<(), Error>;
}
