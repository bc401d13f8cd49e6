//! Faults that a simulation or a review found, each as the shortest story that shows it.

use crate::stage::{S, Stage, calls, message, setup, stage};
use actors::chats::requests::NewChat;
use futures::future::{join, join_all};
use protocol::ErrorKind;
use std::sync::Arc;
use storage::records::{EffectRecord, SessionRecord, TurnRecord};
use tests::sim::{Mood, Write};
use tests::story::{Reply, TestEngine};
use tokio::time::{Instant, sleep};

#[tokio::test(start_paused = true)]
async fn an_end_of_which_nobody_knows_whether_it_was_stored_is_told_once() {
    let mut stage = stage(&[Reply::text("Hi.")]).await;
    stage.disk.plan(&[Write::Good, Write::Unsure]);
    let chat = stage.chat().await;
    stage.say(&chat, "hello").await.expect("accepted");
    stage.one_end(S(60), "Hi.").await;
}

#[tokio::test(start_paused = true)]
async fn a_deletion_of_which_nobody_knows_whether_it_was_stored_ends_the_reply() {
    let mut stage = stage(&[Reply { hangs: true, ..Reply::text("Once") }]).await;
    let chat = stage.chat().await;
    stage.say(&chat, "hello").await.expect("accepted");
    sleep(S(1)).await;
    stage.disk.plan(&[Write::Unsure]);
    assert!(stage.engine.engine.delete_chat(&chat.session_id).await.is_err());
    let ends = stage.ends(S(120)).await;
    assert_eq!(ends.len(), 1, "{ends:#?}");
}

#[tokio::test(start_paused = true)]
async fn a_reply_begun_again_is_not_ended_by_its_first_run() {
    let mut stage = stage(&[calls("note_read", "{}"), Reply::text("Fine.")]).await;
    stage.disk.plan(&[Write::Good, Write::Fails]);
    let chat = stage.chat().await;
    stage.say(&chat, "look it up").await.expect("accepted");
    stage.one_end(S(120), "Fine.").await;
}

#[tokio::test(start_paused = true)]
async fn a_full_mailbox_does_not_keep_a_reply_from_ending() {
    let mut stage = stage(&[Reply { slow: true, ..Reply::text("One two three") }]).await;
    let chat = stage.chat().await;
    stage.say(&chat, "count").await.expect("accepted");
    sleep(S(1)).await;
    stage.disk.plan(&[Write::Takes(S(10))]);
    let results = join_all((0..80).map(|_| stage.rename(&chat, "Counting"))).await;
    let busy = results.iter().filter(|result| result.as_ref().is_err_and(|error| error.kind == ErrorKind::Busy));
    assert!(busy.count() > 10, "the mailbox did not fill up");
    stage.one_end(S(120), "One two three").await;
}

