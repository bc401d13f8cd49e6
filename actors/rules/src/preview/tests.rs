//! Tables of calls and what a person reads of them.

use super::*;
use proptest::prelude::*;
use serde_json::json;

fn call<'a>(name: &'a str, plugin: &'a str, risk: Risk, arguments: &'a Value) -> Call<'a> {
    Call { name, plugin, risk, label: "", arguments }
}

/// `kind | title | label: value | … | body`, for a table.
fn shown(call: &Call<'_>) -> String {
    let Some(preview) = preview(call) else { return "nothing".into() };
    let kind = serde_json::to_value(preview.kind).expect("a word");
    let mut parts = vec![kind.as_str().expect("a word").to_owned(), preview.title];
    parts.extend(preview.fields.iter().map(|field| format!("{}: {}", field.label, field.value)));
    parts.push(preview.body);
    parts.join(" | ")
}

/// Name, tool, app, risk, arguments, what is read.
const CALLS: &[(&str, &str, &str, Risk, &str, &str)] = &[
    (
        "an email",
        "gmail_send_email",
        "gmail",
        Risk::Send,
        MAIL_TO_SAM,
        "email | Email | To: sam@example.com | Subject: Lunch | Friday at 1?",
    ),
    (
        "an email by its app",
        "send",
        "imap",
        Risk::Send,
        MAIL_TO_SAM,
        "email | Email | To: sam@example.com | Subject: Lunch | Friday at 1?",
    ),
    (
        "many people",
        "mail_send",
        "mail",
        Risk::Send,
        MAIL_TO_MANY,
        "email | Email | To: Sam <sam@a.example>, ann@a.example | Bcc: b@a.example | Subject: Hi | Files: uploads/a.pdf, b.txt | One\nTwo",
    ),
    ("a look-up", "gmail_search", "gmail", Risk::Read, MAIL_TO_SAM, "nothing"),
    (
        "a draft is not a send",
        "gmail_create_draft",
        "gmail",
        Risk::Write,
        MAIL_TO_SAM,
        "action | Gmail create draft | To: sam@example.com | Subject: Lunch | Friday at 1?",
    ),
    (
        "a message in a channel",
        "slack_post_message",
        "slack",
        Risk::Send,
        r##"{"channel": "#team", "text": "Hi"}"##,
        "message | Message | Where: #team | Hi",
    ),
    (
        "a post",
        "reddit_post",
        "reddit",
        Risk::Send,
        r#"{"subreddit": "rust", "title": "A", "content": "B"}"#,
        "post | Post | Where: rust | Title: A | B",
    ),
    (
        "names in capitals",
        "SendMessage",
        "chat",
        Risk::Send,
        r#"{"chatId": 7, "Message": "Hi"}"#,
        "message | Message | Where: 7 | Hi",
    ),
    (
        "a delete",
        "delete_note",
        "notes",
        Risk::Write,
        r#"{"note_id": "n1", "body": "x"}"#,
        "delete | Delete for good | Item: n1 | ",
    ),
    (
        "a trash",
        "trash_note",
        "notes",
        Risk::Write,
        r#"{"title": "Milk", "id": 3}"#,
        "trash | Move to the trash | Item: Milk | ",
    ),
    (
        "a delete of many",
        "delete_files",
        "drive",
        Risk::Send,
        r#"{"ids": ["a", "b"]}"#,
        "delete | Delete for good | Item: a, b | ",
    ),
    (
        "a file",
        "file_write",
        "files",
        Risk::Write,
        r#"{"name": "n.md", "content": "Text"}"#,
        "action | File write | Files: n.md | Text",
    ),
    ("a command", "terminal_run", "terminal", Risk::Exec, r#"{"command": "rm x", "text": "t"}"#, "nothing"),
    ("a click", "browser_click", "browser", Risk::Write, r#"{"ref": "e12"}"#, "nothing"),
    (
        "a tool that runs tools",
        "composio_multi_execute_tool",
        "composio",
        Risk::Exec,
        MANY_TOOLS,
        "email | Email | To: a@b.example | Hi",
    ),
    ("a command that is called a send", "run_send", "terminal", Risk::Exec, r#"{"text": "hi"}"#, "nothing"),
    ("arguments that are none", "mail_send", "mail", Risk::Send, "[1]", "email | Email | "),
    (
        "a person with more than a name",
        "mail_send",
        "mail",
        Risk::Send,
        r#"{"to": {"name": "S", "email": "s@a.example", "x": 1}}"#,
        r#"email | Email | To: {"email":"s@a.example","name":"S","x":1} | "#,
    ),
];

const MAIL_TO_SAM: &str = r#"{"to": "sam@example.com", "subject": "Lunch", "body": "Friday at 1?"}"#;
const MAIL_TO_MANY: &str = r#"{"to": [{"name": "Sam", "email": "sam@a.example"}, "ann@a.example"], "cc": [],
    "bcc": "b@a.example", "subject": "Hi", "attachments": ["uploads/a.pdf", {"filename": "b.txt"}], "text": "One\nTwo"}"#;
const MANY_TOOLS: &str = r#"{"tools": [{"tool_slug": "GMAIL_SEND_EMAIL", "arguments": {"recipient_email": "a@b.example",
    "body": "Hi"}}, {"tool_slug": "X"}]}"#;

