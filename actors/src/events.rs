//! From the event log to the windows: what a role commits with its rows is told once, in commit order.
//!
//! A role adds [`log_line`] to its batch and nothing else; [`relay`] does the telling, so nothing is told that was not
//! committed, and nothing twice.

use crate::live::Hub;
use protocol::Timestamp;
use protocol::events::DomainEvent;
use protocol::ids::SessionId;
use storage::records::{EventRecord, NewEvent};
use storage::{EVENTS_READ_MAX, Store};

/// A domain event as a line of the event log.
pub fn log_line(event: &DomainEvent, at: Timestamp) -> NewEvent {
    // These shapes hold no maps with keys that are not text, so writing them cannot fail.
    let value = serde_json::to_value(event).unwrap_or_default();
    let kind = value["type"].as_str().unwrap_or_default().to_owned();
    NewEvent { at, kind, data: value["data"].to_string() }
}

/// Tells the windows every event that is committed from now on. Runs until it is dropped, or the store fails.
pub async fn relay(store: Store, live: Hub) {
    let mut events = store.subscribe();
    loop {
        match events.recv().await {
            Ok(Some(event)) => tell(&live, &event),
            Ok(None) => return,
            Err(lagged) => match catch_up(&store, &live, lagged.since) {
                Ok(seen) => events.skip_to(seen),
                Err(error) => {
                    tracing::error!(%error, "windows hear no more changes: the event log cannot be read");
                    return;
                }
            },
        }
    }
}

/// Tells what the subscription missed. Answers the number of the last event told.
fn catch_up(store: &Store, live: &Hub, since: u64) -> Result<u64, storage::StoreError> {
    let mut seen = since;
    loop {
        let missed = store.events_since(seen, EVENTS_READ_MAX)?;
        let Some(last) = missed.last() else { return Ok(seen) };
        seen = last.seq;
        missed.iter().for_each(|event| tell(live, event));
    }
}

/// Kinds that are not for windows stay in the log.
fn tell(live: &Hub, event: &EventRecord) {
    if DomainEvent::TYPES.contains(&event.kind.as_str()) {
        match chat_of(event) {
            Some(session) => live.logged_in_chat(&session, (&event.kind, &event.data, event.at)),
            None => live.logged(&event.kind, &event.data, event.at),
        }
    }
}

/// The chat whose `POST /api/chat` reader hears the event too (contract section 2, "Rules from chat").
fn chat_of(event: &EventRecord) -> Option<SessionId> {
    if event.kind != "rule_proposal.updated" {
        return None;
    }
    let data: serde_json::Value = serde_json::from_str(&event.data).ok()?;
    data["session_id"].as_str().map(SessionId::from)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::live::Delivery;
    use storage::Batch;

    #[tokio::test]
    async fn windows_hear_what_was_committed_and_only_what_is_for_them() {
        let (store, live) = (Store::in_memory(), Hub::new(0));
        let mut window = live.subscribe(None);
        let (told, at) = (live.clone(), Timestamp(0));
        let relaying = relay(store.clone(), told);
        let saying = async {
            tokio::task::yield_now().await;
            let mut batch = Batch::new();
            batch.event(NewEvent { at, kind: "chat.turn_completed".into(), data: r#"{"text":"private"}"#.into() });
            batch.event(log_line(&DomainEvent::PresenceChanged { in_app: true }, at));
            store.commit(batch).await.expect("committed");
            window.next().await
        };
        let delivery = tokio::select! {
            biased;
            () = relaying => panic!("the relay ended"),
            delivery = saying => delivery,
        };
        let Delivery::Frames(lines) = delivery else { panic!("nothing was missed") };
        let json: Vec<&str> = lines.iter().map(|line| &*line.json).collect();
        let want = r#"{"type":"presence.changed","data":{"in_app":true},"ts":"1970-01-01T00:00:00.000+00:00"}"#;
        assert_eq!(json, [want]);
    }
}
