//! The system's wish that the program ends.

use std::io;

/// Hears every signal that asks for an end.
pub(super) struct Signals {
    #[cfg(unix)]
    streams: [tokio::signal::unix::Signal; 3],
}

impl Signals {
    /// # Errors
    /// A system that does not let signals be heard.
    pub(super) fn listen() -> io::Result<Self> {
        #[cfg(unix)]
        {
            use tokio::signal::unix::{SignalKind, signal};
            let kinds = [SignalKind::terminate(), SignalKind::interrupt(), SignalKind::hangup()];
            let [terminate, interrupt, hangup] = kinds.map(signal);
            Ok(Self { streams: [terminate?, interrupt?, hangup?] })
        }
        #[cfg(not(unix))]
        Ok(Self {})
    }

    /// Waits for the next one.
    pub(super) async fn next(&mut self) {
        #[cfg(unix)]
        {
            let [terminate, interrupt, hangup] = &mut self.streams;
            tokio::select! {
                biased;
                _ = terminate.recv() => (),
                _ = interrupt.recv() => (),
                _ = hangup.recv() => (),
            }
        }
        #[cfg(not(unix))]
        if let Err(error) = tokio::signal::ctrl_c().await {
            tracing::warn!(%error, "Ctrl+C cannot be heard");
            std::future::pending::<()>().await;
        }
    }
}
