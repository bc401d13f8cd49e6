//! Chats over a whole engine: deleted, incognito, named, with a model of their own; two engines at once.

use actors::chats::OPEN_KEPT;
use actors::chats::requests::{NewChat, NewMessage};
use actors::live::{Delivery, Subscription};
use protocol::ErrorKind;
use protocol::ids::SessionId;
use serde_json::Value;
use std::sync::Arc;
use tests::story::{Reply, TestEngine, TestSetup};
use tokio::time::{Duration, timeout};

fn message(text: &str) -> NewMessage {
    NewMessage { text: text.into(), channel: "desktop".into(), ..NewMessage::default() }
}

fn setup(replies: &[&str]) -> TestSetup {
    let setup = TestSetup::default();
    replies.iter().for_each(|reply| setup.models.push(Reply::text(*reply)));
    setup
}

/// Sends a message and waits for the end of the reply. Answers the chat and the `done` frame.
async fn say(engine: &TestEngine, session: Option<SessionId>, new: NewChat, text: &str) -> (SessionId, Value) {
    let mut window = engine.engine.live.subscribe(None);
    let chat = engine.engine.open_chat(session, new).await.expect("a chat");
    chat.send(message(text)).await.expect("accepted");
    let done = until(&mut window, |frame| frame["type"] == "done").await.pop().expect("a done");
    (chat.session_id, done)
}

