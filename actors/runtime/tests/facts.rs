//! What this crate adds to ractor, one test for each line of the table in `docs/ARCHITECTURE.md`, section 3.

use protocol::engine::{ActorRow, ActorState};
use protocol::{Error, ErrorKind, Request, Timestamp};
use runtime::{
    Address, Clock, Ctx, Entropy, Handles, Ids, Limits, Outside, Plan, Restart, Role, Scope, Spawner, Supervisor,
    SupervisorHandle, Tree, World,
};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use tokio::time::{Duration, Instant, sleep};

const S: fn(u64) -> Duration = Duration::from_secs;

struct Still;

impl Clock for Still {
    fn now(&self) -> Timestamp {
        Timestamp(0)
    }
}

struct Numbers(AtomicU64);

impl Ids for Numbers {
    fn next(&self) -> String {
        self.0.fetch_add(1, Ordering::Relaxed).to_string()
    }
}

struct Zeros;

impl Entropy for Zeros {
    fn fill(&self, bytes: &mut [u8]) {
        bytes.fill(0);
    }
}

fn world() -> World {
    World {
        clock: Arc::new(Still),
        ids: Arc::new(Numbers(AtomicU64::new(0))),
        entropy: Arc::new(Zeros),
        work: Scope::new(),
    }
}

/// What outlives an actor: rows, and a diary of who ended when.
#[derive(Clone, Default)]
struct Rows {
    kept: Arc<Mutex<Vec<u32>>>,
    diary: Arc<Mutex<Vec<&'static str>>>,
}

impl Rows {
    fn kept(&self) -> Vec<u32> {
        self.kept.lock().expect("rows").clone()
    }

    fn diary(&self) -> Vec<&'static str> {
        self.diary.lock().expect("a diary").clone()
    }
}

/// Keeps numbers, as rows and in memory.
struct Keeper {
    name: &'static str,
    rows: Rows,
    memory: Vec<u32>,
}

impl Drop for Keeper {
    fn drop(&mut self) {
        self.rows.diary.lock().expect("a diary").push(self.name);
    }
}

impl Role for Keeper {
    const NAME: &'static str = "keeper";
    const RANK: u8 = 10;
    const MAILBOX_MAX: usize = 3;
    type Needs = (&'static str, Rows);

    async fn start((name, rows): Self::Needs, _: &Ctx<Self>) -> Result<Self, Error> {
        if rows.kept().contains(&666) {
            return Err(Error::not_found("These rows cannot be read."));
        }
        Ok(Self { name, memory: rows.kept(), rows })
    }
}

/// Keeps a number after a while.
struct Keep(u32, Duration);

impl Request for Keep {
    type Reply = Vec<u32>;
    const NAME: &'static str = "keep";
}

impl Handles<Keep> for Keeper {
    async fn handle(&mut self, Keep(number, after): Keep, _: &Ctx<Self>) -> Result<Vec<u32>, Error> {
        sleep(after).await;
        self.rows.kept.lock().expect("rows").push(number);
        self.memory.push(number);
        Ok(self.memory.clone())
    }
}

/// Breaks the actor: by a panic, or by an error after which it cannot trust itself.
enum Break {
    Panic,
    Error,
}

impl Request for Break {
    type Reply = ();
    const NAME: &'static str = "break";
}

impl Handles<Break> for Keeper {
    async fn handle(&mut self, how: Break, _: &Ctx<Self>) -> Result<(), Error> {
        self.memory.push(1_000); // memory that must not survive
        match how {
            Break::Panic => panic!("broken on purpose"),
            Break::Error => Err(Error::internal("It is broken.")),
        }
    }
}

/// Asks a keeper.
struct Above {
    below: Address<Keeper>,
    asked: u32,
}

impl Role for Above {
    const NAME: &'static str = "above";
    const RANK: u8 = 20;
    type Needs = Address<Keeper>;

