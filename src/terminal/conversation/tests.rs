//! Conversations, played against the plain function.

use super::*;

const LOOK: Look = Look { width: 60, colour: false };

fn new() -> Conversation {
    Conversation::new(LOOK, Some("s".into()), Vec::new(), false)
}

fn typed(talk: &mut Conversation, text: &str) -> Vec<Effect> {
    talk.on(Input::Line(text.into(), "c1".into()))
}

fn heard(talk: &mut Conversation, json: Value) -> Vec<Effect> {
    let mut frame = json;
    if frame.get("session_id").is_none() {
        frame["session_id"] = json!("s");
    }
    let frame = Frame::read(&frame.to_string()).expect("a frame");
    talk.on(Input::Frame(Box::new(frame)))
}

fn printed(effects: &[Effect]) -> Vec<&str> {
    effects
        .iter()
        .filter_map(|effect| if let Effect::Print(text) = effect { Some(text.as_str()) } else { None })
        .collect()
}

fn sent(effects: &[Effect]) -> Option<&Value> {
    effects.iter().find_map(|effect| if let Effect::Send { frame, .. } = effect { Some(frame) } else { None })
}

fn question() -> Value {
    json!({ "type": "approval_request", "approval_id": "a1", "name": "file_write", "arguments": { "name": "a.txt" },
        "choices": ["allow", "allow_session", "deny"] })
}

#[test]
fn a_new_chat_is_known_by_its_first_message() {
    let mut talk = Conversation::new(LOOK, None, vec!["uploads/a.pdf".into()], true);
    let effects = typed(&mut talk, "hello");
    let frame = sent(&effects).expect("sent");
    let want = json!({ "type": "chat.send", "text": "hello", "client_id": "c1", "incognito": true,
        "attachments": ["uploads/a.pdf"] });
    assert_eq!(*frame, want);
    let other = heard(&mut talk, json!({ "type": "session", "client_id": "elsewhere", "session_id": "other" }));
    assert!(other.is_empty());
    let ours = heard(&mut talk, json!({ "type": "session", "client_id": "c1", "session_id": "s" }));
    assert_eq!(ours, [Effect::Taken("c1".into())]);
    assert!(heard(&mut talk, json!({ "type": "text_delta", "text": "x\n\n", "session_id": "other" })).is_empty());
    assert_eq!(printed(&heard(&mut talk, json!({ "type": "text_delta", "text": "Hi.\n\n" }))), ["Hi."]);
}

#[test]
fn what_is_typed_while_it_writes_is_added() {
    let mut talk = new();
    typed(&mut talk, "go");
    assert_eq!(sent(&typed(&mut talk, "and quickly")).expect("sent")["type"], "chat.steer");
    talk.attached.push("uploads/a.pdf".into());
    assert_eq!(sent(&typed(&mut talk, "with this")).expect("sent")["type"], "chat.send", "files need a turn");
}

#[test]
fn a_question_is_answered_and_nothing_else_is_said_meanwhile() {
    let mut talk = new();
    typed(&mut talk, "write it");
    let shown = heard(&mut talk, question());
    assert!(printed(&shown)[0].ends_with("[1 Allow once]  [2 Allow for this chat]  [3 Deny]"), "{shown:?}");
    assert_eq!(sent(&typed(&mut talk, "hm")), None);
    let answer = typed(&mut talk, "2");
    assert_eq!(sent(&answer).expect("sent")["decision"], "allow_session");
    heard(&mut talk, json!({ "type": "approval.ack", "approval_id": "a1", "resolved": true }));
    assert_eq!(sent(&typed(&mut talk, "thanks")).expect("sent")["type"], "chat.steer");
}

#[test]
fn of_two_questions_the_second_is_shown_again_after_the_first() {
    let mut talk = new();
    heard(&mut talk, question());
    let mut second = question();
    second["approval_id"] = json!("a2");
    second["name"] = json!("mail_send");
    heard(&mut talk, second);
    let after = heard(&mut talk, json!({ "type": "approval.ack", "approval_id": "a1", "resolved": true }));
    assert!(printed(&after)[0].starts_with("? Mail send"), "{after:?}");
    assert_eq!(sent(&typed(&mut talk, "no")).expect("sent")["approval_id"], "a2");
}

