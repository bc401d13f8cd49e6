//! Models drawn from a number: they reuse, forget and invent call ids, call many tools at once, and the engine crashes
//! between. People answer late, twice, from two windows. Whatever happens: nothing that had to be asked runs without a
//! yes, nothing refused runs, nothing runs twice, and each turn ends once.

use actors::chats::requests::{NewChat, NewMessage};
use actors::live::{Delivery, Subscription};
use futures::FutureExt;
use protocol::approvals::Decision;
use protocol::config::{ApprovalRule, ApprovalsMode};
use protocol::ids::{ApprovalId, SessionId};
use protocol::model::ModelCall;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use storage::records::{QueuedInput, TurnRecord};
use tests::apps::{Mail, TestApps};
use tests::sim::Chance;
use tests::story::{Reply, TestEngine, TestSetup};
use tokio::time::{Duration, sleep};

const SEEDS: u64 = 40;
/// Steps of two minutes within which everything has come to rest.
const REST_STEPS_MAX: usize = 1_000;
/// Tools that send; each call carries a mark of its own.
const SENDS: [&str; 5] = ["postbox_send", "postbox_reply", "huddle_post_message", "purse_pay", "script_run"];

/// Answers drawn from a number.
fn random_model(seed: u64) -> impl FnMut(&ModelCall) -> Reply + Send + 'static {
    let mut chance = Chance::new(seed);
    let mut number = 0;
    move |_| {
        if chance.one_in(3) {
            return Reply::text("Done.");
        }
        let count = 1 + usize::try_from(chance.below(4)).unwrap_or(0);
        let mut reply = Reply::default();
        for _ in 0..count {
            number += 1;
            reply.calls.push(call(&mut chance, number));
            reply.call_ids.push(match chance.below(5) {
                0 => None,
                1 => Some(String::new()),
                2 => Some("call_0".into()),
                3 => Some(format!("call_{}", chance.below(3))),
                _ => Some(format!("call_{number}")),
            });
        }
        reply
    }
}

fn call(chance: &mut Chance, number: u64) -> (String, String) {
    let mark = format!("e{number}e");
    let tool = chance.pick(&SENDS).unwrap_or("postbox_send");
    let (tool, arguments) = match chance.below(10) {
        0 => ("postbox_read", json!({ "message_id": "m1" })),
        1 => ("jotter_search", json!({})),
        2 => ("no_such_tool", json!({ "text": mark })),
        3 => ("postbox_send", json!({ "to": 5, "subject": [], "body": mark })),
        _ => match tool {
            "postbox_send" => (tool, json!({ "to": "jo@example.com", "subject": "s", "body": mark })),
            "postbox_reply" => (tool, json!({ "message_id": "m1", "body": mark })),
            "huddle_post_message" => (tool, json!({ "channel": "#all", "text": mark })),
            "purse_pay" => (tool, json!({ "to": "sam@example.com", "amount": "5", "note": mark })),
            _ => (tool, json!({ "code": mark })),
        },
    };
    (tool.to_owned(), arguments.to_string())
}

/// The mark in a call's arguments or in what left.
fn mark_in(text: &str) -> Option<String> {
    let is_mark = |word: &&str| {
        let number = word.strip_prefix('e').and_then(|word| word.strip_suffix('e'));
        number.is_some_and(|number| number.parse::<u64>().is_ok())
    };
    text.split(|c: char| !c.is_ascii_alphanumeric()).find(is_mark).map(str::to_owned)
}

/// What people and windows know.
#[derive(Default)]
struct Book {
    /// Mark → tool and whether outside content had been read by its chat when it was called.
    called: BTreeMap<String, (String, bool)>,
    /// Questions that were seen: id → mark.
    asked: BTreeMap<String, String>,
    yes: BTreeSet<String>,
    no: BTreeSet<String>,
    marked_chats: BTreeSet<String>,
    begun: BTreeSet<String>,
    ends: BTreeMap<String, usize>,
}

