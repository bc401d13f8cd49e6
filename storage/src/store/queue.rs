//! The commit queue: whatever waits is written in one transaction, and everyone is answered after it.
//!
//! A commit waits for the disk (about 4 ms here) and redb does them one by one, so a transaction per caller would give
//! a few hundred a second. There is no writer thread: whoever finds the queue at rest starts a drain on the blocking
//! pool, and it ends when the queue is empty. It therefore works under a paused clock and costs nothing when idle.

use super::{Committed, Inner, Store};
use crate::StoreError;
use crate::batch::Batch;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, MutexGuard, PoisonError, mpsc};
use tokio::sync::oneshot;

/// Batches waiting to be written; more are refused with [`StoreError::Busy`]. Ours.
pub const COMMIT_QUEUE_MAX: usize = 4_096;
/// Bytes of the batches waiting to be written. Ours; a single batch is always let in.
pub(super) const COMMIT_QUEUE_BYTES_MAX: usize = 64 * 1024 * 1024;
/// Batches of one transaction (ARCHITECTURE.md section 4).
pub const GROUP_BATCHES_MAX: usize = 256;
/// Bytes of one transaction after which no further batch joins it. Ours: keeps the others' wait short.
const GROUP_BYTES_MAX: usize = 8 * 1024 * 1024;

type Answer = Result<Committed, StoreError>;

enum Caller {
    Task(oneshot::Sender<Answer>),
    Thread(mpsc::SyncSender<Answer>),
}

impl Caller {
    /// A caller who has gone away does not need to hear it: the batch is written all the same.
    fn answer(self, answer: Answer) {
        match self {
            Self::Task(task) => drop(task.send(answer)),
            Self::Thread(thread) => drop(thread.send(answer)),
        }
    }
}

struct Waiting {
    batch: Batch,
    caller: Caller,
}

#[derive(Default)]
pub(super) struct Queue {
    waiting: VecDeque<Waiting>,
    bytes: usize,
    /// Somebody is draining it.
    draining: bool,
}

impl Queue {
    fn push(&mut self, batch: Batch, caller: Caller) -> Result<(), StoreError> {
        let bytes = self.bytes + batch.bytes();
        if self.waiting.len() >= COMMIT_QUEUE_MAX || (bytes > COMMIT_QUEUE_BYTES_MAX && !self.waiting.is_empty()) {
            return Err(StoreError::Busy);
        }
        self.bytes = bytes;
        self.waiting.push_back(Waiting { batch, caller });
        Ok(())
    }

    /// The next group, in the order they came.
    fn take_group(&mut self) -> Vec<Waiting> {
        let mut group = Vec::new();
        let mut bytes = 0;
        while group.len() < GROUP_BATCHES_MAX && bytes < GROUP_BYTES_MAX {
            let Some(next) = self.waiting.pop_front() else { break };
            bytes += next.batch.bytes();
            group.push(next);
        }
        self.bytes -= bytes;
        group
    }
}

impl Store {
    /// Writes a batch and answers when it is safe on the disk. Batches are written in the order in which their commits
    /// were first polled. Dropping the future does not take the batch back.
    ///
    /// # Errors
    /// [`StoreError::Uncertain`] when it may have been written in spite of the error; every other case certainly was not.
    pub async fn commit(&self, batch: Batch) -> Result<Committed, StoreError> {
        batch.check()?;
        if batch.is_empty() {
            return Ok(Committed::default());
        }
        let (caller, answer) = oneshot::channel();
        if self.enqueue(batch, Caller::Task(caller))? {
            let drain = Drain::new(&self.inner);
            if self.inner.writes_inline {
                if let Some(pause) = self.inner.faults.as_ref().and_then(|faults| faults.pause()) {
                    tokio::time::sleep(pause).await;
                }
                drain.run();
                return answer.await.unwrap_or_else(|_| Err(closed()));
            }
            // The handle is not needed: a drain that never runs answers everyone when it is dropped.
            drop(tokio::task::spawn_blocking(move || drain.run()));
        }
        answer.await.unwrap_or_else(|_| Err(closed()))
    }

