//! The event log and its subscribers.

use super::{Scripted, meta, put};
use crate::records::{EventRecord, NewEvent};
use crate::samples::event;
use crate::store::{EVENTS_READ_MAX, SUBSCRIPTION_EVENTS_MAX};
use crate::{Batch, Lagged, Store};
use protocol::Timestamp;
use std::sync::Arc;
use std::sync::atomic::Ordering;

fn events(count: usize) -> Batch {
    let mut batch = Batch::new();
    for n in 0..count {
        batch.event(event(&format!("e.{n}")));
    }
    batch
}

fn numbers(log: &[EventRecord]) -> Vec<u64> {
    log.iter().map(|event| event.seq).collect()
}

#[tokio::test]
async fn a_window_resumes_where_it_was() {
    let store = Store::in_memory();
    let committed = store.commit(events(3)).await.expect("written");
    assert_eq!((committed.first, committed.last), (Some(1), Some(3)));
    store.commit(put(&meta("quiet", "1"))).await.expect("written");
    store.commit(events(2)).await.expect("written");
    for (since, limit, want) in
        [(0, 10, vec![1, 2, 3, 4, 5]), (3, 10, vec![4, 5]), (1, 2, vec![2, 3]), (5, 10, vec![]), (u64::MAX, 10, vec![])]
    {
        assert_eq!(numbers(&store.events_since(since, limit).expect("reads")), want, "since {since}, limit {limit}");
    }
}

#[tokio::test]
async fn one_read_has_a_limit() {
    let store = Store::in_memory();
    store.commit(events(EVENTS_READ_MAX + 5)).await.expect("written");
    assert_eq!(store.events_since(0, usize::MAX).expect("reads").len(), EVENTS_READ_MAX);
}

#[tokio::test]
async fn a_subscriber_hears_everything_in_order() {
    let store = Store::in_memory();
    store.commit(events(2)).await.expect("written");
    let mut subscription = store.subscribe();
    assert_eq!(subscription.seen(), 2);
    store.commit(events(3)).await.expect("written");
    for seq in 3..=5 {
        assert_eq!(subscription.recv().await.expect("in time").expect("open").seq, seq);
    }
    drop(store);
    assert_eq!(subscription.recv().await, Ok(None));
}

#[tokio::test]
async fn a_slow_subscriber_is_told_and_catches_up_from_the_log() {
    let store = Store::in_memory();
    let mut subscription = store.subscribe();
    let total = SUBSCRIPTION_EVENTS_MAX + 50;
    store.commit(events(total)).await.expect("written");
    let mut heard = Vec::new();
    while heard.len() < total {
        match subscription.recv().await {
            Ok(event) => heard.push(event.expect("open").seq),
            Err(Lagged { since }) => {
                let missed = numbers(&store.events_since(since, 100).expect("reads"));
                subscription.skip_to(*missed.last().expect("some"));
                heard.extend(missed);
            }
        }
    }
    assert_eq!(heard, (1..=total as u64).collect::<Vec<_>>());
}

#[tokio::test]
async fn events_of_a_commit_with_an_unknown_outcome_show_as_a_gap() {
    let faults = Arc::new(Scripted::default());
    let store = Store::in_memory_with(Some(faults.clone()));
    let mut subscription = store.subscribe();
    faults.fail_after.store(1, Ordering::SeqCst);
    store.commit(events(2)).await.expect_err("not known");
    store.commit(events(1)).await.expect("written");
    assert_eq!(subscription.recv().await, Err(Lagged { since: 0 }));
    assert_eq!(subscription.recv().await.expect("told before").expect("open").seq, 3);
}

#[tokio::test]
async fn old_events_are_pruned_and_numbers_go_on() {
    let store = Store::in_memory();
    store.commit(events(5_000)).await.expect("written");
    assert_eq!(store.prune_events(100).await, Ok(4_900));
    assert_eq!(store.first_event_seq(), Ok(4_901));
    assert_eq!(store.events_since(10, 1).expect("reads")[0].seq, 4_901, "the gap can be seen");
    assert_eq!(store.prune_events(100).await, Ok(0));
    assert_eq!(store.prune_events(0).await, Ok(99), "the newest one stays");
    assert_eq!(store.commit(events(1)).await.expect("written").first, Some(5_001));
    assert_eq!(Store::in_memory().prune_events(0).await, Ok(0));
}

#[tokio::test]
async fn forgotten_words_leave_the_log_and_its_numbers_stay() {
    let store = Store::in_memory();
    for text in ["first", "the secret", "last"] {
        let mut batch = Batch::new();
        batch.event(NewEvent { at: Timestamp(1), kind: "memory.updated".into(), data: format!("{text:?}") });
        store.commit(batch).await.expect("written");
    }
    let secret = store.events_since(1, 1).expect("read").remove(0);
    let gone = EventRecord { seq: 99, ..secret.clone() };
    let mut batch = Batch::new();
    batch.redact_event(&secret, "null".into()).redact_event(&gone, "null".into());
    store.commit(batch).await.expect("written");
    let rows: Vec<_> = store.events_since(0, 10).expect("read").into_iter().map(|it| (it.seq, it.data)).collect();
    assert_eq!(rows, [(1, r#""first""#.into()), (2, "null".into()), (3, r#""last""#.into())]);
    assert_eq!(store.last_event_seq(), Ok(3), "a line the log no longer has is not made");
}
