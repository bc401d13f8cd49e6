//! The computer behind the engine's port.

use crate::adapters::machine::{MachineReader, Places};
use actors::ports::MachineProbe;
use futures::FutureExt;
use futures::future::BoxFuture;
use protocol::hardware::Machine;
use protocol::{Error, ErrorKind};
use std::sync::Arc;
use tokio::time::Duration;

/// How long Ollama may take to say what it holds; the reader has its own, shorter limit for the whole answer.
const CONNECT_MAX: Duration = Duration::from_secs(2);

/// Looks at the real computer.
pub(super) struct Prober(Arc<MachineReader>);

impl Prober {
    /// # Errors
    /// A system on which no client for HTTP can be made.
    pub(super) fn new() -> Result<Self, Error> {
        let http = reqwest::Client::builder().connect_timeout(CONNECT_MAX).no_proxy().tls_certs_only([]).build();
        let http = http.map_err(|cause| Error::new(ErrorKind::Unavailable, format!("No HTTP client: {cause}.")))?;
        Ok(Self(Arc::new(MachineReader::new(Places::default(), http))))
    }
}

impl MachineProbe for Prober {
    fn machine(&self, ollama_base: String, refresh: bool) -> BoxFuture<'static, Machine> {
        let reader = self.0.clone();
        async move { reader.read(&ollama_base, refresh).await }.boxed()
    }
}
