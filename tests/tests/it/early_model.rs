//! A model may begin while the person's message is being stored; nobody hears of the reply before it is.

use actors::chats::requests::{NewChat, NewMessage};
use actors::live::{Delivery, Subscription};
use protocol::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use storage::{FaultPoint, Faults, Store};
use tests::story::{Reply, ScriptedModels, TestEngine, TestSetup};

/// Looks at the script before a commit is given up for lost.
const LOOKS_MAX: usize = 5_000_000;

/// A disk that holds every commit until the model has been asked, and may fail then.
struct HeldDisk {
    models: ScriptedModels,
    fails: Arc<AtomicBool>,
}

impl Faults for HeldDisk {
    fn at(&self, point: FaultPoint) -> Result<(), String> {
        if point == FaultPoint::AfterCommit {
            return Ok(());
        }
        let asked = (0..LOOKS_MAX).any(|_| {
            std::thread::yield_now();
            !self.models.requests().is_empty()
        });
        match (asked, self.fails.load(Ordering::SeqCst)) {
            (false, _) => Err("the model was not asked while the message was being stored".into()),
            (true, true) => Err("the disk is full".into()),
            (true, false) => Ok(()),
        }
    }
}

struct Scene {
    engine: TestEngine,
    frames: Subscription,
    fails: Arc<AtomicBool>,
}

impl Scene {
    async fn new(replies: usize) -> Self {
        let (models, fails) = (ScriptedModels::default(), Arc::new(AtomicBool::new(false)));
        (0..replies).for_each(|_| models.push(Reply::text("Good morning.")));
        let disk = HeldDisk { models: models.clone(), fails: fails.clone() };
        let store = Store::in_memory_with(Some(Arc::new(disk)));
        let mut setup = TestSetup::default();
        (setup.store, setup.models) = (store, models);
        let engine = TestEngine::start(&setup).await;
        let frames = engine.engine.live.subscribe(None);
        Self { engine, frames, fails }
    }

    async fn say(&self) -> Result<(), Error> {
        let chat = self.engine.engine.open_chat(None, NewChat::default()).await?;
        chat.send(NewMessage { text: "Good morning".into(), ..NewMessage::default() }).await.map(drop)
    }

    /// The types of what windows hear, to the end of the reply.
    async fn heard(&mut self) -> Vec<String> {
        let mut types = Vec::new();
        loop {
            let Delivery::Frames(lines) = self.frames.next().await else { panic!("nothing is lost here") };
            for line in lines {
                let frame: serde_json::Value = serde_json::from_str(&line.json).expect("JSON");
                types.push(frame["type"].as_str().expect("a type").to_owned());
                if line.is_done {
                    types.dedup();
                    return types;
                }
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_model_begins_while_the_message_is_being_stored() {
    let mut scene = Scene::new(1).await;
    scene.say().await.expect("stored");
    assert_eq!(scene.heard().await, ["session", "text_delta", "usage", "done"]);
    scene.engine.started.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_message_that_could_not_be_stored_is_answered_with_nothing() {
    let mut scene = Scene::new(2).await;
    scene.fails.store(true, Ordering::SeqCst);
    scene.say().await.expect_err("the disk is full");
    scene.fails.store(false, Ordering::SeqCst);
    scene.say().await.expect("stored");
    // The first sign of life is the second message's: the first left no word and no end behind.
    assert_eq!(scene.heard().await, ["session", "text_delta", "usage", "done"]);
    let chats = scene.engine.engine.sessions(10).await.expect("readable");
    assert_eq!(chats.len(), 1, "{chats:?}");
    scene.engine.started.shutdown().await;
}
