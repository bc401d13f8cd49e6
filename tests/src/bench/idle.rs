//! What an engine costs that nobody talks to.

use super::Measured;
use super::engine::{Engine, turn};
use super::numbers::figures;
use super::report::{Row, Verdict};
use crate::model_server::{ModelServer, Reply};
use tempfile::TempDir;
use tokio::time::{Duration, sleep};

/// How long it is left alone.
const IDLE: Duration = Duration::from_secs(30);
/// How long a start or a turn may reverberate before it counts as idle.
const SETTLE: Duration = Duration::from_secs(3);
const BAR_BYTES: f64 = 16.0 * 1_000_000.0;
/// A tenth of a percent of one processor: 1 ms of work in a second.
const BAR_PROCESSOR: f64 = 0.001;

pub(super) async fn idle() -> Measured {
    let model = ModelServer::start([Reply::tokens(8), Reply::text("A title")]).await; // the reply, then the chat's name
    model.forgive();
    let home = TempDir::new()?;
    let engine = Engine::start(home.path(), &model).await?;
    let mut connection = engine.connect().await?;
    connection.get("/api/health").await?;
    sleep(SETTLE).await;
    let fresh = engine.resident()?;
    turn(&mut connection, None, 8).await?;
    sleep(SETTLE).await;
    let after_a_turn = engine.resident()?;
    let (calls, used) = (model.requests().len() + model.other_requests().len(), engine.processor()?);
    sleep(IDLE).await;
    let processor = (engine.processor()? - used) / IDLE.as_secs_f64();
    let later = engine.resident()?;
    let calls = model.requests().len() + model.other_requests().len() - calls;
    let memory = |what: &str, bytes: f64, how: &str| Row {
        what: format!("memory {what}"),
        bar: "< 16 MB".into(),
        ours: format!("{} MB", figures(bytes / 1_000_000.0)),
        peer: String::new(),
        verdict: Verdict::of(bytes < BAR_BYTES),
        how: how.into(),
    };
    Ok(vec![
        memory(
            "after a start",
            fresh,
            "Resident pages (`VmRSS`, the program file's own included), 3 s after the start.",
        ),
        memory(
            "after a turn",
            after_a_turn.max(later),
            "The larger of 3 s and 33 s after the first turn of that engine.",
        ),
        Row {
            what: "processor while idle".into(),
            bar: "≈ 0 (< 0.1 % of one)".into(),
            ours: format!("{:.2} %", processor * 100.0),
            peer: String::new(),
            verdict: Verdict::of(processor <= BAR_PROCESSOR),
            how: "Processor time of the process over 30 s, with one chat open and a connected client.".into(),
        },
        Row {
            what: "model calls while idle".into(),
            bar: "0".into(),
            ours: calls.to_string(),
            peer: String::new(),
            verdict: Verdict::of(calls == 0),
            how: "Requests of any kind that reached the model's server in those 30 s.".into(),
        },
    ])
}
