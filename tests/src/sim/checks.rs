//! What must hold whenever the engine is at rest.

use crate::sim::book::{Book, Fate};
use crate::story::{TestSetup, fault_of};
use actors::Engine;
use protocol::model::PromptMessage;
use protocol::sessions::{MessageRole, Session};
use protocol::subagents::{ProgressType, ProgressUpdate, SubagentStatus};
use rules::marking::MarkKey;
use rules::prompt::{Budget, Prompt, Said, SystemFacts, build, system};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use storage::Snapshot;
use storage::records::{
    AttachmentRecord, EffectRecord, EventRecord, LedHostsRecord, MessageRecord, QueuedInput, SessionRecord,
    SubagentRecord, SubagentStepRecord, TurnRecord,
};

/// Tools that change something outside and so ask in the ordinary mode.
const ASKING: [&str; 3] = ["note_write", "mail_send", "slow_send"];

/// Those of them no helper may use.
const SENDING: [&str; 2] = ["mail_send", "slow_send"];

fn all<R: storage::Record>(snapshot: &Snapshot) -> Vec<R> {
    snapshot.all::<R>().expect("rows").collect::<Result<_, _>>().expect("rows that can be read")
}

/// What is unfinished in the store.
pub(crate) fn unfinished(setup: &TestSetup) -> Vec<String> {
    let snapshot = setup.store.snapshot().expect("a snapshot");
    let turns = all::<TurnRecord>(&snapshot).into_iter().map(|turn| format!("{turn:?}"));
    let waiting = all::<QueuedInput>(&snapshot).into_iter().map(|input| format!("{input:?}"));
    let helpers = all::<SubagentRecord>(&snapshot).into_iter();
    let open = helpers.filter(|helper| helper.status == SubagentStatus::Running || helper.untold);
    turns.chain(waiting).chain(open.map(|helper| format!("{helper:?}"))).collect()
}

/// No message that was accepted is lost or doubled; none that was refused is there.
pub(crate) fn messages(setup: &TestSetup, book: &Book) {
    let snapshot = setup.store.snapshot().expect("a snapshot");
    let mut times: BTreeMap<String, usize> = BTreeMap::new();
    for row in all::<MessageRecord>(&snapshot).into_iter().filter(|row| row.role == MessageRole::User) {
        *times.entry(row.content).or_default() += 1;
    }
    for sent in &book.sent {
        let times = times.get(&sent.text).copied().unwrap_or(0);
        let known = sent.session.as_ref().and_then(|session| book.chats.get(session));
        let stays = known.is_some_and(|known| !known.incognito && known.deleted.is_none());
        match sent.fate {
            Fate::Accepted if stays && !sent.may_be_dropped => {
                assert_eq!(times, 1, "an accepted message must be stored once: {sent:?}")
            }
            Fate::Refused => assert_eq!(times, 0, "a refused message was stored: {sent:?}"),
            _ => assert!(times <= 1, "a message was stored {times} times: {sent:?}"),
        }
    }
}

/// Places of messages are in order and without gaps, and every call has at most one result.
pub(crate) fn transcripts(setup: &TestSetup) {
    let snapshot = setup.store.snapshot().expect("a snapshot");
    for session in all::<SessionRecord>(&snapshot) {
        let rows: Vec<MessageRecord> =
            snapshot.prefix::<MessageRecord>(&session.id).expect("rows").collect::<Result<_, _>>().expect("rows");
        let places: Vec<u64> = rows.iter().map(|row| row.ordinal).collect();
        let want: Vec<u64> = (0..session.next_ordinal).collect();
        assert_eq!(places, want, "places of the messages of {}", session.id);
        let mut results = BTreeSet::new();
        for id in rows.iter().filter_map(|row| row.tool_call_id.clone()) {
            assert!(results.insert(id.clone()), "call {id} has two results");
        }
        let fault = fault_of(&prompt(&rows));
        assert_eq!(fault, None, "no provider takes the prompt of {}", session.id);
    }
}

/// The messages a model would get for the chat as it is now.
fn prompt(rows: &[MessageRecord]) -> Vec<PromptMessage> {
    let said: Vec<Said> = rows
        .iter()
        .map(|row| Said {
            thinking: Vec::new(),
            ordinal: row.ordinal,
            role: row.role,
            text: row.content.clone(),
            calls: row.tool_calls.clone(),
            call_id: row.tool_call_id.clone(),
            name: row.name.clone(),
            attachments: row.attachments.clone(),
            at: row.created_at,
            outside: row.outside_source.clone(),
            note: String::new(),
        })
        .collect();
    build(&Prompt {
        system: system(&SystemFacts::default()),
        summary: "",
        notes: "",
        said: &said,
        attached: &[],
        channel: "desktop",
        turn_begins_at: u64::MAX,
        zone: &jiff::tz::TimeZone::UTC,
        marks: None,
        group_marks: &MarkKey::new([7; 32]),
        note: None,
        recalled: "",
        budget: Budget { context_length: Some(4_096), tools: 0, shrinks: 0 },
    })
}

