//! Folders of notes over a whole engine: what of them goes with a message, to whom, and what a reply says it drew on.

use actors::chats::requests::{NewChat, NewMessage};
use actors::live::Delivery;
use protocol::config::ToolSelection;
use protocol::folders::{FolderStatus, NewFolder};
use protocol::ids::SessionId;
use protocol::model::PromptMessage;
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;
use tests::story::{Reply, TestEngine, TestSetup};

const HEADING: &str = "From the user's notes";
const QUESTION: &str = "what is the wifi password of the cabin?";

/// An engine with one folder in which the answer is written down.
async fn engine(setup: &TestSetup, notes: &Path, scope: &str) -> TestEngine {
    setup.config.send_modify(|config| Arc::make_mut(config).folders.watch = false);
    std::fs::write(notes.join("Cabin.md"), "The wifi password of the cabin is hunter22.").expect("written");
    let engine = TestEngine::start(setup).await;
    let path = notes.canonicalize().expect("there").display().to_string();
    let new = NewFolder { path, ignore: Vec::new(), scope: Some(scope.into()) };
    let mut window = engine.engine.live.subscribe(None);
    engine.engine.add_folder(new).await.expect("added");
    while engine.engine.folders().await.expect("listed").folders[0].status != FolderStatus::Ready {
        let Delivery::Frames(_) = window.next().await else { panic!("lagged") };
    }
    engine
}

/// Sends a message and waits for the end of the reply. Answers its `done`.
async fn say(engine: &TestEngine, new: NewChat, text: &str) -> (SessionId, Value) {
    let mut window = engine.engine.live.subscribe(None);
    let chat = engine.engine.open_chat(None, new).await.expect("a chat");
    let message = NewMessage { text: text.into(), channel: "desktop".into(), ..NewMessage::default() };
    chat.send(message).await.expect("accepted");
    loop {
        let Delivery::Frames(lines) = window.next().await else { panic!("lagged") };
        for line in lines {
            let frame: Value = serde_json::from_str(&line.json).expect("JSON");
            if frame["type"] == "done" && frame["session_id"] == chat.session_id.as_str() {
                return (chat.session_id, frame);
            }
        }
    }
}

/// The system messages of the last request about these words: what is cached, and all of it.
fn told(setup: &TestSetup, words: &str) -> (String, String) {
    let requests = setup.models.requests();
    let says = |message: &PromptMessage| matches!(message, PromptMessage::User { text, .. } if text.contains(words));
    let last = requests.iter().rev().find(|request| request.messages.iter().any(says)).expect("a request");
    let texts: Vec<&str> = last
        .messages
        .iter()
        .filter_map(|message| match message {
            PromptMessage::System { text, .. } => Some(text.as_str()),
            _ => None,
        })
        .collect();
    (texts[0].to_owned(), texts.join("\n\n"))
}

#[tokio::test(start_paused = true)]
async fn a_note_goes_with_the_message_it_answers_and_is_a_source_of_the_reply() {
    let (setup, notes) = (TestSetup::default(), tempfile::tempdir().expect("a folder"));
    for text in ["It is hunter22.", "I do not know.", "Hello!"] {
        setup.models.push(Reply::text(text));
    }
    let engine = engine(&setup, notes.path(), "").await;
    let (session, done) = say(&engine, NewChat::default(), QUESTION).await;
    let (cached, all) = told(&setup, QUESTION);
    assert!(all.contains(HEADING) && all.contains("Cabin.md): The wifi password"), "{all}");
    assert!(!cached.contains(HEADING), "what is cached is the same for every message");
    assert_eq!(
        (done["sources"][0]["via"].as_str(), done["sources"][0]["title"].as_str()),
        (Some("prompt"), Some("Cabin"))
    );
    let stored = engine.engine.messages(&session, 10).await.expect("stored");
    assert_eq!(stored.last().expect("an answer").sources.len(), 1);
    let (_, done) = say(&engine, NewChat::default(), QUESTION).await;
    assert_eq!(done["sources"].as_array().map(Vec::len), Some(0), "a reply that used nothing of it names no note");
    say(&engine, NewChat::default(), "hello there").await;
    let (again, all) = told(&setup, "hello there");
    assert_eq!(again, cached);
    assert!(!all.contains(HEADING), "{all}");
    assert_eq!(setup.models.faults(), Vec::<String>::new());
}

#[tokio::test(start_paused = true)]
async fn a_note_stays_where_it_belongs() {
    let (setup, notes) = (TestSetup::default(), tempfile::tempdir().expect("a folder"));
    for _ in 0..3 {
        setup.models.push(Reply::text("I do not know."));
    }
    setup.config.send_modify(|config| Arc::make_mut(config).chat.incognito_uses_memory = false);
    let engine = engine(&setup, notes.path(), "work").await;
    for (name, new, want) in [
        ("a chat of another scope", NewChat::default(), false),
        ("a chat of its scope", NewChat { memory_scope: Some("work".into()), ..NewChat::default() }, true),
        (
            "an incognito chat without memory",
            NewChat { memory_scope: Some("work".into()), incognito: true, ..NewChat::default() },
            false,
        ),
    ] {
        say(&engine, new, QUESTION).await;
        assert_eq!(told(&setup, QUESTION).1.contains(HEADING), want, "{name}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_tools_are_offered_while_there_is_a_folder() {
    let (setup, notes) = (TestSetup::default(), tempfile::tempdir().expect("a folder"));
    for _ in 0..2 {
        setup.models.push(Reply::text("Hm."));
    }
    // Else a model that chooses among few is offered `folder_read` only when the message calls for it.
    setup.config.send_modify(|config| Arc::make_mut(config).chat.tool_selection = ToolSelection::All);
    let engine = engine(&setup, notes.path(), "").await;
    let offered = || {
        let requests = setup.models.requests();
        let last = requests.last().expect("a request");
        last.tools.iter().filter(|tool| tool.name.starts_with("folder_")).count()
    };
    say(&engine, NewChat::default(), "hello").await;
    assert_eq!(offered(), 2);
    let id = engine.engine.folders().await.expect("listed").folders[0].id.clone();
    assert_eq!(engine.engine.remove_folder(id, false).await.expect("removed"), None);
    say(&engine, NewChat::default(), "hello").await;
    assert_eq!(offered(), 0);
    assert!(notes.path().join("Cabin.md").exists(), "the folder itself is not touched");
}
