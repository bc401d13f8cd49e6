//! Cancellation scopes: jobs run inside one, a child scope ends with its parent, and an ended scope can be waited for.

use arc_swap::ArcSwap;
use std::future::Future;
use std::sync::Arc;
use tokio::time::{Duration, timeout};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tracing::Instrument;

/// A place where jobs run. Cloning gives another handle on the same place.
#[derive(Clone, Debug)]
pub struct Scope {
    token: Arc<ArcSwap<CancellationToken>>,
    tracker: TaskTracker,
}

impl Default for Scope {
    fn default() -> Self {
        Self::new()
    }
}

impl Scope {
    pub fn new() -> Self {
        Self::under(CancellationToken::new())
    }

    fn under(token: CancellationToken) -> Self {
        Self { token: Arc::new(ArcSwap::from_pointee(token)), tracker: TaskTracker::new() }
    }

    /// A scope that is cancelled when this one is. Its jobs count as this one's too.
    pub fn child(&self) -> Self {
        Self { token: Arc::new(ArcSwap::from_pointee(self.token.load().child_token())), tracker: self.tracker.clone() }
    }

    /// The token of the present generation; a job passes it to what must end with it.
    pub fn token(&self) -> CancellationToken {
        self.token.load().as_ref().clone()
    }

    pub fn is_cancelled(&self) -> bool {
        self.token.load().is_cancelled()
    }

    pub fn cancel(&self) {
        self.token.load().cancel();
    }

    /// Cancels all that runs now; what is spawned afterwards runs again.
    pub fn cancel_and_renew(&self) {
        self.token.swap(Arc::new(CancellationToken::new())).cancel();
    }

    /// Runs a job that looks at the token itself and may tidy up after a cancel.
    #[expect(clippy::disallowed_methods, reason = "this is the wrapper that the lint sends everybody to")]
    pub fn spawn<F>(&self, name: &'static str, job: F)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        drop(tokio::spawn(self.tracker.track_future(job.instrument(tracing::debug_span!("job", name)))));
    }

    /// Runs a job that is dropped at its next await when the scope is cancelled.
    pub fn spawn_dropped<F>(&self, name: &'static str, job: F)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let token = self.token();
        self.spawn(name, async move {
            tokio::select! {
                biased;
                () = token.cancelled() => (),
                () = job => (),
            }
        });
    }

    /// Jobs that have not ended yet.
    pub fn running(&self) -> usize {
        self.tracker.len()
    }

    /// Waits until every job has ended, at most `grace`. Answers whether all did.
    pub async fn ended(&self, grace: Duration) -> bool {
        self.tracker.close();
        let all = timeout(grace, self.tracker.wait()).await.is_ok();
        self.tracker.reopen();
        all
    }
}
