//! From the start of the program to an engine that answers, and to the first finished turn.

use super::engine::{Engine, turn};
use super::numbers::{Times, millis, show_millis};
use super::report::{Row, Verdict};
use super::{Measured, Trouble};
use crate::model_server::{ModelServer, Reply};
use protocol::Timestamp;
use protocol::sessions::MessageRole;
use serde_json::Value;
use std::path::Path;
use storage::records::{MessageRecord, SessionRecord, TitleSource};
use storage::{Batch, MessageIndex, OpenOptions, Store};
use tempfile::TempDir;

/// Starts of which the median is told.
const STARTS: usize = 21;
/// Tokens of the first reply.
const TOKENS: usize = 8;
const CHATS: usize = 1_000;
const MESSAGES_PER_CHAT: usize = 100;

/// Times of some starts.
#[derive(Default)]
struct Starts {
    healthy: Times,
    finished: Times,
}

pub(super) async fn empty() -> Measured {
    let model = ModelServer::responder(Reply::tokens(TOKENS)).await;
    let mut starts = Starts::default();
    for _ in 0..STARTS {
        let home = TempDir::new()?;
        starts.one(home.path(), &model).await?;
    }
    let how = format!(
        "Median (and the slowest) of {STARTS} starts on a new folder, from creating the process to the whole answer of \
         `/api/health`, and of a first reply of {TOKENS} tokens."
    );
    Ok(starts.rows("on an empty home", (20.0, 80.0), &how))
}

pub(super) async fn full() -> Measured {
    let model = ModelServer::responder(Reply::tokens(TOKENS)).await;
    let home = TempDir::new()?;
    let folder = home.path().to_owned();
    tokio::task::spawn_blocking(move || fill(&folder)).await??;
    let mut starts = Starts::default();
    for _ in 0..STARTS {
        starts.one(home.path(), &model).await?;
    }
    let how = format!(
        "The same with {CHATS} chats of {MESSAGES_PER_CHAT} messages each, all of them in the search index, after an \
         orderly end of the engine before."
    );
    Ok(starts.rows("with 100,000 messages", (200.0, 200.0), &how))
}

impl Starts {
    async fn one(&mut self, home: &Path, model: &ModelServer) -> Result<(), Trouble> {
        let engine = Engine::start(home, model).await?;
        let mut connection = engine.connect().await?;
        let health = connection.get("/api/health").await?;
        self.healthy.push(engine.began.elapsed());
        let said: Value = serde_json::from_slice(&health.body)?;
        if said["ok"] != true || engine.spoke_after > engine.began.elapsed() {
            return Err(format!("not healthy: {}", health.text()).into());
        }
        turn(&mut connection, None, TOKENS).await?;
        self.finished.push(engine.began.elapsed());
        engine.stop().await
    }

    fn rows(&self, where_: &str, bars: (f64, f64), how: &str) -> Vec<Row> {
        let row = |what: &str, times: &Times, bar: f64| {
            let median = millis(times.p50());
            Row {
                what: format!("start {where_} to {what}"),
                bar: format!("< {}", show_millis(bar)),
                ours: format!("{} ({})", show_millis(median), show_millis(millis(times.at(1.0)))),
                peer: String::new(),
                verdict: Verdict::of(median < bar),
                how: how.to_owned(),
            }
        };
        vec![
            row("a truthful `/api/health`", &self.healthy, bars.0),
            row("the first finished turn", &self.finished, bars.1),
        ]
    }
}

/// Stores chats as years of use leave them behind. Blocks.
fn fill(home: &Path) -> Result<(), Trouble> {
    let (store, _) = Store::open(home, OpenOptions::default())?;
    for chat in 0..CHATS {
        let mut batch = Batch::new();
        batch.put(&session(chat));
        for ordinal in 0..MESSAGES_PER_CHAT {
            batch.put(&stored(chat, ordinal));
        }
        store.commit_now(batch)?;
    }
    MessageIndex::open(home).catch_up(&store)?;
    Ok(())
}

fn session(chat: usize) -> SessionRecord {
    let at = Timestamp(1_700_000_000_000 + i64::try_from(chat).unwrap_or_default() * 60_000);
    SessionRecord {
        id: format!("chat{chat:06}").into(),
        title: format!("Chat {chat}"),
        title_source: TitleSource::Model,
        channel: "desktop".into(),
        created_at: at,
        updated_at: at,
        untrusted: Some(String::new()),
        visited_hosts: None,
        incognito: false,
        model: None,
        memory_scope: None,
        node_id: None,
        next_ordinal: MESSAGES_PER_CHAT as u64,
        summary: None,
        allowances: Vec::new(),
    }
}

pub(super) fn stored(chat: usize, ordinal: usize) -> MessageRecord {
    let number = chat * MESSAGES_PER_CHAT + ordinal;
    let role = if ordinal.is_multiple_of(2) { MessageRole::User } else { MessageRole::Assistant };
    let content = format!(
        "Message {number}: the meeting about item{} moved to room{} because of topic{}, see note{} and call back.",
        number % 977,
        number % 61,
        number % 7_919,
        number % 104_729
    );
    MessageRecord {
        session_id: format!("chat{chat:06}").into(),
        ordinal: ordinal as u64,
        id: protocol::ids::MessageId(format!("message{number:08}")),
        turn_id: None,
        role,
        content,
        thinking: None,
        tool_calls: Vec::new(),
        tool_call_id: None,
        name: None,
        attachments: Vec::new(),
        interjection: false,
        is_error: false,
        memory_sources: "[]".into(),
        sources: "[]".into(),
        approval: None,
        outside_source: String::new(),
        created_at: Timestamp(1_700_000_000_000 + i64::try_from(number).unwrap_or_default() * 600),
    }
}
