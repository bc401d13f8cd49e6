//! Every process the engine has started and that has not ended, so that all of them, or one, can be ended at once.
//!
//! It starts none and waits for none. The adapter that starts a process adds its tree, keeps the [`TreeGuard`] as long
//! as the process runs, and still ends it when its own call is cancelled: what is added here is ended a second way, not
//! instead.

use crate::ports::ProcessTree;
use futures::future::join_all;
use protocol::{Error, ErrorKind};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::time::{Duration, timeout};

/// Process trees at once. Ours: far more than a person's tasks start; full means that something leaks.
pub const TREES_MAX: usize = 256;
/// How long the end of a tree is waited for. Ours: the system ends a killed process within milliseconds.
pub const KILL_WAIT_MAX: Duration = Duration::from_secs(2);

/// The registry. Clones are the same one.
#[derive(Clone, Default)]
pub struct ProcessTrees(Arc<Mutex<Running>>);

#[derive(Default)]
struct Running {
    next: u64,
    trees: BTreeMap<u64, Entry>,
}

#[derive(Clone)]
struct Entry {
    names: Vec<String>,
    tree: Arc<dyn ProcessTree>,
}

/// What came of ending trees.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Killed {
    /// Trees of which nothing is left.
    pub ended: usize,
    /// Trees that were told to end and had not within [`KILL_WAIT_MAX`].
    pub left: usize,
}

/// Keeps a tree in the registry. Dropped when the process has ended.
pub struct TreeGuard {
    trees: ProcessTrees,
    number: u64,
}

impl ProcessTrees {
    /// Adds a tree under the names it may be stopped by: the id of its run, and of the call it belongs to
    /// (`POST /api/terminal/stop` takes either).
    ///
    /// # Errors
    /// `Busy` when [`TREES_MAX`] are running: the caller ends what it has just started.
    pub fn add(&self, names: Vec<String>, tree: Arc<dyn ProcessTree>) -> Result<TreeGuard, Error> {
        let mut running = self.lock();
        if running.trees.len() >= TREES_MAX {
            return Err(Error::new(ErrorKind::Busy, "Too many programs are running at once.")
                .hint("Wait for one to end, or press Stop everything."));
        }
        running.next += 1;
        let number = running.next;
        running.trees.insert(number, Entry { names, tree });
        Ok(TreeGuard { trees: self.clone(), number })
    }

    /// Ends the tree with this name. Answers whether there was one.
    pub async fn kill(&self, name: &str) -> bool {
        let found: Vec<Entry> =
            self.lock().trees.values().filter(|entry| entry.names.iter().any(|known| known == name)).cloned().collect();
        let known = !found.is_empty();
        kill(found).await;
        known
    }

    /// Ends every tree there is, side by side, and waits at most [`KILL_WAIT_MAX`].
    pub async fn kill_all(&self) -> Killed {
        let all: Vec<Entry> = self.lock().trees.values().cloned().collect();
        kill(all).await
    }

    /// Trees that are running.
    pub fn running(&self) -> usize {
        self.lock().trees.len()
    }

    fn lock(&self) -> MutexGuard<'_, Running> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn kill(entries: Vec<Entry>) -> Killed {
    let ends = entries.iter().map(|entry| timeout(KILL_WAIT_MAX, entry.tree.kill()));
    let mut killed = Killed::default();
    for (entry, end) in entries.iter().zip(join_all(ends).await) {
        if end.is_ok() {
            killed.ended += 1;
        } else {
            killed.left += 1;
            tracing::warn!(names = ?entry.names, "a program did not end when it was stopped");
        }
    }
    killed
}

impl Drop for TreeGuard {
    fn drop(&mut self) {
        self.trees.lock().trees.remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::FutureExt;
    use futures::future::{BoxFuture, pending};
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// Counts how often it is ended; a stubborn one never is.
    #[derive(Default)]
    struct Fake {
        kills: AtomicUsize,
        stubborn: bool,
    }

    impl ProcessTree for Fake {
        fn kill(&self) -> BoxFuture<'static, ()> {
            self.kills.fetch_add(1, Ordering::Relaxed);
            if self.stubborn { pending().boxed() } else { async {}.boxed() }
        }
    }

    fn kills(tree: &Fake) -> usize {
        tree.kills.load(Ordering::Relaxed)
    }

    #[tokio::test(start_paused = true)]
    async fn one_tree_is_ended_by_either_of_its_names_and_no_other() {
        let (trees, one, other) = (ProcessTrees::default(), Arc::<Fake>::default(), Arc::<Fake>::default());
        let _one = trees.add(vec!["run1".into(), "call1".into()], one.clone()).expect("room");
        let _other = trees.add(vec!["run2".into(), "call2".into()], other.clone()).expect("room");
        assert!(trees.kill("call1").await && trees.kill("run1").await);
        assert!(!trees.kill("run").await && !trees.kill("").await);
        assert_eq!((kills(&one), kills(&other)), (2, 0));
    }

    #[tokio::test(start_paused = true)]
    async fn all_are_ended_and_one_that_does_not_end_holds_up_nobody() {
        let trees = ProcessTrees::default();
        let (quick, stubborn) = (Arc::<Fake>::default(), Arc::new(Fake { stubborn: true, ..Fake::default() }));
        let gone = Arc::<Fake>::default();
        drop(trees.add(vec!["gone".into()], gone.clone()).expect("room"));
        let _stubborn = trees.add(vec!["a".into()], stubborn.clone()).expect("room");
        let _quick = trees.add(vec!["b".into()], quick.clone()).expect("room");
        let began = tokio::time::Instant::now();
        assert_eq!(trees.kill_all().await, Killed { ended: 1, left: 1 });
        assert_eq!(began.elapsed(), KILL_WAIT_MAX);
        assert_eq!((kills(&quick), kills(&stubborn), kills(&gone)), (1, 1, 0));
    }

    #[test]
    fn there_is_a_limit_and_an_ended_tree_makes_room() {
        let trees = ProcessTrees::default();
        let add = || trees.add(Vec::new(), Arc::<Fake>::default());
        let mut guards: Vec<TreeGuard> = (0..TREES_MAX).map(|_| add().expect("room")).collect();
        assert_eq!(add().map(drop).map_err(|error| error.kind), Err(ErrorKind::Busy));
        guards.pop();
        assert_eq!(trees.running(), TREES_MAX - 1);
        assert!(add().is_ok());
    }
}
