//! The memory of a chat that is open and of one that is not.

use super::engine::{Engine, home_without_titles};
use super::numbers::figures;
use super::report::{Row, Verdict};
use super::{Measured, Trouble};
use crate::model_server::{ModelServer, Reply};
use bytes::Bytes;
use tokio::time::{Duration, sleep};

/// Chats that are made.
const CHATS: u32 = 4_000;
/// Chats made before it counts, so that what is shared by all is there.
const WARM_UP: u32 = 1_000;
const SETTLE: Duration = Duration::from_secs(3);
const BAR_OPEN: f64 = 30_000.0;
/// What a chat of rows only may seem to cost: pages of the process come and go by some hundred kilobytes.
const BAR_PARKED: f64 = 200.0;

pub(super) async fn memory() -> Measured {
    let model = ModelServer::responder(Reply::tokens(1)).await;
    let home = home_without_titles()?;
    let engine = Engine::start(home.path(), &model).await?;
    make(&engine, WARM_UP).await?;
    sleep(SETTLE).await;
    let before = engine.resident()?;
    make(&engine, CHATS).await?;
    sleep(SETTLE).await;
    let open = (engine.resident()? - before) / f64::from(CHATS);
    engine.stop().await?;
    let parked = (started(home.path(), &model).await? - started(home_without_titles()?.path(), &model).await?)
        / f64::from(WARM_UP + CHATS);
    Ok(vec![
        Row {
            what: "memory of an open, idle chat".into(),
            bar: "< 30 KB".into(),
            ours: format!("{} KB", figures(open / 1_000.0)),
            peer: String::new(),
            verdict: Verdict::of(open < BAR_OPEN),
            how: format!("Growth of the resident pages while {CHATS} chats are made and stay open, divided by them."),
        },
        Row {
            what: "memory of a parked chat".into(),
            bar: "0 bytes".into(),
            ours: format!("{} bytes", figures(parked.max(0.0))),
            peer: String::new(),
            verdict: Verdict::of(parked < BAR_PARKED),
            how: format!(
                "Resident pages of an engine started on that home with {} chats, less those of one started on an empty home, \
                 divided by the chats. No chat has an actor before it is used; what is seen is the store's page cache.",
                WARM_UP + CHATS
            ),
        },
    ])
}

async fn make(engine: &Engine, chats: u32) -> Result<(), Trouble> {
    let mut connection = engine.connect().await?;
    for _ in 0..chats {
        let made = connection.post("/api/sessions", Bytes::from_static(b"{}")).await?;
        if made.status >= 300 {
            return Err(format!("a chat was refused: {}", made.text()).into());
        }
    }
    Ok(())
}

async fn started(home: &std::path::Path, model: &ModelServer) -> Result<f64, Trouble> {
    let engine = Engine::start(home, model).await?;
    sleep(SETTLE).await;
    let resident = engine.resident()?;
    engine.stop().await?;
    Ok(resident)
}