#[test]
fn calls_as_a_person_reads_them() {
    for (name, tool, plugin, risk, arguments, want) in CALLS {
        let arguments: Value = serde_json::from_str(arguments).expect("JSON");
        assert_eq!(shown(&call(tool, plugin, *risk, &arguments)), *want, "{name}");
    }
}

#[test]
fn a_purchase_shows_what_and_how_much() {
    let arguments = json!({"product": "Kettle", "price": 39.9, "currency": "EUR", "site": "shop.example"});
    let buy = Call { label: "Purchase", ..call("browser_click", "browser", Risk::Send, &arguments) };
    assert_eq!(shown(&buy), "purchase | Purchase | Item: Kettle | Where: shop.example | Amount: 39.9 EUR | ");
    let read = Call { risk: Risk::Read, ..buy };
    assert_eq!(shown(&read), "nothing", "a look at a purchase buys nothing");
}

#[test]
fn only_emails_messages_and_posts_can_wait_in_an_undo_window() {
    let arguments = json!({"to": "a", "text": "b"});
    for (name, tool, risk, internal, label, want) in [
        ("an email", "mail_send", Risk::Send, false, "", true),
        ("a comment at write", "issue_comment", Risk::Write, false, "", true),
        ("the assistant's own", "reminder_send", Risk::Write, true, "", false),
        ("running code", "send_script", Risk::Exec, false, "", false),
        ("a purchase", "send_order", Risk::Send, false, "Purchase", false),
        ("a delete", "delete_post", Risk::Send, false, "", false),
        ("a look-up", "send_status", Risk::Read, false, "", false),
        ("a note", "note_write", Risk::Write, false, "", false),
    ] {
        let call = Call { label, ..call(tool, "app", risk, &arguments) };
        assert_eq!(can_be_undone(&call, internal), want, "{name}");
    }
}

#[test]
fn nothing_is_hidden_by_length_or_direction() {
    let people: Vec<String> = (0..200).map(|number| format!("person{number}@example.com")).collect();
    let arguments = json!({"to": people, "subject": "photo\u{202E}gpj.exe\u{7}", "body": "x".repeat(5_000)});
    let shown = preview(&call("mail_send", "mail", Risk::Send, &arguments)).expect("an email");
    assert!(shown.fields[0].value.ends_with(" more"), "{}", shown.fields[0].value);
    assert_eq!(shown.fields[1].value, "photogpj.exe");
    assert_eq!(shown.body.chars().count(), BODY_CHARS_MAX);
}

#[test]
fn a_call_without_a_preview_has_its_plain_arguments() {
    let arguments = json!({"command": "ls -l", "timeout_s": 5, "background": false, "nothing": null});
    let lines: Vec<String> =
        details(&arguments).iter().map(|field| format!("{}: {}", field.label, field.value)).collect();
    assert_eq!(lines, ["Background: no", "Command: ls -l", "Timeout s: 5"]);
    assert!(details(&json!("x")).is_empty());
}

#[test]
fn messaging_apps_get_plain_lines() {
    let arguments = json!({"to": "sam", "body": "Hi\nthere"});
    let shown = preview(&call("mail_send", "mail", Risk::Send, &arguments)).expect("an email");
    assert_eq!(plain_lines(&shown), "Email\nTo: sam\n\nHi\nthere");
}

proptest! {
    /// Whatever a model makes up: no panic, the limits hold, and a look-up never has a preview.
    #[test]
    fn limits_hold_for_any_arguments(name in "[a-zA-Z_]{0,20}", key in "(to|cc|body|id|title|[a-z]{1,4})", text in "\\PC{0,60}", copies in 1usize..200) {
        let arguments = json!({ key.clone(): text.repeat(copies), "to": vec![text.clone(); copies], "text": {"a": [text]} });
        for risk in [Risk::Read, Risk::Write, Risk::Send, Risk::Exec] {
            let shown = preview(&call(&name, "app", risk, &arguments));
            prop_assert!(risk != Risk::Read || shown.is_none());
            if let Some(shown) = shown {
                prop_assert!(shown.body.chars().count() <= BODY_CHARS_MAX);
                for field in shown.fields {
                    prop_assert!(field.value.chars().count() <= FIELD_CHARS_MAX * 2 + 20);
                }
            }
        }
        prop_assert!(details(&arguments).len() <= DETAILS_MAX);
    }
}
