//! Who goes next, and what is held back.

use super::*;
use protocol::config::Config;

fn plugged_in() -> Conditions {
    Conditions { quiet_s: 30, power: Some(Power::Mains), limits: PowerLimits::of(&Config::default()) }
}

fn ticket(id: u64, job: ModelJob) -> Ticket {
    Ticket { id, job, model: "ollama_chat/m".into(), since: Timestamp(0) }
}

#[test]
fn the_most_urgent_goes_first_and_equals_in_order() {
    let mut queue = LocalQueue::default();
    for (id, job) in [(1, ModelJob::Titles), (2, ModelJob::Interactive), (3, ModelJob::Chat), (4, ModelJob::Chat)] {
        queue.add(ticket(id, job));
    }
    let mut order = Vec::new();
    let mut now = Timestamp(0);
    while let Some(id) = queue.next(now, &plugged_in()) {
        assert_eq!(queue.next(now, &plugged_in()), None, "one at a time");
        order.push(id);
        queue.remove(id, now);
        now = now.plus_millis(31_000);
    }
    assert_eq!(order, [3, 4, 2, 1]);
}

#[test]
fn upkeep_waits_until_a_while_after_the_chat() {
    let mut queue = LocalQueue::default();
    queue.add(ticket(1, ModelJob::Chat));
    assert_eq!(queue.next(Timestamp(0), &plugged_in()), Some(1));
    queue.add(ticket(2, ModelJob::Memory));
    queue.remove(1, Timestamp(1_000));
    assert_eq!(queue.next(Timestamp(30_999), &plugged_in()), None);
    let busy = queue.busy(Timestamp(30_999), &plugged_in());
    assert_eq!((busy.waiting, busy.deferred, busy.deferred_reason), (0, 1, Some(DeferredReason::Chat)));
    assert_eq!(queue.next(Timestamp(31_000), &plugged_in()), Some(2));
}

#[test]
fn a_clock_that_was_put_back_does_not_hold_upkeep_up() {
    let mut queue = LocalQueue::default();
    queue.add(ticket(1, ModelJob::Chat));
    assert_eq!(queue.next(Timestamp(86_400_000), &plugged_in()), Some(1));
    queue.remove(1, Timestamp(86_400_000));
    queue.add(ticket(2, ModelJob::Titles));
    assert_eq!(queue.next(Timestamp(0), &plugged_in()), Some(2));
}

#[test]
fn a_call_that_gave_up_is_forgotten() {
    let mut queue = LocalQueue::default();
    queue.add(ticket(1, ModelJob::Chat));
    queue.remove(1, Timestamp(0));
    assert_eq!(queue.next(Timestamp(0), &plugged_in()), None);
}

#[test]
fn the_battery_holds_upkeep_and_nothing_else() {
    let low = Conditions { power: Some(Power::Battery { percent: Some(10) }), ..plugged_in() };
    let mut queue = LocalQueue::default();
    for (id, job) in [(1, ModelJob::Titles), (2, ModelJob::Task), (3, ModelJob::Memory)] {
        queue.add(ticket(id, job));
    }
    assert_eq!(queue.next(Timestamp(0), &low), Some(2), "tasks run on time at any level");
    queue.remove(2, Timestamp(1));
    assert_eq!(queue.next(Timestamp(2), &low), None);
    let busy = queue.busy(Timestamp(2), &low);
    assert_eq!((busy.waiting, busy.deferred, busy.deferred_reason), (0, 2, Some(DeferredReason::BatteryLow)));
    let reading = Conditions { power: None, ..plugged_in() };
    assert_eq!(queue.next(Timestamp(2), &reading), None, "upkeep waits until it is known what the computer runs on");
    assert_eq!(queue.next(Timestamp(2), &plugged_in()), Some(3));
}

#[test]
fn a_call_of_an_earlier_queue_keeps_the_model() {
    let mut queue = LocalQueue::with_running(Some((ticket(7, ModelJob::Chat), Timestamp(5))));
    queue.add(ticket(8, ModelJob::Chat));
    assert_eq!(queue.next(Timestamp(9), &plugged_in()), None);
    assert_eq!(queue.busy(Timestamp(9), &plugged_in()).since, Some(Timestamp(5)));
    queue.remove(7, Timestamp(10));
    assert_eq!(queue.next(Timestamp(10), &plugged_in()), Some(8));
}
