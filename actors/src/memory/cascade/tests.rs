//! Steps that fail: the memory is gone all the same, and what is left is tried again until it is too old.

use super::{Derived, Forgotten};
use crate::fixtures::{outside, running, world};
use crate::memory::test_kit::fact;
use crate::memory::{Forget, Memory, MemoryNeeds, Upkeep, searched};
use crate::notifications::Notifications;
use protocol::config::Config;
use protocol::{Error, ErrorKind};
use runtime::{Address, World};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use storage::records::{FactCleanupRecord, FactRecord, MetaRecord};
use storage::{Batch, FaultPoint, Faults, Snapshot, Store};
use tokio::sync::watch;

/// Something made of memories that cannot always be removed.
#[derive(Default)]
struct Stubborn {
    fails: AtomicBool,
    /// What it was told to remove.
    told: Mutex<Vec<Forgotten>>,
}

impl Derived for Stubborn {
    fn name(&self) -> &'static str {
        "stubborn"
    }

    fn forget(&self, _: &Snapshot, forgotten: &Forgotten, batch: &mut Batch) -> Result<(), Error> {
        self.told.lock().expect("no test panics while holding it").push(forgotten.clone());
        batch.put(&MetaRecord { name: "made.of.it".into(), value: "gone".into() });
        let fails = self.fails.load(Ordering::Relaxed);
        if fails { Err(Error::new(ErrorKind::Unavailable, "Not now.")) } else { Ok(()) }
    }
}

async fn role(world: &World, store: &Store, step: &Arc<Stubborn>) -> Address<Memory> {
    let (_, config) = watch::channel(Arc::new(Config::default()));
    let notifications = running::<Notifications>(world, store.clone()).await;
    let derived: Vec<Arc<dyn Derived>> = vec![step.clone()];
    let needs = MemoryNeeds { store: store.clone(), config, notifications, derived: derived.into(), background: false };
    running(world, needs).await
}

async fn with_fact(store: &Store) {
    let mut batch = Batch::new();
    let row = FactRecord { previous_content: Some("Maya lives in Delhi".into()), ..fact(7, "Maya lives in Pune") };
    searched::put(&mut batch, &row);
    store.commit(batch).await.expect("written");
}

fn left(store: &Store) -> usize {
    store.snapshot().expect("a snapshot").all::<FactCleanupRecord>().expect("rows").count()
}

#[tokio::test]
async fn rule_87_a_step_that_fails_is_tried_again_for_seven_days() {
    let (world, clock) = world(1_000);
    let (store, step) = (Store::in_memory(), Arc::new(Stubborn::default()));
    step.fails.store(true, Ordering::Relaxed);
    let memory = role(&world, &store, &step).await;
    with_fact(&store).await;
    let forgot = memory.ask(&outside(), Forget { id: 7, reason: None }).await.expect("it is gone all the same");
    assert!(forgot.cleanup_pending);
    let snapshot = store.snapshot().expect("a snapshot");
    assert_eq!(snapshot.get::<FactRecord>(&7), Ok(None));
    assert_eq!(snapshot.get::<MetaRecord>(&"made.of.it".to_owned()), Ok(None), "a failed step writes nothing");
    assert_eq!(left(&store), 1);

    // A start is an upkeep too, and the note of what is left outlives it.
    let again = role(&world, &store, &step).await;
    again.ask(&outside(), Upkeep {}).await.expect("tried");
    assert_eq!(left(&store), 1);
    step.fails.store(false, Ordering::Relaxed);
    again.ask(&outside(), Upkeep {}).await.expect("tried");
    assert_eq!(left(&store), 0);
    {
        let told = step.told.lock().expect("no test panics while holding it");
        assert_eq!(told.len(), 3);
        assert_eq!(told[2].wordings().collect::<Vec<_>>(), ["Maya lives in Pune", "Maya lives in Delhi"]);
    }

    with_fact(&store).await;
    step.fails.store(true, Ordering::Relaxed);
    again.ask(&outside(), Forget { id: 7, reason: None }).await.expect("gone");
    clock.0.store(1_000 + 8 * 24 * 3_600_000, Ordering::Relaxed);
    again.ask(&outside(), Upkeep {}).await.expect("tried a last time");
    assert_eq!(left(&store), 0, "after seven days it is let go");
}

/// A disk that refuses so many writes.
struct Refusing(AtomicUsize);

impl Faults for Refusing {
    fn at(&self, point: FaultPoint) -> Result<(), String> {
        let left = self.0.load(Ordering::Relaxed);
        if point == FaultPoint::AfterCommit || left == 0 {
            return Ok(());
        }
        self.0.store(left - 1, Ordering::Relaxed);
        Err("full".into())
    }
}

#[tokio::test]
async fn a_delete_that_could_not_be_written_says_so_and_changes_nothing() {
    let (world, _) = world(1_000);
    let disk = Arc::new(Refusing(AtomicUsize::new(0)));
    let (store, step) = (Store::in_memory_with(Some(disk.clone())), Arc::new(Stubborn::default()));
    let memory = role(&world, &store, &step).await;
    with_fact(&store).await;
    disk.0.store(1, Ordering::Relaxed);
    let refused = memory.ask(&outside(), Forget { id: 7, reason: None }).await.expect_err("the disk is full");
    assert_eq!(refused.kind, ErrorKind::Unavailable);
    assert!(refused.detail().contains("Try again"), "{refused}");
    assert!(store.snapshot().expect("a snapshot").get::<FactRecord>(&7).expect("readable").is_some());
    assert!(step.told.lock().expect("no test panics while holding it").is_empty());
    memory.ask(&outside(), Forget { id: 7, reason: None }).await.expect("the next try");
}
