//! What reaches the outside happens once or not at all, and the chat says which, or says that nobody knows; and what was
//! done can be taken back.

use crate::stage::{S, Stage, calls, lives, message, stage};
use actors::chats::requests::NewChat;
use actors::live::Delivery;
use actors::restore::Restored;
use actors::snapshots::About;
use protocol::approvals::{Decision, Via};
use protocol::config::{ApprovalRule, ApprovalsMode};
use protocol::ids::UndoId;
use protocol::sessions::MessageRole;
use protocol::undo::UndoAction;
use protocol::{ErrorKind, Timestamp};
use std::path::PathBuf;
use std::sync::Arc;
use storage::Batch;
use storage::records::{EffectRecord, EffectState, FileSnapshotRecord, SnapshotSource};
use tests::apps::{Place, TestApps};
use tests::sim::{Mood, Write};
use tests::story::{Reply, TestEngine, TestSetup};
use tokio::time::{Duration, sleep};

const WINDOW_S: u32 = 10;

fn waits(stage: &Stage) {
    stage.setup.config.send_modify(|config| Arc::make_mut(config).tools.approvals.undo_seconds = WINDOW_S);
}

/// What is found after the program died at some moment of a send and came back.
#[derive(Debug)]
struct Found {
    /// How often it went out.
    ran: usize,
    /// What the chat says of it; empty when the message itself was never stored.
    said: String,
    journal: Option<EffectState>,
}

