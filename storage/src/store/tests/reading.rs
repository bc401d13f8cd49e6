//! Reads, indexes, and the law that the store is a sorted map.

use crate::records::{MESSAGES_BY_ID, MessageRecord, MetaRecord, SESSIONS_BY_UPDATE, SessionRecord};
use crate::samples::{message, session};
use crate::store::tables::definition;
use crate::{Batch, Store, TextPrefix};
use proptest::prelude::*;
use protocol::ids::SessionId;
use redb::{ReadableDatabase, ReadableTable};
use std::collections::{BTreeMap, BTreeSet};

use super::meta;

fn ids(rows: impl Iterator<Item = Result<MessageRecord, crate::StoreError>>) -> Vec<String> {
    rows.map(|row| row.expect("reads").id.0).collect()
}

fn three_chats() -> Store {
    let store = Store::in_memory();
    let mut batch = Batch::new();
    for (chat, updated) in [("a", 30), ("b", 10), ("ab", 20)] {
        batch.put(&session(chat, updated));
        for ordinal in [0, 1, 2, 300] {
            batch.put(&message(chat, ordinal, "text"));
        }
    }
    store.commit_now(batch).expect("written");
    store
}

#[test]
fn a_chat_reads_in_order_from_either_end() {
    let store = three_chats();
    let snapshot = store.snapshot().expect("reads");
    let chat = || snapshot.prefix::<MessageRecord>(&SessionId::from("a")).expect("reads");
    assert_eq!(ids(chat()), ["a-0", "a-1", "a-2", "a-300"], "and not those of chat ab");
    assert_eq!(ids(chat().rev().take(2)), ["a-300", "a-2"]);
    let range = |from, to| snapshot.range::<MessageRecord>(("a".into(), from)..("a".into(), to)).expect("reads");
    assert_eq!(ids(range(1, 300)), ["a-1", "a-2"]);
    assert_eq!(ids(range(5, 1)), Vec::<String>::new(), "bounds that cross are an empty range");
    assert_eq!(snapshot.count::<MessageRecord>(), Ok(12));
    assert_eq!(snapshot.count::<MetaRecord>(), Ok(0), "a table nobody wrote to");
    assert_eq!(ids(snapshot.prefix::<MessageRecord>(&SessionId::from("nobody")).expect("reads")), Vec::<String>::new());
}

#[test]
fn text_keys_are_found_by_their_beginning() {
    let store = Store::in_memory();
    let mut batch = Batch::new();
    for name in ["stop", "stop.since", "stop.state", "stopwatch"] {
        batch.put(&meta(name, "1"));
    }
    store.commit_now(batch).expect("written");
    let snapshot = store.snapshot().expect("reads");
    let found: Vec<String> = snapshot
        .prefix::<MetaRecord>(&TextPrefix("stop."))
        .expect("reads")
        .map(|row| row.expect("reads").name)
        .collect();
    assert_eq!(found, ["stop.since", "stop.state"]);
}

#[test]
fn chats_are_listed_newest_first_and_move_when_updated() {
    let store = three_chats();
    let listed = || -> Vec<String> {
        let snapshot = store.snapshot().expect("reads");
        snapshot.newest_sessions().expect("reads").map(|chat| chat.expect("reads").id.0).collect()
    };
    assert_eq!(listed(), ["a", "ab", "b"]);
    let mut batch = Batch::new();
    batch.put(&session("b", 40));
    store.commit_now(batch).expect("written");
    assert_eq!(listed(), ["b", "a", "ab"]);
    let mut batch = Batch::new();
    batch.delete::<SessionRecord>(&"a".into()).delete_prefix::<MessageRecord>(&SessionId::from("a"));
    store.commit_now(batch).expect("written");
    assert_eq!(listed(), ["b", "ab"]);
    let snapshot = store.snapshot().expect("reads");
    assert_eq!(snapshot.message(&"a-0".into()), Ok(None));
    assert_eq!(snapshot.message(&"ab-300".into()).expect("reads").expect("kept").ordinal, 300);
}

