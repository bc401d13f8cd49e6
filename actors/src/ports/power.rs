//! What the computer runs on.

use futures::future::BoxFuture;
use rules::local_queue::Power;

/// Reads the power supply. What cannot be read counts as plugged in: upkeep must not stop for ever on a computer that does
/// not say.
pub trait PowerSupply: Send + Sync + 'static {
    fn read(&self) -> BoxFuture<'static, Power>;
}
