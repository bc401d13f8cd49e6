//! The role over a store in memory.

use super::*;
use crate::events::log_line;
use crate::fixtures::{outside, running, world};
use protocol::Timestamp;
use protocol::events::DomainEvent;
use runtime::Address;

async fn role(store: &Store) -> Address<Notifications> {
    running(&world(1_000).0, store.clone()).await
}

fn note(title: &str) -> AddNotification {
    let payload = serde_json::json!({ "for": title });
    let kind = NotificationKind::Info;
    let new = NewNotification { kind, title: title.into(), message: "m".into(), payload, task_id: None };
    AddNotification { new, mark: None }
}

fn events(store: &Store) -> Vec<String> {
    let told = store.events_since(0, 100).expect("read").into_iter();
    told.map(|event| format!("{} {}", event.kind, event.data)).collect()
}

#[tokio::test]
async fn a_notification_is_committed_with_the_news_of_it() {
    let store = Store::in_memory();
    let role = role(&store).await;
    let added = role.ask(&outside(), note("tea")).await.expect("added");
    assert_eq!(added.payload, serde_json::json!({ "for": "tea" }));
    let row = store.snapshot().expect("read").get::<NotificationRecord>(&added.id).expect("read").expect("there");
    assert_eq!(shown(row), added);
    let told = log_line(&DomainEvent::NotificationNew(added.clone()), Timestamp(1_000));
    assert_eq!(events(&store), [format!("notification.new {}", told.data)]);

    role.ask(&outside(), ReadNotifications(Some(added.id.clone()))).await.expect("read");
    role.ask(&outside(), ReadNotifications(Some(added.id.clone()))).await.expect("again is fine and says nothing");
    role.ask(&outside(), DeleteNotifications(Some(added.id.clone()))).await.expect("deleted");
    assert_eq!(
        events(&store)[1..],
        [r#"notification.read {"id":"n0000"}"#.to_owned(), r#"notification.deleted {"id":"n0000"}"#.to_owned()]
    );
    for gone in [
        role.ask(&outside(), ReadNotifications(Some(added.id.clone()))).await,
        role.ask(&outside(), DeleteNotifications(Some(added.id))).await,
    ] {
        assert_eq!(gone.expect_err("gone").kind, protocol::ErrorKind::NotFound);
    }
}

#[tokio::test]
async fn all_can_be_read_and_deleted_at_once() {
    let store = Store::in_memory();
    let role = role(&store).await;
    for title in ["a", "b"] {
        role.ask(&outside(), note(title)).await.expect("added");
    }
    role.ask(&outside(), ReadNotifications(None)).await.expect("read");
    let rows: Vec<NotificationRecord> =
        store.snapshot().expect("read").all().expect("read").collect::<Result<_, _>>().expect("rows");
    assert!(rows.len() == 2 && rows.iter().all(|row| row.read));
    role.ask(&outside(), DeleteNotifications(None)).await.expect("deleted");
    role.ask(&outside(), DeleteNotifications(None)).await.expect("nothing left is fine");
    assert_eq!(store.snapshot().expect("read").count::<NotificationRecord>().expect("read"), 0);
    assert_eq!(
        events(&store)[2..],
        [r#"notification.read {"id":null}"#.to_owned(), r#"notification.deleted {"id":null}"#.to_owned()]
    );
}

#[tokio::test]
async fn a_restart_finds_what_was_there() {
    let store = Store::in_memory();
    let added = role(&store).await.ask(&outside(), note("a")).await.expect("added");
    role(&store).await.ask(&outside(), ReadNotifications(Some(added.id))).await.expect("known to the next one");
}
