//! Many turns at once, for a long time, and how many words a second go through.

use super::client::Connection;
use super::engine::{Engine, connect_model, direct, home_without_titles, request_of_a_turn, turn};
use super::numbers::{Times, figures, millis};
use super::report::{Row, Verdict};
use super::{Measured, Trouble};
use crate::model_server::{Fault, ModelServer, Reply};
use bytes::Bytes;
use futures::future::join_all;
use runtime::Scope;
use tokio::time::{Duration, Instant};

/// Turns at once, each in a chat of its own.
const AT_ONCE: usize = 500;
/// So that `AT_ONCE * ROUNDS` is 10,000.
const ROUNDS: usize = 20;
/// The round after which memory must not grow: every chat is open, and what is kept for windows is full.
const SETTLED: usize = 8;
const TOKENS: usize = 8;
/// The model's first word.
const LATE_MS: u64 = 20;
/// Tokens of one long reply.
const LONG: usize = 400;
/// How often the long replies are asked for; the median counts.
const PASSES: usize = 3;
/// Memory that may come and go (allocator, buffers), as a share.
const FLAT: f64 = 0.10;

/// The same number of connections to the engine and to the model itself.
struct Crowd {
    through: Vec<Connection>,
    straight: Vec<Connection>,
    _scope: Scope,
}

impl Crowd {
    async fn gather(engine: &Engine, model: &ModelServer) -> Result<Self, Trouble> {
        let scope = Scope::new();
        let (mut through, mut straight) = (Vec::new(), Vec::new());
        for _ in 0..AT_ONCE {
            through.push(engine.connect().await?);
            straight.push(connect_model(&scope, model).await?);
        }
        Ok(Self { through, straight, _scope: scope })
    }

    /// A turn in every chat at once. Answers the times to the first word, and how long all of it took.
    async fn turns(&mut self, sessions: &mut [Option<String>], tokens: usize) -> Result<(Times, Duration), Trouble> {
        let began = Instant::now();
        let turns = self.through.iter_mut().zip(sessions.iter());
        let turns = turns.map(|(connection, session)| turn(connection, session.as_deref(), tokens));
        let heard = join_all(turns).await;
        let (whole, mut times) = (began.elapsed(), Times::default());
        for (heard, session) in heard.into_iter().zip(sessions) {
            let heard = heard?;
            *session = heard.session();
            times.push(heard.first);
        }
        Ok((times, whole))
    }

    /// The same, asking the model itself.
    async fn asks(&mut self, request: &Bytes, tokens: usize) -> Result<(Times, Duration), Trouble> {
        let began = Instant::now();
        let heard = join_all(self.straight.iter_mut().map(|connection| direct(connection, request, tokens))).await;
        let (whole, mut times) = (began.elapsed(), Times::default());
        for heard in heard {
            times.push(heard?.first);
        }
        Ok((times, whole))
    }
}

pub(super) async fn many() -> Measured {
    let request = request_of_a_turn().await?;
    let model = ModelServer::responder(Reply::tokens(TOKENS).fault(Fault::LateStart(LATE_MS))).await;
    let home = home_without_titles()?;
    let engine = Engine::start(home.path(), &model).await?;
    let mut crowd = Crowd::gather(&engine, &model).await?;
    let mut sessions = vec![None; AT_ONCE];
    let (mut ours, mut theirs, mut memory) = (Times::default(), Times::default(), Vec::new());
    for _ in 0..ROUNDS {
        ours.extend(crowd.turns(&mut sessions, TOKENS).await?.0);
        theirs.extend(crowd.asks(&request, TOKENS).await?.0);
        memory.push(engine.resident()? / 1_000_000.0);
    }
    engine.stop().await?;
    let (p50, p99) = (millis(ours.p50()), millis(ours.p99()));
    let (settled, last) = (memory[SETTLED - 1], memory[ROUNDS - 1]);
    let growth = last / settled - 1.0;
    Ok(vec![
        Row {
            what: format!("{AT_ONCE} turns at once: time to the first word, p50 / p99"),
            bar: "< 50 / 300 ms, none refused".into(),
            ours: format!("{} / {} ms, none refused", figures(p50), figures(p99)),
            peer: format!(
                "model asked directly {} / {} ms",
                figures(millis(theirs.p50())),
                figures(millis(theirs.p99()))
            ),
            verdict: Verdict::of(p50 < 50.0 && p99 < 300.0),
            how: format!(
                "{ROUNDS} rounds of {AT_ONCE} turns begun in the same moment, {TOKENS} tokens each, first word of the model \
                 after {LATE_MS} ms; between the rounds the model is asked the same {AT_ONCE} times at once. A turn that is \
                 refused, late or incomplete ends the bench. Client, model and engine share the machine's cores."
            ),
        },
        Row {
            what: format!("memory over {} turns", AT_ONCE * ROUNDS),
            bar: "flat".into(),
            ours: format!("{} MB after {}, {} MB at the end", figures(settled), SETTLED * AT_ONCE, figures(last)),
            peer: String::new(),
            verdict: Verdict::of(growth < FLAT),
            how: format!(
                "Resident pages after those rounds, {AT_ONCE} chats open; flat is less than {} %.",
                FLAT * 100.0
            ),
        },
    ])
}

pub(super) async fn forwarding() -> Measured {
    let request = request_of_a_turn().await?;
    let model = ModelServer::responder(Reply::tokens(LONG)).await;
    let home = home_without_titles()?;
    let engine = Engine::start(home.path(), &model).await?;
    let mut crowd = Crowd::gather(&engine, &model).await?;
    let (mut ours, mut theirs) = (Times::default(), Times::default());
    for _ in 0..PASSES {
        ours.push(crowd.turns(&mut vec![None; AT_ONCE], LONG).await?.1);
        theirs.push(crowd.asks(&request, LONG).await?.1);
    }
    engine.stop().await?;
    #[expect(clippy::cast_precision_loss, reason = "some hundred thousand")]
    let rate = |times: &Times| (AT_ONCE * LONG) as f64 / times.p50().as_secs_f64();
    let (ours, theirs) = (rate(&ours), rate(&theirs));
    Ok(vec![Row {
        what: format!("forwarding over {AT_ONCE} streaming chats"),
        bar: "≥ 20,000 tokens/s".into(),
        ours: format!("{} tokens/s", figures(ours)),
        peer: format!("model asked directly {} tokens/s; ratio {}", figures(theirs), figures(ours / theirs)),
        verdict: Verdict::of(ours >= 20_000.0),
        how: format!(
            "{AT_ONCE} new chats at once with replies of {LONG} tokens, one token an event, from the first message to the \
             last `done`; median of {PASSES}."
        ),
    }])
}
