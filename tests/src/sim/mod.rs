//! A simulation of whole lives of the engine, from one number: people, models, clocks, disks and crashes are drawn from
//! it, and whenever the engine comes to rest everything that must hold is checked.
//!
//! The same number gives the same run, step by step: the clock is paused, the store writes where it is asked to, and
//! nothing draws lots. A run writes a trace, so that a number that fails can be read.

mod book;
mod broken;
mod chance;
mod checks;
mod disk;
mod minds;
mod people;
mod windows;

pub use chance::Chance;
pub use disk::{Mood, SimDisk, Write};

use crate::story::{TestEngine, TestSetup};
use book::Book;
use futures::future::join_all;
use people::People;
use protocol::approvals::{Decision, Via};
use protocol::config::ApprovalsMode;
use protocol::sessions::{Message, Session};
use std::sync::{Arc, Mutex, PoisonError};
use storage::Store;
use tokio::time::{Duration, Instant, sleep, timeout};
use windows::Windows;

/// How long, on the simulated clock, the engine may take to come to rest once nobody disturbs it.
const REST_WITHIN: Duration = Duration::from_secs(4 * 3_600);

/// Longer than any write, and than the time between two sweeps.
const SLOWEST: Duration = Duration::from_secs(50);

/// What happened, line by line. Clones are the same trace.
#[derive(Clone, Default)]
pub struct Trace(Arc<Mutex<Vec<String>>>);

impl Trace {
    fn add(&self, line: String) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(line);
    }

    pub fn lines(&self) -> Vec<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// How a life ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Crash,
    Shutdown,
    /// It comes to rest, then it is shut down; the next life must look the same.
    RestAndShutdown,
}

struct Sim {
    chance: Chance,
    setup: TestSetup,
    disk: SimDisk,
    book: Book,
    asks: bool,
    /// What the last life looked like at rest, when it ended at rest.
    before: Option<Vec<(Session, Vec<Message>)>>,
    trace: Trace,
}

/// Runs the simulation of one seed.
///
/// # Panics
/// When something does not hold that must.
pub fn run(seed: u64, trace: &Trace) {
    let mut sim = Sim::new(seed, trace);
    let lives = 2 + usize::try_from(sim.chance.below(3)).unwrap_or(0);
    for life in 0..=lives {
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().expect("a runtime");
        runtime.block_on(sim.life(life, life == lives));
        runtime.shutdown_timeout(Duration::from_secs(10)); // index work that has begun ends
    }
    assert_eq!(sim.setup.models.faults(), Vec::<String>::new(), "a model was asked wrongly");
}

impl Sim {
    fn new(seed: u64, trace: &Trace) -> Self {
        let mut chance = Chance::new(seed);
        let disk = SimDisk::new(chance.number());
        let mut setup = TestSetup::default();
        setup.store = Store::simulated(Arc::new(disk.clone()));
        setup.models.improvise(minds::improviser(chance.number()));
        let mode = match chance.below(6) {
            0 => ApprovalsMode::Off,
            1 => ApprovalsMode::Always,
            _ => ApprovalsMode::Ask,
        };
        let titles = chance.one_in(3);
        setup.config.send_modify(|config| {
            let config = Arc::make_mut(config);
            config.tools.approvals.mode = mode;
            config.chat.auto_title = titles;
        });
        let asks = mode != ApprovalsMode::Off;
        Self { chance, setup, disk, book: Book::default(), asks, before: None, trace: trace.clone() }
    }