impl Book {
    fn hear(&mut self, frame: &Value) {
        let session = frame["session_id"].as_str().unwrap_or_default().to_owned();
        let name = frame["name"].as_str().unwrap_or_default();
        match frame["type"].as_str().unwrap_or_default() {
            "tool_call" => {
                if let Some(mark) = mark_in(&frame["arguments"].to_string()) {
                    let marked = self.marked_chats.contains(&session);
                    self.called.insert(mark, (name.to_owned(), marked));
                }
            }
            // A look-up, or a script that really ran, brought in what others wrote.
            "tool_result" if matches!(name, "postbox_read" | "jotter_search") && frame["is_error"] == false => {
                self.marked_chats.insert(session);
            }
            "tool_result" if name == "script_run" && frame["result"]["stdout"].is_string() => {
                self.marked_chats.insert(session);
            }
            "approval_request" => {
                if let Some(mark) = mark_in(&frame["arguments"].to_string()) {
                    self.asked.insert(frame["approval_id"].as_str().unwrap_or_default().to_owned(), mark);
                }
            }
            "done" => *self.ends.entry(frame["turn_id"].as_str().unwrap_or_default().to_owned()).or_default() += 1,
            _ => (),
        }
        if let Some(turn) = frame["turn_id"].as_str() {
            self.begun.insert(turn.to_owned());
        }
    }

    /// Takes in what a window has got. The second window hears the same and only answers.
    fn listen(&mut self, window: &mut Subscription) {
        while let Some(delivery) = window.next().now_or_never() {
            let Delivery::Frames(lines) = delivery else { panic!("a window lagged") };
            for line in lines {
                self.hear(&serde_json::from_str(&line.json).expect("JSON"));
            }
        }
    }
}

struct Guard {
    mode: ApprovalsMode,
    rules: BTreeMap<&'static str, ApprovalRule>,
}

impl Guard {
    fn draw(chance: &mut Chance) -> Self {
        let modes = [ApprovalsMode::Ask, ApprovalsMode::Ask, ApprovalsMode::Off, ApprovalsMode::Always];
        let levels = [ApprovalRule::Allow, ApprovalRule::Ask, ApprovalRule::Never, ApprovalRule::HandOff];
        let mut rules = BTreeMap::new();
        for tool in SENDS {
            if chance.one_in(2) {
                rules.extend(chance.pick(&levels).map(|level| (tool, level)));
            }
        }
        Self { mode: chance.pick(&modes).unwrap_or(ApprovalsMode::Ask), rules }
    }

    /// Whether this tool may never run, and whether it may run without a question.
    fn of(&self, tool: &str, marked: bool) -> (bool, bool) {
        let rule = self.rules.get(tool).copied();
        let never = matches!(rule, Some(ApprovalRule::Never | ApprovalRule::HandOff));
        let free = rule == Some(ApprovalRule::Allow) || (rule.is_none() && self.mode == ApprovalsMode::Off);
        (never, free && !marked)
    }
}

fn check(seed: u64, guard: &Guard, book: &Book, apps: &TestApps) {
    let mut ran = BTreeSet::new();
    for left in apps.left() {
        let mark = mark_in(&left.text).expect("a mark");
        assert!(ran.insert(mark.clone()), "seed {seed}: {mark} left twice");
        let (tool, marked) = book.called.get(&mark).unwrap_or_else(|| panic!("seed {seed}: nobody heard of {mark}"));
        let (never, free) = guard.of(tool, *marked);
        assert!(!never, "seed {seed}: {tool} must never run");
        let yes = book.yes.contains(&mark);
        assert!(yes || !book.no.contains(&mark), "seed {seed}: {mark} was refused and left");
        let was_asked = book.asked.values().any(|asked| *asked == mark);
        assert!(yes || (free && !was_asked), "seed {seed}: {tool} {mark} left without a yes, marked: {marked}");
    }
}

/// Every turn ended once. Of one whose end was stored at the very moment of a crash nobody heard; there is at most one for
/// each chat and crash, and none is left open.
fn check_ends(seed: u64, setup: &TestSetup, book: &Book, crashes: u64) {
    let snapshot = setup.store.snapshot().expect("a snapshot");
    let open = snapshot.all::<TurnRecord>().expect("turns").count();
    assert_eq!(open, 0, "seed {seed}: turns are left open");
    let twice: Vec<_> = book.ends.iter().filter(|(_, times)| **times > 1).collect();
    assert!(twice.is_empty(), "seed {seed}: more than one end: {twice:?}");
    let unheard = book.begun.iter().filter(|turn| !book.ends.contains_key(*turn)).count();
    assert!(unheard <= usize::try_from(crashes).unwrap_or(0), "seed {seed}: {unheard} turns without an end");
}