#[test]
fn one_interrupt_stops_and_two_leave() {
    let mut talk = new();
    typed(&mut talk, "count");
    assert_eq!(sent(&talk.on(Input::Interrupt)).expect("sent")["type"], "chat.cancel");
    assert_eq!(talk.on(Input::Interrupt), [Effect::Leave(Ending::Stopped)]);
    let mut idle = new();
    assert_eq!(sent(&idle.on(Input::Interrupt)), None);
    typed(&mut idle, "/help");
    assert_eq!(idle.on(Input::Interrupt).len(), 1, "typing forgets the first");
    assert_eq!(idle.on(Input::Interrupt), [Effect::Leave(Ending::Done)]);
}

#[test]
fn tools_and_thinking_are_one_line_each() {
    let mut talk = new();
    heard(&mut talk, json!({ "type": "thinking_delta", "text": "I should\nlook this up" }));
    let call =
        heard(&mut talk, json!({ "type": "tool_call", "name": "web_search", "arguments": { "query": "actors" } }));
    assert_eq!(printed(&call), ["… I should look this up", "→ Web search \"actors\""]);
    let bad =
        heard(&mut talk, json!({ "type": "tool_result", "result": { "error": "no\u{1b}[2J net" }, "is_error": true }));
    assert_eq!(printed(&bad), ["  ✗ no␛[2J net"]);
}

#[test]
fn an_error_is_told_once() {
    let mut talk = new();
    typed(&mut talk, "x");
    let error = heard(&mut talk, json!({ "type": "error", "message": "No model.", "recoverable": false }));
    assert_eq!(printed(&error), ["No model."]);
    let done = heard(&mut talk, json!({ "type": "done", "content": "", "error": "No model." }));
    assert_eq!(printed(&done), [""]);
    assert_eq!(sent(&typed(&mut talk, "y")).expect("sent")["client_id"], "c1");
}

#[test]
fn a_send_that_waits_can_be_taken_back() {
    let mut talk = new();
    assert_eq!(sent(&typed(&mut talk, "/undo")), None);
    let preview = json!({ "kind": "email", "title": "Email", "fields": [{ "label": "To", "value": "sam@example.com" }],
        "body": "Hi" });
    let shown = heard(&mut talk, json!({ "type": "undo_window", "undo_id": "u1", "seconds": 10, "preview": preview }));
    assert!(printed(&shown)[0].starts_with("Email is sent in 10 s."), "{shown:?}");
    let undo = typed(&mut talk, "/undo");
    assert_eq!(*sent(&undo).expect("sent"), json!({ "type": "undo.respond", "undo_id": "u1", "action": "undo" }));
}

#[test]
fn after_a_restart_nothing_is_waited_for() {
    let mut talk = new();
    typed(&mut talk, "first");
    heard(&mut talk, question());
    assert!(talk.on(Input::Restarted).is_empty());
    assert_eq!(sent(&typed(&mut talk, "second")).expect("sent")["type"], "chat.send");
}

#[test]
fn a_dropped_message_is_told() {
    let mut talk = new();
    typed(&mut talk, "first");
    let error = json!({ "type": "error", "message": "Stopped. Your queued message wasn't sent.", "recoverable": true,
        "dropped": true, "client_id": "c1" });
    let effects = heard(&mut talk, error);
    assert_eq!(effects[0], Effect::Taken("c1".into()), "it is not sent again");
    assert_eq!(printed(&effects), ["Stopped. Your queued message wasn't sent."]);
}

#[test]
fn several_pasted_lines_are_one_message() {
    for (name, text, want) in [
        ("lines", "one\ntwo", "one\ntwo"),
        ("the first looks like a command", "/stop\nhere is why", "/stop\nhere is why"),
        ("an end of line behind the last", "one\n\nthree\n\n", "one\n\nthree"),
    ] {
        let mut talk = new();
        let effects = typed(&mut talk, text);
        let lines = want.lines().count();
        assert_eq!(printed(&effects), [format!("[{lines} lines, sent as one message]")], "{name}");
        assert_eq!(sent(&effects).expect("sent")["text"], want, "{name}");
    }
    let mut talk = new();
    assert_eq!(sent(&typed(&mut talk, "one line\n")).expect("sent")["text"], "one line");
}

#[test]
fn pasted_lines_answer_no_question() {
    let mut talk = new();
    heard(&mut talk, question());
    let effects = typed(&mut talk, "1\nand more");
    assert_eq!(sent(&effects), None);
    assert!(printed(&effects)[0].contains("were not sent"), "{effects:?}");
}
