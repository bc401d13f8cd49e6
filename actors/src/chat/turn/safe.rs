//! A reply may begin before its message is on the disk, but nobody hears of it before: the chat gives a promise, and the
//! reply waits for it with everything but the first model call.
//!
//! A commit takes milliseconds; a model that works meanwhile hides them.

use protocol::{Error, ErrorKind};
use tokio::sync::watch;

/// Kept by the chat. Dropped without being kept, the reply ends without a word.
pub(crate) struct Promise(watch::Sender<bool>);

/// Waits for the promise to be kept.
#[derive(Clone)]
pub(crate) struct Safe(watch::Receiver<bool>);

/// A promise, and what waits for it.
pub(crate) fn promise() -> (Promise, Safe) {
    let (promise, safe) = watch::channel(false);
    (Promise(promise), Safe(safe))
}

impl Promise {
    /// The message is on the disk and its windows know of it.
    pub(crate) fn keep(self) {
        self.0.send_replace(true);
    }
}

impl Safe {
    /// For a reply whose message has long been stored.
    pub(crate) fn already() -> Self {
        let (promise, safe) = promise();
        promise.keep();
        safe
    }

    /// # Errors
    /// `cancelled` when the message could not be stored.
    pub(crate) async fn wait(&self) -> Result<(), Error> {
        let kept = self.0.clone().wait_for(|kept| *kept).await.map(drop);
        kept.map_err(|_| Error::new(ErrorKind::Cancelled, "The message of this reply was not stored."))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::FutureExt;

    #[tokio::test]
    async fn a_promise_is_waited_for_and_may_be_broken() {
        let (kept, safe) = promise();
        assert!(safe.wait().now_or_never().is_none());
        kept.keep();
        assert_eq!(safe.wait().await, Ok(()));
        assert_eq!(Safe::already().wait().await, Ok(()));
        let (broken, safe) = promise();
        drop(broken);
        assert_eq!(safe.wait().await.map_err(|error| error.kind), Err(ErrorKind::Cancelled));
    }
}