    /// One life of the engine. The last one only looks at what is left.
    async fn life(&mut self, life: usize, last: bool) {
        let shaky = self.before.is_none() && self.chance.one_in(3);
        self.disk.set(if shaky { Mood::Shaky } else { Mood::Good });
        let engine = TestEngine::start(&self.setup).await;
        let mut windows = Windows::open(&engine.engine);
        let mut people = People::new(&engine.engine, &self.setup.files, life);
        self.trace.add(format!("life {life}, disk shaky: {shaky}"));
        if let Some(before) = self.before.take() {
            sleep(Duration::from_secs(5)).await;
            assert_eq!(checks::observe(&engine.engine).await, before, "a restart changed what surfaces see");
        }
        let end = match self.chance.below(3) {
            _ if last => End::RestAndShutdown,
            0 => End::Crash,
            1 => End::Shutdown,
            _ => End::RestAndShutdown,
        };
        let mut breaks = 0;
        let rounds = if last { 0 } else { 3 + self.chance.below(8) };
        for round in 0..rounds {
            let interrupted = end == End::Crash && round + 1 == rounds && self.chance.one_in(2);
            self.round(&engine, &mut windows, &mut people, interrupted).await;
            if breaks < broken::BREAKS_MAX && self.chance.one_in(6) {
                breaks += 1;
                let which = broken::break_one(&engine.engine, &mut self.chance).await;
                self.trace.add(format!("breaks {which}"));
            }
            if self.chance.one_in(5) {
                self.rest(&engine, &mut windows, &mut people, life).await;
            }
        }
        if end == End::RestAndShutdown {
            self.rest(&engine, &mut windows, &mut people, life).await;
            self.before = Some(checks::observe(&engine.engine).await);
        }
        self.end(engine, windows, life, end).await;
    }

    async fn end(&mut self, engine: TestEngine, mut windows: Windows, life: usize, end: End) {
        self.trace.add(format!("life {life} ends: {end:?}"));
        let began = Instant::now();
        if end != End::Crash {
            self.disk.set(Mood::Good);
            engine.keep_time();
            let TestEngine { started, .. } = engine;
            started.shutdown().await;
            let took = began.elapsed();
            assert!(took < Duration::from_secs(8), "the shutdown took {took:?}");
            if end == End::RestAndShutdown {
                // Otherwise a write may still hang on the slow disk: then incognito chats go at the next start.
                checks::gone(&self.setup, &self.book, life + 1);
            }
        } else {
            engine.keep_time();
        }
        windows.listen();
        checks::ends(windows.frames(), false);
    }

    /// People do things at the same time, in whatever weather.
    async fn round(&mut self, engine: &TestEngine, windows: &mut Windows, people: &mut People, interrupted: bool) {
        self.weather();
        if self.chance.one_in(3) {
            windows.drop_or_return();
        }
        let mut doing = Vec::new();
        for _ in 0..=self.chance.below(4) {
            let (about, act) = people.plan(&mut self.chance, &mut self.book);
            self.trace.add(about);
            doing.push(act);
        }
        if interrupted {
            let until = Duration::from_millis(self.chance.below(400));
            if timeout(until, join_all(doing)).await.is_err() {
                self.trace.add(format!("interrupted after {until:?}"));
            }
            return;
        }
        for did in join_all(doing).await {
            let line = people.did(did, &mut self.book);
            self.trace.add(line);
        }
        let time = match self.chance.below(10) {
            0..=3 => Duration::from_millis(self.chance.below(50)),
            4..=7 => Duration::from_millis(self.chance.below(5_000)),
            8 => Duration::from_secs(self.chance.below(120)),
            _ => Duration::from_secs(60 + self.chance.below(1_500)),
        };
        sleep(time).await;
        self.hear(windows);
        self.trace.add(format!("{} after {time:?}, {} frames", engine.engine.world.now(), windows.frames().len()));
    }

    fn weather(&mut self) {
        if self.chance.one_in(3) {
            let moods = [Mood::Good, Mood::Good, Mood::Slow, Mood::Slow, Mood::Shaky, Mood::Dead];
            let mood = self.chance.pick(&moods).unwrap_or_default();
            self.disk.set(mood);
            self.trace.add(format!("the disk is {mood:?}"));
        }
        if self.chance.one_in(8) {
            let hours = i64::try_from(self.chance.below(72)).unwrap_or(0) - 36;
            let jump = hours * 3_600_000 + i64::try_from(self.chance.below(90_000)).unwrap_or(0);
            self.setup.jump.fetch_add(jump, std::sync::atomic::Ordering::Relaxed);
            self.trace.add(format!("the wall clock jumps {jump} ms"));
        }
    }

