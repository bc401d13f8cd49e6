//! The queue with real permits: who goes next, and that a permit always comes back.

use super::*;
use crate::live::Hub;
use futures::FutureExt;
use futures::future::{BoxFuture, ready};
use protocol::Timestamp;
use rules::local_queue::Power;
use runtime::{
    Address, Child, Clock, Entropy, Handles, Ids, Limits, Outside, Plan, Restart, Scope, Spawner, Supervisor,
    SupervisorHandle, Tree, World,
};
use std::sync::atomic::{AtomicU8, Ordering};
use tokio::time::{Instant, sleep, timeout};

const S: fn(u64) -> Duration = Duration::from_secs;

/// The wall clock goes with tokio's.
struct TestClock(Instant);

impl Clock for TestClock {
    fn now(&self) -> Timestamp {
        Timestamp(i64::try_from(self.0.elapsed().as_millis()).expect("a short test"))
    }
}

struct Same;

impl Ids for Same {
    fn next(&self) -> String {
        "id".into()
    }
}

impl Entropy for Same {
    fn fill(&self, bytes: &mut [u8]) {
        bytes.fill(0);
    }
}

/// Percent left; 0 stands for plugged in.
struct Battery(Arc<AtomicU8>);

impl PowerSupply for Battery {
    fn read(&self) -> BoxFuture<'static, Power> {
        let power = match self.0.load(Ordering::Relaxed) {
            0 => Power::Mains,
            percent => Power::Battery { percent: Some(percent) },
        };
        ready(power).boxed()
    }
}

struct Stage {
    queue: Address<ModelQueue>,
    world: World,
    power: Arc<Battery>,
    _root: SupervisorHandle,
}

async fn stage() -> Stage {
    let clock = Arc::new(TestClock(Instant::now()));
    let world = World { clock, ids: Arc::new(Same), entropy: Arc::new(Same), work: Scope::new() };
    let config = watch::channel(Arc::new(Config::default())).1;
    let power = Arc::new(Battery(Arc::default()));
    let needs = ModelQueueNeeds { config, live: Hub::new(0), power: power.clone(), model: AtTheModel::default() };
    let queue = Spawner::<ModelQueue>::new(&world, &Tree::default(), "root", needs);
    let address = queue.address();
    let children: Vec<Child> = vec![queue.child(Restart::OnFailure)];
    let limits = Limits { restarts_max: 3, window: S(10), backoff_max: S(1) };
    let (root, _) = Supervisor::root(Plan { name: "root", children, limits, grace: S(1) }).await.expect("it starts");
    Stage { queue: address, world, power, _root: root }
}

impl Stage {
    /// Gets in line.
    async fn line(&self, job: ModelJob) -> oneshot::Receiver<Permit> {
        let acquire = Acquire { job, model: "ollama_chat/m".into() };
        self.queue.ask(&Outside::within(S(5)), acquire).await.expect("room in the queue")
    }

    async fn busy(&self) -> ModelBusy {
        sleep(Duration::from_millis(1)).await; // a dropped permit is on its way
        self.queue.ask(&Outside::within(S(5)), Busy).await.expect("an answer")
    }
}

#[tokio::test(start_paused = true)]
async fn one_at_a_time_and_the_most_urgent_next() {
    let stage = stage().await;
    let first = stage.line(ModelJob::Chat).await.await.expect("nobody is before it");
    let mut later = stage.line(ModelJob::Interactive).await;
    let mut sooner = stage.line(ModelJob::Chat).await;
    assert!(timeout(S(60), &mut sooner).await.is_err(), "two calls at once");
    drop(first);
    let second = sooner.await.expect("a chat goes before");
    assert!(timeout(S(60), &mut later).await.is_err());
    drop(second);
    drop(later.await.expect("now it is its turn"));
    assert_eq!(stage.busy().await, ModelBusy::default());
}

#[tokio::test(start_paused = true)]
async fn a_permit_comes_back_when_its_holder_is_stopped_or_breaks() {
    let stage = stage().await;
    for how in ["stopped", "breaks"] {
        let permit = stage.line(ModelJob::Chat).await;
        let scope = stage.world.work.child();
        scope.spawn_dropped("holder", async move {
            let _permit = permit.await;
            sleep(S(1)).await;
            assert_ne!(how, "breaks", "broken on purpose");
            sleep(S(1_000)).await;
        });
        sleep(Duration::from_millis(10)).await;
        assert!(stage.busy().await.busy, "{how}: it holds the permit");
        sleep(S(5)).await;
        if how == "stopped" {
            assert!(stage.busy().await.busy, "it works on");
            scope.cancel();
        }
        assert!(!stage.busy().await.busy, "{how}: the permit did not come back");
        drop(timeout(S(1), stage.line(ModelJob::Chat).await).await.expect("the next may go"));
    }
}

