//! The role over a store in memory.

use super::*;
use crate::config::readers;
use crate::fixtures::{outside, running, world};
use protocol::ErrorKind;
use protocol::usage::{Billing, BudgetLevel};
use storage::Batch;
use storage::records::NotificationRecord;

/// 15 November 2026, noon UTC.
const NOW: i64 = 1_794_744_000_000;

fn spent(id: &str, at: i64, cost: Option<f64>, billing: Billing) -> UsageRecord {
    UsageRecord {
        id: id.into(),
        at: Timestamp(at),
        model: "openai/gpt-5".into(),
        source: "chat".into(),
        role: Some("primary".into()),
        billing,
        prompt_tokens: 100,
        completion_tokens: 10,
        cost_usd: cost,
    }
}

async fn store(store: &Store, row: UsageRecord) {
    let mut batch = Batch::new();
    batch.put(&row);
    store.commit(batch).await.expect("stored");
}

fn told(store: &Store) -> Vec<String> {
    let rows = store.snapshot().expect("read").all::<NotificationRecord>().expect("read");
    rows.map(|row| row.expect("a row").title).collect()
}

#[tokio::test]
async fn the_person_is_told_once_at_80_and_once_at_100_percent_of_a_month() {
    let (world, clock) = world(NOW);
    let db = Store::in_memory();
    let mut config = Config::default();
    config.models.monthly_budget_usd = 10.0;
    let (_writer, config) = readers(config);
    let notifications = running::<Notifications>(&world, db.clone()).await;
    let needs = UsageNeeds { store: db.clone(), config: config.clone(), notifications };
    let usage = running::<Usage>(&world, needs).await;
    let gate = budget_gate(&world, db.clone(), config, usage.clone());

    store(&db, spent("a", NOW - 40 * 86_400_000, Some(50.0), Billing::Paid)).await; // another month
    store(&db, spent("b", NOW, Some(7.0), Billing::Paid)).await;
    store(&db, spent("c", NOW, Some(9.0), Billing::Plan)).await; // on a plan: never dollars
    usage.ask(&outside(), CheckBudget).await.expect("checked");
    assert_eq!((told(&db).len(), gate()), (0, None));

    store(&db, spent("d", NOW, Some(1.5), Billing::Paid)).await;
    usage.ask(&outside(), CheckBudget).await.expect("checked");
    usage.ask(&outside(), CheckBudget).await.expect("and says nothing again");
    assert_eq!(told(&db), ["This month's model budget is nearly used up"]);
    assert_eq!(gate(), None);

    store(&db, spent("e", NOW, Some(1.5), Billing::Paid)).await;
    assert!(gate().is_some(), "the budget is used up");
    usage.ask(&outside(), CheckBudget).await.expect("checked");
    usage.ask(&outside(), CheckBudget).await.expect("and says nothing again");
    assert_eq!(told(&db).len(), 2);

    let state = usage.ask(&outside(), KeepGoing).await.expect("goes on");
    assert!(state.kept_going && state.state == BudgetLevel::Reached);
    assert_eq!(gate(), None, "the stop is lifted");
    clock.0.store(NOW + 20 * 86_400_000, std::sync::atomic::Ordering::Relaxed);
    store(&db, spent("f", NOW + 20 * 86_400_000, Some(11.0), Billing::Paid)).await;
    assert!(gate().is_some(), "and comes back with the next month");
}

#[tokio::test]
async fn there_must_be_something_to_keep_going_from() {
    for (name, budget, at_limit, want) in [
        ("no budget", 0.0, BudgetAtLimit::Ask, Some(ErrorKind::Conflict)),
        ("set to stop", 5.0, BudgetAtLimit::Stop, Some(ErrorKind::Conflict)),
        ("set to ask", 5.0, BudgetAtLimit::Ask, None),
    ] {
        let (world, _) = world(NOW);
        let db = Store::in_memory();
        let mut config = Config::default();
        config.models.monthly_budget_usd = budget;
        config.models.budget_at_limit = at_limit;
        let (_writer, config) = readers(config);
        let notifications = running::<Notifications>(&world, db.clone()).await;
        let usage = running::<Usage>(&world, UsageNeeds { store: db, config, notifications }).await;
        let kept = usage.ask(&outside(), KeepGoing).await;
        assert_eq!(kept.err().map(|error| error.kind), want, "{name}");
    }
}