    /// [`Store::commit`] for start-up, blocking jobs and tests: blocks this thread for the disk.
    ///
    /// # Errors
    /// As for [`Store::commit`].
    pub fn commit_now(&self, batch: Batch) -> Result<Committed, StoreError> {
        batch.check()?;
        if batch.is_empty() {
            return Ok(Committed::default());
        }
        if self.inner.writes_inline {
            // Past the queue: this is another thread, which comes when the machine likes and holds the clock still. What
            // waits in the queue is written when its own time has come.
            let mut written = self.inner.write(&[&batch])?;
            return Ok(written.pop().unwrap_or_default());
        }
        let (caller, answer) = mpsc::sync_channel(1);
        if self.enqueue(batch, Caller::Thread(caller))? {
            Drain::new(&self.inner).run();
        }
        answer.recv().unwrap_or_else(|_| Err(closed()))
    }

    /// Whether the caller has to start the drain.
    fn enqueue(&self, batch: Batch, caller: Caller) -> Result<bool, StoreError> {
        let mut queue = self.inner.queue();
        queue.push(batch, caller)?;
        Ok(!std::mem::replace(&mut queue.draining, true))
    }
}

fn closed() -> StoreError {
    StoreError::Failed { reason: "the engine is closing".into() }
}

impl Inner {
    /// Nothing can be half done under this lock, so a panic elsewhere does not spoil it.
    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write_group(&self, group: Vec<Waiting>) {
        let batches: Vec<&Batch> = group.iter().map(|it| &it.batch).collect();
        // redb may panic on a damaged file. The outcome is then unknown, but nobody must wait for ever.
        let written = catch_unwind(AssertUnwindSafe(|| self.write(&batches)))
            .unwrap_or_else(|_| Err(StoreError::Uncertain { reason: "the data file may be damaged".into() }));
        match written {
            Ok(answers) => {
                for (waiting, answer) in group.into_iter().zip(answers) {
                    waiting.caller.answer(Ok(answer));
                }
            }
            Err(error) => {
                tracing::error!(%error, batches = group.len(), "a commit did not succeed");
                for waiting in group {
                    waiting.caller.answer(Err(error.clone()));
                }
            }
        }
    }
}

/// The duty to empty the queue. Dropped without running (the runtime is shutting down) it hands the duty back and
/// answers everyone, so that a later commit starts afresh.
struct Drain {
    inner: Option<Arc<Inner>>,
}

impl Drain {
    fn new(inner: &Arc<Inner>) -> Self {
        Self { inner: Some(Arc::clone(inner)) }
    }

    fn run(mut self) {
        let Some(inner) = self.inner.take() else { return };
        loop {
            let group = {
                let mut queue = inner.queue();
                let group = queue.take_group();
                if group.is_empty() {
                    queue.draining = false;
                    return;
                }
                group
            };
            inner.write_group(group);
        }
    }
}

impl Drop for Drain {
    fn drop(&mut self) {
        let Some(inner) = self.inner.take() else { return };
        let mut queue = inner.queue();
        queue.draining = false;
        queue.bytes = 0;
        for waiting in std::mem::take(&mut queue.waiting) {
            waiting.caller.answer(Err(closed()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::records::MetaRecord;

    fn waiting(value: usize) -> Batch {
        let mut batch = Batch::new();
        batch.put(&MetaRecord { name: "a".into(), value: "x".repeat(value) });
        batch
    }

    fn push(queue: &mut Queue, bytes: usize) -> Result<(), StoreError> {
        queue.push(waiting(bytes), Caller::Task(oneshot::channel().0))
    }

    #[test]
    fn the_queue_has_a_length() {
        let mut queue = Queue::default();
        for _ in 0..COMMIT_QUEUE_MAX {
            push(&mut queue, 1).expect("room");
        }
        assert_eq!(push(&mut queue, 1), Err(StoreError::Busy));
        assert_eq!(queue.take_group().len(), GROUP_BATCHES_MAX);
        push(&mut queue, 1).expect("room again");
    }

    #[test]
    fn the_queue_has_a_weight() {
        let mut queue = Queue::default();
        let heavy = 15 * 1024 * 1024;
        for _ in 0..4 {
            push(&mut queue, heavy).expect("room");
        }
        assert_eq!(push(&mut queue, heavy), Err(StoreError::Busy));
        assert_eq!(queue.take_group().len(), 1, "a heavy batch goes alone");
        while !queue.take_group().is_empty() {}
        assert_eq!(queue.bytes, 0);
    }
}
