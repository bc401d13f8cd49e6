//! Stop everything (contract section 17), pressed while each kind of thing is under way.

use crate::stage::{S, Stage, calls, lives, message, stage};
use actors::chats::requests::{Disposition, NewMessage};
use actors::ports::ProcessTree;
use futures::FutureExt;
use futures::future::BoxFuture;
use protocol::config::ApprovalsMode;
use protocol::engine::StopState;
use protocol::subagents::SubagentStatus;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use storage::Batch;
use storage::records::{EventRecord, MetaRecord, QueuedInput, TurnRecord};
use tests::sim::{Mood, Write};
use tests::story::Reply;
use tokio::time::{Instant, sleep};

fn hangs() -> Reply {
    Reply { hangs: true, ..Reply::text("Once") }
}

/// The news of a stop or a resume, from the event log.
fn news(stage: &Stage) -> Vec<bool> {
    let snapshot = stage.setup.store.snapshot().expect("a snapshot");
    let events = snapshot.all::<EventRecord>().expect("events").map(|event| event.expect("an event"));
    let news = events.filter(|event| event.kind == "stop.updated");
    news.map(|event| serde_json::from_str::<StopState>(&event.data).expect("a state").stopped).collect()
}

fn waiting(stage: &Stage) -> u64 {
    stage.setup.store.snapshot().expect("a snapshot").count::<QueuedInput>().expect("a number")
}

#[tokio::test(start_paused = true)]
async fn a_reply_ends_at_once_and_what_waits_behind_it_is_dropped_and_named() {
    let mut stage = stage(&[hangs(), Reply::text("After.")]).await;
    let chat = stage.chat().await;
    stage.say(&chat, "hello").await.expect("accepted");
    sleep(S(1)).await;
    stage.say(&chat, "be quick").await.expect("accepted");
    stage.setup.files.put("uploads/a.txt", b"words");
    let waits = NewMessage {
        attachments: vec!["uploads/a.txt".into()],
        client_id: Some("mine".into()),
        steer: false,
        ..message("and read this")
    };
    assert_eq!(chat.send(waits).await.expect("accepted").disposition, Disposition::Queued);
    let began = Instant::now();
    let stopped = stage.engine.engine.stop_all(Some("tray")).await.expect("stopped");
    assert!(began.elapsed() < S(1), "it took {:?}", began.elapsed());
    assert_eq!((stopped.cancelled, stopped.state.source.as_deref()), (1, Some("tray")));
    let frames = stage.frames(S(60)).await;
    let ends: Vec<&Value> = frames.iter().filter(|frame| frame["type"] == "done").collect();
    assert_eq!(ends.len(), 2, "{frames:#?}");
    assert_eq!((&ends[0]["cancelled"], &ends[0]["dropped"]), (&json!(true), &json!(["be quick"])));
    assert_eq!(ends[0]["content"], "Once\n\n(stopped)");
    assert_eq!((&ends[1]["client_id"], &ends[1]["dropped"]), (&json!("mine"), &json!(["and read this"])));
    let error = frames.iter().find(|frame| frame["type"] == "error").expect("it is said");
    let want = (&json!("Stopped. Your queued message wasn't sent."), &json!(true), &json!("mine"));
    assert_eq!((&error["message"], &error["dropped"], &error["client_id"]), want);
    assert_eq!((waiting(&stage), stage.open_turns()), (0, 0));
    // What is said after the stop works as usual.
    stage.say(&chat, "still there?").await.expect("accepted");
    stage.one_end(S(60), "After.").await;
}

