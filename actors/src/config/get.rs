//! Reading the configuration: no request, no waiting, no copy.

use protocol::config::Config;
use std::sync::Arc;
use tokio::sync::watch;

/// The configuration in force at any moment: `reader.borrow().clone()`.
///
/// Take it anew for each piece of work; a part of it kept aside is a part that a change does not reach.
pub type ConfigReader = watch::Receiver<Arc<Config>>;

/// The sender for [`super::Needs::current`], and a reader to hand around, beginning with what was read at the start.
pub fn readers(config: Config) -> (Arc<watch::Sender<Arc<Config>>>, ConfigReader) {
    let (sender, reader) = watch::channel(Arc::new(config));
    (Arc::new(sender), reader)
}
