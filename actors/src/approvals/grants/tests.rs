//! The role with a clock of its own.

use super::*;
use crate::fixtures::{SetClock, outside, running, world};
use protocol::ErrorKind;
use protocol::approvals::{GrantScope, Via};
use protocol::tools::Risk;
use runtime::Address;
use std::sync::atomic::Ordering;
use tokio::time::{Duration, advance};

struct Bench {
    role: Address<Grants>,
    list: GrantList,
    store: Store,
    clock: Arc<SetClock>,
    world: runtime::World,
}

async fn bench(store: Store) -> Bench {
    let (world, clock) = world(1_000);
    let list = Arc::new(watch::Sender::new(Arc::new(stored(&store).expect("rows"))));
    let reader = list.subscribe();
    let role = running::<Grants>(&world, GrantsNeeds { store: store.clone(), list }).await;
    Bench { role, list: reader, store, clock, world }
}

fn give(tool: &str, reach: Reach) -> Give {
    Give { tool: tool.into(), label: "Send".into(), app: "Mailer".into(), risk: Risk::Send, via: Via::Telegram, reach }
}

fn task(id: &str) -> Reach {
    Reach::Task { id: id.into(), name: "Weekly".into() }
}

impl Bench {
    async fn give(&self, tool: &str, reach: Reach) -> GrantId {
        self.role.ask(&outside(), give(tool, reach)).await.expect("kept")
    }

    fn tools(&self) -> Vec<String> {
        self.list.borrow().iter().map(|grant| grant.tool.clone()).collect()
    }

    fn events(&self) -> Vec<String> {
        let events = self.store.events_since(0, 100).expect("events");
        events.into_iter().map(|event| format!("{} {}", event.kind, event.data)).collect()
    }
}

#[tokio::test(start_paused = true)]
async fn a_grant_is_kept_listed_and_taken_back() {
    let bench = bench(Store::in_memory()).await;
    let id = bench.give("mail_send", Reach::Minutes(60)).await;
    bench.give("note_write", task("t1")).await;
    let list = bench.list.borrow().clone();
    let timed = &list[0];
    assert_eq!((timed.scope, timed.risk, timed.via), (GrantScope::Timed, Risk::Send, Via::Telegram));
    assert_eq!((timed.created_at, timed.expires_at), (Timestamp(1_000), Some(Timestamp(3_601_000))));
    assert_eq!((list[1].scope, list[1].task_id.as_deref(), list[1].expires_at), (GrantScope::Task, Some("t1"), None));
    bench.role.ask(&outside(), Revoke(id.clone())).await.expect("taken back");
    assert_eq!(bench.tools(), ["note_write"]);
    let again = bench.role.ask(&outside(), Revoke(id)).await.expect_err("gone");
    assert_eq!(again.kind, ErrorKind::NotFound);
    let told = ["{\"count\":1}", "{\"count\":2}", "{\"count\":1}"];
    assert_eq!(bench.events(), told.map(|data| format!("approval_grants.updated {data}")));
}

#[tokio::test(start_paused = true)]
async fn the_same_answer_again_takes_the_place_of_the_first() {
    let bench = bench(Store::in_memory()).await;
    bench.give("mail_send", Reach::Minutes(1)).await;
    bench.give("mail_send", task("t1")).await;
    bench.give("mail_send", task("t2")).await;
    bench.give("mail_send", Reach::Minutes(60)).await;
    let list = bench.list.borrow().clone();
    assert_eq!(list.len(), 3, "one for each task and one by the clock");
    assert_eq!(list[2].expires_at, Some(Timestamp(3_601_000)));
}

#[tokio::test(start_paused = true)]
async fn what_ran_out_goes_and_is_told() {
    let bench = bench(Store::in_memory()).await;
    bench.give("mail_send", Reach::Minutes(10)).await;
    bench.give("note_write", Reach::Minutes(1)).await;
    let mut list = bench.list.clone();
    list.mark_unchanged();
    bench.clock.0.store(61_000, Ordering::Relaxed);
    advance(Duration::from_secs(61)).await;
    list.changed().await.expect("told");
    assert_eq!(bench.tools(), ["mail_send"]);
    list.mark_unchanged();
    bench.clock.0.store(700_000, Ordering::Relaxed);
    advance(Duration::from_secs(600)).await;
    list.changed().await.expect("told");
    assert!(bench.tools().is_empty());
    assert_eq!(bench.events().last().map(String::as_str), Some("approval_grants.updated {\"count\":0}"));
}

#[tokio::test(start_paused = true)]
async fn grants_outlive_a_restart_and_end_with_their_task() {
    let first = bench(Store::in_memory()).await;
    first.give("mail_send", task("t1")).await;
    first.give("note_write", task("t2")).await;
    first.world.work.cancel();
    let second = bench(first.store.clone()).await;
    assert_eq!(second.tools(), ["mail_send", "note_write"]);
    second.role.ask(&outside(), ForgetTask("t1".into())).await.expect("gone");
    second.role.ask(&outside(), ForgetTask("nobody".into())).await.expect("nothing to do");
    assert_eq!(second.tools(), ["note_write"]);
}
