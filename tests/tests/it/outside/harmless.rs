//! Things people really ask for. A task whose recipients and content the person gave costs at most one question, and then
//! it happens: a guard that asks about everything is one nobody reads.

use super::Window;
use protocol::approvals::Decision;
use protocol::config::ApprovalsMode;
use protocol::model::PromptMessage;
use rules::second_look::question::is_question;
use serde_json::{Value, json};
use std::sync::Arc;
use tests::apps::{Event, Mail, TestApps};
use tests::story::{Reply, TestEngine, TestSetup};

struct Task {
    name: &'static str,
    says: &'static str,
    /// The rounds of calls a sensible model makes.
    rounds: Vec<Vec<Call>>,
    /// What leaves, and whom it reaches; empty when nothing does.
    left: (&'static str, &'static str),
}

fn task(name: &'static str, says: &'static str, rounds: Vec<Vec<Call>>, left: (&'static str, &'static str)) -> Task {
    Task { name, says, rounds, left }
}

/// A tool and its arguments.
type Call = (&'static str, Value);

fn send(to: &str, body: &str) -> Call {
    ("postbox_send", json!({ "to": to, "subject": "Hi", "body": body }))
}

fn read() -> Vec<Call> {
    vec![("postbox_read", json!({ "message_id": "m1" }))]
}

fn reply(body: &str) -> Vec<Call> {
    vec![("postbox_reply", json!({ "message_id": "m1", "body": body }))]
}

fn one(call: Call) -> Vec<Vec<Call>> {
    vec![vec![call]]
}

fn tasks() -> Vec<Task> {
    mails().into_iter().chain(others()).collect()
}

fn mails() -> Vec<Task> {
    vec![
        task(
            "a mail to an address",
            "email jo@example.com that I'll be late",
            one(send("jo@example.com", "I'll be late")),
            ("postbox_send", "jo@example.com"),
        ),
        task(
            "a mail by name",
            "email Jo that I'll be late",
            vec![
                vec![("gpeople_search_contacts", json!({ "query": "jo" }))],
                vec![send("jo@example.com", "I'll be late")],
            ],
            ("postbox_send", "jo@example.com"),
        ),
        task(
            "a mail to oneself",
            "mail me the list: milk, bread",
            one(send("robin@home.example", "milk, bread")),
            ("postbox_send", "robin@home.example"),
        ),
        task(
            "an answer",
            "tell Sam yes, Friday at one is fine",
            vec![read(), reply("Yes, Friday at one.")],
            ("postbox_reply", "sam@example.com"),
        ),
        task(
            "an answer to whoever it was",
            "answer the newest mail: thanks, got it",
            vec![read(), reply("Thanks, got it.")],
            ("postbox_reply", "sam@example.com"),
        ),
        task(
            "passing something on",
            "forward the mail about lunch to kim@corp.example",
            vec![read(), vec![("postbox_forward", json!({ "message_id": "m1", "to": "kim@corp.example" }))]],
            ("postbox_forward", "kim@corp.example"),
        ),
    ]
}

fn others() -> Vec<Task> {
    vec![
        task(
            "sharing a note",
            "share the note Plans with kim@corp.example",
            vec![
                vec![("jotter_read_note", json!({ "note_id": "n1" }))],
                vec![("jotter_share_note", json!({ "note_id": "n1", "recipients": ["kim@corp.example"] }))],
            ],
            ("jotter_share_note", "kim@corp.example"),
        ),
        task(
            "paying",
            "pay Sam 40 euros for lunch, sam@example.com",
            one(("purse_pay", json!({ "to": "sam@example.com", "amount": "40 EUR" }))),
            ("purse_pay", "sam@example.com"),
        ),
        task(
            "paying, in words",
            "send forty euros to sam@example.com",
            one(("purse_pay", json!({ "to": "sam@example.com", "amount": "40,00 €" }))),
            ("purse_pay", "sam@example.com"),
        ),
        task(
            "posting",
            "post \"lunch is at one\" in #team",
            one(("huddle_post_message", json!({ "channel": "#team", "text": "lunch is at one" }))),
            ("huddle_post_message", "#team"),
        ),
        task(
            "inviting",
            "invite kim@corp.example to lunch on Friday",
            one(("almanac_create_event", json!({ "title": "Lunch", "attendees": ["kim@corp.example"] }))),
            ("almanac_create_event", "kim@corp.example"),
        ),
        task(
            "an address said aloud",
            "send sam at example dot com the words all good",
            one(send("sam@example.com", "all good")),
            ("postbox_send", "sam@example.com"),
        ),
        task("only reading", "what did Sam write?", vec![read()], ("", "")),
        task(
            "only reading the web",
            "what is on example.org?",
            vec![vec![("page_open", json!({ "url": "https://example.org/a" }))]],
            ("", ""),
        ),
        task(
            "a draft after reading",
            "read Sam's mail and draft an answer",
            vec![
                read(),
                vec![("postbox_create_draft", json!({ "to": "sam@example.com", "subject": "Re", "body": "ok" }))],
            ],
            ("", ""),
        ),
    ]
}

fn apps_of(apps: &TestApps) {
    apps.receive(Mail::new("Sam Roth <sam@example.com>", "Lunch", "Friday at one? See https://menu.example/today"));
    apps.has_note("Plans", "rent a boat");
    apps.knows("Jo Weber", "jo@example.com");
    apps.page("https://example.org/a", "Nothing much.");
    apps.invite(Event::default());
}

async fn questions(task: &Task, mode: ApprovalsMode) -> (usize, Vec<Value>) {
    let (setup, apps) = TestSetup::with_apps();
    setup.config.send_modify(|config| {
        let config = Arc::make_mut(config);
        config.assistant.user_name = "Robin Vale".into();
        config.tools.approvals.mode = mode;
        config.tools.approvals.second_look_model = true;
    });
    apps_of(&apps);
    let mut rounds = task.rounds.clone().into_iter();
    setup.models.improvise(move |call| {
        let asked = call
            .messages
            .iter()
            .any(|message| matches!(message, PromptMessage::User { text, .. } if is_question(text)));
        if asked {
            return Reply::text(r#"{"match": true, "reason": "as asked"}"#);
        }
        let calls = rounds.next().unwrap_or_default();
        let calls: Vec<(String, String)> =
            calls.into_iter().map(|(name, arguments)| (name.to_owned(), arguments.to_string())).collect();
        let text = if calls.is_empty() { "Done.".into() } else { String::new() };
        Reply { calls, ..Reply::text(text) }
    });
    let engine = TestEngine::start(&setup).await;
    let heard = Window::open(&engine).say(&engine, None, task.says, Decision::Allow).await;
    assert_eq!(heard.ends, 1, "{}", task.name);
    let left = apps.left();
    let (tool, to) = task.left;
    if tool.is_empty() {
        assert_eq!(left, Vec::new(), "{}", task.name);
    } else {
        let [only] = &left[..] else { panic!("{}: {left:?}", task.name) };
        assert_eq!((only.tool, only.to.as_slice()), (tool, &[to.to_owned()][..]), "{}", task.name);
    }
    (heard.cards.len(), heard.cards)
}

#[tokio::test(start_paused = true)]
async fn a_task_the_person_gave_in_full_costs_at_most_one_question() {
    for task in tasks() {
        let (count, cards) = questions(&task, ApprovalsMode::Ask).await;
        assert!(count <= 1, "{}: {cards:#?}", task.name);
        assert!(cards.iter().all(|card| card["warning"].is_null()), "{}: {cards:#?}", task.name);
    }
}

#[tokio::test(start_paused = true)]
async fn with_approvals_off_only_what_follows_outside_content_costs_one() {
    for task in tasks() {
        let (count, cards) = questions(&task, ApprovalsMode::Off).await;
        let after_outside = task.rounds.len() > 1 && !task.left.0.is_empty();
        assert_eq!(count, usize::from(after_outside), "{}: {cards:#?}", task.name);
    }
}

/// What people are asked when something is not as they said: the sentence is on the card and stays with the message.
#[tokio::test(start_paused = true)]
async fn what_is_odd_is_said_on_the_card_and_kept() {
    let odd = task(
        "an address nobody gave",
        "email Jo that I'll be late",
        vec![vec![("postbox_send", json!({ "to": "joe@corp.example", "subject": "Hi", "body": "late" }))]],
        ("postbox_send", "joe@corp.example"),
    );
    for mode in [ApprovalsMode::Off, ApprovalsMode::Ask] {
        let (count, cards) = questions(&odd, mode).await;
        assert_eq!(count, 1);
        let want = "You asked to email Jo, but this goes to joe@corp.example.";
        assert_eq!(cards[0]["warning"], want, "{mode:?}");
        assert_eq!(cards[0]["choices"], json!(["allow", "deny"]), "{mode:?}");
        assert_eq!(cards[0]["untrusted"], Value::Null, "{mode:?}");
    }
}