/// A message that makes the model send something slow; the program dies `at` this time. `writes`: the disk takes only
/// so many writes before that.
fn die(at: Duration, writes: Option<usize>) -> Found {
    let mut found = None;
    let replies =
        [calls("slow_send", r#"{"text":"e1"}"#), Reply::text("One."), Reply::text("Two."), Reply::text("Three.")];
    lives(
        &replies,
        async |stage| {
            waits(stage);
            let chat = stage.chat().await;
            if let Some(writes) = writes {
                stage.disk.plan(&vec![Write::Good; writes]);
                stage.disk.set(Mood::Dead);
            }
            if let Err(error) = stage.say(&chat, "send it").await {
                assert!(writes == Some(0), "the message was not taken in: {error}");
            }
            sleep(at).await;
        },
        async |stage| {
            sleep(S(300)).await;
            assert_eq!(stage.open_turns(), 0, "a turn is left open");
            let sessions = stage.engine.engine.sessions(5).await.expect("chats");
            let mut said = String::new();
            for session in sessions {
                let rows = stage.engine.engine.messages(&session.id, 50).await.expect("rows");
                said.extend(rows.iter().filter(|row| row.role == MessageRole::Tool).map(|row| row.content.as_str()));
            }
            let snapshot = stage.setup.store.snapshot().expect("a snapshot");
            let effects: Vec<EffectRecord> =
                snapshot.all::<EffectRecord>().expect("a journal").map(|effect| effect.expect("a row")).collect();
            assert!(effects.len() <= 1, "{effects:#?}");
            found = Some(Found {
                ran: stage.setup.log.times("slow_send"),
                said,
                journal: effects.first().map(|effect| effect.state),
            });
        },
    );
    found.expect("the second life looked")
}

/// The one law: never twice, and nothing claimed that is not so.
fn check(name: &str, found: &Found) {
    let said = found.said.as_str();
    match found.ran {
        0 => {
            let honest = said.is_empty() || said.contains("NOT SENT") || said.contains("Not done");
            assert!(honest, "{name}: it never went out, and the chat says: {found:?}");
            let settled = matches!(found.journal, None | Some(EffectState::NotSent));
            assert!(settled, "{name}: {found:?}");
        }
        1 => {
            let known = said.contains("\"ok\":true") && found.journal == Some(EffectState::Done);
            let unknown = said.contains("not known whether it went through")
                && matches!(found.journal, Some(EffectState::Unknown | EffectState::Attempted));
            assert!(known || unknown, "{name}: it went out, and the chat says: {found:?}");
        }
        times => panic!("{name}: it went out {times} times: {found:?}"),
    }
}

#[test]
fn wherever_the_program_dies_a_send_is_made_at_most_once_and_nothing_is_claimed() {
    // The window ends at 10 s, the send takes a minute.
    let mut seen = Vec::new();
    for millis in [0, 1, 500, 9_990, 10_000, 10_010, 11_000, 40_000, 69_990, 70_010, 75_000] {
        let found = die(Duration::from_millis(millis), None);
        check(&format!("killed at {millis} ms"), &found);
        seen.push((millis, found.ran, found.said.contains("NOT SENT"), found.said.contains("not known")));
    }
    // Every kind of end was reached, so that the law was really tried.
    assert!(seen.iter().any(|(_, ran, not_sent, _)| *ran == 0 && *not_sent), "{seen:?}");
    assert!(seen.iter().any(|(_, ran, _, unknown)| *ran == 1 && *unknown), "{seen:?}");
    assert!(seen.iter().any(|(_, ran, not_sent, unknown)| *ran == 1 && !not_sent && !unknown), "{seen:?}");
}

#[test]
fn whichever_write_is_the_last_a_send_is_made_at_most_once_and_nothing_is_claimed() {
    for writes in 0..9 {
        for seconds in [5, 15, 90] {
            let found = die(S(seconds), Some(writes));
            check(&format!("{writes} writes, killed after {seconds} s"), &found);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_stop_while_a_send_waits_means_it_is_not_sent() {
    let mut stage = stage(&[calls("mail_send", r#"{"text":"a"}"#)]).await;
    waits(&stage);
    let chat = stage.chat().await;
    stage.say(&chat, "mail it").await.expect("accepted");
    sleep(S(2)).await;
    let engine = stage.engine.engine.clone();
    let open = engine.open_windows().await.expect("windows");
    assert_eq!(open.len(), 1, "a window that comes late is told what waits");
    engine.stop_all(None).await.expect("stopped");
    let late = engine.answer_undo(open[0].window.undo_id.clone(), UndoAction::SendNow).await;
    assert!(!late.expect("an answer"), "Send now counted after the stop");
    assert_eq!(stage.ends(S(60)).await.len(), 1);
    assert_eq!(stage.setup.log.times("mail_send"), 0);
    assert!(engine.open_windows().await.expect("windows").is_empty());
    let rows = engine.messages(&chat.session_id, 10).await.expect("rows");
    assert!(rows[2].content.contains("NOT SENT"), "{}", rows[2].content);
}

#[tokio::test(start_paused = true)]
async fn an_undo_counts_once_and_only_while_the_window_is_open() {
    let mut stage = stage(&[calls("mail_send", r#"{"text":"a"}"#), Reply::text("Not sent.")]).await;
    waits(&stage);
    let chat = stage.chat().await;
    stage.say(&chat, "mail it").await.expect("accepted");
    sleep(S(2)).await;
    let engine = stage.engine.engine.clone();
    let id = engine.open_windows().await.expect("windows")[0].window.undo_id.clone();
    for (undo_id, want) in [(UndoId("nobody".into()), false), (id.clone(), true), (id, false)] {
        assert_eq!(engine.answer_undo(undo_id, UndoAction::Undo).await.expect("an answer"), want);
    }
    stage.one_end(S(60), "Not sent.").await;
    assert_eq!(stage.setup.log.times("mail_send"), 0);
}

/// A chat whose model moved a note to the trash. Answers the engine, the apps and the call's item.
async fn trashed() -> (TestSetup, TestEngine, TestApps, String) {
    let (setup, apps) = TestSetup::with_apps();
    setup.config.send_modify(|config| Arc::make_mut(config).tools.approvals.mode = ApprovalsMode::Off);
    apps.has_note("Milk", "Buy milk");
    setup.models.push(calls("jotter_delete_note", r#"{"note_id":"n1"}"#));
    setup.models.push(Reply::text("It is in the trash."));
    let engine = TestEngine::start(&setup).await;
    let chat = engine.engine.open_chat(None, NewChat::default()).await.expect("a chat");
    chat.send(message("delete that note")).await.expect("accepted");
    sleep(S(5)).await;
    assert_eq!(apps.note("n1").map(|note| note.place), Some(Place::Trash));
    let rows = engine.engine.messages(&chat.session_id, 10).await.expect("rows");
    let calls = rows[1].tool_calls.clone().expect("a call");
    (setup, engine, apps, format!("call:{}", calls[0].id))
}

#[tokio::test(start_paused = true)]
async fn what_went_to_the_trash_is_brought_back_once() {
    let (_setup, engine, apps, item) = trashed().await;
    let restored = engine.engine.restore(&item).await.expect("restored");
    assert!(matches!(restored, Restored::Tool { ok: true, .. }), "{restored:?}");
    assert_eq!(apps.note("n1").map(|note| note.place), Some(Place::Here));
    let again = engine.engine.restore(&item).await.expect_err("it is back already");
    assert_eq!((again.kind, again.message.as_str()), (ErrorKind::Conflict, "This was put back already."));
}

#[tokio::test(start_paused = true)]
async fn rules_count_for_bringing_back_too() {
    let (setup, engine, apps, item) = trashed().await;
    let rule = |rule| {
        setup.config.send_modify(|config| {
            Arc::make_mut(config).tools.approvals.rules.insert("jotter_restore_note".into(), rule);
        });
    };
    rule(ApprovalRule::HandOff);
    let handed = engine.engine.restore(&item).await.expect("an answer");
    assert!(matches!(handed, Restored::HandedOff { ok: false, .. }), "{handed:?}");
    rule(ApprovalRule::Never);
    let refused = engine.engine.restore(&item).await.expect_err("never");
    assert_eq!(refused.kind, ErrorKind::Conflict);
    assert_eq!(apps.note("n1").map(|note| note.place), Some(Place::Trash));
    rule(ApprovalRule::Ask);
    let restored = engine.engine.restore(&item).await.expect("pressing Restore is the yes");
    assert!(matches!(restored, Restored::Tool { .. }));
}

fn about(what: &str) -> About {
    About { source: SnapshotSource::Command, what: what.into(), session_id: None, task_id: None, call_id: None }
}

fn rows(setup: &TestSetup) -> Vec<FileSnapshotRecord> {
    let snapshot = setup.store.snapshot().expect("a snapshot");
    snapshot.all::<FileSnapshotRecord>().expect("rows").map(|row| row.expect("a row")).collect()
}

#[tokio::test]
async fn files_a_command_changed_are_put_back_and_that_can_be_undone() {
    let setup = TestSetup::default();
    let stage = TestEngine::start(&setup).await;
    let engine = &stage.engine;
    let work = tempfile::tempdir().expect("a folder");
    let file = work.path().join("notes.txt");
    let write = |text: &str| std::fs::write(&file, text).expect("written");
    let read = || std::fs::read_to_string(&file).expect("a file");
    write("old");
    let kept = engine.effects.keeper.guard(about("sed -i"), vec![work.path().to_owned()]).await;
    write("new words");
    let id = kept.settle().await.expect("something changed");
    let restored = engine.restore(&format!("snap:{id}")).await.expect("put back");
    let want = Restored::Files { ok: true, restored: 1, message: "Put back 1 file.".into() };
    assert_eq!((restored, read().as_str()), (want, "old"));
    let again = engine.restore(&format!("snap:{id}")).await.expect_err("it is back already");
    assert_eq!(again.message, "This was put back already.");
    let undo = rows(&setup).into_iter().find(|row| row.source == SnapshotSource::PutBack).expect("a row of its own");
    engine.restore(&format!("snap:{}", undo.id)).await.expect("undone");
    assert_eq!(read(), "new words");
}

#[tokio::test]
async fn a_command_that_changes_nothing_leaves_no_row_and_one_that_is_cut_off_leaves_its_row() {
    let setup = TestSetup::default();
    let stage = TestEngine::start(&setup).await;
    let engine = &stage.engine;
    let work = tempfile::tempdir().expect("a folder");
    let file = work.path().join("a.txt");
    std::fs::write(&file, "old").expect("written");
    let kept = engine.effects.keeper.guard(about("true"), vec![work.path().to_owned()]).await;
    assert_eq!(kept.settle().await, None);
    assert_eq!(rows(&setup), []);
    let kept = engine.effects.keeper.guard(about("killed"), vec![work.path().to_owned()]).await;
    std::fs::remove_file(&file).expect("removed");
    drop(kept); // the call was stopped
    assert!(engine.effects.keeper.scope_ended(S(20)).await, "it is still being looked at");
    let row = rows(&setup).pop().expect("a row");
    assert!(row.files[0].deleted && row.files[0].copy.is_some(), "{row:#?}");
    engine.restore(&format!("snap:{}", row.id)).await.expect("put back");
    assert_eq!(std::fs::read_to_string(&file).expect("a file"), "old");
}

#[tokio::test]
async fn putting_back_that_a_crash_cut_short_is_cleared_at_the_start_and_can_be_done_again() {
    let setup = TestSetup::default();
    let engine = TestEngine::start(&setup).await;
    let work = tempfile::tempdir().expect("a folder");
    let file = work.path().join("a.txt");
    std::fs::write(&file, "old").expect("written");
    let kept = engine.engine.effects.keeper.guard(about("x"), vec![PathBuf::from(&file)]).await;
    std::fs::write(&file, "new").expect("written");
    let id = kept.settle().await.expect("changed");
    // As a kill leaves it: begun, with a half written file beside the whole one.
    let part = work.path().join(format!(".sentient-put-back-{id}-a.txt"));
    std::fs::write(&part, "ol").expect("written");
    let row = rows(&setup).pop().expect("a row");
    let mut batch = Batch::new();
    batch.put(&FileSnapshotRecord { restoring_at: Some(Timestamp(1)), ..row });
    setup.store.commit(batch).await.expect("stored");
    engine.engine.repair_snapshots().await.expect("repaired");
    assert!(!part.exists(), "a half written file is left");
    assert_eq!(rows(&setup)[0].restoring_at, None);
    assert_eq!(std::fs::read_to_string(&file).expect("a file"), "new");
    engine.engine.restore(&format!("snap:{id}")).await.expect("put back");
    assert_eq!(std::fs::read_to_string(&file).expect("a file"), "old");
}

#[tokio::test(start_paused = true)]
async fn every_window_hears_the_undo_window_and_what_became_of_it() {
    let mut stage = stage(&[calls("mail_send", r#"{"text":"a"}"#), Reply::text("Sent.")]).await;
    waits(&stage);
    let mut other = stage.engine.engine.live.subscribe(None);
    let chat = stage.chat().await;
    stage.say(&chat, "mail it").await.expect("accepted");
    sleep(S(1)).await;
    let id = stage.engine.engine.open_windows().await.expect("windows")[0].window.undo_id.clone();
    assert!(stage.engine.engine.answer_undo(id, UndoAction::SendNow).await.expect("an answer"));
    let frames = stage.frames(S(5)).await;
    let window = frames.iter().find(|frame| frame["type"] == "undo_window").expect("a window");
    assert_eq!((&window["seconds"], &window["name"]), (&WINDOW_S.into(), &"mail_send".into()));
    assert_eq!((&window["preview"]["kind"], &window["preview"]["body"]), (&"email".into(), &"a".into()));
    assert!(window["until"].is_string(), "{window}");
    let Delivery::Frames(lines) = other.next().await else { panic!("lagged") };
    let json: String = lines.iter().map(|line| line.json.to_string()).collect();
    assert!(json.contains("\"undo.ack\"") && json.contains("\"send_now\""), "{json}");
}

#[tokio::test(start_paused = true)]
async fn a_chat_that_waits_for_an_answer_says_so_among_the_actors() {
    let mut stage = stage(&[calls("mail_send", r#"{"text":"a"}"#), Reply::text("Sent.")]).await;
    stage.setup.config.send_modify(|config| Arc::make_mut(config).tools.approvals.mode = ApprovalsMode::Ask);
    let (chat, other) = (stage.chat().await, stage.chat().await);
    stage.say(&chat, "mail it").await.expect("accepted");
    stage.rename(&other, "Another").await.expect("renamed");
    sleep(S(1)).await;
    let engine = stage.engine.engine.clone();
    let waiting = async || {
        let rows = engine.actors_and_questions().await.into_iter();
        rows.filter_map(|row| row.waits_for.map(|what| (row.path, what))).collect::<Vec<_>>()
    };
    let rows = waiting().await;
    assert_eq!(rows.len(), 1, "only the chat that asks: {rows:?}");
    assert!(rows[0].0.ends_with(&format!("/{}", chat.session_id)), "{rows:?}");
    assert_eq!(rows[0].1, "an answer whether mail_send may run");
    let id = engine.open_questions().await.expect("questions")[0].card.approval_id.clone();
    engine.answer_approval(id, Decision::Allow, Via::Desktop).await.expect("answered");
    stage.one_end(S(60), "Sent.").await;
    assert_eq!(waiting().await, []);
}
