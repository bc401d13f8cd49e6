//! The words of a story.

use crate::apps::Mail;
use crate::story::Reply;
use protocol::approvals::Decision;
use protocol::model::{ModelError, ModelErrorKind};
use protocol::rule_proposals::ProposalDecision;
use protocol::undo::UndoAction;
use serde_json::Value;

/// One line of a story.
#[derive(Clone, Debug, PartialEq)]
pub enum Line {
    /// `user hello`: the person writes.
    User(String),
    /// `file notes.txt some text`: attached to the next `user`.
    File { name: String, text: String },
    /// `model …`, with following `and call …` lines: what the model will answer next.
    Model(Reply),
    /// `mail Sam <sam@example.com> | Lunch | Friday?`: a mail is in Postbox; the first one is `m1`.
    Mail(Mail),
    /// `note Plans | buy milk`: a note is in Jotter; the first one is `n1`.
    Note { title: String, text: String },
    /// `memory Maya lives in Pune`: the person has typed this in Memory before.
    Memory(String),
    /// `left postbox_reply sam@example.com`: what left last, in the test apps; `left nothing`.
    Left(String),
    /// `card has …` / `card lacks …`: the newest question as the windows got it.
    Card { has: bool, words: String },
    /// `set chat.auto_title true`: changes a setting.
    Set { key: String, value: Value },
    /// `is tools.approvals.rules {"mail_send":"allow"}`: a setting has this value.
    Is { key: String, value: Value },
    /// `proposal never mail_send`: the rules that are proposed in the chat and not decided; `proposal none`.
    Proposal(String),
    /// `accept` / `decline`: what the person says to the oldest of them.
    Decide(ProposalDecision),
    /// `grants 1`: how many answers cover later calls now.
    Grants(usize),
    /// `ask mail_send`: a question about this tool comes.
    Ask(String),
    /// `window mail_send`: an undo window of this tool opens.
    Window(String),
    /// `press undo`, `press send_now`: in the newest undo window.
    Press(UndoAction),
    /// `answer allow`
    Answer(Decision),
    /// `steer no, the other one`
    Steer(String),
    /// `stop`
    Stop,
    /// `done Hello.`: the reply ends with this text.
    Done(String),
    /// `stopped`: the reply ends as stopped, with a text that ends so.
    Stopped(String),
    /// `fails Local only`: the reply ends with an error that has these words.
    Fails(String),
    /// `ran mail_send 1`: how often a tool has run in all.
    Ran { tool: String, times: usize },
    /// `result declined`: the newest tool result has these words.
    Result(String),
    /// `prompt has …` / `prompt lacks …`: the newest model request.
    Prompt { has: bool, words: String },
    /// `shown has …` / `shown lacks …`: what windows were shown as text.
    Shown { has: bool, words: String },
    /// `rows user assistant tool assistant`: the stored messages.
    Rows(String),
    /// `title Trip`: the chat's name.
    Title(String),
    /// `progress words`: a running tool showed these words, or a helper it waits for was heard of with them.
    Progress(String),
    /// `notice words`: a notice with these words came.
    Notice(String),
    /// `helper completed buy milk`: the newest helper of the chat, its status, and words of its summary or error.
    Helper { status: String, words: String },
    /// `stop helper`: the newest helper of the chat is stopped.
    StopHelper,
    /// `chat work`: what follows is a new chat with this scope; `chat` alone: a personal one.
    Chat(Option<String>),
    /// `remembers Maya lives in Pune`: a memory in use says exactly this; `remembers nothing`.
    Remembers(String),
    /// `holds Maya owes Acme`: a memory that waits for review says exactly this; `holds nothing`.
    Holds(String),
    /// `forget Maya lives in Pune`: the person forgets the memory with these words.
    Forget(String),
    /// `source prompt Maya lives in Pune`: the newest reply had this memory in mind, and from where; `source nothing`.
    Source(String),
    /// `summary has words` / `summary lacks words`: all summaries of chats.
    Summary { has: bool, words: String },
    /// `workspace USER.md has words` / `lacks words`.
    Workspace { file: String, has: bool, words: String },
    /// `wait 10m`
    Wait(u64),
    /// `crash`: the engine is gone at once, and another one starts on the same store.
    Crash,
}

/// Reads a story. Empty lines and lines that begin with `#` are left out.
///
/// # Panics
/// On a line that has no meaning, naming it.
pub fn parse(story: &str) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    for text in story.lines().map(str::trim).filter(|text| !text.is_empty() && !text.starts_with('#')) {
        let (verb, rest) = text.split_once(' ').unwrap_or((text, ""));
        if verb == "and" {
            let Some(Line::Model(reply)) = lines.last_mut() else { panic!("`and` without `model`: {text}") };
            add_call(reply, rest);
            continue;
        }
        lines.push(line(verb, rest.trim(), text));
    }
    lines
}