/// Every turn the windows heard of has one `done` and says nothing after it. `at_rest`: none is still open.
pub(crate) fn ends(frames: &[Value], at_rest: bool) {
    let mut done: BTreeMap<&str, bool> = BTreeMap::new();
    for frame in frames {
        let Some(turn) = frame["turn_id"].as_str() else { continue };
        let over = done.entry(turn).or_insert(false);
        assert!(!*over, "turn {turn} goes on after its end: {frame}");
        *over = frame["type"] == "done";
    }
    let open: Vec<_> = done.iter().filter(|(_, over)| !**over).collect();
    assert!(!at_rest || open.is_empty(), "turns without an end: {open:?}");
}

/// Nothing that changes something ran twice, ran unasked, or ran after a no.
pub(crate) fn gate(setup: &TestSetup, book: &Book, asks: bool) {
    let homes = homes(setup);
    let mut ran = BTreeSet::new();
    for (tool, arguments) in setup.log.calls() {
        let mark = arguments["text"].as_str().unwrap_or_default().to_owned();
        if !ASKING.contains(&tool.as_str()) || mark.is_empty() {
            continue;
        }
        assert!(ran.insert(mark.clone()), "{tool} {mark} ran twice");
        assert!(!book.undone.contains(&mark), "{tool} {mark} ran although somebody had undone it");
        let about: Vec<_> = book.questions.values().filter(|question| question.mark == mark).collect();
        let said_yes = about.iter().any(|question| question.may_be_yes());
        let said_no = about.iter().any(|question| question.answers.iter().any(|(_, fate)| *fate == Fate::Accepted));
        assert!(said_yes || !said_no, "{tool} {mark} ran although it was refused");
        // Of a call in a deleted chat it is not known any more in which chat it was.
        let home = homes.get(&mark);
        let for_chat = book.questions.values().any(|question| {
            question.tool == tool && home.is_none_or(|home| question.session == *home) && question.may_be_for_the_chat()
        });
        let for_ever = book.questions.values().any(|question| question.tool == tool && question.may_be_for_ever());

        // A helper's writes have the yes to its chat's call; what a helper did is no message of any chat.
        let by_helper = tool == "note_write" && home.is_none();
        assert!(
            !asks || said_yes || for_chat || for_ever || by_helper,
            "{tool} {mark} ran without a question: {about:?}"
        );
    }
    for (id, question) in &book.questions {
        assert!(question.counted <= 1, "question {id} was answered {} times", question.counted);
    }
}

/// Every helper has one end, the last line of a log without gaps; it did nothing that only its chat may do; and what it
/// found in the background is in its chat once.
pub(crate) fn helpers(setup: &TestSetup) {
    let snapshot = setup.store.snapshot().expect("a snapshot");
    let ran: BTreeSet<String> =
        setup.log.calls().iter().filter_map(|(_, arguments)| Some(arguments["text"].as_str()?.to_owned())).collect();
    let messages = all::<MessageRecord>(&snapshot);
    for helper in all::<SubagentRecord>(&snapshot) {
        let steps: Vec<SubagentStepRecord> =
            snapshot.prefix::<SubagentStepRecord>(&helper.id).expect("steps").collect::<Result<_, _>>().expect("steps");
        let numbers: Vec<u64> = steps.iter().map(|step| step.number).collect();
        assert_eq!(numbers, (0..u64::from(helper.next_step)).collect::<Vec<_>>(), "the log of {helper:?}");
        let updates: Vec<ProgressUpdate> =
            steps.iter().map(|step| serde_json::from_str(&step.update).expect("a step")).collect();
        let kinds: Vec<ProgressType> = updates.iter().map(|update| update.message.kind).collect();
        let want = match helper.status {
            SubagentStatus::Completed => ProgressType::FinalAnswer,
            SubagentStatus::Cancelled => ProgressType::Info,
            SubagentStatus::Error => ProgressType::Error,
            SubagentStatus::Running => panic!("a helper has no end: {helper:?}"),
        };
        assert_eq!(kinds.last(), Some(&want), "the log of {helper:?}");
        assert!(helper.finished_at.is_some() && helper.summary.is_some() == (want == ProgressType::FinalAnswer));
        assert!(kinds.iter().filter(|kind| **kind == ProgressType::FinalAnswer).count() <= 1, "two ends: {helper:?}");
        for update in updates.iter().filter(|update| update.message.kind == ProgressType::ToolCall) {
            let tool = update.message.tool_name.as_deref().unwrap_or_default();
            let mark = update.message.parameters.as_ref().and_then(|given| given["text"].as_str()).unwrap_or_default();
            let acts = SENDING.contains(&tool) && !mark.is_empty();
            assert!(!acts || !ran.contains(mark), "a helper did what only its chat may do: {tool} {mark}");
        }
        let told = messages.iter().filter(|row| row.id.0 == format!("helper-{}", helper.id)).count();
        let tells = helper.background && helper.status != SubagentStatus::Cancelled;
        assert_eq!(told, usize::from(tells), "the report of {helper:?}");
    }
}

