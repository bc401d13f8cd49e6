//! What was worked out from a row is written only while the row is the same.

use super::{meta, put};
use crate::records::{MetaRecord, NewEvent};
use crate::{Batch, Store};
use protocol::Timestamp;

/// Writes `derived` and an event, if the row `a` is still as it was seen.
fn derived(seen: Option<&MetaRecord>) -> Batch {
    let mut batch = Batch::new();
    batch.only_if::<MetaRecord>(&"a".to_owned(), seen).put(&meta("derived", "from a"));
    batch.event(NewEvent { at: Timestamp(1), kind: "a.b".into(), data: "{}".into() });
    batch
}

fn has_derived(store: &Store) -> bool {
    let snapshot = store.snapshot().expect("read");
    snapshot.get::<MetaRecord>(&"derived".to_owned()).expect("read").is_some()
}

#[tokio::test]
async fn a_batch_is_written_only_while_its_row_is_as_it_was_seen() {
    let (one, other) = (meta("a", "1"), meta("a", "2"));
    for (name, stored, seen, written) in [
        ("the same", Some(&one), Some(&one), true),
        ("changed", Some(&other), Some(&one), false),
        ("gone", None, Some(&one), false),
        ("still not there", None, None, true),
        ("new", Some(&one), None, false),
    ] {
        let store = Store::in_memory();
        if let Some(stored) = stored {
            store.commit(put(stored)).await.expect("written");
        }
        let before = store.last_event_seq().expect("read");
        let committed = store.commit(derived(seen)).await.expect("no error either way");
        assert_eq!((committed.skipped, has_derived(&store)), (!written, written), "{name}");
        let told = store.last_event_seq().expect("read") > before;
        assert_eq!((told, committed.events.len()), (written, usize::from(written)), "{name}: all of it or nothing");
    }
}

#[tokio::test]
async fn a_change_in_the_same_transaction_counts_and_others_are_not_held_up() {
    let store = Store::in_memory();
    let seen = meta("a", "1");
    store.commit(put(&seen)).await.expect("written");
    // Polled in this order, they share a transaction.
    let (changed, skipped, after) = tokio::join!(
        store.commit(put(&meta("a", "2"))),
        store.commit(derived(Some(&seen))),
        store.commit(put(&meta("b", "1")))
    );
    assert!(!changed.expect("written").skipped && !after.expect("written").skipped);
    assert!(skipped.expect("no error").skipped && !has_derived(&store));
}