#[tokio::test(start_paused = true)]
async fn a_chat_that_cannot_be_deleted_leaves_the_others_alone() {
    let mut stage = stage(&[calls("slow_send", r#"{"text":"e1"}"#), Reply::text("Sent.")]).await;
    let other = stage.engine.engine.create_chat(NewChat::default()).await.expect("a chat");
    let chat = stage.chat().await;
    stage.say(&chat, "send it").await.expect("accepted");
    sleep(S(5)).await;
    stage.disk.plan(&[Write::Fails]);
    assert!(stage.engine.engine.delete_chat(&other).await.is_err());
    sleep(S(1)).await;
    stage.rename(&chat, "Sending").await.expect("renamed");
    stage.one_end(S(120), "Sent.").await;
    assert_eq!(stage.setup.log.times("slow_send"), 1);
    let rows = stage.engine.engine.messages(&chat.session_id, 10).await.expect("rows");
    assert_eq!(rows.len(), 4, "user, call, result, answer: {rows:#?}");
    assert!(rows[2].content.contains("\"ok\":true"), "the call was cut off: {}", rows[2].content);
}

#[tokio::test(start_paused = true)]
async fn a_steer_that_came_beside_another_is_answered_with_it() {
    let mut stage = stage(&[calls("slow_read", "{}"), Reply::text("Both.")]).await;
    let chat = stage.chat().await;
    stage.say(&chat, "look").await.expect("accepted");
    sleep(S(1)).await;
    stage.say(&chat, "the first").await.expect("accepted");
    sleep(S(55)).await;
    stage.disk.plan(&[Write::Takes(S(10))]); // the result of the call, at 60 seconds
    sleep(S(6)).await;
    stage.say(&chat, "the second").await.expect("accepted");
    stage.one_end(S(60), "Both.").await;
}

#[tokio::test(start_paused = true)]
async fn a_deleted_chat_leaves_nothing_in_the_journal() {
    let mut stage = stage(&[calls("mail_send", r#"{"text":"private"}"#), Reply::text("Sent.")]).await;
    let chat = stage.chat().await;
    stage.say(&chat, "mail it").await.expect("accepted");
    stage.one_end(S(5), "Sent.").await;
    let effects = |stage: &Stage| stage.setup.store.snapshot().expect("a snapshot").count::<EffectRecord>();
    assert_eq!(effects(&stage), Ok(1));
    stage.engine.engine.delete_chat(&chat.session_id).await.expect("deleted");
    assert_eq!(effects(&stage), Ok(0), "what the chat sent is still readable");
}

#[tokio::test(start_paused = true)]
async fn a_chat_that_is_being_deleted_takes_no_more_messages() {
    let mut stage = stage(&[Reply::text("Hi.")]).await;
    let chat = stage.chat().await;
    stage.say(&chat, "hello").await.expect("accepted");
    stage.one_end(S(5), "Hi.").await;
    stage.disk.plan(&[Write::Takes(S(5))]);
    let late = async {
        sleep(S(1)).await;
        stage.say(&chat, "one more").await
    };
    let (deleted, late) = join(stage.engine.engine.delete_chat(&chat.session_id), late).await;
    deleted.expect("deleted");
    assert_eq!(late.expect_err("the chat is gone").kind, ErrorKind::NotFound);
    sleep(S(5)).await;
    let snapshot = stage.setup.store.snapshot().expect("a snapshot");
    assert_eq!((snapshot.count::<SessionRecord>(), snapshot.count::<TurnRecord>()), (Ok(0), Ok(0)));
}

#[tokio::test(start_paused = true)]
async fn a_chat_that_leaves_memory_does_not_take_a_reply_with_it() {
    let slow = Reply { slow: true, ..Reply::text("One two three four five six seven eight") };
    let mut stage = stage(&[slow]).await;
    let (first, second) = (stage.chat().await, stage.chat().await);
    stage.rename(&first, "First").await.expect("renamed");
    stage.rename(&second, "Second").await.expect("renamed");
    // At 600 seconds the sweep asks both; the second one is writing then, and so the sweep waits for it.
    sleep(S(599)).await;
    stage.disk.plan(&[Write::Takes(S(4))]);
    let rename = stage.rename(&second, "Busy");
    let say = async {
        sleep(S(2)).await;
        stage.say(&first, "count").await
    };
    let (renamed, said) = join(rename, say).await;
    renamed.expect("renamed");
    said.expect("accepted");
    stage.one_end(S(60), "One two three four five six seven eight").await;
}

#[tokio::test(start_paused = true)]
async fn a_reply_ends_after_the_disk_was_away_for_minutes() {
    let mut stage = stage(&[Reply { slow: true, ..Reply::text("One two three") }, Reply::text("Again.")]).await;
    let chat = stage.chat().await;
    stage.say(&chat, "count").await.expect("accepted");
    sleep(S(1)).await;
    stage.disk.set(Mood::Dead);
    sleep(S(200)).await;
    stage.disk.set(Mood::Good);
    stage.one_end(S(120), "Again.").await;
}

#[tokio::test(start_paused = true)]
async fn a_name_that_is_being_made_up_does_not_hold_up_the_end() {
    let mut stage = stage(&[Reply::text("Hi."), Reply { hangs: true, ..Reply::default() }]).await;
    stage.setup.config.send_modify(|config| Arc::make_mut(config).chat.auto_title = true);
    let chat = stage.chat().await;
    stage.say(&chat, "hello").await.expect("accepted");
    assert_eq!(stage.ends(S(50)).await.len(), 1);
    assert_eq!(stage.setup.models.requests().len(), 2, "the title is being asked for");
    let began = Instant::now();
    stage.engine.started.shutdown().await;
    assert!(began.elapsed() < S(1), "the shutdown took {:?}", began.elapsed());
}

#[tokio::test(start_paused = true)]
async fn a_call_that_does_not_fit_is_not_run_by_a_restart_either() {
    for arguments in [r#"{"to":"nobody"}"#, "not an object"] {
        let mut stage = stage(&[calls("mail_send", arguments), Reply::text("I could not.")]).await;
        // Stored: the message, the calls, but not the result that says what is wrong with them.
        stage.disk.plan(&[Write::Good, Write::Good, Write::Fails]);
        let chat = stage.chat().await;
        stage.say(&chat, "mail it").await.expect("accepted");
        stage.one_end(S(60), "I could not.").await;
        assert_eq!(stage.setup.log.times("mail_send"), 0, "it ran with made-up arguments: {arguments}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_waits_behind_a_reply_that_fails_twice_is_answered() {
    let slow = Reply { slow: true, ..Reply::text("One two three four five") };
    let mut stage = stage(&[slow.clone(), slow, Reply::text("Second.")]).await;
    let chat = stage.chat().await;
    stage.say(&chat, "first").await.expect("accepted");
    for failure in ["once", "twice"] {
        sleep(S(1)).await;
        stage.disk.plan(&[Write::Fails]);
        stage.rename(&chat, failure).await.expect_err("the disk fails");
        if failure == "once" {
            sleep(S(1)).await;
            stage.say(&chat, "second").await.expect("accepted");
        }
    }
    let ends = stage.ends(S(120)).await;
    let contents: Vec<_> = ends.iter().map(|end| end["content"].as_str().unwrap_or_default()).collect();
    assert_eq!(contents, ["", "Second."], "{ends:#?}");
    assert!(ends[0]["error"].as_str().is_some_and(|error| error.contains("restarted")));
}

#[tokio::test(start_paused = true)]
async fn an_incognito_chat_that_cannot_be_deleted_at_the_start_is_deleted_soon() {
    let (setup, disk) = setup(&[Reply::text("Hi.")]);
    let engine = TestEngine::start(&setup).await;
    let new = NewChat { incognito: true, ..NewChat::default() };
    let chat = engine.engine.open_chat(None, new).await.expect("a chat");
    chat.send(message("secret")).await.expect("accepted");
    sleep(S(1)).await;
    // Another engine finds the chat in the store, as after a crash.
    disk.plan(&[Write::Fails, Write::Fails]);
    let second = TestEngine::start(&setup).await;
    sleep(S(100)).await;
    assert_eq!(second.engine.sessions(5).await.expect("chats"), []);
}

#[test]
fn an_incognito_chat_of_the_last_run_is_not_answered_again() {
    let (setup, _) = setup(&[Reply { hangs: true, ..Reply::default() }]);
    let life = |begin: bool| {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build();
        runtime.expect("a runtime").block_on(async {
            let engine = TestEngine::start(&setup).await;
            if begin {
                let new = NewChat { incognito: true, ..NewChat::default() };
                let chat = engine.engine.open_chat(None, new).await.expect("a chat");
                chat.send(message("secret")).await.expect("accepted");
            }
            sleep(S(5)).await;
            engine.keep_time();
        });
    };
    life(true);
    life(false);
    assert_eq!(setup.store.snapshot().expect("a snapshot").count::<SessionRecord>(), Ok(0));
    assert_eq!(setup.models.requests().len(), 1, "a chat that is to be forgotten was sent to a model again");
}