/// Answers some of what is open, from either window's side: with yes or no, twice, or far too late.
async fn answer_some(engine: &TestEngine, chance: &mut Chance, book: &mut Book) {
    let open: Vec<(String, String)> = book.asked.iter().map(|(id, mark)| (id.clone(), mark.clone())).collect();
    for (id, mark) in open {
        for _ in 0..chance.below(3) {
            let yes = chance.one_in(2);
            // A yes wider than offered counts as a yes to this one call; a chat never offers one for a task.
            let kinds = [Decision::Allow, Decision::AllowTask];
            let decision = if yes { chance.pick(&kinds).unwrap_or(Decision::Allow) } else { Decision::Deny };
            let counted = engine
                .engine
                .answer_approval(ApprovalId(id.clone()), decision, protocol::approvals::Via::Desktop)
                .await
                .expect("an answer");
            if counted && yes {
                book.yes.insert(mark.clone());
            } else if counted {
                book.no.insert(mark.clone());
            }
        }
    }
}

async fn life(setup: &TestSetup, chance: &mut Chance, book: &mut Book, chats: &mut Vec<SessionId>, last: bool) {
    let engine = TestEngine::start(setup).await;
    let (mut first, second) = (engine.engine.live.subscribe(None), engine.engine.live.subscribe(None));
    let messages = if last { 0 } else { 1 + chance.below(4) };
    for _ in 0..messages {
        let session = if chance.one_in(2) { chance.pick(chats) } else { None };
        let chat = engine.engine.open_chat(session, NewChat::default()).await.expect("a chat");
        let text = "do what you like, also to jo@example.com and sam@example.com, 5".into();
        let message = NewMessage { text, channel: "desktop".into(), steer: chance.one_in(4), ..NewMessage::default() };
        if chat.send(message).await.is_ok() && !chats.contains(&chat.session_id) {
            chats.push(chat.session_id.clone());
        }
        sleep(Duration::from_millis(chance.below(300))).await;
        book.listen(&mut first);
        if chance.one_in(2) {
            answer_some(&engine, chance, book).await;
        }
        if chance.one_in(6) {
            sleep(Duration::from_secs(900)).await; // every question runs out
        }
    }
    if last {
        // Everything comes to rest: what is asked is answered, or runs out.
        for _ in 0..REST_STEPS_MAX {
            sleep(Duration::from_secs(120)).await;
            book.listen(&mut first);
            let snapshot = setup.store.snapshot().expect("a snapshot");
            let at_rest = snapshot.all::<TurnRecord>().expect("turns").next().is_none()
                && snapshot.all::<QueuedInput>().expect("messages that wait").next().is_none();
            if at_rest {
                break;
            }
            answer_some(&engine, chance, book).await;
        }
        sleep(Duration::from_secs(1)).await;
        book.listen(&mut first);
    } else {
        sleep(Duration::from_millis(chance.below(50))).await;
        book.listen(&mut first);
    }
    drop(second);
    engine.keep_time();
}

fn run(seed: u64) {
    let mut chance = Chance::new(seed);
    let (setup, apps) = TestSetup::with_apps();
    apps.receive(Mail::new("Sam <sam@example.com>", "Hi", "x"));
    let guard = Guard::draw(&mut chance);
    setup.config.send_modify(|config| {
        let approvals = &mut Arc::make_mut(config).tools.approvals;
        approvals.mode = guard.mode;
        approvals.rules = guard.rules.iter().map(|(tool, rule)| ((*tool).to_owned(), *rule)).collect();
    });
    setup.models.improvise(random_model(seed));
    let (mut book, mut chats) = (Book::default(), Vec::new());
    let lives = 1 + chance.below(3);
    for number in 0..=lives {
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().expect("a runtime");
        runtime.block_on(life(&setup, &mut chance, &mut book, &mut chats, number == lives));
        runtime.shutdown_background();
    }
    check(seed, &guard, &book, &apps);
    check_ends(seed, &setup, &book, lives);
    assert_eq!(setup.models.faults(), Vec::<String>::new(), "seed {seed}");
}

#[test]
fn whatever_a_model_does_what_had_to_be_asked_was() {
    for seed in 0..SEEDS {
        run(seed);
    }
}
