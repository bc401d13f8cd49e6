//! The store's promises, each as a test.

mod commits;
mod guards;
mod log;
mod opening;
mod reading;

use super::{FaultPoint, Faults};
use crate::records::MetaRecord;
use crate::{Batch, Record};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};

fn meta(name: &str, value: &str) -> MetaRecord {
    MetaRecord { name: name.into(), value: value.into() }
}

fn put<R: Record>(record: &R) -> Batch {
    let mut batch = Batch::new();
    batch.put(record);
    batch
}

/// Fails at the given points as often as told, and counts transactions.
#[derive(Default)]
struct Scripted {
    fail_before: AtomicUsize,
    fail_after: AtomicUsize,
    transactions: AtomicUsize,
    /// The first transaction waits for this.
    gate: Mutex<Option<mpsc::Receiver<()>>>,
}

impl Scripted {
    fn gated() -> (Arc<Self>, mpsc::Sender<()>) {
        let (open, gate) = mpsc::channel();
        (Arc::new(Self { gate: Mutex::new(Some(gate)), ..Self::default() }), open)
    }

    fn transactions(&self) -> usize {
        self.transactions.load(Ordering::SeqCst)
    }
}

impl Faults for Scripted {
    fn at(&self, point: FaultPoint) -> Result<(), String> {
        let counter = match point {
            FaultPoint::BeforeCommit => {
                self.transactions.fetch_add(1, Ordering::SeqCst);
                if let Some(gate) = self.gate.lock().expect("one at a time").take() {
                    gate.recv().expect("the test opens the gate");
                }
                &self.fail_before
            }
            FaultPoint::AfterCommit => &self.fail_after,
        };
        let left = counter.load(Ordering::SeqCst);
        if left == 0 {
            return Ok(());
        }
        counter.store(left - 1, Ordering::SeqCst);
        Err("as the test asked".into())
    }
}
