//! What others wrote, and what may leave because of it: the injection corpus, harmless tasks, models that do anything,
//! trusting a chat again. What happened is read from the test apps and not from what anybody says.

mod corpus;
mod harmless;
mod injections;
mod random_models;
mod trust;

use actors::chats::requests::{NewChat, NewMessage};
use actors::live::{Delivery, Subscription};
use protocol::approvals::Decision;
use protocol::ids::{ApprovalId, SessionId};
use serde_json::Value;
use tests::story::TestEngine;
use tokio::time::{Duration, timeout};

/// How long, on the test's own clock, something expected may take.
const PATIENCE: Duration = Duration::from_secs(3_600);

/// What came of one message.
struct Heard {
    session: SessionId,
    /// The questions, as windows got them.
    cards: Vec<Value>,
    /// How many ends the turn had.
    ends: usize,
}

/// A chat window that sends one message and answers every question in the same way.
struct Window {
    frames: Subscription,
}

impl Window {
    fn open(engine: &TestEngine) -> Self {
        Self { frames: engine.engine.live.subscribe(None) }
    }

    async fn say(&mut self, engine: &TestEngine, session: Option<SessionId>, text: &str, answer: Decision) -> Heard {
        let chat = engine.engine.open_chat(session, NewChat::default()).await.expect("a chat");
        let message = NewMessage { text: text.into(), channel: "desktop".into(), ..NewMessage::default() };
        chat.send(message).await.expect("accepted");
        let mut heard = Heard { session: chat.session_id.clone(), cards: Vec::new(), ends: 0 };
        while heard.ends == 0 {
            let delivery = timeout(PATIENCE, self.frames.next()).await.expect("the turn ends");
            self.take(engine, delivery, answer, &mut heard).await;
        }
        // Whatever would come after the end.
        while let Ok(delivery) = timeout(Duration::from_millis(5), self.frames.next()).await {
            self.take(engine, delivery, answer, &mut heard).await;
        }
        heard
    }

    async fn take(&self, engine: &TestEngine, delivery: Delivery, answer: Decision, heard: &mut Heard) {
        let Delivery::Frames(lines) = delivery else { panic!("the window lagged") };
        for line in lines {
            let frame: Value = serde_json::from_str(&line.json).expect("JSON");
            match frame["type"].as_str() {
                Some("approval_request") => {
                    let id = ApprovalId(frame["approval_id"].as_str().expect("an id").into());
                    engine
                        .engine
                        .answer_approval(id, answer, protocol::approvals::Via::Desktop)
                        .await
                        .expect("answered");
                    heard.cards.push(frame);
                }
                Some("done") => heard.ends += 1,
                _ => (),
            }
        }
    }
}
