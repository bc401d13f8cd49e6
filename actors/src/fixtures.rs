//! For tests: a world that stands still, and one role running in it.

use protocol::Timestamp;
use runtime::{
    Address, Clock, Entropy, Ids, Limits, Outside, Plan, Restart, Role, Scope, Spawner, Supervisor, Tree, World,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use tokio::time::Duration;

/// A clock that shows what it was set to.
pub(crate) struct SetClock(pub(crate) AtomicI64);

impl Clock for SetClock {
    fn now(&self) -> Timestamp {
        Timestamp(self.0.load(Ordering::Relaxed))
    }
}

struct Sevens;

impl Entropy for Sevens {
    fn fill(&self, bytes: &mut [u8]) {
        bytes.fill(7);
    }
}

#[derive(Default)]
struct Counting(AtomicU64);

impl Ids for Counting {
    fn next(&self) -> String {
        format!("n{:04}", self.0.fetch_add(1, Ordering::Relaxed))
    }
}

/// A world at one moment, with its clock.
pub(crate) fn world(now_ms: i64) -> (World, Arc<SetClock>) {
    let clock = Arc::new(SetClock(AtomicI64::new(now_ms)));
    let (ids, entropy) = (Arc::<Counting>::default(), Arc::new(Sevens));
    (World { clock: clock.clone(), ids, entropy, work: Scope::new() }, clock)
}

/// A role at work.
pub(crate) async fn running<R: Role>(world: &World, needs: R::Needs) -> Address<R> {
    let spawner = Spawner::<R>::new(world, &Tree::default(), "root", needs);
    let address = spawner.address();
    let limits = Limits { restarts_max: 1, window: Duration::from_secs(1), backoff_max: Duration::from_secs(1) };
    let children = vec![spawner.child(Restart::Never)];
    let plan = Plan { name: "root", children, limits, grace: Duration::from_secs(1) };
    drop(Supervisor::root(plan).await.expect("started"));
    address
}

/// A caller with patience.
pub(crate) fn outside() -> Outside {
    Outside::within(Duration::from_secs(5))
}
