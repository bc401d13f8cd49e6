//! What is learned over a whole engine: before messages are compressed, from documents, when no model answers, while
//! everything is stopped; and summaries of chats.

use actors::chats::requests::{NewChat, NewMessage};
use actors::live::Delivery;
use actors::ports::WorkspaceFile;
use protocol::ErrorKind;
use protocol::config::Config;
use protocol::ids::SessionId;
use protocol::memory_files::ImportResult;
use protocol::model::{ModelError, ModelErrorKind, PromptMessage};
use rules::memory::extraction::is_question;
use serde_json::Value;
use std::sync::Arc;
use storage::records::{FactRecord, FactStatus, LearnJobRecord, SummaryRecord};
use tests::story::{Reply, TestEngine, TestSetup};
use tokio::time::{Duration, sleep, timeout};

/// A setup for Maya with these settings and these answers of the model.
fn setup(replies: &[&str], set: impl FnOnce(&mut Config)) -> TestSetup {
    let setup = TestSetup::default();
    replies.iter().for_each(|reply| setup.models.push(Reply::text(*reply)));
    setup.config.send_modify(|config| {
        let config = Arc::make_mut(config);
        config.assistant.user_name = "Maya".into();
        set(config);
    });
    setup
}

/// Says something in a chat and waits for the end of the reply.
async fn say(engine: &TestEngine, session: Option<SessionId>, text: &str) -> SessionId {
    let mut window = engine.engine.live.subscribe(None);
    let chat = engine.engine.open_chat(session, NewChat::default()).await.expect("a chat");
    let message = NewMessage { text: text.into(), channel: "desktop".into(), ..NewMessage::default() };
    chat.send(message).await.expect("accepted");
    loop {
        let delivery = timeout(Duration::from_secs(600), window.next()).await.expect("something happens");
        let Delivery::Frames(lines) = delivery else { panic!("lagged") };
        let frames = lines.iter().map(|line| serde_json::from_str::<Value>(&line.json).expect("JSON"));
        if frames.into_iter().any(|frame| frame["type"] == "done") {
            return chat.session_id;
        }
    }
}

/// What is remembered, each with whether it waits for review.
fn facts(setup: &TestSetup) -> Vec<(String, bool)> {
    let snapshot = setup.store.snapshot().expect("a snapshot");
    let all = snapshot.all::<FactRecord>().expect("memories").map(|fact| fact.expect("a memory"));
    all.map(|fact| (fact.content, fact.status == FactStatus::Pending)).collect()
}

#[tokio::test(start_paused = true)]
async fn older_messages_are_read_for_facts_before_they_are_compressed() {
    let replies = [
        "One.",
        "Two.",
        "Three.",
        r#"{"facts": ["Maya's daughter Mira starts school in June", "Maya has 3 cats"]}"#,
        "Maya told me of Mira and her cats in some detail.",
    ];
    let setup = setup(&replies, |config| {
        config.memory.flush_enabled = true;
        (config.chat.history_window, config.chat.compress_after_messages) = (2, 4);
    });
    let engine = TestEngine::start(&setup).await;
    let chat = say(&engine, None, "My daughter Mira starts school in June.").await;
    say(&engine, Some(chat.clone()), "And I have 3 cats at home.").await;
    say(&engine, Some(chat), "What is new today?").await;
    sleep(Duration::from_secs(5)).await;
    let found = facts(&setup);
    assert_eq!(
        found,
        [("Maya's daughter Mira starts school in June".to_owned(), false), ("Maya has 3 cats".to_owned(), false)]
    );
    let asked = setup.models.requests();
    let question = asked.iter().find_map(|call| match &call.messages[..] {
        [PromptMessage::User { text, .. }] if is_question(text) => Some(text.clone()),
        _ => None,
    });
    let question = question.expect("a question for facts");
    assert!(question.contains("starts school in June") && question.contains("assistant: One."), "{question}");
    assert!(!question.contains("What is new today"), "what stays in the prompt is read later: {question}");
    assert_eq!(setup.models.faults(), Vec::<String>::new());
}

