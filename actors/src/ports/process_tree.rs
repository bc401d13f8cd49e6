//! A process with everything it has started, as the engine needs it: something that can be ended.

use futures::future::BoxFuture;

/// A running process and all its descendants. The adapter that started it hands it to
/// [`ProcessTrees`](crate::stop::ProcessTrees), so that "Stop everything" and the end of the engine reach it.
pub trait ProcessTree: Send + Sync + 'static {
    /// Ends all of it at once, without asking it to tidy up, and answers when nothing of it is left. May be called
    /// while it is ending and after it has ended. Whoever calls it has a limit of its own.
    fn kill(&self) -> BoxFuture<'static, ()>;
}