/// In which chat each marked call is.
fn homes(setup: &TestSetup) -> BTreeMap<String, String> {
    let snapshot = setup.store.snapshot().expect("a snapshot");
    let mut homes = BTreeMap::new();
    for row in all::<MessageRecord>(&snapshot) {
        for call in &row.tool_calls {
            let arguments: Value = serde_json::from_str(&call.function.arguments).unwrap_or_default();
            if let Some(mark) = arguments["text"].as_str() {
                homes.insert(mark.to_owned(), row.session_id.0.clone());
            }
        }
    }
    homes
}

/// The event log has no gaps.
pub(crate) fn log(setup: &TestSetup) {
    let snapshot = setup.store.snapshot().expect("a snapshot");
    let numbers: Vec<u64> = all::<EventRecord>(&snapshot).iter().map(|event| event.seq).collect();
    let want: Vec<u64> = (1..=numbers.len() as u64).collect();
    assert_eq!(numbers, want, "numbers of the event log");
}

/// Of a deleted chat, and of an incognito chat of an earlier life, nothing is left.
pub(crate) fn gone(setup: &TestSetup, book: &Book, life: usize) {
    let snapshot = setup.store.snapshot().expect("a snapshot");
    let mut left: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    let mut note = |session: &protocol::ids::SessionId, what| left.entry(session.0.clone()).or_default().push(what);
    all::<SessionRecord>(&snapshot).iter().for_each(|row| note(&row.id, "chat"));
    all::<MessageRecord>(&snapshot).iter().for_each(|row| note(&row.session_id, "message"));
    all::<QueuedInput>(&snapshot).iter().for_each(|row| note(&row.session_id, "waiting message"));
    all::<TurnRecord>(&snapshot).iter().for_each(|row| note(&row.session_id, "turn"));
    all::<SubagentRecord>(&snapshot).iter().for_each(|row| note(&row.session_id, "helper"));
    all::<EffectRecord>(&snapshot).iter().for_each(|row| note(&row.session_id, "effect"));
    all::<LedHostsRecord>(&snapshot).iter().for_each(|row| note(&row.session_id, "hosts it was led to"));
    for row in all::<AttachmentRecord>(&snapshot) {
        row.sessions.iter().for_each(|session| note(session, "attachment"));
    }
    for (id, known) in &book.chats {
        let gone = known.deleted == Some(Fate::Accepted) || (known.incognito && known.life < life);
        assert!(!gone || !left.contains_key(&id.0), "of {id} {known:?} there is left: {:?}", left[&id.0]);
    }
}

/// A search finds what is there, and never what was deleted or is incognito.
pub(crate) async fn search(engine: &Engine, book: &Book, words: &[usize]) {
    for sent in words.iter().filter_map(|index| book.sent.get(*index)) {
        let hits = engine.search(&sent.text).await.expect("a search");
        let Some(known) = sent.session.as_ref().and_then(|session| book.chats.get(session)) else { continue };
        if known.incognito || known.deleted == Some(Fate::Accepted) {
            assert!(hits.is_empty(), "the search shows what is gone or private: {sent:?}");
        } else if known.deleted.is_none() && sent.fate == Fate::Accepted && !sent.may_be_dropped {
            let found = hits.iter().any(|hit| Some(&hit.session_id) == sent.session.as_ref());
            assert!(found, "the search does not find {sent:?}");
        }
    }
}

/// The chats that are kept, as surfaces see them, with their messages.
pub(crate) async fn observe(engine: &Engine) -> Vec<(Session, Vec<protocol::sessions::Message>)> {
    let mut seen = Vec::new();
    for session in engine.sessions(500).await.expect("chats").into_iter().filter(|session| !session.incognito) {
        let messages = engine.messages(&session.id, 5_000).await.expect("messages");
        seen.push((session, messages));
    }
    seen
}