#[tokio::test(start_paused = true)]
async fn a_document_becomes_memories_that_wait_in_their_scope() {
    let answer = r#"{"facts": ["Maya works at Acme as a designer", "माया पुणे में रहती है", "Bob owns a yacht"]}"#;
    let setup = setup(&[answer, answer], |_| ());
    let engine = TestEngine::start(&setup).await;
    let text = "Résumé\n\nMaya works at Acme as a designer since 2019.\nमाया पुणे में रहती है।";
    let import = async |name: &str, bytes: &[u8], into: Option<&str>| {
        engine.engine.import_file(name, bytes.to_vec(), into).await
    };
    let first = import("C:\\docs\\resume.md", text.as_bytes(), Some("Work")).await.expect("imported");
    assert_eq!(first, ImportResult { pending: 2, source: "file:resume.md".into(), ..ImportResult::default() });
    let again = import("resume.md", text.as_bytes(), Some("work")).await.expect("imported");
    assert_eq!((again.pending, again.skipped), (0, 2), "the same words wait once");
    let snapshot = setup.store.snapshot().expect("a snapshot");
    for fact in snapshot.all::<FactRecord>().expect("memories").map(|fact| fact.expect("a memory")) {
        assert_eq!((fact.scope.as_str(), fact.status), ("work", FactStatus::Pending), "{}", fact.content);
        let note = fact.review.expect("a note");
        assert!(
            note.contains("resume.md")
                && fact.sources[0].reference.as_deref().is_some_and(|place| place.contains("quote")),
            "{note}"
        );
    }
    for (name, bytes, into, want) in [
        ("broken.pdf", &b"%PDF-1.4 and then nothing"[..], None, ErrorKind::Unprocessable),
        ("bomb.docx", b"PK\x03\x04", None, ErrorKind::Unprocessable),
        ("zeros.txt", b"a\0b", None, ErrorKind::Unprocessable),
        ("empty.txt", b"  \n", None, ErrorKind::Unprocessable),
        ("program.exe", b"MZ", None, ErrorKind::Invalid),
        ("no-kind", b"text", None, ErrorKind::Invalid),
        ("a.txt", b"text of mine", Some(""), ErrorKind::Invalid),
    ] {
        let error = import(name, bytes, into).await.expect_err(name);
        assert_eq!(error.kind, want, "{name}: {error}");
    }
    assert_eq!(facts(&setup).len(), 2, "nothing of what could not be read is there");
}