#[tokio::test(start_paused = true)]
async fn stop_and_resume_pressed_twice_are_told_once() {
    let mut stage = stage(&[hangs()]).await;
    let engine = stage.engine.engine.clone();
    assert_eq!(engine.resume(None).await.expect("resumed"), StopState::default(), "nothing was stopped");
    let first = engine.stop_all(Some("hotkey")).await.expect("stopped").state;
    sleep(S(5)).await;
    let chat = stage.chat().await;
    stage.say(&chat, "hello").await.expect("chatting still works");
    sleep(S(1)).await;
    let again = engine.stop_all(Some("desktop")).await.expect("stopped");
    assert_eq!((again.state, again.cancelled), (first, 1), "the first one is kept, what began since ends");
    assert_eq!(stage.ends(S(5)).await.len(), 1);
    let resumed = engine.resume(Some("desktop")).await.expect("resumed");
    let want = StopState { stopped: false, stopped_at: None, source: Some("desktop".into()) };
    assert_eq!((resumed.clone(), engine.stop_state()), (want.clone(), want));
    assert_eq!(engine.resume(Some("tray")).await.expect("resumed"), resumed);
    assert_eq!(news(&stage), [true, false]);
}

#[tokio::test(start_paused = true)]
async fn an_open_question_is_taken_back_and_its_call_never_runs() {
    let mut stage = stage(&[calls("mail_send", r#"{"text":"a"}"#)]).await;
    stage.setup.config.send_modify(|config| Arc::make_mut(config).tools.approvals.mode = ApprovalsMode::Ask);
    let chat = stage.chat().await;
    stage.say(&chat, "mail it").await.expect("accepted");
    sleep(S(1)).await;
    let engine = stage.engine.engine.clone();
    let open = engine.open_questions().await.expect("questions");
    assert_eq!(open.len(), 1);
    engine.stop_all(None).await.expect("stopped");
    assert_eq!(engine.open_questions().await.expect("questions"), []);
    let late = engine
        .answer_approval(
            open[0].card.approval_id.clone(),
            protocol::approvals::Decision::Allow,
            protocol::approvals::Via::Desktop,
        )
        .await;
    assert!(!late.expect("an answer"), "a yes after the stop counted");
    assert_eq!(stage.ends(S(60)).await.len(), 1);
    assert_eq!(stage.setup.log.times("mail_send"), 0);
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_runs_is_ended_and_the_chat_says_what_is_not_known() {
    let mut stage = stage(&[calls("slow_send", "{}")]).await;
    stage.setup.config.send_modify(|config| Arc::make_mut(config).tools.approvals.undo_seconds = 0);
    let chat = stage.chat().await;
    stage.say(&chat, "send it").await.expect("accepted");
    sleep(S(1)).await;
    stage.engine.engine.stop_all(None).await.expect("stopped");
    assert_eq!(stage.ends(S(60)).await.len(), 1);
    let rows = stage.engine.engine.messages(&chat.session_id, 10).await.expect("rows");
    assert!(rows[2].content.contains("not known whether it went through"), "{}", rows[2].content);
    assert_eq!(stage.setup.log.times("slow_send"), 1);
}

#[derive(Default)]
struct Program(AtomicUsize);

impl ProcessTree for Program {
    fn kill(&self) -> BoxFuture<'static, ()> {
        self.0.fetch_add(1, Ordering::Relaxed);
        async {}.boxed()
    }
}

#[tokio::test(start_paused = true)]
async fn programs_are_ended_also_when_the_disk_is_away() {
    let stage = stage(&[hangs()]).await;
    let (engine, program) = (stage.engine.engine.clone(), Arc::<Program>::default());
    let _runs = engine.processes.add(vec!["run".into()], program.clone()).expect("room");
    let chat = stage.chat().await;
    stage.say(&chat, "hello").await.expect("accepted");
    sleep(S(1)).await;
    stage.disk.set(Mood::Dead);
    let failed = engine.stop_all(None).await.expect_err("it cannot be saved");
    assert!(failed.detail().contains("Everything was stopped, but that could not be saved"), "{failed}");
    assert_eq!(program.0.load(Ordering::Relaxed), 1);
    assert!(engine.stop_state().stopped, "work could begin by itself again");
}

#[test]
fn a_restart_keeps_everything_stopped_until_resume() {
    lives(
        &[],
        async |stage| drop(stage.engine.engine.stop_all(Some("telegram")).await.expect("stopped")),
        async |stage| {
            let engine = &stage.engine.engine;
            let state = engine.stop_state();
            assert_eq!((state.stopped, state.source.as_deref()), (true, Some("telegram")));
            assert!(state.stopped_at.is_some());
            assert_eq!(engine.bootstrap("1").await.expect("a launch").stop, state);
            engine.resume(None).await.expect("resumed");
            assert!(!engine.stop_state().stopped);
        },
    );
}

#[test]
fn what_was_stopped_and_could_not_end_before_a_crash_does_not_go_on() {
    lives(
        &[hangs(), Reply::text("Again.")],
        async |stage| {
            let chat = stage.chat().await;
            stage.say(&chat, "hello").await.expect("accepted");
            sleep(S(1)).await;
            stage.say(&chat, "and this").await.expect("accepted");
            // The stop reached the disk, the ends of what it stopped did not.
            let snapshot = stage.setup.store.snapshot().expect("a snapshot");
            let turn = snapshot.all::<TurnRecord>().expect("turns").next().expect("a turn").expect("a row");
            let input = snapshot.all::<QueuedInput>().expect("messages").next().expect("a message").expect("a row");
            let leftovers = json!({
                "turns": [turn.turn_id],
                "inputs": [[input.session_id, input.number, input.created_at]],
            });
            let now = stage.engine.engine.world.now();
            let state = json!({ "stopped": true, "stopped_at": now, "source": "desktop", "leftovers": leftovers });
            let mut batch = Batch::new();
            batch.put(&MetaRecord { name: "stop.state".into(), value: state.to_string() });
            stage.setup.store.commit(batch).await.expect("stored");
            sleep(S(1)).await;
        },
        async |stage| {
            sleep(S(120)).await;
            assert_eq!(stage.setup.models.requests().len(), 1, "a stopped reply was begun again");
            assert_eq!((waiting(stage), stage.open_turns()), (0, 0));
        },
    );
}

#[tokio::test(start_paused = true)]
async fn a_helper_in_the_background_does_not_start_behind_a_stop() {
    let delegate = r#"{"goal":"Look around.","background":true}"#;
    let (mut began, mut moments) = (0, 0);
    // Each write takes a second, so every quarter of one is another moment of the call, of the row, of the work.
    for quarter in 1..80 {
        let mut stage = stage(&[calls("delegate_task", delegate)]).await;
        stage.setup.models.improvise(|call| {
            let is_helper = call.tools.iter().all(|tool| tool.name != "delegate_task");
            if is_helper { hangs() } else { Reply::text("It is on its way.") }
        });
        let chat = stage.chat().await;
        stage.disk.plan(&[Write::Takes(S(1)); 60]);
        stage.say(&chat, "look around").await.expect("accepted");
        sleep(S(1) / 4 * quarter).await;
        let engine = stage.engine.engine.clone();
        let mut stop = std::pin::pin!(engine.stop_all(None));
        let stopped = futures::poll!(stop.as_mut()); // from here on everything is stopped
        let asked = stage.setup.models.requests().len();
        if stopped.is_pending() {
            stop.await.expect("stopped");
        }
        stage.disk.plan(&[]);
        drop(stage.frames(S(120)).await);
        let helpers = stage.engine.engine.subagents(&chat.session_id).expect("helpers");
        let ended = |helper: &protocol::subagents::Subagent| helper.status == SubagentStatus::Cancelled;
        assert!(helpers.iter().all(ended), "{quarter} quarters: {helpers:#?}");
        assert_eq!(stage.setup.models.requests().len(), asked, "{quarter} quarters: a model was asked after the stop");
        began += helpers.len();
        moments += usize::from(helpers.is_empty());
    }
    assert!(began > 0 && moments > 0, "stops came both before and after: {began} {moments}");
}