/// Frames up to the first that fits.
async fn until(window: &mut Subscription, fits: impl Fn(&Value) -> bool) -> Vec<Value> {
    let mut seen = Vec::new();
    loop {
        let delivery = timeout(Duration::from_secs(600), window.next()).await.expect("something happens");
        let Delivery::Frames(lines) = delivery else { panic!("lagged") };
        for line in lines {
            let frame: Value = serde_json::from_str(&line.json).expect("JSON");
            let found = fits(&frame);
            seen.push(frame);
            if found {
                return seen;
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_deleted_chat_ends_its_reply_and_does_not_come_back() {
    let setup = TestSetup::default();
    setup.models.push(Reply { hangs: true, ..Reply::text("Once ") });
    let engine = TestEngine::start(&setup).await;
    let chat = engine.engine.open_chat(None, NewChat::default()).await.expect("a chat");
    let mut window = engine.engine.live.subscribe(None);
    chat.send(message("tell me")).await.expect("accepted");
    until(&mut window, |frame| frame["type"] == "text_delta").await;
    engine.engine.delete_chat(&chat.session_id).await.expect("deleted");
    let done = until(&mut window, |frame| frame["type"] == "done").await.pop().expect("a done");
    assert_eq!(done["cancelled"], true);
    let again = chat.send(message("still there?")).await.expect_err("gone");
    assert_eq!(again.kind, ErrorKind::NotFound, "{again}");
    assert!(engine.engine.sessions(10).await.expect("chats").is_empty());
    assert_eq!(engine.engine.messages(&chat.session_id, 10).await.expect_err("gone").kind, ErrorKind::NotFound);
}

#[tokio::test(start_paused = true)]
async fn an_incognito_chat_is_not_found_and_goes_with_the_engine() {
    let setup = setup(&["secret answer", "plain answer"]);
    let engine = TestEngine::start(&setup).await;
    let incognito = NewChat { incognito: true, ..NewChat::default() };
    let (hidden, _) = say(&engine, None, incognito, "a secret word").await;
    let (plain, _) = say(&engine, None, NewChat::default(), "a plain word").await;
    let found = engine.engine.search("word").await.expect("hits");
    assert!(found.iter().all(|hit| hit.session_id == plain) && !found.is_empty(), "{found:?}");
    assert!(engine.engine.sessions(10).await.expect("chats").iter().any(|chat| chat.id == hidden && chat.incognito));
    engine.keep_time();
    engine.started.shutdown().await;
    let engine = TestEngine::start(&setup).await;
    let left: Vec<SessionId> =
        engine.engine.sessions(10).await.expect("chats").into_iter().map(|chat| chat.id).collect();
    assert_eq!(left, [plain]);
}

#[tokio::test(start_paused = true)]
async fn an_incognito_chat_nobody_uses_is_deleted_in_time() {
    let setup = setup(&["answer"]);
    let engine = TestEngine::start(&setup).await;
    let mut window = engine.engine.live.subscribe(None);
    let (hidden, _) = say(&engine, None, NewChat { incognito: true, ..NewChat::default() }, "hello").await;
    tokio::time::sleep(Duration::from_secs(31 * 60)).await;
    let frames = until(&mut window, |frame| frame["type"] == "session.deleted").await;
    let gone = frames.last().expect("a frame");
    assert_eq!(
        (gone["data"]["session_id"].as_str(), gone["data"]["reason"].as_str()),
        (Some(hidden.as_str()), Some("incognito"))
    );
}

#[tokio::test(start_paused = true)]
async fn a_chat_is_named_after_its_first_exchange_and_the_persons_name_stays() {
    let setup = setup(&["Three days are enough.", "\"Trip to Pune.\"", "Yes."]);
    setup.config.send_modify(|config| Arc::make_mut(config).chat.auto_title = true);
    let engine = TestEngine::start(&setup).await;
    let mut window = engine.engine.live.subscribe(None);
    let (chat, _) = say(&engine, None, NewChat::default(), "how long for Pune?").await;
    let named = until(&mut window, |frame| frame["type"] == "session.updated").await.pop().expect("named");
    assert_eq!(named["data"]["title"], "Trip to Pune");
    let patch = serde_json::from_value(serde_json::json!({ "title": "Holidays" })).expect("a patch");
    engine.engine.patch_chat(&chat, patch).await.expect("renamed");
    say(&engine, Some(chat), NewChat::default(), "really?").await;
    tokio::time::sleep(Duration::from_secs(5)).await;
    assert_eq!(engine.engine.sessions(1).await.expect("chats")[0].title, "Holidays");
    assert_eq!(setup.models.faults(), Vec::<String>::new());
}

#[tokio::test(start_paused = true)]
async fn a_chats_own_model_that_cannot_answer_is_replaced_with_a_notice() {
    let setup = setup(&["From the default."]);
    setup.models.not_ready("ollama_chat/big");
    let engine = TestEngine::start(&setup).await;
    let mut window = engine.engine.live.subscribe(None);
    let new = NewChat { model: Some("ollama_chat/big".into()), ..NewChat::default() };
    say(&engine, None, new, "hello").await;
    let frames = until(&mut window, |frame| frame["type"] == "done").await;
    let notice = frames.iter().find(|frame| frame["type"] == "notice").expect("a notice");
    assert_eq!(notice["code"], "model_fallback");
    assert_eq!(
        notice["message"],
        "This chat uses big, which can't answer right now, so qwen3:8b is answering instead. big is not downloaded."
    );
    assert_eq!((&notice["model"], &notice["used"]), (&"ollama_chat/big".into(), &"ollama_chat/qwen3:8b".into()));
}

#[tokio::test(start_paused = true)]
async fn local_only_keeps_a_cloud_model_out() {
    let setup = setup(&[]);
    setup.config.send_modify(|config| {
        let models = &mut Arc::make_mut(config).models;
        models.local_only = true;
        models.roles.primary = protocol::model::ModelName("openai/gpt-5".into());
    });
    let engine = TestEngine::start(&setup).await;
    let mut window = engine.engine.live.subscribe(None);
    let (_, done) = say(&engine, None, NewChat::default(), "hello").await;
    assert!(done["error"].as_str().expect("an error").starts_with("Local only is on"));
    let frames = until(&mut window, |frame| frame["type"] == "error").await;
    assert_eq!(frames.last().expect("an error")["code"], "local_only");
    assert!(setup.models.requests().is_empty(), "nothing was sent");
}

#[tokio::test(start_paused = true)]
async fn long_chats_get_a_summary_and_a_failed_one_loses_nothing() {
    let setup = TestSetup::default();
    setup.config.send_modify(|config| {
        let chat = &mut Arc::make_mut(config).chat;
        (chat.history_window, chat.compress_after_messages) = (2, 10);
    });
    for number in 0..5 {
        setup.models.push(Reply::text(format!("answer {number}")));
    }
    setup.models.push(Reply::text("answer 5"));
    setup.models.push(Reply::text("")); // the first summary is empty: not one
    setup.models.push(Reply::text("answer 6"));
    setup.models.push(Reply::text("They counted from zero."));
    setup.models.push(Reply::text("answer 7"));
    let engine = TestEngine::start(&setup).await;
    let mut session = None;
    for number in 0..8 {
        let (id, _) = say(&engine, session, NewChat::default(), &format!("question {number}")).await;
        session = Some(id);
        tokio::time::sleep(Duration::from_secs(40)).await; // upkeep waits until the chat has been quiet for 30 s
    }
    let prompts: Vec<String> = setup.models.requests().iter().map(|call| format!("{:?}", call.messages)).collect();
    let (before, last) = (&prompts[7], &prompts[9]);
    assert!(before.contains("question 0"), "nothing was lost to the failed summary");
    assert!(last.contains("They counted from zero.") && !last.contains("question 0"), "{last}");
    assert!(last.contains("question 6") && last.contains("question 7"), "{last}");
}

#[tokio::test(start_paused = true)]
async fn two_engines_in_one_process_share_nothing() {
    let (one, two) = (setup(&["from one"]), setup(&["from two"]));
    let (first, second) = (TestEngine::start(&one).await, TestEngine::start(&two).await);
    let (_, done) = say(&first, None, NewChat::default(), "hello").await;
    assert_eq!(done["content"], "from one");
    assert!(second.engine.sessions(10).await.expect("chats").is_empty());
    let (_, done) = say(&second, None, NewChat::default(), "hello").await;
    assert_eq!(done["content"], "from two");
    first.started.shutdown().await;
    assert_eq!(second.engine.sessions(10).await.expect("chats").len(), 1, "the other one goes on");
}

#[tokio::test(start_paused = true)]
async fn idle_chats_leave_memory_sooner_when_there_are_many() {
    let engine = TestEngine::start(&setup(&[])).await;
    let open_chats =
        || engine.engine.actors().iter().filter(|row| row.path.starts_with("root/work/open chats/")).count();
    for _ in 0..2 * OPEN_KEPT - 10 {
        engine.engine.open_chat(None, NewChat::default()).await.expect("a chat");
    }
    // Nothing happens by itself: none has been idle for ten minutes, and the sweep has not looked yet.
    tokio::time::sleep(Duration::from_secs(6)).await;
    let before = open_chats();
    assert_eq!(before, 2 * OPEN_KEPT - 10);
    let kept = engine.engine.open_chat(None, NewChat::default()).await.expect("a chat");
    for _ in 0..9 {
        engine.engine.open_chat(None, NewChat::default()).await.expect("a chat");
    }
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(open_chats(), 10, "those that were just asked for stay");
    kept.send(message("still here?")).await.expect("a chat somebody holds can be written to");
}