    /// Reads the windows and notes the questions in them.
    fn hear(&mut self, windows: &mut Windows) {
        windows.listen();
        let frames = windows.frames();
        for frame in frames.iter().filter(|frame| frame["type"] == "approval_request") {
            self.book.asked(frame);
        }
        for frame in frames.iter().filter(|frame| frame["type"] == "undo_window") {
            self.book.waits(frame);
        }
        checks::ends(frames, false);
    }

    /// The disk is well, nobody does anything but answer what is asked: the engine comes to rest, and all must hold.
    async fn rest(&mut self, engine: &TestEngine, windows: &mut Windows, people: &mut People, life: usize) {
        self.disk.set(Mood::Good);
        let began = Instant::now();
        let mut step = Duration::from_millis(200);
        let mut at_rest = false;
        loop {
            self.hear(windows);
            self.answer_all(people).await;
            sleep(step).await;
            let was_at_rest = at_rest;
            let busy = engine.engine.model_busy().await.expect("the model queue");
            let unfinished = checks::unfinished(&self.setup);
            at_rest = unfinished.is_empty() && !busy.busy && busy.waiting + busy.deferred == 0;
            if at_rest && was_at_rest {
                break;
            }
            // Rest is what lasts: a write that was begun while the disk was slow is not in the store yet, and the
            // sweep, the index and what is told after a commit come a little later.
            step = if at_rest { SLOWEST } else { (step * 2).min(Duration::from_secs(31)) };
            let took = began.elapsed();
            assert!(took < REST_WITHIN, "no rest after {took:?}: {busy:?}, {unfinished:#?}");
        }
        self.hear(windows);
        self.check(engine, windows, life).await;
        self.trace.add(format!("at rest, {} writes failed so far", self.disk.failed()));
    }

    /// Answers what was asked, now and then not: then the question runs out.
    async fn answer_all(&mut self, people: &mut People) {
        let open = self.book.questions.iter().filter(|(_, asked)| asked.answers.is_empty());
        let open: Vec<_> = open.map(|(id, _)| id.clone()).collect();
        for id in open {
            if self.chance.one_in(6) {
                continue;
            }
            let decisions = [Decision::Allow, Decision::Allow, Decision::Deny, Decision::AllowSession];
            let decision = self.chance.pick(&decisions).unwrap_or(Decision::Deny);
            let (about, act) = people.answer_with(id, decision, 1, &mut self.book);
            self.trace.add(about);
            let line = people.did(act.await, &mut self.book);
            self.trace.add(line);
        }
    }

    async fn check(&mut self, engine: &TestEngine, windows: &mut Windows, life: usize) {
        checks::ends(windows.frames(), true);
        windows.compare();
        checks::messages(&self.setup, &self.book);
        checks::transcripts(&self.setup);
        checks::gate(&self.setup, &self.book, self.asks);
        checks::helpers(&self.setup);
        checks::log(&self.setup);
        checks::gone(&self.setup, &self.book, life);
        let count = self.book.sent.len();
        let words: Vec<usize> = (0..8).map(|_| usize::try_from(self.chance.below(count as u64)).unwrap_or(0)).collect();
        checks::search(&engine.engine, &self.book, &words).await;
        for id in self.book.questions.keys().cloned().collect::<Vec<_>>() {
            let open =
                engine.engine.answer_approval(id.clone(), Decision::Deny, Via::Desktop).await.expect("an answer");
            assert!(!open, "question {id} is still open although everything is at rest");
        }
        let waiting: u32 = engine.engine.actors().iter().map(|actor| actor.mailbox).sum();
        assert_eq!(waiting, 0, "requests are left in mailboxes");
        for frame in windows.frames() {
            self.trace.add(frame.to_string());
        }
    }
}
