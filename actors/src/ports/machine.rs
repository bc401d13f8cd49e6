//! What the computer has.

use futures::future::BoxFuture;
use protocol::hardware::Machine;

/// Looks at the computer. It never fails: what cannot be read is left out.
pub trait MachineProbe: Send + Sync + 'static {
    /// What was found at the first look, or found anew with `refresh`. `ollama_base` is where Ollama answers.
    fn machine(&self, ollama_base: String, refresh: bool) -> BoxFuture<'static, Machine>;
}
