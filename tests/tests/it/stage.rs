//! A whole engine on a simulated disk, with a script for its model and a window that hears all of it, for tests that tell
//! one fault each.

use actors::chats::requests::{Accepted, NewChat, NewMessage};
use actors::engine::OpenChat;
use actors::live::{Delivery, Subscription};
use protocol::Error;
use protocol::config::ApprovalsMode;
use protocol::sessions::SessionPatch;
use serde_json::Value;
use std::sync::Arc;
use storage::Store;
use storage::records::TurnRecord;
use tests::sim::{Mood, SimDisk};
use tests::story::{Reply, TestEngine, TestSetup};
use tokio::time::{Duration, Instant, timeout};

pub(crate) const S: fn(u64) -> Duration = Duration::from_secs;

/// An engine on a simulated disk, whose tools need no yes, and a window that hears all of it.
pub(crate) struct Stage {
    pub(crate) setup: TestSetup,
    pub(crate) disk: SimDisk,
    pub(crate) engine: TestEngine,
    pub(crate) window: Subscription,
}

pub(crate) fn setup(replies: &[Reply]) -> (TestSetup, SimDisk) {
    let disk = SimDisk::new(1);
    let mut setup = TestSetup::default();
    setup.store = Store::simulated(Arc::new(disk.clone()));
    setup.config.send_modify(|config| {
        let approvals = &mut Arc::make_mut(config).tools.approvals;
        (approvals.mode, approvals.undo_seconds) = (ApprovalsMode::Off, 0);
    });
    replies.iter().for_each(|reply| setup.models.push(reply.clone()));
    (setup, disk)
}

pub(crate) async fn stage(replies: &[Reply]) -> Stage {
    let (setup, disk) = setup(replies);
    let engine = TestEngine::start(&setup).await;
    let window = engine.engine.live.subscribe(None);
    Stage { setup, disk, engine, window }
}

pub(crate) fn calls(name: &str, arguments: &str) -> Reply {
    Reply { calls: vec![(name.into(), arguments.into())], ..Reply::default() }
}

pub(crate) fn message(text: &str) -> NewMessage {
    NewMessage { text: text.into(), channel: "desktop".into(), steer: true, ..NewMessage::default() }
}

impl Stage {
    pub(crate) async fn chat(&self) -> OpenChat {
        self.engine.engine.open_chat(None, NewChat::default()).await.expect("a chat")
    }

    pub(crate) async fn say(&self, chat: &OpenChat, text: &str) -> Result<Accepted, Error> {
        chat.send(message(text)).await
    }

    pub(crate) async fn rename(&self, chat: &OpenChat, title: &str) -> Result<(), Error> {
        let patch = SessionPatch { title: Some(title.into()), ..SessionPatch::default() };
        self.engine.engine.patch_chat(&chat.session_id, patch).await.map(drop)
    }

    /// Every frame until `time` has passed.
    pub(crate) async fn frames(&mut self, time: Duration) -> Vec<Value> {
        let until = Instant::now() + time;
        let mut frames = Vec::new();
        while let Ok(delivery) = timeout(until - Instant::now(), self.window.next()).await {
            let Delivery::Frames(lines) = delivery else { panic!("lagged") };
            frames.extend(lines.iter().map(|line| serde_json::from_str::<Value>(&line.json).expect("JSON")));
        }
        frames
    }

    /// Every `done` until `time` has passed.
    pub(crate) async fn ends(&mut self, time: Duration) -> Vec<Value> {
        self.frames(time).await.into_iter().filter(|frame| frame["type"] == "done").collect()
    }

    /// The one `done`, without an error.
    pub(crate) async fn one_end(&mut self, time: Duration, content: &str) {
        let ends = self.ends(time).await;
        assert_eq!(ends.len(), 1, "one end, not {ends:#?}");
        assert_eq!((&ends[0]["content"], &ends[0]["error"]), (&content.into(), &Value::Null));
        assert_eq!(self.setup.models.faults(), Vec::<String>::new());
        assert_eq!(self.open_turns(), 0, "a turn is left open");
    }

    pub(crate) fn open_turns(&self) -> u64 {
        self.setup.store.snapshot().expect("a snapshot").count::<TurnRecord>().expect("a number")
    }
}

/// An engine that dies, and another one on the same store.
pub(crate) fn lives(replies: &[Reply], first: impl AsyncFnOnce(&mut Stage), then: impl AsyncFnOnce(&mut Stage)) {
    let runtime = || {
        let mut builder = tokio::runtime::Builder::new_current_thread();
        builder.enable_all().start_paused(true).build().expect("a runtime")
    };
    let (setup, disk) = runtime().block_on(async {
        let mut stage = stage(replies).await;
        first(&mut stage).await;
        stage.engine.keep_time();
        (stage.setup.clone(), stage.disk.clone())
    });
    disk.plan(&[]);
    disk.set(Mood::Good);
    runtime().block_on(async {
        let engine = TestEngine::start(&setup).await;
        let window = engine.engine.live.subscribe(None);
        then(&mut Stage { setup, disk, engine, window }).await;
    });
}