    async fn start(below: Address<Keeper>, _: &Ctx<Self>) -> Result<Self, Error> {
        Ok(Self { below, asked: 0 })
    }
}

/// Passes a break on; answers how often it has.
struct PassOn;

impl Request for PassOn {
    type Reply = u32;
    const NAME: &'static str = "pass_on";
}

impl Handles<PassOn> for Above {
    async fn handle(&mut self, _: PassOn, ctx: &Ctx<Self>) -> Result<u32, Error> {
        self.asked += 1;
        if self.asked == 1 {
            self.below.ask(ctx, Break::Error).await?;
        }
        Ok(self.asked)
    }
}

fn plan(children: Vec<runtime::Child>) -> Plan {
    let limits = Limits { restarts_max: 3, window: S(5), backoff_max: S(1) };
    Plan { name: "root", children, limits, grace: S(2) }
}

struct Engine {
    keeper: Address<Keeper>,
    above: Address<Above>,
    tree: Tree,
    rows: Rows,
    root: SupervisorHandle,
    ended: futures::future::BoxFuture<'static, ()>,
    world: World,
}

async fn engine() -> Engine {
    let (world, tree, rows) = (world(), Tree::default(), Rows::default());
    let keeper = Spawner::<Keeper>::new(&world, &tree, "root", ("first", rows.clone()));
    let second = Spawner::<Keeper>::named(&world, &tree, "root/second".into(), ("second", rows.clone()));
    let above = Spawner::<Above>::new(&world, &tree, "root", keeper.address());
    let (keeper_at, above_at) = (keeper.address(), above.address());
    let children =
        vec![keeper.child(Restart::OnFailure), second.child(Restart::OnFailure), above.child(Restart::OnFailure)];
    let (root, ended) = Supervisor::root(plan(children)).await.expect("it starts");
    Engine { keeper: keeper_at, above: above_at, tree, rows, root, ended, world }
}

fn soon() -> Outside {
    Outside::within(S(5))
}

fn kind<T: std::fmt::Debug>(result: Result<T, Error>) -> ErrorKind {
    result.expect_err("an error").kind
}

impl Engine {
    fn card(&self, path: &str) -> ActorRow {
        self.tree.rows().into_iter().find(|row| row.path == path).expect("a card")
    }
}

#[tokio::test(start_paused = true)]
async fn an_actor_that_broke_starts_again_from_its_rows_behind_the_same_address() {
    for how in [Break::Panic, Break::Error] {
        let engine = engine().await;
        assert_eq!(engine.keeper.ask(&soon(), Keep(1, S(0))).await, Ok(vec![1]));
        engine.keeper.ask(&soon(), how).await.expect_err("it broke");
        // No waiting in between: the address holds the request until the actor is back.
        assert_eq!(engine.keeper.ask(&soon(), Keep(2, S(0))).await, Ok(vec![1, 2]));
        let card = engine.card("root/keeper");
        assert_eq!((card.restarts, card.state), (1, ActorState::Running));
        assert!(card.last_error.is_some());
        assert_eq!(engine.card("root/second").restarts, 0, "nobody else is disturbed");
    }
}

#[tokio::test(start_paused = true)]
async fn a_full_mailbox_is_busy_at_once() {
    let engine = engine().await;
    let began = Instant::now();
    let asks = (0..5).map(|number| {
        let keeper = engine.keeper.clone();
        async move { keeper.ask(&Outside::within(S(60)), Keep(number, S(10))).await.map_err(|error| error.kind) }
    });
    let answers = futures::future::join_all(asks).await;
    let busy = answers.iter().filter(|answer| **answer == Err(ErrorKind::Busy)).count();
    assert_eq!((busy, engine.rows.kept()), (2, vec![0, 1, 2]), "{answers:?}");
    assert_eq!(began.elapsed(), S(30));
    assert_eq!(engine.card("root/keeper").mailbox, 0, "places are given back");
}

#[tokio::test(start_paused = true)]
async fn what_nobody_waits_for_any_more_is_not_done() {
    let engine = engine().await;
    let long = Outside::within(S(60));
    let slow = engine.keeper.ask(&long, Keep(1, S(10)));
    let (patience, keeper) = (Outside::within(S(2)), engine.keeper.clone());
    let hasty = async { keeper.ask(&patience, Keep(2, S(0))).await };
    let (slow, hasty) = futures::future::join(slow, hasty).await;
    assert_eq!((slow, kind(hasty)), (Ok(vec![1]), ErrorKind::Timeout));
    sleep(S(60)).await;
    assert_eq!(engine.rows.kept(), [1]);
}

#[tokio::test(start_paused = true)]
async fn what_broke_below_does_not_break_above() {
    let engine = engine().await;
    assert_eq!(kind(engine.above.ask(&soon(), PassOn).await), ErrorKind::Unavailable);
    assert_eq!(engine.above.ask(&soon(), PassOn).await, Ok(2), "its memory is still there");
    assert_eq!(engine.card("root/above").restarts, 0);
    sleep(S(1)).await;
    assert_eq!(engine.card("root/keeper").restarts, 1);
}

#[tokio::test(start_paused = true)]
async fn a_shutdown_ends_the_last_first_and_lets_each_finish() {
    let engine = engine().await;
    let keeper = engine.keeper.clone();
    let answer = async { keeper.ask(&soon(), Keep(1, S(1))).await };
    let shutdown = async {
        sleep(Duration::from_millis(1)).await;
        engine.root.shutdown().await;
    };
    let (answer, ()) = futures::future::join(answer, shutdown).await;
    assert_eq!(answer, Ok(vec![1]), "what was being done is done");
    assert_eq!(engine.rows.diary(), ["second", "first"]);
    engine.ended.await;
    assert!(engine.keeper.is_gone());
    assert_eq!(kind(engine.keeper.ask(&soon(), Keep(2, S(0))).await), ErrorKind::Unavailable);
}

#[tokio::test(start_paused = true)]
async fn who_does_not_finish_in_time_is_cut_off() {
    let engine = engine().await;
    let keeper = engine.keeper.clone();
    let answer = async { keeper.ask(&Outside::within(S(300)), Keep(1, S(200))).await };
    let began = Instant::now();
    let shutdown = async {
        sleep(S(1)).await;
        engine.root.shutdown().await;
        began.elapsed()
    };
    let (answer, took) = futures::future::join(answer, shutdown).await;
    assert_eq!(kind(answer), ErrorKind::Unavailable);
    assert!(took <= S(4), "{took:?}");
}

#[tokio::test(start_paused = true)]
async fn too_many_failures_in_a_short_time_end_the_supervisor() {
    let engine = engine().await;
    for _ in 0..4 {
        engine.keeper.ask(&soon(), Break::Error).await.expect_err("it broke");
        sleep(Duration::from_millis(500)).await;
    }
    tokio::time::timeout(S(1), engine.ended).await.expect("the root gave up");
}

#[tokio::test(start_paused = true)]
async fn an_adopted_child_fails_alone_and_its_address_says_when_it_is_gone() {
    let engine = engine().await;
    let child = Spawner::<Keeper>::named(&engine.world, &engine.tree, "root/third".into(), ("third", Rows::default()));
    let third = child.address();
    engine.root.adopt(child.child(Restart::OnFailure)).await.expect("adopted");
    for _ in 0..4 {
        assert!(!third.is_gone());
        third.ask(&soon(), Break::Error).await.expect_err("it broke");
        sleep(Duration::from_millis(500)).await;
    }
    assert!(third.is_gone(), "it was given up");
    assert_eq!(engine.keeper.ask(&soon(), Keep(1, S(0))).await, Ok(vec![1]), "the others go on");
}

#[tokio::test(start_paused = true)]
async fn a_dismissed_child_finishes_what_it_does_and_is_forgotten() {
    let engine = engine().await;
    let rows = Rows::default();
    let child = Spawner::<Keeper>::named(&engine.world, &engine.tree, "root/third".into(), ("third", rows.clone()));
    let third = child.address();
    let key = engine.root.adopt(child.child(Restart::Always)).await.expect("adopted");
    let answer = async { third.ask(&soon(), Keep(1, S(1))).await };
    let dismiss = async {
        sleep(Duration::from_millis(1)).await;
        engine.root.dismiss(key);
    };
    assert_eq!(futures::future::join(answer, dismiss).await.0, Ok(vec![1]));
    sleep(S(10)).await;
    assert!(third.is_gone());
    assert!(engine.tree.rows().iter().all(|row| row.path != "root/third"));
}

#[tokio::test(start_paused = true)]
async fn all_adopted_children_can_be_ended_and_waited_for() {
    let engine = engine().await;
    let rows = Rows::default();
    let child = Spawner::<Keeper>::named(&engine.world, &engine.tree, "root/third".into(), ("third", rows.clone()));
    let third = child.address();
    engine.root.adopt(child.child(Restart::OnFailure)).await.expect("adopted");
    let answer = async { third.ask(&soon(), Keep(1, S(1))).await };
    let dismiss = async {
        sleep(Duration::from_millis(1)).await;
        engine.root.dismiss_all().await;
        rows.kept()
    };
    let (answer, kept) = futures::future::join(answer, dismiss).await;
    assert_eq!((answer, kept), (Ok(vec![1]), vec![1]), "it had ended when the dismissal was answered");
    assert!(third.is_gone() && !engine.keeper.is_gone(), "those of the plan stay");
}

#[tokio::test(start_paused = true)]
async fn a_child_that_cannot_start_says_why() {
    let engine = engine().await;
    let rows = Rows::default();
    rows.kept.lock().expect("rows").push(666);
    let child = Spawner::<Keeper>::named(&engine.world, &engine.tree, "root/third".into(), ("third", rows));
    let error = engine.root.adopt(child.child(Restart::OnFailure)).await.expect_err("it cannot start");
    assert_eq!((error.kind, error.message.as_str()), (ErrorKind::NotFound, "These rows cannot be read."));
}

#[tokio::test(start_paused = true)]
async fn two_engines_in_one_process_share_nothing() {
    let (one, other) = (engine().await, engine().await);
    assert_eq!(one.keeper.ask(&soon(), Keep(1, S(0))).await, Ok(vec![1]));
    assert_eq!(other.keeper.ask(&soon(), Keep(2, S(0))).await, Ok(vec![2]));
    one.root.shutdown().await;
    assert_eq!(other.keeper.ask(&soon(), Keep(3, S(0))).await, Ok(vec![2, 3]));
}