#[tokio::test(start_paused = true)]
async fn without_a_model_the_person_hears_of_it_once_and_nothing_is_lost() {
    let setup = setup(&[], |config| config.memory.extract_after_turn = true);
    let failing = || Reply {
        error: Some(ModelError::new(ModelErrorKind::Unreachable, "It is not reachable.")),
        ..Reply::default()
    };
    setup.models.improvise(move |call| match &call.messages[..] {
        [PromptMessage::User { text, .. }] if is_question(text) => failing(),
        _ => Reply::text("I see."),
    });
    let engine = TestEngine::start(&setup).await;
    say(&engine, None, "I moved to Bengaluru with Arun.").await;
    sleep(Duration::from_secs(5)).await;
    say(&engine, None, "I have 3 cats at home.").await;
    sleep(Duration::from_secs(5)).await;
    let notices = engine.engine.notifications(None, false).await.expect("notifications").notifications;
    let about: Vec<_> = notices.iter().filter(|note| note.payload["job"] == "extract").collect();
    assert_eq!(about.len(), 1, "{notices:?}");
    assert_eq!(about[0].title, "Memories not saved from your chats");
    assert_eq!(facts(&setup), []);
    setup.models.improvise(|call| match &call.messages[..] {
        [PromptMessage::User { text, .. }] if is_question(text) && text.contains("Bengaluru") => {
            Reply::text(r#"{"facts": ["Maya moved to Bengaluru with Arun"]}"#)
        }
        _ => Reply::text(r#"{"facts": ["Maya has 3 cats"]}"#),
    });
    sleep(Duration::from_secs(700)).await;
    let mut learned: Vec<String> = facts(&setup).into_iter().map(|(words, _)| words).collect();
    learned.sort();
    assert_eq!(learned, ["Maya has 3 cats", "Maya moved to Bengaluru with Arun"], "learned once a model answers");
    let left = setup.store.snapshot().expect("a snapshot").count::<LearnJobRecord>().expect("jobs");
    assert_eq!(left, 0);
}

#[tokio::test(start_paused = true)]
async fn nothing_is_learned_while_everything_is_stopped_and_never_from_incognito_chats() {
    let setup = setup(&[], |config| {
        config.memory.extract_after_turn = true;
        config.memory.summaries_enabled = true;
    });
    setup.models.improvise(|_| Reply::text("I see."));
    let engine = TestEngine::start(&setup).await;
    let incognito = NewChat { incognito: true, ..NewChat::default() };
    let hidden = engine.engine.create_chat(incognito).await.expect("a chat");
    say(&engine, Some(hidden), "I moved to Bengaluru with Arun.").await;
    sleep(Duration::from_secs(5)).await;
    assert_eq!(setup.models.requests().len(), 1, "only the reply was asked for");
    engine.engine.stop_all(Some("desktop")).await.expect("stopped");
    say(&engine, None, "I have 3 cats at home.").await;
    sleep(Duration::from_secs(2 * 3_600)).await;
    assert_eq!(setup.models.requests().len(), 2, "no model is asked by itself");
    assert_eq!(facts(&setup), []);
    assert_eq!(engine.engine.chat_summaries(None).expect("summaries"), []);
}

#[tokio::test(start_paused = true)]
async fn rule_89_a_summary_carries_the_mark_and_the_scope_of_its_chat() {
    let replies = ["Read.", "Hello.", "We spoke of a page that Maya wanted read.", "Maya said hello to me at work."];
    let setup = setup(&[], |config| config.memory.summaries_enabled = true);
    setup
        .models
        .push(Reply { calls: vec![("page_read".into(), r#"{"url":"https://a.example"}"#.into())], ..Reply::default() });
    replies.iter().for_each(|reply| setup.models.push(Reply::text(*reply)));
    let engine = TestEngine::start(&setup).await;
    say(&engine, None, "read the page at a.example").await;
    sleep(Duration::from_secs(60)).await;
    let work = NewChat { memory_scope: Some("work".into()), ..NewChat::default() };
    let work = engine.engine.create_chat(work).await.expect("a chat");
    say(&engine, Some(work), "hello there").await;
    sleep(Duration::from_secs(75 * 60)).await;
    let snapshot = setup.store.snapshot().expect("a snapshot");
    let all: Vec<SummaryRecord> =
        snapshot.all::<SummaryRecord>().expect("summaries").map(|summary| summary.expect("a summary")).collect();
    let seen: Vec<(&str, bool)> =
        all.iter().map(|summary| (summary.scope.as_str(), summary.untrusted.is_empty())).collect();
    assert!(seen.contains(&("work", true)) && seen.contains(&("personal", false)), "{seen:?}");
    let listed = engine.engine.chat_summaries(Some(10)).expect("listed");
    assert_eq!(
        listed.iter().filter(|summary| summary.untrusted.is_some()).count(),
        1,
        "the person sees both: {listed:?}"
    );
    let again = setup.models.requests().len();
    sleep(Duration::from_secs(3_600)).await;
    assert_eq!(setup.models.requests().len(), again, "an idle hour asks nothing");
}

#[tokio::test(start_paused = true)]
async fn workspace_files_reach_the_chats_that_may_read_them() {
    let setup = setup(&["One.", "Two."], |_| ());
    setup.workspace.put(WorkspaceFile::User, "# About Maya\n\nDesigner\n\n## Learned\n\n- माया की माँ बीमार है\n");
    setup.workspace.put(WorkspaceFile::Memory, "- The trip to Lisbon is open\n");
    let engine = TestEngine::start(&setup).await;
    let files = engine.engine.workspace_files().await.expect("files");
    assert!(files.user.contains("बीमार") && files.memory.contains("Lisbon") && files.today.is_empty());
    say(&engine, None, "hello").await;
    let work = NewChat { memory_scope: Some("work".into()), ..NewChat::default() };
    let work = engine.engine.create_chat(work).await.expect("a chat");
    say(&engine, Some(work), "hello").await;
    let system: Vec<String> = setup
        .models
        .requests()
        .iter()
        .filter_map(|call| match call.messages.first() {
            Some(PromptMessage::System { text, .. }) => Some(text.clone()),
            _ => None,
        })
        .collect();
    assert!(
        system[0].contains("Lisbon") && system[0].contains("बीमार") && system[0].contains("Designer"),
        "{}",
        system[0]
    );
    assert!(
        !system[1].contains("Lisbon") && !system[1].contains("बीमार") && system[1].contains("Designer"),
        "{}",
        system[1]
    );
    let error = engine.engine.save_workspace_file("notes", "x".into()).await.expect_err("no such file");
    assert_eq!(error.kind, ErrorKind::NotFound);
    let long = engine.engine.save_workspace_file("memory", "x".repeat(60_001)).await.expect_err("too long");
    assert_eq!(long.kind, ErrorKind::TooLarge);
    assert_eq!(engine.engine.save_workspace_file("memory", "mine".into()).await.expect("saved"), "memory");
    assert_eq!(setup.workspace.text(WorkspaceFile::Memory), "mine");
}