#[test]
fn a_snapshot_does_not_see_what_comes_after_it() {
    let store = three_chats();
    let before = store.snapshot().expect("reads");
    let mut batch = Batch::new();
    batch.delete_prefix::<MessageRecord>(&SessionId::from("a"));
    store.commit_now(batch).expect("written");
    assert_eq!(before.prefix::<MessageRecord>(&SessionId::from("a")).expect("reads").count(), 4);
    assert!(before.message(&"a-1".into()).expect("reads").is_some());
}

#[derive(Clone, Debug)]
enum Step {
    Put(u8, u64, u8),
    Delete(u8, u64),
    DeleteChat(u8),
    Touch(u8, i64),
    DeleteSession(u8),
}

fn step() -> impl Strategy<Value = Step> {
    let (chat, ordinal) = (0..4_u8, 0..5_u64);
    prop_oneof![
        4 => (chat.clone(), ordinal.clone(), 0..3_u8).prop_map(|(c, o, t)| Step::Put(c, o, t)),
        1 => (chat.clone(), ordinal).prop_map(|(c, o)| Step::Delete(c, o)),
        1 => chat.clone().prop_map(Step::DeleteChat),
        2 => (chat.clone(), -3..3_i64).prop_map(|(c, at)| Step::Touch(c, at)),
        1 => chat.prop_map(Step::DeleteSession),
    ]
}

/// Everything in an index table: key bytes and what they lead to.
fn entries(store: &Store, table: &'static str) -> BTreeSet<(Vec<u8>, Vec<u8>)> {
    let read = store.inner.db.begin_read().expect("reads");
    let Ok(table) = read.open_table(definition(table)) else { return BTreeSet::new() };
    let rows = table.iter().expect("reads").map(|row| row.expect("reads"));
    rows.map(|(key, value)| (key.value().to_vec(), value.value().to_vec())).collect()
}

proptest! {
    #[test]
    fn the_store_is_a_sorted_map_with_true_indexes(batches in prop::collection::vec(prop::collection::vec(step(), 1..6), 1..8)) {
        use crate::Key;
        let store = Store::in_memory();
        let mut messages: BTreeMap<(String, u64), MessageRecord> = BTreeMap::new();
        let mut sessions: BTreeMap<String, SessionRecord> = BTreeMap::new();
        for steps in batches {
            let mut batch = Batch::new();
            for step in steps {
                match step {
                    Step::Put(chat, ordinal, take) => {
                        // The id changes with the take: the row's old index entry must go.
                        let mut row = message(&chat.to_string(), ordinal, "text");
                        row.id = format!("{chat}-{ordinal}-{take}").into();
                        batch.put(&row);
                        messages.insert((chat.to_string(), ordinal), row);
                    }
                    Step::Delete(chat, ordinal) => {
                        batch.delete::<MessageRecord>(&(chat.to_string().into(), ordinal));
                        messages.remove(&(chat.to_string(), ordinal));
                    }
                    Step::DeleteChat(chat) => {
                        batch.delete_prefix::<MessageRecord>(&SessionId(chat.to_string()));
                        messages.retain(|key, _| key.0 != chat.to_string());
                    }
                    Step::Touch(chat, at) => {
                        batch.put(&session(&chat.to_string(), at));
                        sessions.insert(chat.to_string(), session(&chat.to_string(), at));
                    }
                    Step::DeleteSession(chat) => {
                        batch.delete::<SessionRecord>(&chat.to_string().into());
                        sessions.remove(&chat.to_string());
                    }
                }
            }
            store.commit_now(batch).expect("written");
        }
        let snapshot = store.snapshot().expect("reads");
        let stored: Vec<MessageRecord> = snapshot.all().expect("reads").map(|row| row.expect("reads")).collect();
        prop_assert_eq!(&stored, &messages.values().cloned().collect::<Vec<_>>());
        let by_id = messages.values().map(|row| (row.id.encoded(), (row.session_id.clone(), row.ordinal).encoded()));
        prop_assert_eq!(entries(&store, MESSAGES_BY_ID), by_id.collect::<BTreeSet<_>>());
        let by_update = sessions.values().map(|row| ((row.updated_at, row.id.clone()).encoded(), row.id.encoded()));
        prop_assert_eq!(entries(&store, SESSIONS_BY_UPDATE), by_update.collect::<BTreeSet<_>>());
    }
}
