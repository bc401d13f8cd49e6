//! Stop and Resume, as surfaces press them.

use super::{Resume, Save};
use crate::Engine;
use crate::small::asking;
use futures::future::{join, join_all};
use protocol::Error;
use protocol::engine::{StopState, Stopped};
use tokio::time::{Duration, timeout};

/// How long the ends of replies and runs are waited for. Ours: each stores what it has, which takes milliseconds; a disk
/// that hangs holds up no stop.
const ENDS_WAIT_MAX: Duration = Duration::from_secs(3);
/// Characters of a surface's name (client.md, "source").
const SOURCE_CHARS_MAX: usize = 30;

impl Engine {
    /// Whether everything is stopped.
    pub fn stop_state(&self) -> StopState {
        self.effects.switch.state()
    }

    /// Stops everything: what runs ends, what waits behind it is dropped, programs are ended, and nothing begins by
    /// itself until [`Engine::resume`]. All of that happens at once and whatever the disk does; the answer comes when
    /// the state is stored.
    ///
    /// # Errors
    /// The state could not be stored: everything is stopped, but a restart would not know.
    pub async fn stop_all(&self, source: Option<&str>) -> Result<Stopped, Error> {
        let pulled = self.effects.switch.pull(&source_of(source), self.world.now());
        let cancelled = pulled.cancelled;
        tracing::info!(cancelled, "everything was stopped");
        let ends = async {
            let ends = pulled.ends.iter().map(tokio_util::sync::CancellationToken::cancelled);
            let killed = join(self.processes.kill_all(), timeout(ENDS_WAIT_MAX, join_all(ends))).await;
            if killed.1.is_err() {
                tracing::warn!("some work is still ending after a stop");
            }
        };
        let (saved, ()) = join(self.effects.stop.ask(&asking(), Save), ends).await;
        let state = saved.map_err(|error| {
            tracing::error!(%error, "a stop could not be stored");
            let happened = "Everything was stopped, but that could not be saved.";
            Error::new(error.kind, happened).hint("Look at the disk, then press Stop again: a restart would not know.")
        })?;
        Ok(Stopped { state, cancelled })
    }

    /// Lets work begin again.
    ///
    /// # Errors
    /// It could not be stored: everything stays stopped.
    pub async fn resume(&self, source: Option<&str>) -> Result<StopState, Error> {
        self.effects.stop.ask(&asking(), Resume { source: source_of(source) }).await
    }
}

/// The name of a surface as it is kept: `[a-z0-9_.-]`, `desktop` when nothing is left.
fn source_of(source: Option<&str>) -> String {
    let named = source.unwrap_or_default().to_lowercase();
    let kept = named
        .chars()
        .filter(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit() || "_.-".contains(*letter));
    let kept: String = kept.take(SOURCE_CHARS_MAX).collect();
    if kept.is_empty() { "desktop".into() } else { kept }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_surface_has_a_plain_name() {
        for (source, want) in [
            (None, "desktop"),
            (Some(""), "desktop"),
            (Some("Tray"), "tray"),
            (Some("<b>hot key</b>"), "bhotkeyb"),
            (Some("émoji 🙂"), "moji"),
            (Some("a-very_long.name-that-goes-on-and-on"), "a-very_long.name-that-goes-on-"),
        ] {
            assert_eq!(source_of(source), want, "{source:?}");
        }
    }
}
