//! What a commit promises.

use super::{Scripted, meta, put};
use crate::records::MetaRecord;
use crate::samples::event;
use crate::store::{COMMIT_QUEUE_MAX, GROUP_BATCHES_MAX};
use crate::{Batch, Store, StoreError};
use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

/// Polls once, so that the commit is in the queue.
fn started<F: Future>(future: F) -> std::pin::Pin<Box<F>> {
    let mut future = Box::pin(future);
    let polled = future.as_mut().poll(&mut Context::from_waker(Waker::noop()));
    assert!(matches!(polled, Poll::Pending), "the gate is closed");
    future
}

#[tokio::test]
async fn whatever_waits_shares_a_transaction() {
    let (faults, open) = Scripted::gated();
    let store = Store::in_memory_with(Some(faults.clone()));
    let first = started(store.commit(put(&meta("first", "1"))));
    // The drain may take some of these along with the first: it starts whenever it likes.
    let rest: Vec<_> = (0..600)
        .map(|n| {
            let mut batch = put(&meta(&format!("row {n}"), "1"));
            batch.event(event(&format!("e.{n}")));
            started(store.commit(batch))
        })
        .collect();
    open.send(()).expect("the drain waits");
    first.await.expect("written");
    let mut numbers = Vec::new();
    for commit in rest {
        let committed = commit.await.expect("written");
        assert_eq!((committed.first, committed.last), (Some(committed.events[0].seq), Some(committed.events[0].seq)));
        numbers.push(committed.events[0].seq);
    }
    assert_eq!(numbers, (1..=600).collect::<Vec<u64>>(), "commit order is queue order");
    let most = 1 + 600_usize.div_ceil(GROUP_BATCHES_MAX);
    assert!(faults.transactions() <= most, "{} transactions", faults.transactions());
    assert_eq!(store.snapshot().expect("reads").count::<MetaRecord>().expect("counts"), 601);
}

#[tokio::test]
async fn a_full_queue_says_busy_and_recovers() {
    let (faults, open) = Scripted::gated();
    let store = Store::in_memory_with(Some(faults));
    let first = started(store.commit(put(&meta("first", "1"))));
    let mut rest = Vec::new();
    let refused = loop {
        let mut commit = Box::pin(store.commit(put(&meta("row", "1"))));
        match commit.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Pending => rest.push(commit),
            Poll::Ready(answer) => break answer,
        }
        assert!(rest.len() <= COMMIT_QUEUE_MAX + GROUP_BATCHES_MAX, "the queue has no limit");
    };
    assert_eq!(refused, Err(StoreError::Busy));
    open.send(()).expect("the drain waits");
    first.await.expect("written");
    for commit in rest {
        commit.await.expect("what was let in is written");
    }
    store.commit(put(&meta("after", "1"))).await.expect("room again");
}

#[tokio::test(start_paused = true)]
async fn it_works_under_a_paused_clock() {
    let store = Store::in_memory();
    for n in 0..20 {
        let commit = store.commit(put(&meta("a", &n.to_string())));
        tokio::time::timeout(Duration::from_secs(1), commit).await.expect("the clock waits").expect("written");
    }
}

#[tokio::test]
async fn a_failure_says_whether_it_may_be_written() {
    let faults = Arc::new(Scripted::default());
    let store = Store::in_memory_with(Some(faults.clone()));
    let mut batch = put(&meta("a", "1"));
    batch.event(event("a.put"));
    faults.fail_before.store(1, Ordering::SeqCst);
    let error = store.commit(batch).await.expect_err("failed");
    assert!(!error.may_be_written(), "{error}");
    assert_eq!(store.snapshot().expect("reads").get::<MetaRecord>(&"a".to_owned()), Ok(None));
    assert_eq!(store.last_event_seq(), Ok(0));

    let mut batch = put(&meta("b", "1"));
    batch.event(event("b.put"));
    faults.fail_after.store(1, Ordering::SeqCst);
    let error = store.commit(batch).await.expect_err("failed");
    assert!(error.may_be_written(), "{error}");
    assert_eq!(store.last_event_seq(), Ok(1), "in this case it is there");

    let mut batch = put(&meta("c", "1"));
    batch.event(event("c.put"));
    assert_eq!(store.commit(batch).await.expect("works again").first, Some(2), "numbers have no gap");
}

#[test]
fn a_runtime_that_ends_does_not_leave_the_queue_stuck() {
    let (faults, open) = Scripted::gated();
    let store = Store::in_memory_with(Some(faults));
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    runtime.block_on(async {
        // The commit is dropped while it waits: the drain is held at the gate.
        drop(started(store.commit(put(&meta("a", "1")))));
    });
    runtime.shutdown_background();
    open.send(()).expect("the drain waits");
    // Whether the drain ran or was dropped, the store goes on.
    store.commit_now(put(&meta("b", "1"))).expect("written");
    assert!(store.snapshot().expect("reads").get::<MetaRecord>(&"b".to_owned()).expect("reads").is_some());
}

#[test]
fn blocking_commits_from_many_threads_are_all_written() {
    let store = Store::in_memory();
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let store = &store;
            scope.spawn(move || {
                for n in 0..50 {
                    let mut batch = put(&meta(&format!("{thread}.{n}"), "1"));
                    batch.event(event("x.y"));
                    store.commit_now(batch).expect("written");
                }
            });
        }
    });
    assert_eq!(store.snapshot().expect("reads").count::<MetaRecord>(), Ok(400));
    let log = store.events_since(0, 1_000).expect("reads");
    assert!(log.iter().zip(1..).all(|(event, seq)| event.seq == seq) && log.len() == 400);
}

#[tokio::test]
async fn an_empty_batch_costs_nothing() {
    let faults = Arc::new(Scripted::default());
    let store = Store::in_memory_with(Some(faults.clone()));
    assert_eq!(store.commit(Batch::new()).await.expect("fine").events, vec![]);
    assert_eq!(faults.transactions(), 0);
}

#[tokio::test]
async fn a_batch_that_is_too_large_spoils_no_other() {
    let store = Store::in_memory();
    let large = put(&meta("large", &"x".repeat(crate::record::RECORD_BYTES_MAX)));
    let small = put(&meta("small", "1"));
    let (large, small) = tokio::join!(store.commit(large), store.commit(small));
    assert!(matches!(large, Err(StoreError::Record(_))), "{large:?}");
    small.expect("written");
}
