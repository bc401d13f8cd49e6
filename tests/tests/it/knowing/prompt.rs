//! What of it a chat's model gets: the page in the system prompt, the same byte for byte, and insights behind the message.

use super::fact;
use crate::stage::{Stage, message, stage};
use actors::chats::requests::NewChat;
use protocol::model::PromptMessage;
use serde_json::json;
use std::sync::Arc;
use storage::records::MessageRecord;
use tests::story::Reply;
use tokio::time::Duration;

/// The system prompt and the last message of each of the last `count` requests.
fn prompts(stage: &Stage, count: usize) -> Vec<(String, String)> {
    let requests = stage.setup.models.requests();
    let last = requests.iter().rev().take(count).rev();
    last.map(|call| {
        let Some(PromptMessage::System { text, .. }) = call.messages.first() else { panic!("a system prompt") };
        (text.clone(), super::asked(call))
    })
    .collect()
}

async fn known(stage: &Stage) {
    stage.knows_maya();
    let page = json!({ "sentences": [{ "text": "Maya lives in Pune.", "basis": ["f1"] }] }).to_string();
    stage.model(
        move |question| if question.contains("You keep one short page") { page.clone() } else { "Fine.".into() },
    );
    stage.remember(&[fact(1, "Maya lives in Pune"), fact(2, "Maya plays chess"), fact(3, "Maya swims")]).await;
    let engine = &stage.engine.engine;
    engine.knowing().narrative.refresh_by_hand(None).await.expect("refreshed");
    engine.add_insight("Maya likes short answers".into(), "communication").await.expect("added");
    engine.add_insight("Maya worries about her sister".into(), "relationships").await.expect("added");
}

async fn say(stage: &mut Stage, new: NewChat, texts: &[&str]) -> protocol::ids::SessionId {
    let chat = stage.engine.engine.open_chat(None, new).await.expect("a chat");
    for text in texts {
        chat.send(message(text)).await.expect("accepted");
        stage.ends(Duration::from_secs(10)).await;
    }
    chat.session_id
}

const PAGE: &str = "## Where things stand with Maya\nMaya lives in Pune.";
const HEADING: &str = "## What I have learned about Maya";

#[tokio::test(start_paused = true)]
async fn the_page_stays_the_same_from_turn_to_turn_and_insights_are_sources() {
    let mut stage = stage(&[]).await;
    known(&stage).await;
    let chat = say(&mut stage, NewChat::default(), &["hello", "and now"]).await;
    let prompts = prompts(&stage, 2);
    assert!(prompts[0].0.contains(PAGE), "{}", prompts[0].0);
    assert_eq!(prompts[0].0, prompts[1].0, "the cached beginning changed");
    assert!(!prompts[0].0.contains(HEADING), "what depends on the message is not in the beginning");
    for (_, asked) in &prompts {
        assert!(
            asked.contains(&format!("{HEADING}\n- Maya likes short answers\n- Maya worries about her sister")),
            "{asked}"
        );
    }
    let snapshot = stage.setup.store.snapshot().expect("a snapshot");
    let rows = snapshot.prefix::<MessageRecord>(&chat).expect("rows").map(|row| row.expect("a row"));
    let reply = rows.last().expect("a reply");
    let sources = format!("{reply:?}");
    assert!(sources.contains("Maya likes short answers") && sources.contains("insight"), "{sources}");
}

#[tokio::test(start_paused = true)]
async fn rule_234_a_work_chat_gets_neither_the_personal_page_nor_relationships() {
    let mut stage = stage(&[]).await;
    known(&stage).await;
    say(&mut stage, NewChat { memory_scope: Some("work".into()), ..NewChat::default() }, &["hello"]).await;
    let (system, asked) = prompts(&stage, 1).remove(0);
    assert!(!system.contains("Where things stand") && !system.contains("Pune"), "{system}");
    assert!(asked.contains("Maya likes short answers") && !asked.contains("sister"), "{asked}");
}

#[tokio::test(start_paused = true)]
async fn rule_80_a_turn_without_memory_gets_nothing_of_it() {
    let mut stage = stage(&[]).await;
    known(&stage).await;
    stage.setup.config.send_modify(|config| Arc::make_mut(config).chat.incognito_uses_memory = false);
    say(&mut stage, NewChat { incognito: true, ..NewChat::default() }, &["hello"]).await;
    let (system, asked) = prompts(&stage, 1).remove(0);
    assert!(!system.contains("Pune") && !asked.contains("short answers"), "{system}\n{asked}");
    stage.setup.config.send_modify(|config| Arc::make_mut(config).user_model.enabled = false);
    say(&mut stage, NewChat::default(), &["hello"]).await;
    let (system, asked) = prompts(&stage, 1).remove(0);
    assert!(!system.contains(PAGE) && !asked.contains(HEADING), "turned off: {system}\n{asked}");
}

#[tokio::test(start_paused = true)]
async fn a_question_about_the_person_is_answered_from_what_the_chat_reads() {
    let stage = stage(&[]).await;
    known(&stage).await;
    stage.model(|question| match question.contains("worries about her sister") {
        true => "relationships leaked".into(),
        false => r#"{"answer":"She likes it short.","basis":["i1","i99","f7"]}"#.into(),
    });
    let tool = actors::user_model::UserModelAsk;
    let mut ctx =
        actors::tools::ToolCtx::new(stage.engine.engine.world.now(), jiff::tz::TimeZone::UTC, Arc::new(|_| ()));
    ctx.knowing = Some(stage.engine.engine.knowing().clone());
    ctx.occasion = Arc::new(actors::memory::Occasion { scope: "work".into(), ..Default::default() });
    let answered =
        actors::tools::Tool::run(&tool, json!({ "question": "How does she like answers?" }), ctx.clone()).await;
    assert!(!answered.is_error, "{answered:?}");
    let want = json!({ "answer": "She likes it short.", "insights": ["Maya likes short answers"], "facts": [] });
    assert_eq!(answered.result, want);
    ctx.memory.reads = false;
    let refused = actors::tools::Tool::run(&tool, json!({ "question": "How does she like answers?" }), ctx).await;
    assert!(refused.is_error);
}

#[tokio::test(start_paused = true)]
async fn an_empty_script_is_never_asked_when_nothing_is_known() {
    let mut stage = stage(&[Reply::text("Hi.")]).await;
    stage.knows_maya();
    say(&mut stage, NewChat::default(), &["hello"]).await;
    assert_eq!(stage.setup.models.requests().len(), 1);
    assert_eq!(stage.setup.models.faults(), Vec::<String>::new());
}
