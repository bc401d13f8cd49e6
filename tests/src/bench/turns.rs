//! What the engine adds before a model's first word, one turn after the other, and what a turn costs the processor.

use super::engine::{Engine, connect_model, direct, home_without_titles, request_of_a_turn, turn};
use super::numbers::{Times, figures, longer, millis, show_millis};
use super::report::{Row, Verdict};
use super::{Measured, Trouble};
use crate::model_server::{Fault, ModelServer, Reply};
use bytes::Bytes;
use runtime::Scope;

const TURNS: usize = 1_000;
/// Turns before it counts: connections, caches and allocators settle.
const WARM_UP: usize = 50;
const TOKENS: usize = 8;
/// How long the late model takes to its first word. Quicker than any real one.
const LATE_MS: u64 = 20;

/// The engine's times and those of asking the model itself, taken in turns.
struct Pair {
    engine: Times,
    direct: Times,
    /// Seconds of processor time of one turn.
    processor: f64,
}

pub(super) async fn one_by_one() -> Measured {
    let request = request_of_a_turn().await?;
    let late = pair(Reply::tokens(TOKENS).fault(Fault::LateStart(LATE_MS)), &request).await?;
    let quick = pair(Reply::tokens(TOKENS), &request).await?;
    let late_how = format!(
        "{TURNS} turns of {TOKENS} tokens, each in a new chat, one after the other over HTTP on loopback; the model's \
         first word comes after {LATE_MS} ms. After each turn the model's server is asked the very same directly, by the \
         same client; told is the difference of the medians and of the 99th percentiles."
    );
    let quick_how =
        "The same with a model that answers at once: what stays visible is the commit of the person's message, \
                     which must be on the disk before the client hears anything."
            .to_owned();
    Ok(vec![
        late.row("engine's share of the time to the first word", (1.0, 4.0), late_how),
        quick.row("the same, model without any delay", (1.0, 4.0), quick_how),
        Row {
            what: format!("processor time of a turn of {TOKENS} tokens"),
            bar: "< 1 ms".into(),
            ours: show_millis(quick.processor * 1_000.0),
            peer: String::new(),
            verdict: Verdict::of(quick.processor < 0.001),
            how: format!("Processor time of the engine's process over those {TURNS} turns, divided by them."),
        },
    ])
}

async fn pair(reply: Reply, request: &Bytes) -> Result<Pair, Trouble> {
    let model = ModelServer::responder(reply).await;
    let home = home_without_titles()?;
    let engine = Engine::start(home.path(), &model).await?;
    let scope = Scope::new();
    let mut through = engine.connect().await?;
    let mut straight = connect_model(&scope, &model).await?;
    let mut pair = Pair { engine: Times::default(), direct: Times::default(), processor: 0.0 };
    let mut used = 0.0;
    for number in 0..WARM_UP + TURNS {
        if number == WARM_UP {
            used = engine.processor()?;
        }
        let (ours, theirs) = (turn(&mut through, None, TOKENS).await?, direct(&mut straight, request, TOKENS).await?);
        if number >= WARM_UP {
            pair.engine.push(ours.first);
            pair.direct.push(theirs.first);
        }
    }
    #[expect(clippy::cast_precision_loss, reason = "a thousand")]
    let turns = pair.engine.len() as f64;
    pair.processor = (engine.processor()? - used) / turns;
    engine.stop().await?;
    Ok(pair)
}

impl Pair {
    fn row(&self, what: &str, bars: (f64, f64), how: String) -> Row {
        let added = (longer(self.engine.p50(), self.direct.p50()), longer(self.engine.p99(), self.direct.p99()));
        let (engine, direct) = (&self.engine, &self.direct);
        Row {
            what: format!("{what}, p50 / p99"),
            bar: format!("< {} / {} ms", bars.0, bars.1),
            ours: format!("{} / {} ms", figures(added.0), figures(added.1)),
            peer: format!(
                "model asked directly {} / {} ms, through the engine {} / {} ms",
                figures(millis(direct.p50())),
                figures(millis(direct.p99())),
                figures(millis(engine.p50())),
                figures(millis(engine.p99()))
            ),
            verdict: Verdict::of(added.0 < bars.0 && added.1 < bars.1),
            how,
        }
    }
}