#[expect(clippy::too_many_lines, reason = "one arm a verb")]
fn line(verb: &str, rest: &str, text: &str) -> Line {
    let words = || rest.replace("\\n", "\n");
    match verb {
        "user" => Line::User(words()),
        "file" => {
            let (name, content) = rest.split_once(' ').unwrap_or((rest, ""));
            Line::File { name: name.into(), text: content.into() }
        }
        "model" => Line::Model(reply(rest)),
        "set" => {
            let (key, value) = rest.split_once(' ').expect("set KEY VALUE");
            Line::Set { key: key.into(), value: serde_json::from_str(value).expect("a JSON value") }
        }
        "is" => {
            let (key, value) = rest.split_once(' ').expect("is KEY VALUE");
            Line::Is { key: key.into(), value: serde_json::from_str(value).expect("a JSON value") }
        }
        "proposal" => Line::Proposal(rest.into()),
        "accept" => Line::Decide(ProposalDecision::Accept),
        "decline" => Line::Decide(ProposalDecision::Decline),
        "grants" => Line::Grants(rest.parse().expect("a number")),
        "mail" => {
            let parts: Vec<String> = rest.splitn(3, " | ").map(|part| part.replace("\\n", "\n")).collect();
            let [from, subject, body] = &parts[..] else { panic!("mail FROM | SUBJECT | BODY: {text}") };
            Line::Mail(Mail::new(from, subject, body))
        }
        "note" => {
            let (title, text) = rest.split_once(" | ").expect("note TITLE | TEXT");
            Line::Note { title: title.into(), text: text.into() }
        }
        "memory" => Line::Memory(words()),
        "left" => Line::Left(rest.into()),
        "ask" => Line::Ask(rest.into()),
        "window" => Line::Window(rest.into()),
        "press" => Line::Press(serde_json::from_value(Value::String(rest.into())).expect("undo or send_now")),
        "answer" => Line::Answer(serde_json::from_value(Value::String(rest.into())).expect("a decision")),
        "steer" => Line::Steer(words()),
        "stop" if rest == "helper" => Line::StopHelper,
        "stop" => Line::Stop,
        "helper" => {
            let (status, words) = rest.split_once(' ').unwrap_or((rest, ""));
            Line::Helper { status: status.into(), words: words.replace("\\n", "\n") }
        }
        "done" => Line::Done(words()),
        "stopped" => Line::Stopped(words()),
        "fails" => Line::Fails(rest.into()),
        "ran" => {
            let (tool, times) = rest.split_once(' ').expect("ran TOOL TIMES");
            Line::Ran { tool: tool.into(), times: times.parse().expect("a number") }
        }
        "result" => Line::Result(words()),
        "prompt" | "shown" | "card" | "summary" => {
            let (has, words) = match rest.split_once(' ') {
                Some(("has", words)) => (true, words.replace("\\n", "\n")),
                Some(("lacks", words)) => (false, words.replace("\\n", "\n")),
                _ => panic!("{verb} has|lacks WORDS: {text}"),
            };
            match verb {
                "prompt" => Line::Prompt { has, words },
                "shown" => Line::Shown { has, words },
                "summary" => Line::Summary { has, words },
                _ => Line::Card { has, words },
            }
        }
        "rows" => Line::Rows(rest.into()),
        "title" => Line::Title(rest.into()),
        "progress" => Line::Progress(words()),
        "notice" => Line::Notice(rest.into()),
        "chat" => Line::Chat((!rest.is_empty()).then(|| rest.to_owned())),
        "remembers" => Line::Remembers(rest.into()),
        "holds" => Line::Holds(rest.into()),
        "forget" => Line::Forget(rest.into()),
        "source" => Line::Source(rest.into()),
        "workspace" => {
            let mut parts = rest.splitn(3, ' ');
            let mut next = || parts.next().expect("workspace FILE has|lacks WORDS").to_owned();
            Line::Workspace { file: next(), has: next() == "has", words: next() }
        }
        "wait" => Line::Wait(seconds(rest)),
        "crash" => Line::Crash,
        _ => panic!("a story has no line like this: {text}"),
    }
}

fn reply(rest: &str) -> Reply {
    let (verb, tail) = rest.split_once(' ').unwrap_or((rest, ""));
    let text = || tail.replace("\\n", "\n");
    match verb {
        "call" => {
            let mut reply = Reply::default();
            add_call(&mut reply, rest);
            reply
        }
        "thinks" => Reply { thinking: text(), ..Reply::default() },
        "signs" => Reply { thinking: text(), signed: true, ..Reply::default() },
        "hangs" => Reply { text: text(), hangs: true, ..Reply::default() },
        "slow" => Reply { slow: true, ..Reply::text(text()) },
        "cut" => Reply { cut: true, ..Reply::text(text()) },
        "empty" => Reply::default(),
        "fails" => {
            let kind: ModelErrorKind = serde_json::from_value(Value::String(tail.into())).expect("a kind of failure");
            Reply { error: Some(ModelError::new(kind, format!("The model failed: {tail}."))), ..Reply::default() }
        }
        _ => Reply::text(rest.replace("\\n", "\n")),
    }
}

/// `call NAME {json}`, or `text …`.
fn add_call(reply: &mut Reply, rest: &str) {
    match rest.split_once(' ') {
        Some(("call", call)) => {
            let (name, arguments) = call.split_once(' ').unwrap_or((call, "{}"));
            reply.calls.push((name.into(), arguments.into()));
        }
        Some(("says", text)) => reply.text = text.replace("\\n", "\n"),
        _ => panic!("and call NAME ARGUMENTS, or and says TEXT: {rest}"),
    }
}

fn seconds(text: &str) -> u64 {
    let number = |text: &str| text.parse::<u64>().expect("a number");
    match text.strip_suffix('m') {
        Some(minutes) => number(minutes) * 60,
        None => number(text.trim_end_matches('s')),
    }
}
