//! A question to an actor and its answer, against ractor used plainly.

use super::numbers::{Times, figures};
use super::report::{Row, Verdict};
use super::{Measured, Trouble};
use protocol::{Error, Request};
use ractor::rpc::CallResult;
use ractor::{Actor, ActorProcessingErr, ActorRef, RpcReplyPort};
use runtime::{Address, Child, Ctx, Handles, Limits, Outside, Plan, Restart, Role, Spawner, Supervisor, Tree};
use tokio::time::{Duration, Instant};

const ASKS: u64 = 100_000;
const WARM_UP: u64 = 5_000;
/// Questions before the other side's turn comes.
const CHUNK: u64 = 1_000;

struct Counter(u64);

struct Add(u64);

impl Request for Add {
    type Reply = u64;
    const NAME: &'static str = "bench.add";
}

impl Role for Counter {
    const NAME: &'static str = "bench counter";
    const RANK: u8 = 10;
    type Needs = ();

    async fn start((): (), _: &Ctx<Self>) -> Result<Self, Error> {
        Ok(Self(0))
    }
}

impl Handles<Add> for Counter {
    async fn handle(&mut self, Add(number): Add, _: &Ctx<Self>) -> Result<u64, Error> {
        self.0 += number;
        Ok(self.0)
    }
}

/// The same without the runtime crate.
struct Plain;

struct PlainAdd(u64, RpcReplyPort<u64>);

impl Actor for Plain {
    type Msg = PlainAdd;
    type State = u64;
    type Arguments = ();

    async fn pre_start(&self, _: ActorRef<PlainAdd>, (): ()) -> Result<u64, ActorProcessingErr> {
        Ok(0)
    }

    async fn handle(&self, _: ActorRef<PlainAdd>, add: PlainAdd, state: &mut u64) -> Result<(), ActorProcessingErr> {
        *state += add.0;
        Ok(add.1.send(*state)?)
    }
}

pub(super) async fn round_trip() -> Measured {
    let (world, tree) = (sentient::assemble::world(), Tree::default());
    let counter = Spawner::<Counter>::new(&world, &tree, "bench", ());
    let address = counter.address();
    let children: Vec<Child> = vec![counter.child(Restart::OnFailure)];
    let limits = Limits { restarts_max: 1, window: Duration::from_secs(1), backoff_max: Duration::from_secs(1) };
    let plan = Plan { name: "bench", children, limits, grace: Duration::from_secs(1) };
    let (root, ended) = Supervisor::root(plan).await?;
    let (plain, _) = Actor::spawn(None, Plain, ()).await?;
    let (mut ours, mut theirs) = (Times::default(), Times::default());
    let mut asked = 0;
    while asked < WARM_UP + ASKS {
        let (first, second) = (chunk(|| ask(&address)).await?, chunk(|| plainly(&plain)).await?);
        if asked >= WARM_UP {
            ours.extend(first);
            theirs.extend(second);
        }
        asked += CHUNK;
    }
    plain.stop(None);
    root.shutdown().await;
    ended.await;
    Ok(vec![row(&ours, &theirs)])
}

/// Asks again and again, and takes the time of each.
async fn chunk<F: Future<Output = Result<(), Trouble>>>(question: impl Fn() -> F) -> Result<Times, Trouble> {
    let mut times = Times::default();
    for _ in 0..CHUNK {
        let began = Instant::now();
        question().await?;
        times.push(began.elapsed());
    }
    Ok(times)
}

async fn ask(counter: &Address<Counter>) -> Result<(), Trouble> {
    counter.ask(&Outside::within(Duration::from_secs(10)), Add(1)).await?;
    Ok(())
}

async fn plainly(actor: &ActorRef<PlainAdd>) -> Result<(), Trouble> {
    let answer = actor.call(|reply| PlainAdd(1, reply), Some(Duration::from_secs(10))).await?;
    if matches!(answer, CallResult::Success(_)) { Ok(()) } else { Err("ractor did not answer".into()) }
}

fn row(ours: &Times, theirs: &Times) -> Row {
    let micros = |time: Duration| time.as_secs_f64() * 1_000_000.0;
    let (ask, call) = (micros(ours.p50()), micros(theirs.p50()));
    Row {
        what: "actor round trip, p50".into(),
        bar: "< 10 µs".into(),
        ours: format!("{} µs", figures(ask)),
        peer: format!("ractor's own call with a timeout {} µs; ratio {}", figures(call), figures(ask / call)),
        verdict: Verdict::of(ask < 10.0),
        how: format!(
            "{ASKS} questions one after the other, in turns of {CHUNK} with ractor's call to an actor that does the same."
        ),
    }
}