#[tokio::test(start_paused = true)]
async fn who_gave_up_in_line_is_passed_over() {
    let stage = stage().await;
    let first = stage.line(ModelJob::Chat).await.await.expect("nobody is before it");
    drop(stage.line(ModelJob::Chat).await);
    let third = stage.line(ModelJob::Chat).await;
    drop(first);
    drop(timeout(S(1), third).await.expect("it does not wait for one that is gone").expect("a permit"));
    assert_eq!(stage.busy().await, ModelBusy::default());
}

#[tokio::test(start_paused = true)]
async fn upkeep_waits_for_quiet_and_then_goes_by_itself() {
    let stage = stage().await;
    let chat = stage.line(ModelJob::Chat).await.await.expect("nobody is before it");
    let upkeep = stage.line(ModelJob::Titles).await;
    drop(chat);
    let busy = stage.busy().await;
    assert_eq!((busy.busy, busy.waiting, busy.deferred), (false, 0, 1));
    let began = Instant::now();
    drop(timeout(S(600), upkeep).await.expect("nobody has to come for it").expect("a permit"));
    let quiet = S(u64::from(Config::default().models.background_quiet_s));
    assert!(began.elapsed() + S(1) >= quiet && began.elapsed() <= quiet + S(1), "{:?}", began.elapsed());
}

#[tokio::test(start_paused = true)]
async fn the_line_has_a_length() {
    let stage = stage().await;
    let mut line = Vec::new();
    for _ in 0..=rules::local_queue::WAITING_MAX {
        line.push(stage.line(ModelJob::Chat).await);
    }
    let acquire = Acquire { job: ModelJob::Chat, model: "ollama_chat/m".into() };
    let refused = stage.queue.ask(&Outside::within(S(5)), acquire).await.expect_err("no room");
    assert_eq!(refused.kind, ErrorKind::Busy);
}

/// A request that breaks the queue in the middle.
struct Break;

impl Request for Break {
    type Reply = ();
    const NAME: &'static str = "model_queue.break";
}

impl Handles<Break> for ModelQueue {
    async fn handle(&mut self, _: Break, _: &Ctx<Self>) -> Result<(), Error> {
        panic!("broken on purpose");
    }
}

#[tokio::test(start_paused = true)]
async fn a_queue_that_starts_again_waits_for_the_call_that_runs() {
    let stage = stage().await;
    let held = stage.line(ModelJob::Chat).await.await.expect("nobody is before it");
    let lost = stage.line(ModelJob::Chat).await;
    stage.queue.ask(&Outside::within(S(5)), Break).await.expect_err("it breaks");
    assert!(lost.await.is_err(), "who stood in line is told, and may get in line again");
    let mut again = stage.line(ModelJob::Chat).await;
    assert!(timeout(S(60), &mut again).await.is_err(), "two calls at once");
    let busy = stage.busy().await;
    assert_eq!((busy.busy, busy.job, busy.waiting), (true, Some(ModelJob::Chat), 1), "it still knows who calls");
    drop(held);
    drop(timeout(S(1), again).await.expect("now it is its turn").expect("a permit"));
    assert_eq!(stage.busy().await, ModelBusy::default());
}

#[tokio::test(start_paused = true)]
async fn upkeep_waits_for_power_and_goes_when_it_is_back() {
    let stage = stage().await;
    stage.power.0.store(12, Ordering::Relaxed);
    let mut upkeep = stage.line(ModelJob::Memory).await;
    assert!(timeout(S(600), &mut upkeep).await.is_err(), "upkeep went on an almost empty battery");
    let reason = stage.busy().await.deferred_reason;
    assert_eq!(reason, Some(protocol::engine::DeferredReason::BatteryLow));
    drop(timeout(S(1), stage.line(ModelJob::Task).await).await.expect("a task runs at any level").expect("a permit"));
    stage.power.0.store(0, Ordering::Relaxed);
    drop(timeout(S(60), upkeep).await.expect("plugged in again").expect("a permit"));
}

#[tokio::test(start_paused = true)]
async fn no_upkeep_waits_for_the_battery_for_ever() {
    let stage = stage().await;
    stage.power.0.store(12, Ordering::Relaxed);
    let began = Instant::now();
    drop(timeout(S(10_000), stage.line(ModelJob::Titles).await).await.expect("the longest wait").expect("a permit"));
    let longest = S(u64::from(Config::default().models.battery_max_wait_s));
    assert!(began.elapsed() >= longest && began.elapsed() <= longest + S(60), "{:?}", began.elapsed());
}
